#ifndef RATTLE_SLIDE_H
#define RATTLE_SLIDE_H
/* Operations on points, without a method: move a point onto g(q,p) = 0, slide its momenta onto the
 * hidden constraints psi = {g,H} = 0; and read the impulses of the constraints in a step. For
 * samplers, for couplings to other programs, and for initial values of your own. */
#include "rattle/integrator.h"
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Owns the scratch memory for one problem; only rattle_slider_create allocates. Use it in one
 * thread at a time. */
typedef struct rattle_slider rattle_slider;

/* It holds the problem. RATTLE_UNSUITABLE if the problem has no constraints, or no second
 * derivatives where they are needed. */
RATTLE_API rattle_status rattle_slider_create(rattle_slider **slider, const rattle_problem *problem,
                                              rattle_error *error);
RATTLE_API void rattle_slider_destroy(rattle_slider **slider);

/* Moves (q, p), q[n] and p[n], to the nearest point with g = 0, to round-off: nearest in the mass
 * metric for g(q), which leaves p unchanged; in the Euclidean metric of (q, p) for g(q,p); along
 * the vector fields of the constraints for second-class constraints. Returns RATTLE_NOT_CONVERGED
 * if the point is too far from the constraints, RATTLE_SINGULAR if their gradients are dependent; q
 * and p are unchanged then. Source: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical
 * Integration (2006), IV.4. */
RATTLE_API rattle_status rattle_slider_place(rattle_slider *slider, double *q, double *p,
                                             rattle_error *error);

/* Slides (q, p) along its fibre, exp(sum_i s_i X_{g_i}), to psi_i = {g_i,H} = 0, to round-off. For
 * g(q) this changes p alone: p <- p - G^T sigma, which for H = p^T M^-1 p/2 + V(q) is the
 * projection (G M^-1 G^T) sigma = G M^-1 p. Fails as rattle_slider_place does; RATTLE_DEGENERATE if
 * the fibre does not reach psi = 0, RATTLE_UNSUITABLE for second-class constraints. Source: R. I.
 * McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339, Definition
 * 1.4. */
RATTLE_API rattle_status rattle_slider_momenta(rattle_slider *slider, double *q, double *p,
                                               rattle_error *error);

/* From now on each step adds up the impulses of its slides. For rattle(...) and shake(...),
 * compositions of them and adaptive(...); returns RATTLE_UNSUITABLE for other methods, whose
 * multipliers act inside the step, and for sweeps. Steps take longer: the fused kernels do not
 * record. */
RATTLE_API rattle_status rattle_integrator_record_impulses(rattle_integrator *integrator,
                                                           rattle_error *error);

/* Sums over the slides of the last step, of length h. impulse[n] (may be NULL) is the momentum that
 * the constraints added to p, in units of p: the sum of -h G^T lambda and -G^T sigma for g(q); the
 * mean constraint force is impulse/h. virial (may be NULL) is the sum of q . impulse over the
 * slides, each at its own q, in units of H times time: the constraints' part of the mean of q .
 * force is virial/h. Both are 0 before the first step. */
RATTLE_API void rattle_integrator_impulses(const rattle_integrator *integrator, double *impulse,
                                           double *virial);

#ifdef __cplusplus
}
#endif
#endif
