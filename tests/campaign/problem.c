/* Problems by family, seed and index. See problem.h. */
#include "general.h"
#include "methods.h"

#include <stdlib.h>
#include <string.h>

const family *const family_groups[] = {fixed, linkages, large,    surfaces,
                                       steep, driven,   generals, NULL};

int family_chosen(const family *group, const family *of, const char *names) {
  if (!names) return group != large && group != steep;
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    if (length == strlen(of->name) && !strncmp(at, of->name, length)) return 1;
    if (group == large && length == 5 && !strncmp(at, "large", 5)) return 1;
  }
  return 0;
}

void problem_classify(problem *pr) {
  formula_set depends = {{0}};
  int positions = 0, momenta = 0;
  for (int i = 0; i < pr->m; i++)
    for (int t = 0; t < pr->g[i].count; t++)
      depends = formula_joined(depends, pr->f.nodes[pr->g[i].term[t]].depends);
  for (int k = 0; k < pr->n; k++) {
    positions |= formula_set_has(depends, k);
    momenta |= formula_set_has(depends, pr->n + k);
  }
  pr->fibre = !momenta ? FIBRE_MOMENTA : !positions ? FIBRE_POSITIONS : FIBRE_CURVED;
}

/* Some starts are off the constraints, some runs go backwards. */
static void vary(problem *pr, randoms *r) {
  if (random_chance(r, 0.1)) pr->h = -pr->h;
  if (pr->has_part || pr->ill || !random_chance(r, 0.12)) return;
  pr->off = random_scale(r, 1e-6, pr->fibre == FIBRE_CURVED ? 1e-3 : 0.03);
  for (int k = 0; k < pr->n; k++) {
    if (general_is_time(pr, k)) continue;
    pr->off_q[k] = pr->q[k] + pr->off * (double)general_size(pr, k) * random_between(r, -1, 1);
    pr->off_p[k] =
        pr->p[k] + pr->off * (double)general_size(pr, pr->n + k) * random_between(r, -1, 1);
  }
}

/* The kind of fibre, and a suitable method if the family gave none. */
static void finish(problem *pr, randoms *r) {
  problem_classify(pr);
  formula_use_none(&pr->f);
  formula_use(&pr->f, &pr->H, 1, FORMULA_H);
  formula_use(&pr->f, pr->force, pr->n, FORMULA_H);
  formula_use(&pr->f, pr->g, pr->m, FORMULA_G);
  formula_use(&pr->f, &pr->part, 1, FORMULA_PART);
  if (pr->method) return; /* with its steps */
  pr->method = method_draw(pr, r);
  vary(pr, r);
  if (!(pr->natural && !pr->forced && pr->method->of == &verlet_a &&
        pr->method->form != SPARK_STEP) &&
      pr->steps > 40)
    pr->steps = 40; /* time */
}

void problem_make(problem *pr, const family *of, uint64_t seed, uint64_t index) {
  for (uint64_t attempt = 0; attempt < 2000; attempt++) {
    randoms r = randoms_of(of->name, seed, index);
    r.counter = attempt << 20;
    *pr = (problem){.family = of->name, .seed = seed, .index = index};
    if (of->make(pr, &r)) {
      finish(pr, &r);
      return;
    }
    problem_free(pr);
  }
  fprintf(stderr, "family %s, seed %llu, problem %llu: 2000 draws without a problem\n", of->name,
          (unsigned long long)seed, (unsigned long long)index);
  abort();
}

void problem_free(problem *pr) {
  formula_free(&pr->f);
}
