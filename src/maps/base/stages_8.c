/* Eight stages at once (stages_lanes.h). */
#if defined(__x86_64__)
#define LANES 8
#define STAGES_TARGET , target("avx512f,avx512dq")
#define STAGES_OWN __attribute__((target("avx512f,avx512dq")))
#define STAGES rattle__stages_8
#include "maps/base/stages_lanes.h"
#else
typedef int stages_need_x86_64;
#endif
