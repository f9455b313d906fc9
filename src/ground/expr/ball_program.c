/* Programs of operations on balls, executed one by one. See ball_program.h. */
#include "ground/expr/ball_program.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/ball_odd.h"

/* --- how they are made ------------------------------------------------------------------------ */

/* True if the operation has the operands *a and, unless it is -1, *b. */
static int operands(const rattle__ball_operation *o, int *a, int *b) {
  *a = o->a;
  *b = o->is == RATTLE__BALL_ADD || o->is == RATTLE__BALL_SUBTRACT || o->is == RATTLE__BALL_TIMES
           ? o->b
           : -1;
  return o->is != RATTLE__BALL_NUMBER && o->is != RATTLE__BALL_INPUT;
}

static void find_steps(const rattle__ball_operations *all, rattle__ball_program *to, char *needed) {
  memset(needed, 0, (size_t)all->count);
  for (int k = 0; k < to->outs; k++)
    if (to->out[k].at >= 0) needed[to->out[k].at] = 1;
  for (int i = all->count, a, b; i-- > 0;) {
    if (!needed[i] || !operands(&all->of[i], &a, &b)) continue;
    needed[a] = 1;
    if (b >= 0) needed[b] = 1;
  }
  for (int i = 0; i < all->count; i++)
    if (needed[i] && all->of[i].is != RATTLE__BALL_NUMBER && all->of[i].is != RATTLE__BALL_PART)
      to->step[to->steps++] = i;
}

int rattle__ball_programs_add(rattle__ball_programs *p, const rattle__ball_symbol *out, int outs) {
  rattle__ball_program *to = &p->program[p->count++];
  char *needed = malloc((size_t)p->all.count + 1);
  to->step = malloc(((size_t)p->all.count + 1) * sizeof *to->step);
  to->out = malloc(((size_t)outs + 1) * sizeof *to->out);
  const int good = needed && to->step && to->out && !p->all.failed;
  to->outs = good ? outs : 0;
  for (int k = 0; k < to->outs; k++)
    to->out[k] = (rattle__ball_output){out[k].all ? out[k].at : -1, out[k].negative, out[k].number};
  if (good) find_steps(&p->all, to, needed);
  free(needed);
  return good ? 0 : -1;
}

int rattle__ball_programs_finish(rattle__ball_programs *p) {
  const size_t count = (size_t)p->all.count + 1;
  p->registers = malloc(count * sizeof *p->registers);
  p->plain = malloc(count * sizeof *p->plain);
  if (p->all.failed || !p->registers || !p->plain) return -1;
  for (int i = 0; i < p->all.count; i++) {
    if (p->all.of[i].is != RATTLE__BALL_NUMBER) continue;
    p->registers[i] = p->all.of[i].number;
    p->plain[i] = p->all.of[i].number.at;
  }
  free(p->all.same); /* no operation is sought any more */
  p->all.same = NULL;
  return 0;
}

void rattle__ball_programs_release(rattle__ball_programs *p) {
  for (int k = 0; k < p->count; k++) free(p->program[k].step), free(p->program[k].out);
  rattle__ball_operations_release(&p->all);
  free(p->registers), free(p->plain);
  *p = (rattle__ball_programs){0};
}

int rattle__ball_programs_steps(rattle__ball_programs *const *p, int count) {
  int steps = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; p[i] && k < p[i]->count; k++) steps += p[i]->program[k].steps;
  return steps;
}

/* --- how they are executed -------------------------------------------------------------------- */

static rattle__ball_values values(int odd, int which, rattle__ball x) {
  return odd ? rattle__ball_odd((rattle__odd)which, x) : rattle__ball_function(which, x);
}

static void call(int odd, int which, const rattle__ball *x, rattle__ball *v) {
  const rattle__ball_values of = values(odd, which, *x);
  v[0] = of.f, v[1] = of.slope, v[2] = of.bend;
}

static void call_near(int odd, int which, double x, double *v) {
  const rattle__ball_values of = values(odd, which, rattle__exactly(x));
  v[0] = of.f.at, v[1] = of.slope.at, v[2] = of.bend.at;
}

void rattle__ball_program_run(const rattle__ball_programs *p, int which,
                              const rattle__ball *const *in, rattle__ball *out) {
  const rattle__ball_program *of = &p->program[which];
  rattle__ball *r = p->registers;
  if (of->code) {
    of->code(in, out, call);
    return;
  }
  for (int k = 0; k < of->steps; k++) {
    const int i = of->step[k];
    const rattle__ball_operation *o = &p->all.of[i];
    switch (o->is) {
    case RATTLE__BALL_NUMBER:
    case RATTLE__BALL_PART:
      break; /* no steps */
    case RATTLE__BALL_INPUT:
      r[i] = in[o->a][o->b];
      break;
    case RATTLE__BALL_ADD:
      r[i] = rattle__ball_add(r[o->a], r[o->b]);
      break;
    case RATTLE__BALL_SUBTRACT:
      r[i] = rattle__ball_subtract(r[o->a], r[o->b]);
      break;
    case RATTLE__BALL_TIMES:
      r[i] = rattle__ball_times(r[o->a], r[o->b]);
      break;
    case RATTLE__BALL_MULTIPLE:
      r[i] = rattle__ball_multiple(o->number.at, r[o->a]);
      break;
    case RATTLE__BALL_SCALED:
      r[i] = rattle__ball_scaled(r[o->a], o->number.at);
      break;
    case RATTLE__BALL_MINUS:
      r[i] = rattle__ball_minus(r[o->a]);
      break;
    case RATTLE__BALL_INVERSE:
      r[i] = rattle__ball_inverse(r[o->a]);
      break;
    case RATTLE__BALL_POSITIVE:
      r[i] = rattle__ball_if_positive(r[o->a]);
      break;
    case RATTLE__BALL_FUNCTION:
    case RATTLE__BALL_ODD:
      call(o->is == RATTLE__BALL_ODD, o->b, &r[o->a], r + i);
      break;
    }
  }
  for (int k = 0; k < of->outs; k++) {
    const rattle__ball_output *o = &of->out[k];
    out[k] = o->at < 0 ? o->number : r[o->at];
    if (o->at >= 0 && o->negative) out[k] = rattle__ball_minus(out[k]);
  }
}

void rattle__ball_program_run_numbers(const rattle__ball_programs *p, int which,
                                      const double *const *in, double *out) {
  const rattle__ball_program *of = &p->program[which];
  double *r = p->plain;
  if (of->numbers) {
    of->numbers(in, out, call_near);
    return;
  }
  for (int k = 0; k < of->steps; k++) {
    const int i = of->step[k];
    const rattle__ball_operation *o = &p->all.of[i];
    switch (o->is) {
    case RATTLE__BALL_NUMBER:
    case RATTLE__BALL_PART:
      break;
    case RATTLE__BALL_INPUT:
      r[i] = in[o->a][o->b];
      break;
    case RATTLE__BALL_ADD:
      r[i] = r[o->a] + r[o->b];
      break;
    case RATTLE__BALL_SUBTRACT:
      r[i] = r[o->a] - r[o->b];
      break;
    case RATTLE__BALL_TIMES:
      r[i] = r[o->a] * r[o->b];
      break;
    case RATTLE__BALL_MULTIPLE:
    case RATTLE__BALL_SCALED:
      r[i] = o->number.at * r[o->a];
      break;
    case RATTLE__BALL_MINUS:
      r[i] = -r[o->a];
      break;
    case RATTLE__BALL_INVERSE:
      r[i] = 1 / r[o->a];
      break;
    case RATTLE__BALL_POSITIVE:
      r[i] = r[o->a];
      break;
    case RATTLE__BALL_FUNCTION:
    case RATTLE__BALL_ODD:
      call_near(o->is == RATTLE__BALL_ODD, o->b, r[o->a], r + i);
      break;
    }
  }
  for (int k = 0; k < of->outs; k++) {
    const rattle__ball_output *o = &of->out[k];
    out[k] = o->at < 0 ? o->number.at : o->negative ? -r[o->at] : r[o->at];
  }
}
