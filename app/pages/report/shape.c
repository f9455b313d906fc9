/* Rods and bodies, found from the constraints.
 *
 * |r_i - r_j|^2 = d^2 is a rod between two particles, |r_i - a|^2 = d^2 one from a particle to the
 * fixed point a. Nine coordinates in three triples, each of constant length and orthogonal to the
 * other two, are a rotation matrix: a body. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages/report/motion.h"
#include "pages/report/quadratic.h"
#include "words/error.h"

/* A row of the matrix R or a column of it: coordinates, in the order of their names. */
typedef struct triple {
  int at[3];
} triple;

typedef struct finder {
  report_motion *motion;
  const rattle_record_info *info;
  int *particle; /* [n] of a coordinate; -1: none */
  triple *triples;
  int triple_count;
  int (*crossed)[2]; /* pairs of triples that a constraint makes orthogonal */
  int crossed_count;
} finder;

static int close_to(double value, double wanted) {
  return fabs(value - wanted) <= 1e-12 * (fabs(value) + fabs(wanted));
}

/* Coordinate d of a particle, as a variable of the model's graph; -1 if it has none. */
static int variable(const finder *f, int particle, int d) {
  int column = f->motion->column[3 * particle + d];
  return column < 0 ? -1 : 2 * f->motion->coordinate[column];
}

/* True if the polynomial is c |r_i - r_j|^2 + constant. */
static int is_link(const finder *f, const report_quadratic *q, int i, int j, double *c) {
  int terms = 0;
  *c = 0;
  for (int d = 0; d < 3; d++) {
    int a = variable(f, i, d), b = variable(f, j, d);
    if ((a < 0) != (b < 0)) return 0;
    if (a < 0) continue;
    double own = report_quadratic_of(q, a, a);
    if (*c == 0) *c = own;
    if (own == 0 || !close_to(own, *c) || !close_to(report_quadratic_of(q, b, b), *c) ||
        !close_to(report_quadratic_of(q, a, b), -2 * *c))
      return 0;
    terms += 3;
  }
  return terms > 0 && q->count == terms + 1 && q->term[0].b < 0 && -q->term[0].c / *c > 0;
}

/* True if it is c |r_i - anchor|^2 + constant. */
static int is_hung(const finder *f, const report_quadratic *q, int i, double anchor[3]) {
  int terms = 0;
  double c = 0, constant = report_quadratic_of(q, -1, -1), squares = 0;
  for (int d = 0; d < 3; d++) {
    int a = variable(f, i, d);
    anchor[d] = 0;
    if (a < 0) continue;
    double own = report_quadratic_of(q, a, a), linear = report_quadratic_of(q, -1, a);
    if (c == 0) c = own;
    if (own == 0 || !close_to(own, c)) return 0;
    anchor[d] = -linear / (2 * c);
    squares += anchor[d] * anchor[d];
    terms += 1 + (linear != 0);
  }
  return terms > 0 && q->count == terms + (constant != 0) && squares - constant / c > 0;
}

static int add_rod(report_motion *motion, int from, int to) {
  int32_t *rods = realloc(motion->rod, (2 * (size_t)motion->rods + 2) * sizeof *rods);
  if (!rods) return -1;
  motion->rod = rods;
  rods[2 * motion->rods] = from, rods[2 * motion->rods + 1] = to;
  motion->rods++;
  return 0;
}

/* The number of the anchor at that place, which is made if it is new. */
static int anchor_at(report_motion *motion, const double place[3]) {
  for (int k = 0; k < motion->anchors; k++)
    if (!memcmp(motion->anchor[k], place, sizeof motion->anchor[k])) return k;
  if (motion->anchors == REPORT_MOST_ANCHORS) return -1;
  memcpy(motion->anchor[motion->anchors], place, sizeof motion->anchor[0]);
  return motion->anchors++;
}

/* The particles whose coordinates occur: how many (3 means more than two), -1 if others occur
 * too. */
static int particles_in(const finder *f, const report_quadratic *q, int which[2]) {
  int count = 0;
  for (int t = 0; t < q->count; t++) {
    const int variables[] = {q->term[t].a, q->term[t].b};
    for (int v = 0; v < 2; v++) {
      if (variables[v] < 0) continue;
      int particle =
          variables[v] % 2 || variables[v] / 2 >= f->info->n ? -1 : f->particle[variables[v] / 2];
      if (particle < 0) return -1;
      if ((count > 0 && which[0] == particle) || (count > 1 && which[1] == particle)) continue;
      if (count == 2) return 3;
      which[count++] = particle;
    }
  }
  return count;
}

static int take_rod(finder *f, const report_quadratic *q) {
  int which[2];
  double c, place[3];
  int count = particles_in(f, q, which);
  if (count == 2 && is_link(f, q, which[0], which[1], &c))
    return add_rod(f->motion, which[0], which[1]);
  if (count != 1 || !is_hung(f, q, which[0], place)) return 0;
  int anchor = anchor_at(f->motion, place);
  return anchor < 0 ? 0 : add_rod(f->motion, -1 - anchor, which[0]);
}

/* --- bodies --- */
static int find_triple(const finder *f, int coordinate) {
  for (int t = 0; t < f->triple_count; t++)
    for (int k = 0; k < 3; k++)
      if (f->triples[t].at[k] == coordinate) return t;
  return -1;
}

/* q_a^2 + q_b^2 + q_c^2 = d^2, of coordinates that do not belong to a particle */
static void take_triple(finder *f, const report_quadratic *q) {
  if (q->count != 4 || q->term[0].b >= 0 || f->triple_count == f->info->m) return;
  triple t;
  for (int k = 0; k < 3; k++) {
    const struct report_term *term = &q->term[k + 1];
    if (term->a != term->b || term->a % 2 || !close_to(term->c, q->term[1].c)) return;
    t.at[k] = term->a / 2;
    if (f->particle[t.at[k]] >= 0 || find_triple(f, t.at[k]) >= 0) return;
  }
  if (-q->term[0].c / q->term[1].c > 0) f->triples[f->triple_count++] = t;
}

/* q_a q_d + q_b q_e + q_c q_f = 0 of two triples, in their order */
static void take_cross(finder *f, const report_quadratic *q) {
  if (q->count != 3 || q->term[0].a < 0 || f->crossed_count == f->info->m) return;
  int first = find_triple(f, q->term[0].a / 2), second = find_triple(f, q->term[0].b / 2);
  if (first < 0 || second < 0 || first == second) return;
  for (int k = 0; k < 3; k++)
    if (report_quadratic_of(q, 2 * f->triples[first].at[k], 2 * f->triples[second].at[k]) == 0)
      return;
  f->crossed[f->crossed_count][0] = first, f->crossed[f->crossed_count++][1] = second;
}

static int are_crossed(const finder *f, int s, int t) {
  for (int i = 0; i < f->crossed_count; i++)
    if ((f->crossed[i][0] == s && f->crossed[i][1] == t) ||
        (f->crossed[i][0] == t && f->crossed[i][1] == s))
      return 1;
  return 0;
}

/* Names that end alike but for the last character ("r12", "r13") are in one row of the matrix. */
static int is_row(const finder *f, const triple *t) {
  const char *a = f->info->coordinate_names[t->at[0]], *b = f->info->coordinate_names[t->at[1]];
  size_t length = strcspn(a, "0123456789");
  return strlen(a) >= length + 2 && strlen(b) >= length + 2 && a[length] == b[length];
}

static void add_body(finder *f, const int triples[3]) {
  report_motion *motion = f->motion;
  if (motion->bodies == REPORT_MOST_BODIES) return;
  report_body *body = &motion->body[motion->bodies++];
  int rows = is_row(f, &f->triples[triples[0]]);
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < 3; k++)
      body->coordinate[rows ? 3 * s + k : 3 * k + s] = f->triples[triples[s]].at[k];
}

static void find_bodies(finder *f) {
  for (int r = 0; r < f->triple_count; r++)
    for (int s = r + 1; s < f->triple_count; s++)
      for (int t = s + 1; t < f->triple_count && are_crossed(f, r, s); t++)
        if (are_crossed(f, r, t) && are_crossed(f, s, t)) add_body(f, (int[]){r, s, t});
}

/* Half the edges of a box with the body's second moments d_j, from H = ... + sum p_ij^2/(2 d_j);
 * equal edges where H says nothing of the kind. */
static void size_body(report_body *body, rattle_model *model) {
  rattle_graph *graph = rattle_model_graph(model);
  double moment[3], most = 0;
  int pairs = rattle_model_pairs(model);
  double *z = calloc(2 * (size_t)pairs + 1, sizeof *z);
  for (int j = 0; j < 3; j++) {
    int32_t p = 2 * body->coordinate[j] + 1;
    rattle_expr once = rattle_expr_derivative(graph, rattle_model_hamiltonian(model), p);
    double inverse =
        z ? rattle_expr_evaluate(graph, rattle_expr_derivative(graph, once, p), z) : (double)NAN;
    moment[j] = inverse > 0 && isfinite(inverse) ? 1 / inverse : (double)NAN;
    most = fmax(most, moment[j]);
  }
  int known = isfinite(moment[0] + moment[1] + moment[2]);
  for (int j = 0; j < 3; j++) body->half[j] = known ? sqrt(moment[j] / most) : 0.6;
  free(z);
}

rattle_status report_shape_find(report_motion *motion, const rattle_record_info *info,
                                rattle_model *model, rattle_error *error) {
  size_t n = (size_t)info->n, m = (size_t)info->m;
  finder f = {.motion = motion,
              .info = info,
              .particle = malloc((n + 1) * sizeof(int)),
              .triples = calloc(m + 1, sizeof(triple)),
              .crossed = calloc(m + 1, sizeof *f.crossed)};
  int failed = !f.particle || !f.triples || !f.crossed;
  for (size_t k = 0; k < n && !failed; k++) f.particle[k] = -1;
  for (int i = 0; i < 3 * motion->particles && !failed && motion->is_space; i++)
    if (motion->column[i] >= 0) f.particle[motion->coordinate[motion->column[i]]] = i / 3;
  report_quadratic q;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < info->m && !failed; i++) {
      if (report_quadratic_read(&q, rattle_model_graph(model),
                                rattle_model_constraint_expr(model, i)))
        continue;
      if (pass == 1)
        take_cross(&f, &q);
      else {
        failed = motion->is_space && take_rod(&f, &q);
        take_triple(&f, &q);
      }
    }
  }
  if (!failed) find_bodies(&f);
  for (int b = 0; b < motion->bodies; b++) size_body(&motion->body[b], model);
  free(f.particle), free(f.triples), free(f.crossed);
  return failed ? text_no_memory(error) : RATTLE_OK;
}
