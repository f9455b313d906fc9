/* Trees of rigid bodies, recognised: each body is reached by one joint, from the ground on or, if
 * none leads there, from a body that floats. */
#include "constraint/tree/forms.h"
#include "constraint/tree/node.h"

/* Joints of each body: a list of the ends of pairs, 2 k and 2 k + 1 of pair k. */
typedef struct ordering {
  rattle__tree_body *body;
  rattle__joined_pair *pair;
  int pairs;
  int *first, *next;   /* of body b, first[b + 1], the ground's first[0]; then next; -1: no more */
  int *order, *number; /* bodies parents first, and where each is in that order, -1: not yet */
  int ordered;
} ordering;

static void list_ends(ordering *s, int bodies) {
  for (int b = 0; b <= bodies; b++) s->first[b] = -1;
  for (int e = 2 * s->pairs - 1; e >= 0; e--) {
    const rattle__joined_pair *p = &s->pair[e / 2];
    int *list = &s->first[(e % 2 ? p->b : p->a) + 1];
    s->next[e] = *list;
    *list = e;
  }
}

static void add(ordering *s, int body) {
  s->number[body] = s->ordered;
  s->order[s->ordered++] = body;
}

/* The bodies joined to b, or to the ground, but for its own parent. 0: one is reached twice, or by
 * no joint. */
static int reach(ordering *s, int b) {
  for (int e = s->first[b + 1]; e >= 0; e = s->next[e]) {
    const rattle__joined_pair *p = &s->pair[e / 2];
    const int c = e % 2 ? p->a : p->b;
    if (c < 0 || (b >= 0 && s->body[b].parent == c && s->body[b].joint != RATTLE__FLOATS)) continue;
    if (s->number[c] >= 0 || !rattle__pair_is_joint(p, c, &s->body[c])) return 0;
    add(s, c);
  }
  return 1;
}

static int order_bodies(ordering *s, int bodies) {
  if (!reach(s, -1)) return 0;
  for (int done = 0, root = 0; done < bodies; done++) {
    if (done == s->ordered) {
      while (s->number[root] >= 0) root++;
      add(s, root);
    }
    if (!reach(s, s->order[done])) return 0;
  }
  return s->ordered == bodies;
}

/* The bodies in their order. */
static void copy_bodies(const ordering *s, rattle__tree *tree) {
  for (int c = 0; c < tree->bodies; c++) {
    rattle__tree_body *b = &tree->body[c];
    *b = s->body[s->order[c]];
    b->is_leaf = 1;
    if (b->parent < 0) continue;
    b->parent = s->number[b->parent];
    tree->body[b->parent].is_leaf = 0;
  }
}

static rattle__tree *make(const ordering *s, int bodies, int n, rattle__arena *arena) {
  rattle__tree *tree = rattle__arena_take(arena, sizeof *tree);
  if (!tree) return NULL;
  *tree = (rattle__tree){.bodies = bodies, .n = n};
  tree->body = rattle__arena_take(arena, (size_t)bodies * sizeof *tree->body);
  tree->node = rattle__arena_take(arena, (size_t)bodies * sizeof *tree->node);
  if (arena->failed) return NULL;
  copy_bodies(s, tree);
  return tree;
}

static rattle__tree *recognise(const rattle__forms *forms, const double *inverse_mass,
                               rattle__arena *scratch, rattle__arena *arena) {
  const size_t n = (size_t)forms->g->vars, most = n / 12 + 1, rows = (size_t)forms->g->rows;
  ordering s = {.body = rattle__arena_take(scratch, n * sizeof *s.body),
                .pair = rattle__arena_take(scratch, most * sizeof *s.pair),
                .first = rattle__arena_take(scratch, (most + 1) * sizeof *s.first),
                .next = rattle__arena_take(scratch, 2 * most * sizeof *s.next),
                .order = rattle__arena_take(scratch, most * sizeof *s.order),
                .number = rattle__arena_take(scratch, most * sizeof *s.number)};
  rattle__place *place = rattle__arena_take(scratch, n * sizeof *place);
  char *used = rattle__arena_take(scratch, rows + 1);
  if (scratch->failed) return NULL;
  const int bodies = rattle__bodies_find(forms, inverse_mass, s.body, place, used);
  if (bodies < 0) scratch->failed = 1;
  if (bodies <= 0) return NULL;
  s.pairs = rattle__pairs_find(forms, place, used, s.pair, (int)most);
  if (s.pairs < 0) return NULL;
  list_ends(&s, bodies);
  for (int b = 0; b < bodies; b++) s.number[b] = -1;
  return order_bodies(&s, bodies) ? make(&s, bodies, (int)n, arena) : NULL;
}

rattle__tree *rattle__tree_create(const rattle_problem *problem, rattle__arena *arena) {
  const rattle__mass *mass = problem->mass;
  if (!(problem->flags & RATTLE_NATURAL) || mass->value || mass->clock || problem->n % 12)
    return NULL;
  rattle__forms forms;
  rattle__arena scratch = {0};
  rattle__tree *tree = NULL;
  if (rattle__forms_create(&forms, problem->g, &scratch))
    tree = recognise(&forms, mass->diagonal, &scratch, arena);
  arena->failed |= scratch.failed;
  rattle__quadratic_destroy(&forms.g);
  rattle__arena_release(&scratch);
  return tree;
}
