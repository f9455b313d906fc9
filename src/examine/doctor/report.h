#ifndef RATTLE__DOCTOR_REPORT_H
#define RATTLE__DOCTOR_REPORT_H
/* The interface between the parts of a diagnosis. */
#include "problem/dirac/dirac.h"
#include "rattle/doctor.h"
#include "rattle/integrator.h"

struct rattle_doctor {
  rattle_diagnosis d;
  const rattle_model *model;     /* NULL: callbacks */
  const rattle_problem *given;   /* by the caller, or NULL */
  const rattle_problem *problem; /* NULL: none can be made */
  rattle_problem *own;           /* the same where the doctor made it */
  rattle_doctor_options options;
  rattle__dirac *dirac; /* NULL: not offered */
  double *q,
      *p; /* the start; where that is off g = 0, the point that a projection moves it to, if it
             does [n] */
  double *on_q, *on_p; /* a point of the manifold and of psi = 0, the start moved there; [n] */
  int on;              /* 1: there is one */
  double *from;        /* [2n] the start as it was given; NULL: it is on g = 0 */
  double *settled;     /* [2n] where a run starts, projected; NULL: it does not */
  int still;           /* 1: the start is an equilibrium without frequencies */
  int wrong;           /* 1: derivatives of callbacks are */
  int unfit;           /* 1: no run may start from there; d.refused says why */
  rattle__arena arena;
  rattle__pool pool;
  size_t noted, room; /* of the note */
  char *note;
  int failed; /* 1: no memory; asked once, at the end */
};

/* A text that lives as long as the doctor; never NULL ("" and `failed` if there is no memory). */
const char *rattle__doctor_text(rattle_doctor *doctor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One more sentence of the note, without a full stop. */
void rattle__doctor_note(rattle_doctor *doctor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes an exhausted memory; returns what it is given. */
static inline rattle_status rattle__doctor_saw(rattle_doctor *doctor, rattle_status status) {
  doctor->failed |= status == RATTLE_NO_MEMORY;
  return status;
}

/* points.c: N at the start and at the points of the manifold; fills on_q, on_p. */
rattle_status rattle__doctor_points(rattle_doctor *doctor, rattle_error *error);
/* sparse.c: class, index and counts without Dirac's algorithm. */
rattle_status rattle__doctor_sparse(rattle_doctor *doctor, rattle_error *error);
/* derivatives.c: callbacks whose derivatives are not those of their values, in the note. */
rattle_status rattle__doctor_derivatives(rattle_doctor *doctor, rattle_error *error);
/* velocity.c: constraints on velocities: rank, degrees of freedom, which are integrable; where a
 * run starts. */
rattle_status rattle__doctor_velocity(rattle_doctor *doctor, rattle_error *error);
/* symmetry.c */
rattle_status rattle__doctor_symmetries(rattle_doctor *doctor, rattle_error *error);
/* methods.c: the fibre, methods that are valid and that are refused. */
rattle_status rattle__doctor_methods(rattle_doctor *doctor, rattle_error *error);
/* frequency.c: d.frequency, if it can be estimated. */
rattle_status rattle__doctor_frequency(rattle_doctor *doctor, rattle_error *error);
/* within_steps.c: the share by which a constraint on velocities, number *row of them, is off within
 * steps of such an integrator from these states; 0: none is, or the steps fail. */
double rattle__within_steps(const rattle_integrator *like, const rattle_problem *problem,
                            const rattle_state *const from[2], int *row);
/* turns.c: the angle by which the constraint on coordinates that turns most, number *row, turns in
 * a step from that state; 0: none does, or it is not known, as where H is not natural. */
double rattle__turn_of_constraints(const rattle_problem *problem, const rattle_state *at, int *row);
/* The same of constraints on velocities, of which there are some. */
double rattle__turn_of_rows(const rattle_problem *problem, const rattle_state *at, int *row);
/* advice.c: step, cost, why. */
rattle_status rattle__doctor_advice(rattle_doctor *doctor, rattle_error *error);
#endif
