/* Joints in the rows of g that are not those of bodies. */
#include "constraint/tree/forms.h"

#include <string.h>

static double *entry(vec *v, int i) {
  return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static double *element(mat *A, int i, int j) {
  return entry(i == 0 ? &A->a : i == 1 ? &A->b : &A->c, j);
}

typedef struct joint_reader {
  const rattle__place *place;
  rattle__joined_pair *pair;
  int count;
} joint_reader;

/* The last pair of these bodies, b -1 for the ground; NULL: none. */
static rattle__joined_pair *last_pair(const joint_reader *s, int a, int b) {
  for (int k = s->count - 1; k >= 0; k--)
    if (s->pair[k].a == a && s->pair[k].b == b) return &s->pair[k];
  return NULL;
}

static rattle__joined_pair *new_pair(joint_reader *s, int a, int b) {
  s->pair[s->count] = (rattle__joined_pair){.a = a, .b = b};
  return &s->pair[s->count++];
}

/* The bodies of all columns, a and b; the ground is -1. 0: there are more. */
static int find_bodies(const joint_reader *s, const rattle__form *f, int *a, int *b) {
  *a = *b = -1;
  for (int k = 0; k < f->count; k++) {
    const int body = s->place[f->col[k]].body;
    if (body < 0) return 0;
    if (*a < 0 || *a == body)
      *a = body;
    else if (*b < 0 || *b == body)
      *b = body;
    else
      return 0;
  }
  if (*b >= 0 && *b < *a) {
    const int other = *a;
    *a = *b, *b = other;
  }
  return *a >= 0;
}

/* x_a + R_a r - x_b - R_b s = 0 in one component, or x_a + R_a r = a number. */
static int take_point(joint_reader *s, const rattle__form *f, int a, int b) {
  double c[2] = {0, 0};
  vec arm[2] = {vec_of(0, 0, 0), vec_of(0, 0, 0)};
  int axis = -1;
  for (int k = 0; k < f->count; k++) {
    const rattle__place at = s->place[f->col[k]];
    if (rattle__is_nothing(f->slope[k], f->size)) continue;
    if (axis >= 0 && at.axis != axis) return 0;
    axis = at.axis;
    if (at.part)
      *entry(&arm[at.body == b], at.part - 1) = f->slope[k];
    else
      c[at.body == b] = f->slope[k];
  }
  if (c[0] == 0 || (b >= 0 && (!rattle__is_nothing(c[0] + c[1], f->size) ||
                               !rattle__is_nothing(f->constant, f->size))))
    return 0;
  const vec on_a = times(1 / c[0], arm[0]), on_b = b < 0 ? on_a : times(1 / c[1], arm[1]);
  rattle__joined_pair *p = last_pair(s, a, b);
  if (!p || p->points & 1 << axis ||
      (p->points && (extent(minus(on_a, p->on_a)) > 0x1p-49 * extent(on_a) ||
                     (b >= 0 && extent(minus(on_b, p->on_b)) > 0x1p-49 * extent(on_b)))))
    p = new_pair(s, a, b);
  p->points |= 1 << axis;
  p->on_a = on_a;
  if (b >= 0)
    p->on_b = on_b;
  else
    *entry(&p->on_b, axis) = -f->constant / c[0];
  return 1;
}

/* C of an axis row: of two bodies the same in each component. */
static int read_axis(const joint_reader *s, const rattle__form *f, int a, int b, mat *C) {
  mat part[3];
  memset(part, 0, sizeof part);
  for (int k = 0; k < f->count; k++) {
    const rattle__place at = s->place[f->col[k]];
    if (b < 0) {
      if (!at.part) return 0;
      *element(&part[0], at.part - 1, at.axis) = f->slope[k];
    }
    for (int l = 0; l < f->count; l++) {
      const rattle__place to = s->place[f->col[l]];
      if (rattle__is_nothing(f->bend[k][l], f->size)) continue;
      if (b < 0 || !at.part || !to.part || at.axis != to.axis || at.body == to.body) return 0;
      if (at.body == a) *element(&part[at.axis], at.part - 1, to.part - 1) = f->bend[k][l];
    }
    if (b >= 0 && !rattle__is_nothing(f->slope[k], f->size)) return 0;
  }
  for (int i = 1; i < 3 && b >= 0; i++)
    for (int e = 0; e < 9; e++)
      if (!rattle__is_nothing(*element(&part[i], e / 3, e % 3) - *element(&part[0], e / 3, e % 3),
                              f->size))
        return 0;
  *C = part[0];
  return rattle__is_nothing(f->constant, f->size);
}

static int take_axis(joint_reader *s, const rattle__form *f, int a, int b, int row) {
  mat C;
  if (!read_axis(s, f, a, b, &C)) return 0;
  rattle__joined_pair *p = last_pair(s, a, b);
  if (!p || p->axes == 2) p = new_pair(s, a, b);
  p->row[p->axes] = row;
  p->C[p->axes++] = C;
  return 1;
}

int rattle__pairs_find(const rattle__forms *forms, const rattle__place *place, const char *used,
                       char *other, rattle__joined_pair *pair) {
  joint_reader s = {.place = place, .pair = pair};
  for (int i = 0; i < forms->rows; i++) {
    rattle__form f;
    int a, b, has_x = 0;
    if (used[i]) continue;
    other[i] = !rattle__form_read(forms, i, &f) || !find_bodies(&s, &f, &a, &b);
    for (int k = 0; k < f.count && !other[i]; k++) has_x |= !place[f.col[k]].part;
    if (!other[i]) other[i] = !(has_x ? take_point(&s, &f, a, b) : take_axis(&s, &f, a, b, i));
  }
  return s.count;
}

/* --- hinges ----------------------------------------------------------------------------------- */

static vec unit(vec v) {
  return times(1 / sqrt(dot(v, v)), v);
}

int rattle__is_outer(mat C, vec *v, vec *w) {
  int i = 0, j = 0;
  for (int e = 1; e < 9; e++)
    if (fabs(*element(&C, e / 3, e % 3)) > fabs(*element(&C, i, j))) i = e / 3, j = e % 3;
  const double c = *element(&C, i, j);
  for (int k = 0; k < 3; k++) {
    *entry(v, k) = *element(&C, k, j) / c;
    *entry(w, k) = *element(&C, i, k);
  }
  const mat left = less_outer(C, *v, *w);
  *v = unit(*v), *w = unit(*w);
  return extent(left.a) + extent(left.b) + extent(left.c) <= 9 * 0x1p-49 * fabs(c);
}

/* The axis along which one side has u1 = u2, if so, the other side having two directions across
 * it. */
static int is_axis(vec u1, vec u2, vec across1, vec across2, vec *axis, vec *other) {
  const vec n = cross(across1, across2);
  *axis = u1;
  *other = unit(n);
  /* two directions at less than 30 degrees leave more to rounding than a joint has */
  return extent(cross(u1, u2)) <= 3 * 0x1p-49 && dot(n, n) >= 0.25;
}

static int is_hinge(const rattle__joined_pair *p, vec *on_a, vec *on_b) {
  vec v[2], w[2];
  return p->axes == 2 && rattle__is_outer(p->C[0], &v[0], &w[0]) &&
         rattle__is_outer(p->C[1], &v[1], &w[1]) &&
         (is_axis(v[0], v[1], w[0], w[1], on_a, on_b) ||
          is_axis(w[0], w[1], v[0], v[1], on_b, on_a));
}

int rattle__pair_is_joint(rattle__joined_pair *p, int c, rattle__tree_body *body) {
  vec on_a = vec_of(0, 0, 0), on_b = on_a;
  const int own = c == p->a;
  if (p->points != 7) return 0;
  p->taken = is_hinge(p, &on_a, &on_b) ? 2 : 1;
  body->joint = p->taken == 2 ? RATTLE__HINGE : RATTLE__BALL;
  body->parent = own ? p->b : p->a;
  body->point = own ? p->on_a : p->on_b;
  body->up_point = own ? p->on_b : p->on_a;
  body->axis = own ? on_a : on_b;
  body->up_axis = own ? on_b : on_a;
  return 1;
}
