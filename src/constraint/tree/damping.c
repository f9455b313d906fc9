/* How much a joint's own rate slows it, for Newton's matrix where forces that depend on momenta are
 * strong: with h/2 times that in the pivot of a hinge a damper on it is in the matrix as a whole.
 *
 * Damping  kappa_j = S_j . d(H_q - f)/dp (M S_j) of hinge j, S_j the motion of its subtree as one
 *          body by the unit rate: a difference of slopes, exact where they are linear in momenta. A
 *          damper on another joint does not see that motion */
#include <float.h>
#include <string.h>

#include "constraint/guard/rules/rules.h"
#include "constraint/tree/node.h"

/* The velocity of body c in a turn about `axis` through `centre`: of x, and of each column. */
static void turning(const rattle__tree_node *w, vec axis, vec centre, vec *v) {
  v[0] = cross(axis, minus(w->x, centre));
  for (int j = 0; j < 3; j++) v[j + 1] = cross(axis, w->r[j]);
}

static const int *columns(const rattle__tree_body *b, int part) {
  return part ? b->r[part - 1] : b->x;
}

/* z0 with the momenta of that motion added, `rate` times. */
static void set_going(const rattle__tree *tree, int j, double rate, const char *inside,
                      const double *z0, double *z) {
  const rattle__tree_node *hinge = &tree->node[j];
  const vec centre = minus(hinge->x, hinge->start.rho);
  double *p = z + tree->n;
  for (int k = 0; k < 2 * tree->n; k++) z[k] = z0[k];
  for (int c = j; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    vec v[4];
    if (!inside[c]) continue;
    turning(&tree->node[c], hinge->start.a, centre, v);
    for (int part = 0; part < 4; part++) {
      const double m = rate * (part ? b->d[part - 1] : b->m);
      const int *to = columns(b, part);
      p[to[0]] += m * v[part].x;
      p[to[1]] += m * v[part].y;
      p[to[2]] += m * v[part].z;
    }
  }
}

/* The work of slopes along that motion. */
static double along(const rattle__tree *tree, int j, const char *inside, const double *S) {
  const rattle__tree_node *hinge = &tree->node[j];
  const vec centre = minus(hinge->x, hinge->start.rho);
  double sum = 0;
  for (int c = j; c < tree->bodies; c++) {
    vec v[4];
    if (!inside[c]) continue;
    turning(&tree->node[c], hinge->start.a, centre, v);
    for (int part = 0; part < 4; part++) {
      const int *of = columns(&tree->body[c], part);
      sum += dot(v[part], vec_of(S[of[0]], S[of[1]], S[of[2]]));
    }
  }
  return sum;
}

/* The squared size of A - B, slopes, in the metric of the mass. */
static double apart(const rattle__tree *tree, const double *A, const double *B) {
  double sum = 0;
  for (int c = 0; c < tree->bodies; c++)
    for (int part = 0; part < 4; part++)
      for (int i = 0; i < 3; i++) {
        const rattle__tree_body *b = &tree->body[c];
        const int at = columns(b, part)[i];
        const double d = A[at] - B[at];
        sum += d * d / (part ? b->d[part - 1] : b->m);
      }
  for (int k = 0; k < tree->loosened; k++) {
    const double d = A[tree->loose[k].at] - B[tree->loose[k].at];
    sum += tree->loose[k].W * d * d;
  }
  return sum;
}

/* True if corrections would not fall slowly by the place of the stage alone, slopes->z of the last
 * iterate: by the part that it has in the change of slopes from those at the start. */
static int momenta_matter(rattle__tree *tree, const rattle__tree_step *s) {
  const rattle__tree_slopes *of = s->slopes;
  if (of->part == 0) return 1;
  memcpy(of->going, s->V_q, (size_t)tree->n * sizeof *of->going);
  memcpy(of->z, s->z0, (size_t)tree->n * sizeof *of->z);
  if (of->at(of->self, of->z, s->V_q)) return 0;
  const double by_place = apart(tree, of->going, s->V_q);
  memcpy(of->going, s->V_q, (size_t)tree->n * sizeof *of->going);
  if (of->at(of->self, s->z0, s->V_q)) return 0;
  const double all = by_place + apart(tree, of->going, s->V_q);
  return tree->fell * sqrt(by_place / all) <= rattle__doubt_chord;
}

int rattle__tree_find_damping(rattle__tree *tree, const rattle__tree_step *s) {
  const double rate = 0x1p-10 / fabs(s->tau);
  char *inside = tree->inside;
  if (!momenta_matter(tree, s) || s->slopes->at(s->slopes->self, s->z0, s->V_q)) return 0;
  for (int j = 0; j < tree->bodies; j++) {
    if (tree->body[j].joint != RATTLE__HINGE) continue;
    for (int c = 0; c < tree->bodies; c++)
      inside[c] =
          (char)(c == j || (c > j && tree->body[c].parent >= j && inside[tree->body[c].parent]));
    set_going(tree, j, rate, inside, s->z0, s->slopes->z);
    if (s->slopes->at(s->slopes->self, s->slopes->z, s->slopes->going)) return 0;
    const double kappa =
        (along(tree, j, inside, s->slopes->going) - along(tree, j, inside, s->V_q)) / rate;
    if (kappa > 0 && kappa <= DBL_MAX) tree->node[j].damping = s->kick * kappa;
  }
  return 1;
}

void rattle__tree_forget_damping(rattle__tree *tree) {
  for (int c = 0; c < tree->bodies; c++) tree->node[c].damping = 0;
}
