#ifndef RATTLE_OPENMM_H
#define RATTLE_OPENMM_H
/* Constraints of OpenMM by librattle_bonds, on the platforms Reference and CPU. librattle_openmm.so
 * has these functions; Python calls them by the module rattle_openmm. system: an OpenMM::System.
 * They return NULL, or a sentence that is valid until the thread's next call. */
#ifdef __cplusplus
extern "C" {
#endif

/* All constraints of the system are solved by librattle_bonds in each Context that is created from
 * it from now on. Constraints that are added later belong to them. tolerance: largest relative
 * error of a length, and of its rate; 0: 1e-10, or the integrator's if that is smaller. solver: one
 * of rattle_bonds_solver_of; NULL: for each cluster the cheapest that can do it. threads: of
 * OpenMP, at least 1. */
__attribute__((visibility("default"))) const char *
rattle_openmm_add(void *system, double tolerance, const char *solver, int threads);

/* Degrees of freedom that the constraints remove, in which constraints that follow from others do
 * not count. */
__attribute__((visibility("default"))) const char *rattle_openmm_removed(void *system,
                                                                         double *degrees);

/* The constraint forces at places x, velocities v and forces f of all particles (nm, nm/ps,
 * kJ/(mol nm)): those that keep the second derivatives of lengths 0. Parts of v along bonds take no
 * part. result [3 particles]. */
__attribute__((visibility("default"))) const char *
rattle_openmm_forces(void *system, const double *x, const double *v, const double *f,
                     double *result);

/* Masses of hydrogens by a rule of rattle_bonds_repartition and its number, for Contexts that are
 * created from now on. Bonds are those of constraints and of each HarmonicBondForce. hydrogen: not
 * 0 for hydrogens; NULL: masses of 0.9 to 1.2. */
__attribute__((visibility("default"))) const char *
rattle_openmm_repartition(void *system, const char *rule, double value, const char *hydrogen);

#ifdef __cplusplus
}
#endif
#endif
