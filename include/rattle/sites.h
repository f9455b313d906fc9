#ifndef RATTLE_SITES_H
#define RATTLE_SITES_H
/* Constructed sites: points without mass whose places follow from atoms, as the M of TIP4P, lone
 * pairs, centres of groups. Part of librattle_bonds.
 *
 * Source   H. J. C. Berendsen, W. F. van Gunsteren, in: Molecular Liquids (Reidel, 1984) 475
 *          (forces spread by the transposed Jacobian); the reference manual of GROMACS, "virtual
 *          sites" (the kinds)
 * Symbols  parents i_0, i_1, ... of a site s; d_k = x_{i_k} - x_{i_0}, by nearest images; vectors
 *          O = sum o_k d_k, A = sum a_k d_k, B = sum b_k d_k; e1 = A/|A|, e3 = A x B/|A x B|,
 *          e2 = e3 x e1
 *
 *   x_s = x_{i_0} + O + p1 e1 + p2 e2 + p3 e3 + c A x B
 *
 *   each step:  rattle_bonds_positions(...);  rattle_sites_positions(sites, x, NULL, NULL, &error);
 *               forces f of all atoms and sites at x;
 *               rattle_sites_forces(sites, x, f, NULL, NULL, &error);  the step goes on */
#include "rattle/bonds.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_sites rattle_sites;

/* The sites. Copied. */
typedef struct rattle_sites_list {
  size_t struct_size; /* sizeof, or 0: status.h */
  long long atoms;    /* with the sites */
  long long sites;
  const int *site; /* the number of each among the atoms, from 0 on [sites] */
  const long long
      *first; /* parents of site k: numbers first[k] to first[k + 1] - 1 of what follows; first[0]
                 is 0 [sites + 1] */
  const int *parent;     /* atoms, or other sites [first[sites]] */
  const double *weights; /* o, a, b of each parent; those of i_0 are not read, as d_0 = 0 [3
                            first[sites]] */
  const double *lengths; /* p1, p2, p3, c of each site [4 sites] */
} rattle_sites_list;

/* A kind of site, as programs name them. */
typedef struct rattle_site_kind {
  const char *name;      /* "3out", ... */
  int parents, numbers;  /* how many it has; parents 0: any number; numbers -1: one a parent */
  int section, function; /* of GROMACS: [ virtual_sites3 ] and its function; section 0 is [
                            virtual_sitesn ] */
  const char *text;      /* its numbers, and its place in them */
} rattle_site_kind;

/* The kinds, from 0 on; NULL: there are no more. */
RATTLE_API const rattle_site_kind *rattle_site_kind_of(int index);
/* weights [3 parents] and lengths [4] of a site of that kind with these numbers (lengths in the
 * unit of the positions, angles in radians), for rattle_sites_list. BAD_ARGUMENT: there is no such
 * kind, or a number is none that it can have. */
RATTLE_API rattle_status rattle_site_weights(const char *kind, int parents, const double *numbers,
                                             double *weights, double *lengths, rattle_error *error);

/* BAD_ARGUMENT names a site whose atoms are not those of the list, that is there twice, or that
 * follows from itself. */
RATTLE_API rattle_status rattle_sites_create(rattle_sites **sites, const rattle_sites_list *list,
                                             rattle_error *error);
RATTLE_API void rattle_sites_destroy(rattle_sites **sites);

/* Places the sites of x [3 atoms], those that others follow from first; v [3 atoms] (may be NULL):
 * their velocities, by the Jacobian. box (may be NULL): parents are nearest images, and sites are
 * beside i_0. Errors change nothing: DOMAIN where the place of a parent is not finite, or is not
 * nearer than half of the box; SINGULAR where A, or A x B, of a site that needs its direction is 0.
 * Both name the site. */
RATTLE_API rattle_status rattle_sites_positions(rattle_sites *sites, double *x, double *v,
                                                const rattle_bonds_box *box, rattle_error *error);
/* Spreads the forces on sites over their parents, f_i += (dx_s/dx_i)^T f_s, and makes those on
 * sites 0: the sum and the torque remain, and the work of any motion. virial (may be NULL) [6]: is
 * added to by what this changes in the sum of x f^T, as xx, yy, zz, xy, xz, yz. Errors as
 * above. */
RATTLE_API rattle_status rattle_sites_forces(rattle_sites *sites, const double *x, double *f,
                                             double *virial, const rattle_bonds_box *box,
                                             rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
