#include "problem/functions/answers.h"

#include <stdlib.h>

#include "problem/functions/forced.h"
#include "problem/functions/native.h"
#include "ground/support/error.h"

typedef struct answering {
  rattle__function f;
  const rattle__function *inner;
  rattle__answers *answers;
  const char *name;
} answering;

static int answered(const answering *s, const char *what, int answer) {
  if (answer < 0 && !s->answers->fatal) *s->answers = (rattle__answers){answer, what};
  return answer;
}

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  const answering *s = f->self;
  return s->answers->fatal ? s->answers->fatal
                           : answered(s, s->name, s->inner->value(s->inner, x, F, work));
}

static int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                    double *work) {
  const answering *s = f->self;
  return s->answers->fatal ? s->answers->fatal
                           : answered(s, s->name, s->inner->jacobian(s->inner, x, F, J, work));
}

static int hessian(const rattle__function *f, const double *x, const double *w, double *S,
                   double *work) {
  const answering *s = f->self;
  return s->answers->fatal ? s->answers->fatal
                           : answered(s, "Hessian", s->inner->hessian(s->inner, x, w, S, work));
}

static int rough(const rattle__function *f, const double *x, const double *gradient, int from,
                 double *S, double *work) {
  const answering *s = f->self;
  return s->answers->fatal
             ? s->answers->fatal
             : answered(s, "Hessian", s->inner->rough(s->inner, x, gradient, from, S, work));
}

static int along(const rattle__function *f, const double *x, const double *v, double *D,
                 double *work) {
  const answering *s = f->self;
  return s->answers->fatal ? s->answers->fatal
                           : answered(s, "Hessian", s->inner->along(s->inner, x, v, D, work));
}

static void destroy(rattle__function *f) {
  free(f->self);
}

static rattle_status note_answers(rattle__function **f, const rattle__function *inner,
                                  const char *name, rattle__answers *answers, rattle_error *error) {
  if (!inner) return RATTLE_OK;
  answering *s = malloc(sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (answering){.f = *inner, .inner = inner, .answers = answers, .name = name};
  s->f.value = value;
  s->f.jacobian = jacobian;
  s->f.hessian = inner->hessian ? hessian : NULL;
  s->f.rough = inner->rough ? rough : NULL;
  s->f.along = inner->along ? along : NULL;
  s->f.destroy = destroy;
  s->f.self = s;
  *f = &s->f;
  return RATTLE_OK;
}

rattle_status rattle__problem_answered(rattle_problem **view, const rattle_problem *problem,
                                       rattle__answers *answers, rattle_error *error) {
  rattle_problem *p = *view = malloc(sizeof *p);
  if (!p) return rattle__no_memory(error);
  *p = *problem;
  p->H = p->energy = p->force = p->V = p->T = p->g = NULL;
  rattle_status status = note_answers(&p->V, problem->V, "Hamiltonian", answers, error);
  if (!status) status = note_answers(&p->T, problem->T, "Hamiltonian", answers, error);
  if (!status) status = note_answers(&p->g, problem->g, "constraint", answers, error);
  if (!status && p->V) status = rattle__function_separable(&p->H, p->n, p->V, p->T, p->mass, error);
  if (!status) status = note_answers(&p->energy, problem->energy, "Hamiltonian", answers, error);
  if (!status) status = note_answers(&p->force, problem->force, "force", answers, error);
  if (!status && p->energy) status = rattle__function_forced(&p->H, p, 0, error);
  if (!status && !p->V && !p->energy)
    status = note_answers(&p->H, problem->H, "Hamiltonian", answers, error);
  if (status) rattle__problem_view_destroy(view);
  return status;
}

rattle_status rattle__answers_end(const rattle__answers *answers, rattle_status status,
                                  rattle_error *error) {
  if (!answers->fatal || status == RATTLE_CALLBACK) return status;
  return rattle__callback_error(answers->fatal, answers->what, error);
}
