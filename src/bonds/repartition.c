/* Hydrogen mass repartitioning, by the rules of the programs that have it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "ground/support/error.h"
#include "rattle/bonds.h"

/* An atom as bonds see it. */
typedef struct bound {
  int hydrogen;
  int partners, hydrogens; /* of its bonds: to atoms that are no hydrogens, and to hydrogens */
  int partner;             /* the first that is no hydrogen */
} bound;

typedef struct masses {
  long long atoms;
  double value, *mass; /* mass: as they become */
  const bound *of;
} masses;

/* The atom `light` gets `mass`, and `heavy` loses what that is more. */
static void move(const masses *m, int light, int heavy, double mass) {
  m->mass[heavy] -= mass - m->mass[light], m->mass[light] = mass;
}

/* A heavy atom with two hydrogens and nothing else, as water. */
static int is_water(const masses *m, int heavy) {
  return m->of[heavy].hydrogens == 2 && m->of[heavy].partners == 0;
}

/* Hydrogens get the mass that `of` gives; those of water are left, which is rigid. */
static rattle_status hydrogens(const masses *m, double (*of)(double value, double mass),
                               rattle_error *error) {
  for (int a = 0; a < m->atoms; a++) {
    const bound *b = &m->of[a];
    if (!b->hydrogen || b->partners == 0 || is_water(m, b->partner)) continue;
    move(m, a, b->partner, of(m->value, m->mass[a]));
    if (!(m->mass[b->partner] > 0))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "value",
                          "hydrogens of the mass %g leave nothing of atom %d: give less",
                          m->mass[a], b->partner);
  }
  return RATTLE_OK;
}

static double given(double value, double mass) {
  (void)mass;
  return value;
}

static double times(double value, double mass) {
  return value * mass;
}

static rattle_status by_openmm(const masses *m, rattle_error *error) {
  return hydrogens(m, given, error);
}

static rattle_status by_factor(const masses *m, rattle_error *error) {
  return hydrogens(m, times, error);
}

/* All atoms lighter than so many times the lightest, whatever they are. */
static rattle_status by_gromacs(const masses *m, rattle_error *error) {
  double least = INFINITY;
  for (int a = 0; a < m->atoms; a++)
    if (m->mass[a] > 0) least = fmin(least, m->mass[a]);
  least *= m->value;
  for (int a = 0; a < m->atoms; a++) {
    const bound *b = &m->of[a];
    if (!(m->mass[a] > 0 && m->mass[a] < least) || b->partners + b->hydrogens == 0) continue;
    if (b->partners == 1 && b->hydrogen && is_water(m, b->partner)) continue;
    if (b->partners + b->hydrogens > 1 || b->partners == 0)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "value",
                          "atom %d is lighter than %g and has %d bonds: one with a heavier atom "
                          "can be repartitioned",
                          a, least, b->partners + b->hydrogens);
    move(m, a, b->partner, least);
    if (m->mass[b->partner] < least)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "value",
                          "hydrogens of the mass %g leave atom %d less than that: give less", least,
                          b->partner);
  }
  return RATTLE_OK;
}

static const struct {
  rattle_bonds_rule rule;
  rattle_status (*apply)(const masses *m, rattle_error *error);
} table[] = {{{"openmm", "hydrogenMass of ForceField.createSystem, with rigid water",
               "hydrogens get the mass of the number"},
              by_openmm},
             {{"gromacs", "mass-repartition-factor of grompp since 2024, water by SETTLE",
               "atoms lighter than the number times the lightest get that mass"},
              by_gromacs},
             {{"factor", "as --hmr of rattle bonds", "hydrogens get the number times their mass"},
              by_factor}};
enum { RULES = sizeof table / sizeof *table };

const rattle_bonds_rule *rattle_bonds_rule_of(int index) {
  return index >= 0 && index < RULES ? &table[index].rule : NULL;
}

static rattle_status connect(bound *of, const rattle_bonds_topology *topology,
                             rattle_error *error) {
  const int *pairs = topology->pairs;
  for (long long k = 0; k < topology->bonds; k++) {
    const rattle_status status = rattle__bonds_check_pair(topology, k, error);
    if (status) return status;
    for (int e = 0; e < 2; e++) {
      const int i = pairs[2 * k + e], j = pairs[2 * k + 1 - e];
      if (of[j].hydrogen)
        of[i].hydrogens++;
      else if (of[i].partners++ == 0)
        of[i].partner = j;
    }
  }
  return RATTLE_OK;
}

rattle_status rattle_bonds_repartition(const char *rule, double value,
                                       const rattle_bonds_topology *topology, const char *hydrogen,
                                       double *result, rattle_error *error) {
  const long long atoms = topology->atoms;
  int number = 0;
  while (number < RULES && strcmp(table[number].rule.name, rule) != 0) number++;
  if (number == RULES)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rule",
                        "there is no rule '%s' for masses of hydrogens, but openmm, gromacs and "
                        "factor",
                        rule);
  if (!(value > 0 && isfinite(value)) || (value < 1 && table[number].apply != by_openmm))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "value", "%g by the rule %s: give a %s", value,
                        rule,
                        table[number].apply == by_openmm ? "mass above 0" : "factor of at least 1");
  rattle_status status = rattle__bonds_check_counts(topology, error);
  if (status) return status;
  bound *of = calloc((size_t)atoms, sizeof *of);
  double *changed = malloc((size_t)atoms * sizeof *changed);
  if (!of || !changed) status = rattle__no_memory(error);
  for (long long a = 0; a < atoms && !status; a++) {
    changed[a] = topology->masses[a];
    of[a].hydrogen = hydrogen ? hydrogen[a] != 0 : changed[a] >= 0.9 && changed[a] <= 1.2;
  }
  if (!status) status = connect(of, topology, error);
  const masses m = {.atoms = atoms, .value = value, .mass = changed, .of = of};
  if (!status) status = table[number].apply(&m, error);
  if (!status) memcpy(result, changed, (size_t)atoms * sizeof *result);
  free(of), free(changed);
  return status;
}
