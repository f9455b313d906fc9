/* H, g, psi and their first derivatives with 113 bits. The problem is the one that double steps
 * have: masses are doubles, as constants of the model are. */
#include "maps/quad/quad.h"

#ifdef RATTLE_QUAD
#include <math.h>
#include <string.h>

#define REAL(name) name##q
#include "ground/expr/precise.h"

static void gradient_of(rattle__quad *k, const rattle__function *f, const real *x, real *gradient) {
  real value;
  precise_jacobian(f, x, &value, gradient, k->room);
}

/* (M^-1 p)_i */
static real velocity(const rattle__mass *W, int i, const real *p) {
  if (!W->value) return W->diagonal[i] * p[i];
  real sum = 0;
  for (int e = W->ptr[i]; e < W->ptr[i + 1]; e++) sum += W->value[e] * p[W->col[e]];
  return sum;
}

/* (H_q - f, H_p), and of the account (-f . H_p, 0): problem/functions/forced.h. */
static void forced_gradient(rattle__quad *k, const real *z) {
  const rattle_problem *p = k->problem;
  const int n = k->n - p->account;
  real *x = k->part, *Y = x + 2 * n, *phi = Y + 2 * n, power = 0;
  memcpy(x, z, (size_t)n * sizeof *x);
  memcpy(x + n, z + k->n, (size_t)n * sizeof *x);
  gradient_of(k, p->energy, x, Y);
  precise_value(p->force, x, phi, k->room);
  for (int i = 0; i < p->force->rows; i++) {
    power += phi[i] * Y[n + p->pushed[i]];
    Y[p->pushed[i]] -= phi[i];
  }
  memcpy(k->gradient, Y, (size_t)n * sizeof *Y);
  memcpy(k->gradient + k->n, Y + n, (size_t)n * sizeof *Y);
  if (!p->account) return;
  k->gradient[n] = -power;
  k->gradient[k->n + n] = 0;
}

void rattle__quad_gradient(rattle__quad *k, const real *z) {
  const rattle_problem *p = k->problem;
  if (p->force) {
    forced_gradient(k, z);
    return;
  }
  if (!p->V) {
    gradient_of(k, p->H, z, k->gradient);
    return;
  }
  gradient_of(k, p->V, z, k->gradient);
  if (p->T)
    gradient_of(k, p->T, z + k->n, k->gradient + k->n);
  else
    for (int i = 0; i < k->n; i++) k->gradient[k->n + i] = velocity(p->mass, i, z + k->n);
}

void rattle__quad_field(rattle__quad *k, const real *z, real *X) {
  rattle__quad_gradient(k, z);
  for (int i = 0; i < k->n; i++) {
    X[i] = k->gradient[k->n + i];
    X[k->n + i] = -k->gradient[i];
  }
}

void rattle__quad_constraint(rattle__quad *k, const real *z) {
  const rattle__function *g = k->problem->g;
  precise_jacobian(g, z, k->g, k->compressed, k->room);
  memset(k->J, 0, (size_t)k->m * 2 * (size_t)k->n * sizeof *k->J);
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      k->J[i * 2 * k->n + g->jac_col[e]] = k->compressed[e];
}

void rattle__quad_hidden(rattle__quad *k, const real *z, real *psi) {
  rattle__quad_field(k, z, k->field);
  rattle__quad_constraint(k, z);
  for (int i = 0; i < k->m; i++) {
    psi[i] = 0;
    for (int c = 0; c < 2 * k->n; c++) psi[i] += k->J[i * 2 * k->n + c] * k->field[c];
  }
}

int rattle__quad_is_expressions(const rattle_problem *p, size_t *registers) {
  const rattle__function *all[] = {p->V        ? p->V
                                   : p->energy ? p->energy
                                               : p->H,
                                   p->V ? p->T : NULL, p->m ? p->g : NULL, p->force};
  *registers = 1;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!all[i]) continue;
    const rattle__elements *e = rattle__function_elements(all[i]);
    if (!e) return 0;
    if ((size_t)rattle__elements_registers(e) > *registers)
      *registers = (size_t)rattle__elements_registers(e);
  }
  return 1;
}
#endif
