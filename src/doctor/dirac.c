/* Dirac's algorithm in full (P. A. M. Dirac, Lectures on Quantum Mechanics, 1964; M. Henneaux, C. Teitelboim, Quantization of
 * Gauge Systems, 1992, chapter 1).
 *
 * Generation by generation, until the conditions on all constraints so far follow from them: first whether they do, by numbers at
 * the sample points (the left null vectors w of A_aj = {chi_a,g_j}, in units, must have w^T {chi,H} = 0), and only where they do
 * not by elimination of expressions. At the end the rank of {chi_a,chi_b} tells second-class from first-class constraints, and
 * the rank of A how many multipliers are determined. Ranks are the largest over the sample points; points with less are
 * degenerate. */
#include "doctor/dirac.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "expr/derivative.h"
#include "expr/graph.h"
#include "expr/walk.h"

enum { GENERATIONS = 12, MOST_NODES = 4000000 };
static const double holds = 1e-8;

/* --- making ------------------------------------------------------------------------------------------------------------------
 */

int rattle__dirac_offered(const rattle_model *model) {
  return model->n <= RATTLE__DIRAC_PAIRS && model->m <= RATTLE__DIRAC_CONSTRAINTS &&
         rattle_graph_count(model->graph) <= RATTLE__DIRAC_NODES;
}

/* The expression in the algorithm's own graph; to[] remembers what has been copied. */
static rattle_status copy(rattle__dirac *d, rattle_expr from, rattle_expr *to, rattle_expr *result, rattle_error *error) {
  const rattle_graph *g = d->model->graph;
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, g, from, rattle__operands);
  for (size_t i = 0; i < walk.count && !status; i++) {
    rattle_expr e = walk.node[i], child[2];
    if (to[e]) continue;
    rattle_op op = rattle__op(g, e);
    int arity = rattle__operands(g, e, child);
    if (op == RATTLE_OP_CONSTANT)
      to[e] = rattle_expr_constant(d->graph, rattle__value(g, e));
    else if (op == RATTLE_OP_VARIABLE)
      to[e] = rattle_expr_variable(d->graph, rattle_expr_index(g, e));
    else if (arity == 1)
      to[e] = rattle_expr_unary(d->graph, op, to[child[0]]);
    else
      to[e] = rattle_expr_binary(d->graph, op, to[child[0]], to[child[1]]);
    if (!to[e]) status = RATTLE_NO_MEMORY;
  }
  rattle__walk_end(&walk);
  *result = status ? RATTLE_EXPR_NONE : to[from];
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status gradient(rattle__dirac *d, rattle__chi *chi, rattle_error *error) {
  size_t vars = (size_t)d->vars;
  int32_t *variable = malloc(vars * sizeof *variable);
  chi->d = rattle__arena_take(&d->arena, vars * sizeof *chi->d);
  chi->at = rattle__arena_take(&d->arena, vars * sizeof *chi->at);
  rattle_status status = variable && chi->d && chi->at ? RATTLE_OK : RATTLE_NO_MEMORY;
  for (size_t k = 0; k < vars && !status; k++) variable[k] = (int32_t)k;
  if (!status) status = rattle__gradient(d->graph, chi->e, variable, d->vars, chi->d);
  for (int k = 0; k < d->vars && !status; k++)
    if (!rattle__is_constant(d->graph, chi->d[k]) || rattle__value(d->graph, chi->d[k]) != 0) chi->at[chi->nnz++] = k;
  free(variable);
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__add_chi(rattle__dirac *d, rattle_expr e, int level, int origin, const char *name, rattle_error *error) {
  if (d->count == d->room) {
    int room = 2 * d->room + 16;
    rattle__chi *larger = realloc(d->chi, (size_t)room * sizeof *larger);
    if (!larger) return rattle__no_memory(error);
    d->chi = larger;
    d->room = room;
  }
  rattle__chi chi = {.e = e, .level = level, .origin = origin, .name = rattle__pool_copy(&d->pool, name, strlen(name))};
  if (!chi.name || !e) return rattle__no_memory(error);
  rattle_status status = gradient(d, &chi, error);
  if (!status) d->chi[d->count++] = chi;
  return status;
}

static rattle_status read_model(rattle__dirac *d, rattle_error *error) {
  const rattle_model *model = d->model;
  rattle_expr *to = calloc((size_t)rattle_graph_count(model->graph) + 1, sizeof *to), e;
  rattle_status status = to ? RATTLE_OK : rattle__no_memory(error);
  if (!status) status = copy(d, model->hamiltonian, to, &d->motion.e, error);
  if (!status) status = gradient(d, &d->motion, error);
  for (int i = 0; i < d->m && !status; i++) {
    status = copy(d, model->constraint[i].expr, to, &e, error);
    if (!status) status = rattle__add_chi(d, e, 0, i, model->constraint[i].name, error);
  }
  free(to);
  return status;
}

void rattle__dirac_destroy(rattle__dirac **dirac) {
  if (!*dirac) return;
  rattle__dirac *d = *dirac;
  for (int i = 0; i < d->samples && d->sample; i++) {
    free(d->sample[i].value);
    free(d->sample[i].bound);
  }
  free(d->reference.value);
  free(d->reference.bound);
  free(d->chi);
  free(d->matrix);
  free(d->work);
  rattle__arena_release(&d->arena);
  rattle__pool_clear(&d->pool);
  rattle_graph_destroy(&d->graph);
  free(d);
  *dirac = NULL;
}

/* --- generations -------------------------------------------------------------------------------------------------------------
 */

/* Whether w^T {chi,H} = 0 for all left null vectors w of A at the sample. */
static rattle_status follows_at(rattle__dirac *d, const rattle__sample *s, int *yes, rattle_error *error) {
  int rows, columns, i = 0;
  double *A = rattle__bracket_matrix(d, s, d->m, &rows, &columns);
  double *U = calloc((size_t)rows * (size_t)(rows + 1) + 1, sizeof *U), *b = U + (size_t)rows * (size_t)rows;
  if (!A || !U) {
    free(U);
    return rattle__no_memory(error);
  }
  for (int a = 0; a < d->count; a++)
    if (rattle__is_used(&d->chi[a])) b[i++] = rattle__poisson_at(d, s, &d->chi[a], &d->motion, NULL);
  int rank = rattle__singular(d, rows, columns, A, U);
  for (int w = rank; w < rows && rank >= 0; w++) {
    double product = 0;
    for (int k = 0; k < rows; k++) product += U[k + w * rows] * b[k];
    if (fabs(product) > holds) *yes = 0;
  }
  free(U);
  return rank < 0 ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status follows(rattle__dirac *d, int *yes, rattle_error *error) {
  rattle_status status = rattle__values_all(d, NULL, 0, error);
  *yes = 1;
  for (int i = 0; i < d->samples && !status && *yes; i++)
    if (d->sample[i].good) status = follows_at(d, &d->sample[i], yes, error);
  return status;
}

static void give_up(rattle__dirac *d, const char *why) {
  d->undecided = 1;
  snprintf(d->trouble, sizeof d->trouble, "%s", why);
}

/* The new constraints of a generation: points of what is left of the manifold, and which of them are independent. */
static rattle_status settle(rattle__dirac *d, int added, rattle_error *error) {
  int found;
  d->levels++;
  rattle_status status = rattle__samples_project(d, &found, error);
  if (status) return status;
  if (!found) {
    d->inconsistent = 1;
    snprintf(d->trouble, sizeof d->trouble,
             "the constraints hold at some points, but none of those tried keeps them: no point was found where the hidden "
             "constraint %s = 0 of generation %d holds too",
             d->chi[d->count - 1].name, d->levels);
    return RATTLE_OK;
  }
  status = rattle__independence(d, d->count - added, error);
  for (int c = d->count - added; c < d->count && !status; c++)
    if (d->chi[c].irregular)
      give_up(d, "a hidden constraint has a gradient that vanishes where it holds, so that what follows from it is not seen");
  return status;
}

static rattle_status generations(rattle__dirac *d, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  while (!status && !d->inconsistent && !d->undecided) {
    int done, added = 0;
    status = follows(d, &done, error);
    if (status || done) return status;
    if (d->levels == GENERATIONS || rattle_graph_count(d->graph) > MOST_NODES) {
      give_up(d, "the generations of hidden constraints did not end within what the doctor looks at");
      return RATTLE_OK;
    }
    status = rattle__eliminate(d, &added, error);
    if (status || d->inconsistent || !added) return status;
    status = settle(d, added, error);
  }
  return status;
}

/* --- the end -----------------------------------------------------------------------------------------------------------------
 */

/* Rank of the brackets with the first `columns` constraints at each sample, and the largest. */
static rattle_status ranks(rattle__dirac *d, int columns, int *most, int *rank, rattle_error *error) {
  *most = 0;
  for (int i = 0; i < d->samples; i++) {
    if (!d->sample[i].good) continue;
    int rows, width;
    double *A = rattle__bracket_matrix(d, &d->sample[i], columns, &rows, &width);
    rank[i] = A ? rattle__singular(d, rows, width, A, NULL) : -1;
    if (rank[i] < 0) return rattle__no_memory(error);
    if (rank[i] > *most) *most = rank[i];
  }
  return RATTLE_OK;
}

static rattle_status classify(rattle__dirac *d, rattle_error *error) {
  int all = 0, of_C[RATTLE__DIRAC_SAMPLES] = {0}, of_A[RATTLE__DIRAC_SAMPLES] = {0};
  /* elimination leaves out points where a pivot is 0: they count again here */
  rattle_status status = rattle__samples_project(d, &d->points, error);
  if (!status) status = ranks(d, d->count, &d->second, of_C, error);
  if (!status) status = ranks(d, d->m, &d->fixed, of_A, error);
  for (int c = 0; c < d->count; c++) all += rattle__is_used(&d->chi[c]);
  d->first = all - d->second;
  for (int i = 0; i < d->samples && !status; i++) {
    if (!d->sample[i].good || (of_C[i] == d->second && of_A[i] == d->fixed)) continue;
    d->degenerate++;
    if (i == 0) d->start_degenerate = 1;
  }
  return status;
}

/* No point of g = 0 was found: names the constraint that is furthest from holding. */
static void no_points(rattle__dirac *d) {
  const rattle__sample *s = &d->sample[0];
  double most = 0;
  int worst = 0;
  for (int i = 0; i < d->count; i++) {
    double size = rattle__gradient_size(d, s, &d->chi[i]), r = fabs(s->value[d->chi[i].e]) / (size > 0 ? size : 1);
    if (!(r > most)) continue;
    most = r;
    worst = i;
  }
  d->inconsistent = 1;
  snprintf(
      d->trouble, sizeof d->trouble,
      "no point was found where all constraints hold: from the start and from %d points around it Gauss-Newton ends where '%s' "
      "is %.4g; constraints contradict each other, or the start is too far away",
      d->samples - 1, d->chi[worst].name, s->value[d->chi[worst].e]);
}

static rattle_status run(rattle__dirac *d, const double *start, rattle_error *error) {
  rattle_status status = read_model(d, error);
  if (!status) status = rattle__samples_create(d, start, error);
  if (status) return status;
  for (int i = 0; i < d->samples; i++) d->points += d->sample[i].good;
  if (!d->m) return RATTLE_OK;
  if (!d->points) {
    no_points(d);
    return RATTLE_OK;
  }
  status = rattle__independence(d, 0, error);
  for (int i = 0; i < d->m && !status; i++) {
    d->independent += rattle__is_used(&d->chi[i]);
    if (!d->chi[i].irregular) continue;
    d->undecided = 1;
    snprintf(d->trouble, sizeof d->trouble,
             "the gradient of constraint '%s' vanishes where it holds (as that of x^2 = 0 does): write it so that it does not",
             d->chi[i].name);
  }
  if (!status) status = rattle__brackets_of_g(d, error);
  if (!status && !d->undecided) status = generations(d, error);
  if (!status && !d->undecided && !d->inconsistent) status = classify(d, error);
  return status;
}

rattle_status rattle__dirac_create(rattle__dirac **dirac, const rattle_model *model, const double *start, int samples,
                                   uint64_t seed, rattle_error *error) {
  rattle__dirac *d = *dirac = calloc(1, sizeof *d);
  if (!d) return rattle__no_memory(error);
  *d = (rattle__dirac){.model = model, .n = model->n, .m = model->m, .vars = 2 * model->n, .random = seed};
  d->samples = 1 + (samples < 1 ? 1 : samples >= RATTLE__DIRAC_SAMPLES ? RATTLE__DIRAC_SAMPLES - 1 : samples);
  rattle_status status = rattle_graph_create(&d->graph, error);
  if (!status) status = run(d, start, error);
  if (status) rattle__dirac_destroy(dirac);
  return status;
}
