/* Two stages at once (stages_lanes.h), for any processor. */
#define LANES 2
#define STAGES_TARGET
#define STAGES rattle__stages_2
#include "maps/base/stages_lanes.h"
