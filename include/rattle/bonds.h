#ifndef RATTLE_BONDS_H
#define RATTLE_BONDS_H
/* Bond lengths at molecular scale: |x_i - x_j| = d for any number of atoms in any topology, as the
 * constraint stages of RATTLE.
 *
 * Source   H. C. Andersen, J. Comput. Phys. 52 (1983) 24 (the two stages); E. Barth, K. Kuczera, B.
 *          Leimkuhler, R. D. Skeel, J. Comput. Chem. 16 (1995) 1192 (Newton's iteration with sparse
 *          factors)
 * Symbols x0, x [3 atoms] positions before and after a step, atom by atom; v velocities; r_k = x0_i
 * - x0_j, s_k = x_i - x_j of bond
 *          k = (i, j); lambda_k its multiplier
 * Solver   Newton's iteration per cluster (atoms that bonds connect), with sparse factors in an
 *          order of little fill. Clusters of one shape are solved in the lanes of vectors; the
 *          result does not depend on the vectors or on the number of threads
 *
 *   rattle_bonds *bonds; rattle_bonds_topology topology = {.struct_size = sizeof topology, .atoms =
 *   3, .bonds = 3, .pairs = (int[]){0, 1, 0, 2, 1, 2},
 *                                     .lengths = (double[]){1, 1, 1.633}, .masses =
 *                                     (double[]){15.999, 1.008, 1.008}};
 *   rattle_bonds_create(&bonds, &topology, NULL, &error);
 *   each step:  v += h/2 F/m;  x = x0 + h v;  rattle_bonds_positions(bonds, x0, x, v, h, NULL,
 *   &error);
 *               v += h/2 F/m;  rattle_bonds_velocities(bonds, x, v, NULL, &error); */
#include "rattle/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_bonds rattle_bonds;

/* The atoms and bonds to constrain. Copied. */
typedef struct rattle_bonds_topology {
  size_t struct_size; /* sizeof, or 0: status.h */
  long long atoms, bonds;
  const int *pairs;      /* atoms i and j of each bond, from 0 on [2 bonds]; a pair occurs once */
  const double *lengths; /* their distances, above 0 [bonds] */
  const double *masses;  /* above 0; INFINITY: the atom does not move; 0: it has no bonds, as a site
                            whose place follows from others [atoms] */
  /* angles to keep, each as the third side of two bonds: bond number bonds + a of arrays below
   * belongs to angle a */
  long long angles;
  const int *angle_atoms;     /* i, j, k: at atom j, which has bonds with i and k [3 angles] */
  const double *angle_values; /* in radians, above 0, at most pi [angles] */
  /* bodies: groups of three or more atoms, not on a line, that are kept whole by their own inertia,
   * of any size. Atoms of a body have finite masses and no bonds, and are in no other body */
  long long bodies;
  const long long
      *body_first; /* atoms of body k are body_atoms[body_first[k] .. body_first[k + 1] - 1];
                      body_first[0] is 0 [bodies + 1] */
  const int *body_atoms;
  const double *body_places; /* of each, in any frame, which give the shape [3 atoms of bodies] */
} rattle_bonds_topology;

typedef struct rattle_bonds_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  /* largest relative error of a length, and of its rate |r.v|/(d |v|); 0: 1e-12. Not below 1e-15;
   * below 1e-13 the position stage refuses it where the round-off of coordinates exceeds it,
   * BAD_ARGUMENT with the figure that can be reached */
  double tolerance;
  const char
      *instructions; /* "avx512", "avx2" or "plain"; NULL: the widest that the processor has. For
                       tests: results are the same */
  const char
      *solver;     /* one that rattle_bonds_solver_of names, for all clusters; "auto" or NULL: for
                 each the cheapest that can do it */
  int lincs_order; /* terms of the series of lincs; 0: 4 */
  int lincs_iterations; /* at most so many repetitions of lincs; 0: 1000 */
  int threads;          /* that share the clusters; 0: one. Results are the same for any number */
} rattle_bonds_options;

/* A way of finding multipliers. All have one meaning of the tolerance. */
typedef struct rattle_bonds_solver {
  const char *name, *clusters, *source, *text; /* clusters that it can do; publication;
                                                * description */
} rattle_bonds_solver;

/* The solvers, from 0 on; NULL: there are no more. */
RATTLE_API const rattle_bonds_solver *rattle_bonds_solver_of(int index);

/* The edges of a periodic box as rows, lower triangular: a = (a_x, 0, 0), b = (b_x, b_y, 0), c =
 * (c_x, c_y, c_z). a_x, b_y and c_z are more than twice the longest bond, and the distance of any
 * angle's outer atoms, or a stage refuses the box, BAD_ARGUMENT: images are taken along c, b and a
 * in turn, and shorter vectors are nearest images then, in cells of any angles. So are those of
 * bonds that a step stretches, as long as they are shorter than half of a_x, b_y and c_z. An edge
 * of 1e30 has no images. */
typedef struct rattle_bonds_box {
  double edge[3][3];
} rattle_bonds_box;

/* Contents of the topology. */
typedef struct rattle_bonds_summary {
  size_t struct_size;         /* sizeof, or 0: status.h */
  long long atoms, bonds;     /* atoms that have bonds, and bonds */
  long long clusters, shapes; /* connected sets of atoms, and how many different graphs they are */
  long long largest;          /* bonds in the largest cluster */
  long long rings;            /* independent rings in all clusters: bonds - atoms + clusters */
  int width;                  /* clusters solved at once */
  const char *instructions;   /* "avx512", "avx2" or "plain" */
  long long repeated;         /* bonds that follow from others, and are left to them */
  long long lines; /* of three or more atoms, whose inner atoms are placed between the outer ones */
  long long
      rigid; /* bodies, and flat molecules with all their distances, which are kept as bodies */
} rattle_bonds_summary;

/* BAD_ARGUMENT names the bond or the atom that is wrong, UNSUITABLE the atoms of a cluster that the
 * solver cannot do. */
RATTLE_API rattle_status rattle_bonds_create(rattle_bonds **bonds,
                                             const rattle_bonds_topology *topology,
                                             const rattle_bonds_options *options,
                                             rattle_error *error);
RATTLE_API void rattle_bonds_destroy(rattle_bonds **bonds);
/* The bonds that repeat others, ascending: found when the bonds were created, from positions that
 * the lengths imply, among bonds of up to 60 atoms that no single atom holds together. Their
 * lengths are right where those of the others are. *count: how many. */
RATTLE_API const int *rattle_bonds_repeated(const rattle_bonds *bonds, long long *count);
/* The solver of each atom's cluster, as a number for rattle_bonds_solver_of; -1: the atom has no
 * bonds. solver [atoms]. */
RATTLE_API void rattle_bonds_chosen(const rattle_bonds *bonds, int *solver);
/* Fills summary, which begins with struct_size. */
RATTLE_API rattle_status rattle_bonds_summarise(const rattle_bonds *bonds,
                                                rattle_bonds_summary *summary, rattle_error *error);

/* Moves x along the bonds of x0 until all lengths are right: x_i -= lambda_k r_k/m_i, x_j +=
 * lambda_k r_k/m_j. v (may be NULL) gets the change of x divided by h. box (may be NULL): distances
 * are those of nearest images. x0 need not satisfy the lengths, but its bonds give the directions.
 * Errors: DOMAIN names the atom where a number is not finite; SINGULAR the atoms of a bond that
 * repeats others or has no length in x0; NOT_CONVERGED those of the bond that is off most. Clusters
 * that fail are left as they were, the others are solved. */
RATTLE_API rattle_status rattle_bonds_positions(rattle_bonds *bonds, const double *x0, double *x,
                                                double *v, double h, const rattle_bonds_box *box,
                                                rattle_error *error);
/* Removes from v the components that change lengths at x: v_i -= mu_k s_k/m_i, v_j += mu_k s_k/m_j.
 * Errors as above. */
RATTLE_API rattle_status rattle_bonds_velocities(rattle_bonds *bonds, const double *x, double *v,
                                                 const rattle_bonds_box *box, rattle_error *error);

/* Half a step of forces that comes after a stage of velocities. */
typedef struct rattle_bonds_half_step {
  size_t struct_size; /* sizeof, or 0: status.h */
  const double *f;    /* forces on the atoms [3 atoms] */
  double by;          /* half of the step */
  double scale;       /* of `forces`; 0: 1. Those of the half step: 1/by */
  double *x0;     /* gets x of the atoms that have bonds, for the next stage of positions; may be
                         NULL [3 atoms] */
  double *forces; /* gets scale times mass times the change of v of these atoms, 0 of those that
                         cannot move; may be NULL [3 atoms] */
} rattle_bonds_half_step;

/* Changes v so that v + by f/m keeps the lengths at x, as rattle_bonds_velocities does with that
 * sum: for steps whose second half another program makes. It is one pass over the arrays. Errors as
 * above; f that is not finite is DOMAIN too. Clusters that fail keep their v, and their part of
 * `forces` means nothing. */
RATTLE_API rattle_status rattle_bonds_velocities_ahead(rattle_bonds *bonds, const double *x,
                                                       double *v,
                                                       const rattle_bonds_half_step *half,
                                                       const rattle_bonds_box *box,
                                                       rattle_error *error);

/* Additional outputs of a stage; any array may be NULL. For clusters that fail all outputs are
 * 0. */
typedef struct rattle_bonds_outputs {
  size_t struct_size;  /* sizeof, or 0: status.h */
  double *multipliers; /* lambda_k or mu_k of bonds, then of angles; 0 for bonds that repeat others,
                      and for all of a line but its longest, and of flat molecules [bonds +
                      angles] */
  double *forces;      /* -scale lambda_k r_k on atom i and the opposite on j, summed; on atoms that
                 cannot move too [3 atoms] */
  double *virial; /* of these forces: the sums of -scale lambda_k r_k r_k', its components xx, yy,
                 zz, xy, xz, yz [6] */
  /* 0: 1, which gives mass times displacement or change of velocity. Forces of a step h: 2/h^2 for
   * positions, 2/h for velocities */
  double scale;
} rattle_bonds_outputs;

/* The stages with outputs (may be NULL). For any solver, one more elimination finds the multipliers
 * from the changes that the stage has made; it needs independent bonds. Sums have a fixed order:
 * they have the same bits for any number of threads. */
RATTLE_API rattle_status rattle_bonds_positions_out(rattle_bonds *bonds, const double *x0,
                                                    double *x, double *v, double h,
                                                    const rattle_bonds_box *box,
                                                    const rattle_bonds_outputs *outputs,
                                                    rattle_error *error);
RATTLE_API rattle_status rattle_bonds_velocities_out(rattle_bonds *bonds, const double *x,
                                                     double *v, const rattle_bonds_box *box,
                                                     const rattle_bonds_outputs *outputs,
                                                     rattle_error *error);

/* The stages for arrays of floats, as engines of mixed precision hold them, with outputs (may be
 * NULL). All else is in doubles, also the step and the outputs. The stored floats are within the
 * tolerance after rounding. A tolerance that floats cannot reach, about 1.2e-7 times the largest
 * distance from the origin over the shortest length, is BAD_ARGUMENT with the figure that can be
 * reached, and nothing changes. The default of 1e-12 is such a tolerance. */
RATTLE_API rattle_status rattle_bonds_positions_float(rattle_bonds *bonds, const float *x0,
                                                      float *x, float *v, double h,
                                                      const rattle_bonds_box *box,
                                                      const rattle_bonds_outputs *outputs,
                                                      rattle_error *error);
RATTLE_API rattle_status rattle_bonds_velocities_float(rattle_bonds *bonds, const float *x,
                                                       float *v, const rattle_bonds_box *box,
                                                       const rattle_bonds_outputs *outputs,
                                                       rattle_error *error);

/* Degrees of freedom that each bond takes: 1; 0 if it repeats others; the bonds of a line of n
 * atoms together take 3 (n - 2), and 1 for its length, those of a flat rigid molecule 3 n - 6.
 * taken [bonds + angles]. */
RATTLE_API void rattle_bonds_taken(const rattle_bonds *bonds, double *taken);
/* Degrees of freedom that bonds and bodies remove from groups of atoms: each bond from its two
 * atoms by their inverse masses; a body 3 n - 6, from each atom what the rigid motions do not leave
 * to it. group [atoms]: 0 to groups - 1, or below 0 for none. removed [groups]. */
RATTLE_API rattle_status rattle_bonds_removed(const rattle_bonds *bonds, const int *group,
                                              int groups, double *removed, rattle_error *error);

/* A rule by which hydrogens become heavier and the atoms that they are bonded to lighter. */
typedef struct rattle_bonds_rule {
  const char *name, *source, *text; /* source: where the program has it */
} rattle_bonds_rule;

/* The rules, from 0 on; NULL: there are no more. */
RATTLE_API const rattle_bonds_rule *rattle_bonds_rule_of(int index);
/* masses [atoms]: those of the topology repartitioned by a rule and its number, which is the mass
 * of hydrogens for "openmm", and a factor of at least 1 for "gromacs" and "factor". A molecule
 * keeps its masses if it is an atom with two hydrogens, as water. The topology has all bonds, kept
 * or not; its atoms, masses and pairs alone are read. hydrogen [atoms]: not 0 for hydrogens; NULL:
 * masses of 0.9 to 1.2. masses may be the topology's. BAD_ARGUMENT names the atom of which nothing
 * is left, and no mass is changed. */
RATTLE_API rattle_status rattle_bonds_repartition(const char *rule, double value,
                                                  const rattle_bonds_topology *topology,
                                                  const char *hydrogen, double *masses,
                                                  rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
