/* The experiments, by paper and section. */
#include "paper.h"

extern const paper_experiment paper_geometric_pendulum;
extern const paper_experiment paper_failing_assumptions;
extern const paper_experiment paper_index_one;
extern const paper_experiment paper_harmonic_constraint;
extern const paper_experiment paper_integrators;
extern const paper_experiment paper_seiler_pendulum;
extern const paper_experiment paper_molecular_constraints;
extern const paper_experiment paper_toggle;
extern const paper_experiment paper_mechanism_energy;

const paper_experiment *const paper_experiments[] = {&paper_geometric_pendulum,
                                                     &paper_failing_assumptions,
                                                     &paper_index_one,
                                                     &paper_harmonic_constraint,
                                                     &paper_integrators,
                                                     &paper_seiler_pendulum,
                                                     &paper_molecular_constraints,
                                                     &paper_toggle,
                                                     &paper_mechanism_energy,
                                                     NULL};
