/* The sweeps of eight points at once (sweeps_lanes.h). */
#if defined(__x86_64__)
#define LANES 8
#define SWEEPS_TARGET , target("avx512f,avx512dq")
#define SWEEPS_OWN __attribute__((target("avx512f,avx512dq")))
#define SWEEPS rattle__sweeps_8
#define ROOM rattle__sweeps_room_8
#include "problem/functions/sweeps_lanes.h"
#else
typedef int sweeps_need_x86_64;
#endif
