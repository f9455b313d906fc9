#ifndef TESTS_FIELDS_H
#define TESTS_FIELDS_H
/* Fields of the library at points off the manifold, and long-double pieces to compare them with. */
#include "../reference/common_reference.h"
#include "maps/field/field.h"
#include "rattle/rattle.h"

/* The problems with constraints: those of the reference, of both classes, and two with three
 * constraints. */
int fields_problem_count(void);
const tests_problem *fields_problem(int i);
/* The k-th random point near the problem's start, off its constraints. */
void fields_point(const tests_problem *problem, int k, double *z);
/* The smallest of |g_i|, |psi_i| at z; of second-class problems of |g_i|. */
double fields_off(const tests_problem *problem, const double *z);

typedef struct fields_library {
  rattle_model *model;
  rattle_problem *problem;
  rattle_method *method;
  rattle__field *field;
} fields_library;
/* True if a field is for the problem; and the field itself: name, or name(rate). A failure ends the
 * test. */
int fields_offered(const tests_problem *problem, const char *name);
void fields_open(fields_library *library, const tests_problem *problem, const char *name,
                 int jacobian);
void fields_close(fields_library *library);
void fields_value(fields_library *library, const double *z, double *f);

/* Gradient of H [2n]; rows of g', then those of psi' unless second_class. */
void fields_gradient(const tests_problem *problem, const double *z, long double *gradient);
void fields_chi(const tests_problem *problem, const double *z, int second_class, long double *chi);
/* {F,G} and component c of X_F from gradients. */
long double fields_bracket(int n, const long double *dF, const long double *dG);
long double fields_hamiltonian(int n, const long double *dF, int c);
/* max |psi_i|; the Newton step u [m] for psi = 0 along X_g at x; x += t sum u_i X_{g_i}(at) */
long double fields_hidden_size(const tests_problem *problem, const long double *x);
int fields_newton_momenta(const tests_problem *problem, const long double *x, long double *u);
void fields_kick(const tests_problem *problem, const long double *at, long double t,
                 const long double *u, long double *x);

double fields_length(const double *x, int count); /* largest |x_i| */
double fields_apart(const double *a, const double *b, int count);
/* End the test where a and b are further apart than the bound times their size; where gradient.f is
 * not 0 to it. */
void fields_same(const tests_problem *problem, const char *what, const double *a, const double *b,
                 int count, double bound);
void fields_orthogonal(const tests_problem *problem, const char *what, const long double *gradient,
                       const double *f, double bound);
#endif
