/* See forced.h. n: pairs of the problem; N = n + account; x = (q, p) [2n] of z [2N]; Y gradient of
 * H [2n]; phi forces [k]. */
#include "problem/functions/forced.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/once.h"
#include "ground/support/error.h"

typedef struct forced {
  rattle__function f;
  const rattle__function *energy, *force;
  rattle__once *once; /* values of the forces, for maps; NULL: by the function */
  const int *pushed;
  int n, account;
  int *index;                /* jac_ptr, jac_col, hess_ptr, hess_col and what follows */
  int *of_energy, *of_force; /* places of the entries of H'' and f' in the "Hessian" */
} forced;

/* Column c of (q, p) among those of z. */
static int column(const forced *s, int c) {
  return c < s->n ? c : c + s->account;
}

static const double *part(const forced *s, const double *z, double *x) {
  if (!s->account) return z;
  memcpy(x, z, (size_t)s->n * sizeof *x);
  memcpy(x + s->n, z + s->n + 1, (size_t)s->n * sizeof *x);
  return x;
}

static double work_of(const forced *s, const double *z) {
  return s->account ? z[2 * s->n + 1] : 0;
}

static int value(const rattle__function *f, const double *z, double *F, double *work) {
  const forced *s = f->self;
  const double *x = part(s, z, work);
  const int answer = s->energy->value(s->energy, x, F, work + 2 * s->n);
  F[0] -= work_of(s, z);
  return answer;
}

static int jacobian(const rattle__function *f, const double *z, double *F, double *J,
                    double *work) {
  const forced *s = f->self;
  const int n = s->n, k = s->force->rows;
  double H, *Y = work + 2 * n, *phi = Y + 2 * n, *rest = phi + k, power = 0;
  const double *x = part(s, z, work);
  int answer = s->energy->jacobian(s->energy, x, &H, Y, rest);
  if (s->once)
    rattle__once_value(s->once, x, phi, rest);
  else if (!answer)
    answer = s->force->value(s->force, x, phi, rest);
  for (int i = 0; i < k; i++) {
    power += phi[i] * Y[n + s->pushed[i]];
    Y[s->pushed[i]] -= phi[i];
  }
  for (int c = 0; c < 2 * n; c++) J[column(s, c)] = Y[c];
  if (s->account) {
    J[n] = -power;
    J[2 * n + 1] = 0;
  }
  if (F) F[0] = H - work_of(s, z);
  return answer;
}

static int hessian(const rattle__function *f, const double *z, const double *w, double *S,
                   double *work) {
  const forced *s = f->self;
  double *own = work + 2 * s->n, *rest = own + s->energy->hess_nnz + s->force->jac_nnz,
         *slope = own + s->energy->hess_nnz;
  const double *x = part(s, z, work), weight = w ? w[0] : 1;
  int answer = s->energy->hessian(s->energy, x, w, own, rest);
  if (!answer) answer = s->force->jacobian(s->force, x, NULL, slope, rest);
  memset(S, 0, (size_t)f->hess_nnz * sizeof *S);
  for (int e = 0; e < s->energy->hess_nnz; e++) S[s->of_energy[e]] += own[e];
  for (int e = 0; e < s->force->jac_nnz; e++) S[s->of_force[e]] -= weight * slope[e];
  return answer;
}

static void destroy(rattle__function *f) {
  forced *s = f->self;
  rattle__once_destroy(&s->once);
  free(s->index);
  free(s);
}

/* Row `row` of the "Hessian": the columns of H'' and of entries at..end-1 of f', ascending; notes
 * the place of each entry. Returns the new count. */
static int merge(forced *s, int row, int at, int end, int count, int *hess_col) {
  const rattle__function *H = s->energy, *phi = s->force;
  int e = H->hess_ptr[row];
  while (e < H->hess_ptr[row + 1] || at < end) {
    const int a = e < H->hess_ptr[row + 1] ? H->hess_col[e] : 2 * s->n,
              b = at < end ? phi->jac_col[at] : 2 * s->n;
    hess_col[count] = column(s, a < b ? a : b);
    if (a <= b) s->of_energy[e++] = count;
    if (b <= a) s->of_force[at++] = count;
    count++;
  }
  return count;
}

static int fill(forced *s, int *hess_ptr, int *hess_col) {
  const rattle__function *phi = s->force;
  int count = 0;
  hess_ptr[0] = 0;
  for (int row = 0, i = 0; row < 2 * s->n; row++) {
    const int here = i < phi->rows && row == s->pushed[i];
    count =
        merge(s, row, here ? phi->jac_ptr[i] : 0, here ? phi->jac_ptr[i + 1] : 0, count, hess_col);
    i += here;
    if (s->account && row == s->n - 1)
      hess_ptr[s->n + 1] = count; /* the row of the account, in between */
    hess_ptr[column(s, row) + 1] = count;
  }
  if (s->account) hess_ptr[2 * s->n + 2] = count;
  return count;
}

rattle_status rattle__function_forced(rattle__function **f, const rattle_problem *problem,
                                      int account, rattle_error *error) {
  const rattle__function *H = problem->energy, *phi = problem->force;
  const size_t n = (size_t)(H->vars / 2), nz = 2 * (n + (size_t)account),
               entries = (size_t)H->hess_nnz + (size_t)phi->jac_nnz;
  forced *s = calloc(1, sizeof *s);
  int *index = malloc((2 + nz + nz + 1 + 2 * entries) * sizeof *index);
  if (!s || !index) {
    free(s);
    free(index);
    return rattle__no_memory(error);
  }
  int *jac_ptr = index, *jac_col = jac_ptr + 2, *hess_ptr = jac_col + nz,
      *hess_col = hess_ptr + nz + 1;
  *s = (forced){.energy = H,
                .force = phi,
                .pushed = problem->pushed,
                .n = (int)n,
                .account = account,
                .index = index};
  s->of_energy = hess_col + entries;
  s->of_force = s->of_energy + H->hess_nnz;
  jac_ptr[0] = 0;
  jac_ptr[1] = (int)nz;
  for (size_t c = 0; c < nz; c++) jac_col[c] = (int)c;
  size_t inside = H->work > phi->work ? H->work : phi->work;
  if (account && !phi->native && rattle__once_create(&s->once, phi) < 0) {
    free(index);
    free(s);
    return rattle__no_memory(error);
  }
  if (s->once && rattle__once_room(s->once) > inside) inside = rattle__once_room(s->once);
  s->f = (rattle__function){.rows = 1,
                            .vars = (int)nz,
                            .jac_ptr = jac_ptr,
                            .jac_col = jac_col,
                            .jac_nnz = (int)nz,
                            .hess_ptr = hess_ptr,
                            .hess_col = hess_col,
                            .hess_nnz = fill(s, hess_ptr, hess_col),
                            .pairs = (int)nz / 2,
                            .native = H->native && phi->native,
                            .work = 4 * n + (size_t)phi->rows + entries + inside,
                            .value = value,
                            .jacobian = jacobian,
                            .hessian = H->hessian ? hessian : NULL,
                            .destroy = destroy,
                            .self = s};
  *f = &s->f;
  return RATTLE_OK;
}

/* g of one coordinate more, which has an empty row in g''; it borrows all else. */
static rattle_status widen(rattle__function **made, const rattle__function *g,
                           rattle_error *error) {
  const size_t rows = (size_t)g->vars + 1;
  rattle__function *wide = *made = malloc(sizeof *wide);
  int *ptr = malloc((rows + 1) * sizeof *ptr);
  if (!wide || !ptr) {
    free(wide);
    free(ptr);
    *made = NULL;
    return rattle__no_memory(error);
  }
  memcpy(ptr, g->hess_ptr, rows * sizeof *ptr);
  ptr[rows] = ptr[rows - 1];
  *wide = *g;
  wide->hess_ptr = ptr;
  return RATTLE_OK;
}

/* M^-1 with an empty row more. */
static rattle_status widen_inertia(rattle__mass **made, const rattle__mass *W,
                                   rattle_error *error) {
  double *diagonal = calloc((size_t)W->n + 1, sizeof *diagonal);
  if (!diagonal) return rattle__no_memory(error);
  memcpy(diagonal, W->diagonal, (size_t)W->n * sizeof *diagonal);
  const rattle_status status = rattle__mass_create_diagonal(made, W->n + 1, diagonal, error);
  if (*made) (*made)->clock = W->clock;
  free(diagonal);
  return status;
}

rattle_status rattle__problem_with_account(rattle_problem **ledger, const rattle_problem *problem,
                                           rattle_error *error) {
  *ledger = NULL;
  if (!problem->force) return RATTLE_OK;
  rattle_problem *p = *ledger = malloc(sizeof *p);
  if (!p) return rattle__no_memory(error);
  *p = *problem;
  p->n++;
  p->account = 1;
  p->H = p->g = NULL;
  p->inertia = NULL;
  rattle_status status = rattle__function_forced(&p->H, problem, 1, error);
  if (!status && problem->g)
    status = problem->flags & RATTLE_HOLONOMIC
                 ? widen(&p->g, problem->g, error)
                 : rattle__function_beside_account(&p->g, problem->g, error);
  if (!status && problem->inertia) status = widen_inertia(&p->inertia, problem->inertia, error);
  if (status) rattle__problem_with_account_destroy(ledger);
  return status;
}

void rattle__problem_with_account_destroy(rattle_problem **ledger) {
  if (!*ledger) return;
  rattle__function *g = (*ledger)->g;
  if (g && (*ledger)->flags & RATTLE_HOLONOMIC) {
    free((int *)g->hess_ptr);
    free(g);
  } else {
    rattle__function_destroy(&(*ledger)->g);
  }
  rattle__function_destroy(&(*ledger)->H);
  rattle__mass_destroy(&(*ledger)->inertia);
  free(*ledger);
  *ledger = NULL;
}

rattle_status rattle__refuse_forces(const rattle_problem *problem, const char *what,
                                    const char *instead, rattle_error *error) {
  if (!(problem->flags & RATTLE_FORCED)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, what,
                      "%s does not support forces that are no gradient: %s", what, instead);
}
