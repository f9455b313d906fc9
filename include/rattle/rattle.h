#ifndef RATTLE_H
#define RATTLE_H
/* librattle: constrained Hamiltonian systems. model -> problem -> integrator -> run -> record. */
#include "rattle/base_map.h"
#include "rattle/cases.h"
#include "rattle/doctor.h"
#include "rattle/draw.h"
#include "rattle/ensemble.h"
#include "rattle/expr.h"
#include "rattle/integrator.h"
#include "rattle/method.h"
#include "rattle/model.h"
#include "rattle/observe.h"
#include "rattle/plugin.h"
#include "rattle/problem.h"
#include "rattle/record.h"
#include "rattle/run.h"
#include "rattle/slide.h"
#include "rattle/status.h"
#include "rattle/study.h"
#include "rattle/tangent.h"
#include "rattle/trajectory.h"
#include "rattle/verify.h"
#endif
