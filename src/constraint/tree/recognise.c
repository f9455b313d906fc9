/* Trees of rigid bodies, recognised: each body is reached by one joint, from the ground on or, if
 * none leads there, from a body that floats. */
#include "constraint/tree/closers.h"
#include "constraint/tree/forms.h"
#include "constraint/tree/gradients.h"
#include "constraint/tree/node.h"

/* Joints of each body: a list of the ends of pairs, 2 k and 2 k + 1 of pair k. */
typedef struct ordering {
  rattle__tree_body *body;
  rattle__joined_pair *pair;
  int pairs;
  int *first, *next;   /* of body b, first[b + 1], the ground's first[0]; then next; -1: no more */
  int *order, *number; /* bodies parents first, and where each is in that order, -1: not yet */
  int ordered;
  rattle__place *place; /* [vars] */
  char *other;          /* rows of no pair [rows] */
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

/* The bodies that joints with b, or with the ground, reach first. */
static void reach(ordering *s, int b) {
  for (int e = s->first[b + 1]; e >= 0; e = s->next[e]) {
    rattle__joined_pair *p = &s->pair[e / 2];
    const int c = e % 2 ? p->a : p->b;
    if (c >= 0 && s->number[c] < 0 && rattle__pair_is_joint(p, c, &s->body[c])) add(s, c);
  }
}

static void order_bodies(ordering *s, int bodies) {
  reach(s, -1);
  for (int done = 0, root = 0; done < bodies; done++) {
    if (done == s->ordered) {
      while (s->number[root] >= 0) root++;
      add(s, root);
    }
    reach(s, s->order[done]);
  }
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

/* The independent rows that are not those of bodies and joints; m: of all. */
static int rows_left(const rattle__tree *tree, int m) {
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__joint joint = tree->body[c].joint;
    m -= 6 + (joint == RATTLE__HINGE ? 5 : joint == RATTLE__BALL ? 3 : 0);
  }
  return m;
}

/* The rows of pairs that no joint took, [most]; -1: there are more. Those that are no axis rows
 * become other rows. */
static int list_closers(const ordering *s, rattle__closer *closer, int most) {
  int count = 0;
  for (int k = 0; k < s->pairs; k++) {
    const rattle__joined_pair *p = &s->pair[k];
    const rattle__closer of = {
        {s->number[p->a], p->b < 0 ? -1 : s->number[p->b]}, -1, {p->on_a, p->on_b}};
    for (int i = 0; i < 3 && !p->taken; i++) {
      if (!(p->points & 1 << i)) continue;
      if (count == most) return -1;
      closer[count] = of;
      closer[count++].axis = i;
    }
    for (int i = 0; i < p->axes && p->taken < 2; i++) {
      if (count == most) return -1;
      closer[count] = of;
      if (rattle__is_outer(p->C[i], &closer[count].on[0], &closer[count].on[1]))
        count++;
      else
        s->other[p->row[i]] = 1;
    }
  }
  return count;
}

/* Bodies in the numbers of the tree, and coordinates of no body. */
static void give_places(const ordering *s, const rattle_problem *problem, rattle__tree *tree) {
  for (int k = 0; k < tree->n; k++) {
    rattle__place *at = &s->place[k];
    if (at->body >= 0) {
      at->body = s->number[at->body];
      continue;
    }
    at->part = tree->loosened;
    tree->loose[tree->loosened++] =
        (rattle__loose){.at = k, .W = rattle__inertia(problem)->diagonal[k]};
  }
}

/* The rows that are not those of bodies and joints. 0: there are too many, or no memory. */
static int close_loops(const ordering *s, const rattle__forms *forms, rattle__tree *tree,
                       rattle__context *context) {
  rattle__closer closer[RATTLE__CLOSERS_MOST];
  const int rank = rows_left(tree, context->problem->m);
  int count = list_closers(s, closer, RATTLE__CLOSERS_MOST), others = 0;
  if (count < 0 || rank < 0) return 0;
  for (int i = 0; i < forms->rows; i++) others += s->other[i];
  if (count + others > RATTLE__CLOSERS_MOST || count + others < rank) return 0;
  for (int i = 0; i < others; i++) closer[count++].axis = RATTLE__BY_GRADIENT;
  if (!rank) return 1;
  tree->closers = rattle__closers_create(closer, count, rank, tree, &context->arena);
  if (!tree->closers) return 0;
  if (others && !rattle__gradients_create(forms, s->other, s->place, tree, context)) return 0;
  return !context->arena.failed;
}

static rattle__tree *make(const ordering *s, int bodies, const rattle__forms *forms,
                          rattle__context *context) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  const size_t count = (size_t)bodies, loose = (size_t)(problem->n - 12 * bodies);
  rattle__tree *tree = rattle__arena_take(arena, sizeof *tree);
  if (!tree) return NULL;
  *tree = (rattle__tree){.bodies = bodies, .n = problem->n};
  tree->body = rattle__arena_take(arena, count * sizeof *tree->body);
  tree->node = rattle__arena_take(arena, count * sizeof *tree->node);
  tree->inside = rattle__arena_take(arena, count);
  tree->loose = rattle__arena_take(arena, (loose + 1) * sizeof *tree->loose);
  if (arena->failed) return NULL;
  copy_bodies(s, tree);
  give_places(s, problem, tree);
  if (close_loops(s, forms, tree, context)) return tree;
  rattle__tree_destroy(tree);
  return NULL;
}

static rattle__tree *recognise(const rattle__forms *forms, rattle__arena *scratch,
                               rattle__context *context) {
  const rattle_problem *problem = context->problem;
  const size_t n = (size_t)problem->n, most = n / 12 + 1, rows = (size_t)forms->rows + 1;
  ordering s = {.body = rattle__arena_take(scratch, n * sizeof *s.body),
                .pair = rattle__arena_take(scratch, rows * sizeof *s.pair),
                .first = rattle__arena_take(scratch, (most + 1) * sizeof *s.first),
                .next = rattle__arena_take(scratch, 2 * rows * sizeof *s.next),
                .order = rattle__arena_take(scratch, most * sizeof *s.order),
                .number = rattle__arena_take(scratch, most * sizeof *s.number),
                .place = rattle__arena_take(scratch, n * sizeof *s.place),
                .other = rattle__arena_take(scratch, rows)};
  char *used = rattle__arena_take(scratch, rows);
  if (scratch->failed) return NULL;
  const int bodies =
      rattle__bodies_find(forms, rattle__inertia(problem)->diagonal, s.body, s.place, used);
  if (bodies < 0) scratch->failed = 1;
  if (bodies <= 0) return NULL;
  s.pairs = rattle__pairs_find(forms, s.place, used, s.other, s.pair);
  list_ends(&s, bodies);
  for (int b = 0; b < bodies; b++) s.number[b] = -1;
  order_bodies(&s, bodies);
  return make(&s, bodies, forms, context);
}

rattle__tree *rattle__tree_create(rattle__context *context) {
  const rattle_problem *problem = context->problem;
  const rattle__mass *mass = rattle__inertia(problem);
  if (!mass || mass->value || mass->clock || !(problem->flags & RATTLE_HOLONOMIC) ||
      problem->g->vars != problem->n - problem->account)
    return NULL;
  rattle__forms forms;
  rattle__arena scratch = {0};
  rattle__tree *tree = NULL;
  if (rattle__forms_create(&forms, problem, &scratch)) tree = recognise(&forms, &scratch, context);
  context->arena.failed |= scratch.failed;
  rattle__forms_destroy(&forms);
  rattle__arena_release(&scratch);
  return tree;
}

void rattle__tree_destroy(rattle__tree *tree) {
  if (!tree) return;
  rattle__gradients_destroy(tree->gradients);
  rattle__closers_destroy(tree->closers);
}
