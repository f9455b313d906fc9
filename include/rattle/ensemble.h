#ifndef RATTLE_ENSEMBLE_H
#define RATTLE_ENSEMBLE_H
/* Ensembles: many trajectories on threads. A trajectory is a case: parameters, a start, a method, a
 * step. The result of a case depends on the case alone: it is the same to the bit for any number of
 * threads, and in any order. Memory does not depend on the number of cases.
 *
 * Cases that differ in their starts, methods and steps share one problem, which is compiled once. A
 * short case with other parameters has them set in a problem that each thread makes once
 * (rattle_problem_set_parameters), if the model permits it; otherwise the model is made again from
 * its text, and its problem, and a thread keeps both for as long as the parameters of its next
 * cases are the same. The numbers are the same to the bit. */
#include "rattle/run.h"
#include "rattle/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One case. On entry to `describe` it is the case of the options. */
typedef struct rattle_case {
  long long number; /* 0, 1, ... */
  const rattle_problem
      *problem; /* another one is held from the end of `describe` until the ensemble ends */
  const rattle_parameter
      *parameter; /* [parameters] in place of the values in the problem's model; copied, but for
                    the names, which as `method` are read until the case has ended */
  int parameters;
  const char *method; /* expression; NULL: the default of the problem */
  double start, step; /* time of the start; step, not 0 */
  long long steps;
  const double *until; /* may be NULL; as in rattle_run_options; copied */
} rattle_case;

/* The results kept of a case, in addition to its end: a sum of these. */
typedef enum rattle_keep {
  RATTLE_KEEP_SUMMARY = 1,     /* the summary of its run: energies, residuals, counts */
  RATTLE_KEEP_EVENTS = 2,      /* its events, and output at given times */
  RATTLE_KEEP_SAMPLES = 4,     /* the whole trajectory, a sample every `every` steps */
  RATTLE_KEEP_OBSERVABLES = 8, /* the observables of the model at the end */
  RATTLE_KEEP_CHAOS =
      16, /* indicators of chaos, from the derivatives of the steps (tangent.h), made in steps of
             their own */
  RATTLE_KEEP_ERRORS = 32,  /* the largest errors of its run */
  RATTLE_KEEP_EXTREMES = 64 /* least and largest values of the observables, and their means */
} rattle_keep;

/* The largest errors of a case, those of its summary, and its energies at the end: the energy is
 * the balance H - work where energy may come in (rattle_integrator_has_work). */
typedef struct rattle_errors {
  double energy_max_error, g_max, psi_max;
  double H, work, balance; /* work: of forces, drives, moving constraints and heat baths */
} rattle_errors;

/* How nearby starts separate, on the manifold. */
typedef struct rattle_chaos {
  double megno; /* 2 for quasiperiodic motion, and time * exponent / 2 for chaos (P. M. Cincotta, C.
                Simo, Astron. Astrophys. Suppl. 147 (2000) 205) */
  double sali;  /* falls to 0 exponentially for chaos (Ch. Skokos, J. Phys. A 34 (2001) 10029) */
  double exponent; /* ln of the growth of a tangent vector over the time, a rate: the largest
                   Lyapunov exponent for long times */
} rattle_chaos;

/* Which of a case's settings were taken from integrate {} of the model: a sum of them. */
typedef enum rattle_wished {
  RATTLE_WISHED_METHOD = 1,
  RATTLE_WISHED_STEP = 2,
  RATTLE_WISHED_TIMES = 4 /* the start time, and stop or steps */
} rattle_wished;

/* How a case ended. Pointers are valid during the call. */
typedef struct rattle_outcome {
  const rattle_case *of;
  const rattle_problem *problem; /* of the case; NULL: its model or problem could not be made */
  rattle_status status;
  const rattle_error *error; /* filled if status is not RATTLE_OK */
  int n;                     /* pairs; 0 if there is no problem */
  const double *q0, *p0;     /* [n] the start, on the constraints; NULL: there was none */
  const double *q,
      *p; /* [n] the end, as rattle_integrator_output gives it: of a case that failed, after its
             last good step. NULL: as q0 */
  double time;     /* of the end */
  long long steps; /* made */
  const rattle_summary
      *summary; /* NULL unless RATTLE_KEEP_SUMMARY, and if there was no run; wall_seconds alone
                  differs from run to run */
  const rattle_trajectory
      *trajectory; /* of RATTLE_KEEP_EVENTS and RATTLE_KEEP_SAMPLES; NULL as for the summary */
  const double
      *observed; /* [observables] if RATTLE_KEEP_OBSERVABLES was set, NaN where one is undefined.
                  * NULL unless it was, the case has an end and the model has observables */
  const rattle_chaos
      *chaos; /* of RATTLE_KEEP_CHAOS: up to the end of the case; NULL without, without steps, and
                if it failed */
  const rattle_errors *errors; /* of RATTLE_KEEP_ERRORS; NULL as for the summary */
  const rattle_extreme
      *extremes; /* [observables] of RATTLE_KEEP_EXTREMES; NULL as for the summary */
} rattle_outcome;

typedef struct rattle_ensemble_options {
  size_t struct_size;          /* sizeof, or 0: status.h */
  long long cases;             /* how many */
  int threads;                 /* 0: the number of cores */
  int keep;                    /* RATTLE_KEEP_... */
  long long every;             /* of RATTLE_KEEP_SAMPLES; 0: 1 */
  const rattle_events *events; /* in addition to those of the model; may be NULL */
  const char *method;          /* these five: of each case unless `describe` changes them */
  double start, step;
  long long steps;
  const double *until;
  int project; /* 1: starts are moved onto the constraints, as rattle_problem_start moves them */
  int trusted; /* 1: starts are consistent, and not checked: they must be exact. A check takes as
                  long as many steps of a small problem */
  /* rattle_model_parse, for cases with other parameters (it is in librattle_io, which programs
   * without parameters do not need). */
  rattle_status (*parse)(rattle_model **model, const char *text, const char *name,
                         const rattle_model_options *options, rattle_error *error);
  rattle_evaluator evaluator; /* of problems made for parameters */
  /* The next four calls come from any of the threads, one at a time. A failure of `describe` or
   * `start` is a failure of the case; but RATTLE_NO_MEMORY, wherever it happens, ends the
   * ensemble. */
  /* Changes *c, case c->number; may be NULL. */
  rattle_status (*describe)(void *self, rattle_case *c, rattle_error *error);
  /* The start of the case, q[n] and p[n], all NaN on entry: NaN remains the value of the model.
   * With a start velocity in the model, NaN is the momentum that belongs to it. May be NULL: the
   * start of the model. */
  rattle_status (*begin)(void *self, const rattle_case *c, const rattle_problem *problem, double *q,
                         double *p, rattle_error *error);
  /* A case has ended: each one once, in any order. A failure ends the ensemble. */
  rattle_status (*end)(void *self, const rattle_outcome *outcome, rattle_error *error);
  /* May be NULL. Chooses the next cases in place of 0, 1, ... cases-1: *first and how many (at most
   * *count on entry, a proposal); *count 0: no more. For ensembles that are partly done, or that
   * several processes share. */
  rattle_status (*claim)(void *self, long long *first, long long *count, rattle_error *error);
  void *self;
  const volatile int
      *interrupt; /* may be NULL; if it becomes nonzero (status.h), the cases that are running end
                    unfinished: RATTLE_INTERRUPTED */
  /* May be NULL; called by the calling thread a few times per second: cases ended, and the seconds
   * since the beginning. */
  void (*progress)(void *self, long long ended, double seconds);
  /* Cases can be stepped in SIMD lanes if you keep only their ends (and observables there), plus
   * either output times (at most one for a hundred steps) or the largest errors (10^4 steps or
   * more, `every` 1), and there are no other events. Methods: rattle(...) and shake(...) of
   * explicit maps for separable H with a diagonal M and one to twelve constraints, where parameters
   * may differ if the model uses them in expressions, masses and starts alone; rattle(midpoint) and
   * rattle(gauss(s)) of any H and quadratic g with up to 24 unknowns; rattle(verlet) under
   * constraints on velocities; and compositions of these; machine code. Results are the same to
   * the bit. Numbers in a vector: 2, 4 (AVX2) or 8 (AVX-512), which the processor must have; 1:
   * cases are stepped one by one; 0: as many as it has, if all cases together are long enough to
   * pay for compiling. */
  int lanes;
  /* RATTLE_WISHED_...: a case fails with RATTLE_UNSUITABLE if its parameters change the settings of
   * its model that are named here, since a run of its own would use the new ones. 0 allows it. */
  int wished;
  /* 1: each step of each case is proved as it is made (rattle_integrator_certify): a case ends with
   * RATTLE_DEGENERATE where one is not, after `steps` that are. In no lanes */
  int certify;
} rattle_ensemble_options;

/* Runs all cases. A case that fails is not a failure of the ensemble. RATTLE_INTERRUPTED,
 * RATTLE_NO_MEMORY, or what `end` or `claim` returned; RATTLE_BAD_ARGUMENT before any case. *ended
 * (may be NULL): cases that have ended. */
RATTLE_API rattle_status rattle_ensemble(const rattle_problem *problem,
                                         const rattle_ensemble_options *options, long long *ended,
                                         rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
