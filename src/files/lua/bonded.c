/* bonds{...}, angles{...}, torsions{...}: rods between beads, and potentials of two and three bonds
 * in a row.
 *
 *     angles    V = k (theta - theta0)^2/2 of the angle theta at bead j of i, j, k, or k (1 -
 *     cos(theta - theta0)) for "cosine"
 *     torsions  V = k (1 + cos(n phi - phase)), phi the dihedral angle of i, j, k, l: 0 for cis, pi
 *     for trans (IUPAC)
 *
 * With a, b, c = x_j - x_i, x_k - x_j, x_l - x_k:  theta = atan2(|a x b|, -a.b);  u = a x b, v = b
 * x c, cos phi = u.v/|u||v|,
 * sin phi = |b| a.v/|u||v|; cos n phi and sin n phi by Chebyshev's recursion, so that nothing is
 * singular but beads in a line.
 * Source    A. Blondel, M. Karplus, J. Comput. Chem. 17 (1996) 1132 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/lua/loader.h"

static rattle_expr binary(lua_State *L, rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle__lua_binary(L, op, a, b);
}

static rattle_expr unary(lua_State *L, rattle_op op, rattle_expr a) {
  const rattle_expr e = rattle_expr_unary(rattle__lua_loader(L)->model->graph, op, a);
  if (e == RATTLE_EXPR_NONE) rattle__lua_no_memory(L);
  return e;
}

static void cross(lua_State *L, const rattle_expr a[3], const rattle_expr b[3], rattle_expr c[3]) {
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    c[k] = binary(L, RATTLE_OP_SUB, binary(L, RATTLE_OP_MUL, a[i], b[j]),
                  binary(L, RATTLE_OP_MUL, a[j], b[i]));
  }
}

static void add_potential(lua_State *L, rattle_expr e) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_charge(L, 100);
  rattle__lua_charge_bytes(L, 0);
  rattle__lua_check(L, rattle_model_add_hamiltonian(loader->model, e, &loader->error));
}

/* ---- angles ---- */

typedef struct angle {
  double k, theta;
  int cosine;
} angle;

static void add_angle(lua_State *L, const angle *own, const int *bead) {
  rattle_expr a[3], b[3], c[3], e;
  rattle__lua_difference(L, bead[0], bead[1], a);
  rattle__lua_difference(L, bead[2], bead[1], b);
  const rattle_expr ab = rattle__lua_dot(L, a, b);
  const rattle_expr theta = rattle__lua_constant(L, own->theta), one = rattle__lua_constant(L, 1);
  if (own->cosine &&
      own->theta == acos(-1.0)) { /* k (1 + cos theta), which is smooth where beads are in a line */
    const rattle_expr size =
        unary(L, RATTLE_OP_SQRT,
              binary(L, RATTLE_OP_MUL, rattle__lua_dot(L, a, a), rattle__lua_dot(L, b, b)));
    e = binary(L, RATTLE_OP_ADD, one, binary(L, RATTLE_OP_DIV, ab, size));
  } else {
    cross(L, a, b, c);
    e = binary(L, RATTLE_OP_ATAN2, unary(L, RATTLE_OP_SQRT, rattle__lua_dot(L, c, c)), ab);
    e = binary(L, RATTLE_OP_SUB, e, theta);
    e = own->cosine ? binary(L, RATTLE_OP_SUB, one, unary(L, RATTLE_OP_COS, e))
                    : binary(L, RATTLE_OP_MUL, rattle__lua_constant(L, 0.5),
                             binary(L, RATTLE_OP_MUL, e, e));
  }
  add_potential(L, binary(L, RATTLE_OP_MUL, rattle__lua_constant(L, own->k), e));
}

/* Returns the number of entries 1, 2 ... of the table at index 1. */
static int entries(lua_State *L) {
  return (int)lua_rawlen(L, 1);
}

/* Those of the bonds at beads of a molecule. */
static int add_bonded_angles(lua_State *L, const angle *own, const rattle__bead_molecule *in) {
  const rattle__bonded n = rattle__lua_bonded_beads(L);
  int count = 0;
  for (int j = in->first; j < in->first + in->beads * in->copies; j++)
    for (int e = n.first[j]; e < n.first[j + 1]; e++)
      for (int f = e + 1; f < n.first[j + 1]; f++, count++)
        add_angle(L, own, (int[]){n.to[e], j, n.to[f]});
  return count;
}

/* The molecule that a table of potentials is about, whose options are checked. */
static rattle__bead_molecule begin(lua_State *L, const char *what, const char *form,
                                   const char *const *known) {
  rattle__lua_declaring(L, what);
  rattle__lua_table(L, 1, form);
  lua_settop(L, 1);
  rattle__lua_known(L, what, known, 1);
  rattle__lua_loader(L)->potential_used = 1;
  return rattle__lua_molecule(L, what);
}

static int angles(lua_State *L) {
  static const char *const known[] = {"molecule", "kind", "k", "theta", NULL};
  const rattle__bead_molecule in =
      begin(L, "angles", "angles { k = number, theta = number }", known);
  angle own = {.k = rattle__lua_option(L, "angles", "k", (double)NAN),
               .theta = rattle__lua_option(L, "angles", "theta", acos(-1.0))};
  if (lua_getfield(L, 1, "kind") != LUA_TNIL) {
    const char *kind = rattle__lua_string(L, -1, "the kind of angles");
    own.cosine = !strcmp(kind, "cosine");
    if (!own.cosine && strcmp(kind, "harmonic") != 0)
      return luaL_error(
          L, "expected \"harmonic\" or \"cosine\" for the kind of angles, found \"%s\"", kind);
  }
  if (own.theta < 0 || own.theta > acos(-1.0))
    return luaL_error(L, "theta of angles is in radians, from 0 to pi, found %f", own.theta);
  for (int k = 1; k <= entries(L); k++) {
    int bead[3];
    rattle__lua_entry(L, "angles", k, 3, &in, bead);
    for (int c = 0; c < in.copies; c++)
      add_angle(L, &own,
                (int[]){bead[0] + c * in.beads, bead[1] + c * in.beads, bead[2] + c * in.beads});
  }
  if (!entries(L) && !add_bonded_angles(L, &own, &in))
    return luaL_error(L, "angles: no bead has two bonds");
  return 0;
}

/* ---- torsions ---- */

typedef struct torsion {
  double k, phase;
  int n;
} torsion;

/* cos(n phi - phase) from cos phi and sin phi */
static rattle_expr turn(lua_State *L, const torsion *own, rattle_expr c, rattle_expr s) {
  rattle_expr T[2] = {rattle__lua_constant(L, 1), c},
              U[2] = {rattle__lua_constant(L, 0), s}; /* cos, sin of (n-1) phi, n phi */
  const rattle_expr twice = binary(L, RATTLE_OP_MUL, rattle__lua_constant(L, 2), c);
  for (int k = 1; k < own->n; k++) {
    const rattle_expr cosine =
        binary(L, RATTLE_OP_SUB, binary(L, RATTLE_OP_MUL, twice, T[1]), T[0]);
    const rattle_expr sine = binary(L, RATTLE_OP_SUB, binary(L, RATTLE_OP_MUL, twice, U[1]), U[0]);
    T[0] = T[1], T[1] = cosine, U[0] = U[1], U[1] = sine;
  }
  const int straight = own->phase == 0 || own->phase == acos(-1.0); /* no sine */
  const double along = own->phase == 0 ? 1 : straight ? -1 : cos(own->phase);
  const rattle_expr e = binary(L, RATTLE_OP_MUL, rattle__lua_constant(L, along), T[1]);
  if (straight) return e;
  return binary(L, RATTLE_OP_ADD, e,
                binary(L, RATTLE_OP_MUL, rattle__lua_constant(L, sin(own->phase)), U[1]));
}

static void add_torsion(lua_State *L, const torsion *own, const int *bead) {
  rattle_expr a[3], b[3], c[3], u[3], v[3];
  rattle__lua_difference(L, bead[1], bead[0], a);
  rattle__lua_difference(L, bead[2], bead[1], b);
  rattle__lua_difference(L, bead[3], bead[2], c);
  cross(L, a, b, u);
  cross(L, b, c, v);
  const rattle_expr size =
      unary(L, RATTLE_OP_SQRT,
            binary(L, RATTLE_OP_MUL, rattle__lua_dot(L, u, u), rattle__lua_dot(L, v, v)));
  const rattle_expr cosine = binary(L, RATTLE_OP_DIV, rattle__lua_dot(L, u, v), size);
  const rattle_expr length = unary(L, RATTLE_OP_SQRT, rattle__lua_dot(L, b, b));
  const rattle_expr sine =
      binary(L, RATTLE_OP_DIV, binary(L, RATTLE_OP_MUL, length, rattle__lua_dot(L, a, v)), size);
  const rattle_expr e =
      binary(L, RATTLE_OP_ADD, rattle__lua_constant(L, 1), turn(L, own, cosine, sine));
  add_potential(L, binary(L, RATTLE_OP_MUL, rattle__lua_constant(L, own->k), e));
}

/* One for each three bonds in a row whose middle one begins at a bead of a molecule, each once. */
static int add_bonded_torsions(lua_State *L, const torsion *own, const rattle__bead_molecule *in) {
  const rattle__bonded n = rattle__lua_bonded_beads(L);
  int count = 0;
  for (int j = in->first; j < in->first + in->beads * in->copies; j++)
    for (int m = n.first[j]; m < n.first[j + 1]; m++)
      for (int e = n.first[j]; e < n.first[j + 1]; e++)
        for (int f = n.first[n.to[m]]; f < n.first[n.to[m] + 1]; f++) {
          const int bead[4] = {n.to[e], j, n.to[m], n.to[f]};
          if (bead[2] < j || e == m || bead[3] == j || bead[0] == bead[3]) continue;
          add_torsion(L, own, bead);
          count++;
        }
  return count;
}

static int torsions(lua_State *L) {
  static const char *const known[] = {"molecule", "k", "n", "phase", NULL};
  const rattle__bead_molecule in =
      begin(L, "torsions", "torsions { k = number, n = number, phase = number }", known);
  torsion own = {.k = rattle__lua_option(L, "torsions", "k", (double)NAN),
                 .phase = rattle__lua_option(L, "torsions", "phase", 0)};
  lua_pushnumber(L, rattle__lua_option(L, "torsions", "n", 1));
  own.n = (int)rattle__lua_integer(L, -1, "n of torsions", 1, 6);
  for (int k = 1; k <= entries(L); k++) {
    int bead[4];
    rattle__lua_entry(L, "torsions", k, 4, &in, bead);
    for (int c = 0; c < in.copies; c++) {
      const int by = c * in.beads;
      add_torsion(L, &own, (int[]){bead[0] + by, bead[1] + by, bead[2] + by, bead[3] + by});
    }
  }
  if (!entries(L) && !add_bonded_torsions(L, &own, &in))
    return luaL_error(L, "torsions: there are no three bonds in a row");
  return 0;
}

/* ---- bonds ---- */

static int bonds(lua_State *L) {
  static const char *const known[] = {"molecule", "length", NULL};
  rattle__lua_declaring(L, "bonds");
  rattle__lua_table(L, 1, "bonds { {i, j, length}, ... }");
  lua_settop(L, 1);
  rattle__lua_known(L, "bonds", known, 1);
  const rattle__bead_molecule in = rattle__lua_molecule(L, "bonds");
  const double length = rattle__lua_option(L, "bonds", "length", 0);
  for (int k = 1; k <= entries(L); k++) {
    int bead[2];
    const double own = rattle__lua_entry(L, "bonds", k, 2, &in, bead);
    if (!(own > 0) && !(length > 0))
      return luaL_error(L, "bond %d has no length: write {i, j, length}, or length = number", k);
    for (int c = 0; c < in.copies; c++)
      rattle__lua_rod(L, bead[0] + c * in.beads, bead[1] + c * in.beads, own > 0 ? own : length);
  }
  return 0;
}

void rattle__lua_bonded(lua_State *L) {
  lua_register(L, "bonds", bonds);
  lua_register(L, "angles", angles);
  lua_register(L, "torsions", torsions);
}
