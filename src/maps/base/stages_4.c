/* Four stages at once (stages_lanes.h). */
#if defined(__x86_64__)
#define LANES 4
#define STAGES_TARGET , target("avx2")
#define STAGES_OWN __attribute__((target("avx2")))
#define STAGES rattle__stages_4
#include "maps/base/stages_lanes.h"
#else
typedef int stages_need_x86_64;
#endif
