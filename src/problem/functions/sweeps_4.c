/* The sweeps of four points at once (sweeps_lanes.h). */
#if defined(__x86_64__)
#define LANES 4
#define SWEEPS_TARGET , target("avx2")
#define SWEEPS_OWN __attribute__((target("avx2")))
#define SWEEPS rattle__sweeps_4
#define ROOM rattle__sweeps_room_4
#include "problem/functions/sweeps_lanes.h"
#else
typedef int sweeps_need_x86_64;
#endif
