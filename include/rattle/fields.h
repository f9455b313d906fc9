#ifndef RATTLE_FIELDS_H
#define RATTLE_FIELDS_H
/* Tables of the members of structs: the command's JSON, records, pages and bindings expand them, so
 * that a member that is added to a table appears everywhere.
 *
 *     FIELD(kind, key, member)     kind: real (double), integer (int, long long), bool (int), text
 *     (const char *)
 *                                  key: its name in JSON and in files
 *
 *     #define PRINT(kind, key, member) print_##kind(key, claims.member);
 *     RATTLE_CLAIMS_FIELDS(PRINT)
 *
 * Keys are part of the interface. Counts of integrators have a table of their own, counts.def. */

/* --- method.h --- */

#define RATTLE_CLAIMS_FIELDS(FIELD)                                                                \
  FIELD(integer, "order", order)                                                                   \
  FIELD(bool, "symmetric", symmetric)                                                              \
  FIELD(bool, "symplectic", symplectic)                                                            \
  FIELD(bool, "explicit", explicit_)                                                               \
  FIELD(bool, "keeps_g", keeps_g)                                                                  \
  FIELD(bool, "keeps_psi", keeps_psi)                                                              \
  FIELD(bool, "pure", pure)                                                                        \
  FIELD(integer, "stages", stages)                                                                 \
  FIELD(bool, "keeps_energy", keeps_energy)                                                        \
  FIELD(bool, "proved", proved)

/* --- run.h: figures in groups, which are objects in JSON --- */

#define RATTLE_SUMMARY_STEPS(FIELD)                                                                \
  FIELD(real, "step", step)                                                                        \
  FIELD(integer, "steps", steps)
#define RATTLE_SUMMARY_TIME(FIELD)                                                                 \
  FIELD(real, "start", start)                                                                      \
  FIELD(real, "stop", stop)                                                                        \
  FIELD(real, "shortest_step", shortest_step)                                                      \
  FIELD(real, "longest_step", longest_step)
#define RATTLE_SUMMARY_COST(FIELD) FIELD(real, "wall_seconds", wall_seconds)
#define RATTLE_SUMMARY_ENERGY(FIELD)                                                               \
  FIELD(real, "initial", energy_initial)                                                           \
  FIELD(real, "final", energy_final)                                                               \
  FIELD(real, "max_error", energy_max_error)                                                       \
  FIELD(real, "max_relative_error", energy_max_relative_error)                                     \
  FIELD(real, "scale", energy_scale)
#define RATTLE_SUMMARY_WORK(FIELD) FIELD(real, "work", work)
#define RATTLE_SUMMARY_CONSTRAINT(FIELD)                                                           \
  FIELD(real, "max", g_max)                                                                        \
  FIELD(real, "final", g_final)
#define RATTLE_SUMMARY_HIDDEN(FIELD)                                                               \
  FIELD(real, "max", psi_max)                                                                      \
  FIELD(real, "final", psi_final)
#define RATTLE_SUMMARY_NONDEGENERACY(FIELD)                                                        \
  FIELD(real, "min_singular_value", min_singular_value)                                            \
  FIELD(real, "at_time", min_singular_time)
#define RATTLE_SUMMARY_FIELDS(FIELD)                                                               \
  RATTLE_SUMMARY_STEPS(FIELD)                                                                      \
  RATTLE_SUMMARY_TIME(FIELD)                                                                       \
  RATTLE_SUMMARY_COST(FIELD)                                                                       \
  RATTLE_SUMMARY_ENERGY(FIELD)                                                                     \
  RATTLE_SUMMARY_WORK(FIELD)                                                                       \
  RATTLE_SUMMARY_CONSTRAINT(FIELD)                                                                 \
  RATTLE_SUMMARY_HIDDEN(FIELD)                                                                     \
  RATTLE_SUMMARY_NONDEGENERACY(FIELD)

/* --- record.h --- */

#define RATTLE_RECORD_INFO_METHOD(FIELD)                                                           \
  FIELD(text, "model_hash", model_hash)                                                            \
  FIELD(text, "method", method)
#define RATTLE_RECORD_INFO_PROBLEM(FIELD)                                                          \
  FIELD(text, "kind", kind)                                                                        \
  FIELD(integer, "n", n)                                                                           \
  FIELD(integer, "m", m)
#define RATTLE_RECORD_INFO_ORIGIN(FIELD)                                                           \
  FIELD(text, "version", version)                                                                  \
  FIELD(text, "created", created)
#define RATTLE_RECORD_INFO_STEPS(FIELD)                                                            \
  FIELD(real, "step", step)                                                                        \
  FIELD(bool, "adapts", adapts)                                                                    \
  FIELD(integer, "steps", last_step)                                                               \
  FIELD(integer, "steps_asked", steps_asked)                                                       \
  FIELD(integer, "every", every)                                                                   \
  FIELD(integer, "samples", samples)
#define RATTLE_RECORD_INFO_TIME(FIELD)                                                             \
  FIELD(real, "start", start_time)                                                                 \
  FIELD(real, "stop", last_time)
#define RATTLE_RECORD_INFO_ENERGY(FIELD) FIELD(real, "initial", initial_energy)
#define RATTLE_RECORD_INFO_ERRORS(FIELD)                                                           \
  FIELD(real, "max_error", energy_max_error)                                                       \
  FIELD(real, "max_relative_error", energy_max_relative_error)
#define RATTLE_RECORD_INFO_CONSTRAINT(FIELD) FIELD(real, "max", g_max)
#define RATTLE_RECORD_INFO_HIDDEN(FIELD) FIELD(real, "max", psi_max)
#define RATTLE_RECORD_INFO_NONDEGENERACY(FIELD)                                                    \
  FIELD(real, "min_singular_value", min_singular_value)                                            \
  FIELD(real, "at_time", min_singular_time)
#define RATTLE_RECORD_INFO_COST(FIELD) FIELD(real, "wall_seconds", wall_seconds)
#define RATTLE_RECORD_INFO_ENGINE(FIELD)                                                           \
  FIELD(text, "solver", solver)                                                                    \
  FIELD(text, "evaluator", evaluator)

/* --- ensemble.h: names of columns of sweeps --- */

#define RATTLE_ERRORS_FIELDS(FIELD)                                                                \
  FIELD(real, "energy_error", energy_max_error)                                                    \
  FIELD(real, "g", g_max)                                                                          \
  FIELD(real, "psi", psi_max)
#define RATTLE_ERRORS_ENERGIES(FIELD)                                                              \
  FIELD(real, "H", H)                                                                              \
  FIELD(real, "work", work)                                                                        \
  FIELD(real, "balance", balance)
#define RATTLE_EXTREME_FIELDS(FIELD)                                                               \
  FIELD(real, "least", least)                                                                      \
  FIELD(real, "least_time", least_time)                                                            \
  FIELD(real, "peak", peak)                                                                        \
  FIELD(real, "peak_time", peak_time)                                                              \
  FIELD(real, "mean", mean)
#define RATTLE_CHAOS_FIELDS(FIELD)                                                                 \
  FIELD(real, "megno", megno)                                                                      \
  FIELD(real, "sali", sali)                                                                        \
  FIELD(real, "exponent", exponent)

/* --- sample.h --- */

#define RATTLE_CHAIN_FATES(FIELD)                                                                  \
  FIELD(integer, "accepted", accepted)                                                             \
  FIELD(integer, "energy", energy)                                                                 \
  FIELD(integer, "unsolved", unsolved)                                                             \
  FIELD(integer, "not_reversible", not_reversible)                                                 \
  FIELD(integer, "domain", domain)
#define RATTLE_CHAIN_COUNTS_FIELDS(FIELD)                                                          \
  FIELD(integer, "transitions", transitions)                                                       \
  RATTLE_CHAIN_FATES(FIELD)
#define RATTLE_ESTIMATE_FIELDS(FIELD)                                                              \
  FIELD(real, "mean", mean)                                                                        \
  FIELD(real, "error", error)                                                                      \
  FIELD(real, "sd", sd)                                                                            \
  FIELD(real, "effective", effective)                                                              \
  FIELD(real, "rhat", rhat)

/* --- study.h --- */

#define RATTLE_STUDY_FIT_FIELDS(FIELD)                                                             \
  FIELD(real, "slope", slope)                                                                      \
  FIELD(real, "uncertainty", uncertainty)                                                          \
  FIELD(integer, "points", points)                                                                 \
  FIELD(real, "low", low)                                                                          \
  FIELD(real, "high", high)
#define RATTLE_STUDY_REFERENCE_FIELDS(FIELD)                                                       \
  FIELD(text, "method", method)                                                                    \
  FIELD(real, "step", step)                                                                        \
  FIELD(integer, "steps", steps)                                                                   \
  FIELD(real, "error", error)
#define RATTLE_STUDY_SCALES(FIELD)                                                                 \
  FIELD(real, "q", scale_q)                                                                        \
  FIELD(real, "p", scale_p)                                                                        \
  FIELD(real, "energy", scale_energy)

/* --- doctor.h --- */

#define RATTLE_DIAGNOSIS_NONDEGENERACY(FIELD)                                                      \
  FIELD(real, "min_singular_value", min_singular_value)                                            \
  FIELD(real, "condition", condition)                                                              \
  FIELD(real, "worst_singular_value", worst_singular_value)                                        \
  FIELD(real, "worst_condition", worst_condition)
#define RATTLE_DIAGNOSIS_POINTS(FIELD)                                                             \
  FIELD(integer, "looked_at", points)                                                              \
  FIELD(integer, "degenerate", degenerate_points)                                                  \
  FIELD(bool, "start_is_degenerate", start_is_degenerate)
#define RATTLE_DIAGNOSIS_START(FIELD)                                                              \
  FIELD(bool, "on_constraints", on_constraints)                                                    \
  FIELD(bool, "on_hidden", on_hidden)                                                              \
  FIELD(real, "residual_constraints", residual_constraints)                                        \
  FIELD(real, "residual_hidden", residual_hidden)
#define RATTLE_DIAGNOSIS_ADVICE(FIELD)                                                             \
  FIELD(text, "method", advice_method)                                                             \
  FIELD(real, "step", advice_step)                                                                 \
  FIELD(text, "why", advice_why)                                                                   \
  FIELD(real, "frequency", frequency)                                                              \
  FIELD(real, "energy_error", trial_energy_error)                                                  \
  FIELD(real, "gradients_per_step", cost_gradients)                                                \
  FIELD(real, "newton_iterations_per_step", cost_newton_iterations)                                \
  FIELD(real, "ns_per_step", cost_nanoseconds)

/* --- model.h, verify.h --- */

#define RATTLE_COEFFICIENTS_FIELDS(FIELD)                                                          \
  FIELD(text, "name", name)                                                                        \
  FIELD(text, "kind", kind)                                                                        \
  FIELD(integer, "stages", stages)                                                                 \
  FIELD(integer, "order", order)                                                                   \
  FIELD(bool, "symmetric", symmetric)                                                              \
  FIELD(bool, "symplectic", symplectic)                                                            \
  FIELD(bool, "explicit", explicit_)                                                               \
  FIELD(bool, "partitioned", partitioned)                                                          \
  FIELD(integer, "separable_order", separable_order)                                               \
  FIELD(bool, "separable_symplectic", separable_symplectic)
#define RATTLE_CERTIFICATE_FIELDS(FIELD)                                                           \
  FIELD(integer, "steps", steps)                                                                   \
  FIELD(integer, "substeps", substeps)                                                             \
  FIELD(integer, "one_piece", one_piece)                                                           \
  FIELD(integer, "tracked", tracked)                                                               \
  FIELD(integer, "open", open)                                                                     \
  FIELD(integer, "wrong", wrong)                                                                   \
  FIELD(integer, "pieces", pieces)                                                                 \
  FIELD(integer, "most_pieces", most_pieces)                                                       \
  FIELD(real, "radius", radius)                                                                    \
  FIELD(real, "units", units)

#define RATTLE_VERDICT_FIELDS(FIELD)                                                               \
  FIELD(text, "method", method)                                                                    \
  FIELD(text, "problem", problem)                                                                  \
  FIELD(text, "claim", claim)                                                                      \
  FIELD(real, "claimed", claimed)                                                                  \
  FIELD(real, "measured", measured)                                                                \
  FIELD(real, "bound", bound)                                                                      \
  FIELD(bool, "holds", holds)

#endif
