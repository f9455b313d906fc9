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

#ifdef __cplusplus
}
#endif
#endif
