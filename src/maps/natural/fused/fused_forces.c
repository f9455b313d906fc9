/* See fused_forces.h. */
#include "maps/natural/fused/fused_forces.h"

#include <string.h>

#include "ground/expr/family.h"
#include "ground/expr/native.h"

int rattle__fused_is_pushed(const rattle_problem *p) {
  return p->force && p->account && p->inertia && p->flags & RATTLE_HOLONOMIC && p->m > 0 &&
         p->m <= RATTLE__FUSED_MOST && p->n <= RATTLE__PAIRS_MOST &&
         p->force->rows <= RATTLE__FORCES_MOST && p->force->jac_nnz <= RATTLE__SLOPES_MOST;
}

static int index_of(const rattle_problem *p, int pair) {
  for (int i = 0; i < p->force->rows; i++)
    if (p->pushed[i] == pair) return i;
  return -1;
}

const rattle__fused_thrust *rattle__fused_thrust_create(const rattle_problem *problem,
                                                        rattle__arena *arena) {
  const rattle__function *f = problem->force;
  const int pairs = problem->n - 1;
  rattle__fused_thrust *t = rattle__arena_take(arena, sizeof *t);
  if (!t) return NULL;
  *t = (rattle__fused_thrust){
      .energy = problem->energy, .force = f, .pushed = problem->pushed, .pairs = pairs, .alone = 1};
  t->slope = rattle__arena_take(arena, (size_t)(f->jac_nnz + 1) * sizeof *t->slope);
  t->x = rattle__arena_doubles(arena, 4 * (size_t)pairs);
  if (arena->failed) return NULL;
  t->Y = t->x + 2 * pairs;
  for (int i = 0; i < f->rows; i++)
    for (int e = f->jac_ptr[i]; e < f->jac_ptr[i + 1]; e++) {
      const int c = f->jac_col[e] - pairs;
      if (c < 0) continue;
      const int j = index_of(problem, c);
      t->slope[t->slopes++] = (rattle__fused_slope){e, i, j, c};
      t->alone &= j == i;
    }
  return t;
}

int rattle__fused_thrust_at(const rattle__fused_thrust *t, const double *q, const double *p,
                            double *f, double *slope, double *work) {
  memcpy(t->x, q, (size_t)t->pairs * sizeof *q);
  memcpy(t->x + t->pairs, p, (size_t)t->pairs * sizeof *p);
  return t->force->jacobian(t->force, t->x, f, slope, work);
}

int rattle__fused_pull_at(const rattle__fused_thrust *t, const double *q, double *V_q,
                          double *work) {
  double H;
  memcpy(t->x, q, (size_t)t->pairs * sizeof *q);
  memset(t->x + t->pairs, 0, (size_t)t->pairs * sizeof *q);
  const int answer = t->energy->jacobian(t->energy, t->x, &H, t->Y, work);
  memcpy(V_q, t->Y, (size_t)t->pairs * sizeof *V_q);
  V_q[t->pairs] = 0;
  return answer;
}

/* x [2 pairs], by assignments, since loops would keep it in memory; p NULL: 0 */
static void emit_point(FILE *out, const rattle__fused_thrust *t, const char *q, const char *p) {
  fprintf(out, "  double x[%d];\n ", 2 * t->pairs);
  for (int i = 0; i < t->pairs; i++) fprintf(out, " x[%d] = %s[%d];", i, q, i);
  for (int i = 0; i < t->pairs && p; i++) fprintf(out, " x[%d] = %s[%d];", t->pairs + i, p, i);
  for (int i = 0; i < t->pairs && !p; i++) fprintf(out, " x[%d] = 0;", t->pairs + i);
  fputc('\n', out);
}

void rattle__fused_thrust_emit(FILE *out, const rattle__fused_thrust *t) {
  const int forces = t->force->rows;
  rattle__emit_straight(out, t->energy, "energy");
  rattle__emit_straight(out, t->force, "force");
  fprintf(
      out,
      "static inline int thrust(const double *q, const double *p, double *f, double *slope) {\n");
  emit_point(out, t, "q", "p");
  fprintf(out, "  force_jacobian(x, f, slope);\n  return 0;\n}\nstatic inline int pull(const "
               "double *q, double *V_q) {\n");
  emit_point(out, t, "q", NULL);
  fprintf(out, "  double H, Y[%d];\n  energy_jacobian(x, &H, Y);\n ", 2 * t->pairs);
  for (int i = 0; i < t->pairs; i++) fprintf(out, " V_q[%d] = Y[%d];", i, i);
  fprintf(out,
          " V_q[%d] = 0;\n  return 0;\n}\nstatic inline double balance(const double *q, const "
          "double *p) {\n",
          t->pairs);
  emit_point(out, t, "q", "p");
  fprintf(out, "  double H;\n  energy_value(x, &H);\n  H -= p[%d];\n  return H;\n}\n", t->pairs);
  fprintf(out,
          "#define FORCED 1\n#define FORCES %d\n#define ALONE %d\nstatic const int pushed[] = {",
          forces, t->alone);
  for (int i = 0; i < forces; i++) fprintf(out, "%d,", t->pushed[i]);
  fprintf(out, "};\n#define PUSHED(i) pushed[i]\n#define EACH_FORCE(DO)");
  for (int i = 0; i < forces; i++) fprintf(out, " DO(%d)", i);
  fprintf(out, "\n#define SLOPES(DO)");
  for (int k = 0; k < t->slopes; k++)
    fprintf(out, " DO(%d, %d, %d, %d)", t->slope[k].e, t->slope[k].i, t->slope[k].j, t->slope[k].c);
  fprintf(out, "\n#define THRUST(q, p, f, slope) thrust(q, p, f, slope)\n#define FORCE(q, value, "
               "Vq) pull(q, Vq)\n"
               "#define BALANCE(z) balance(z, z + N)\n");
}
