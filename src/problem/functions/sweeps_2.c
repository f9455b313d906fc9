/* The sweeps of two points at once (sweeps_lanes.h), for any processor. */
#define LANES 2
#define SWEEPS_TARGET
#define SWEEPS rattle__sweeps_2
#define ROOM rattle__sweeps_room_2
#include "problem/functions/sweeps_lanes.h"
