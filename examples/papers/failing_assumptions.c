/* McLachlan, Modin, Verdier, Wilkins (2014), section 5.2: problems that SHAKE and RATTLE cannot
 * integrate, and their diagnosis. */
#include "paper.h"

#include <math.h>
#include <string.h>

static const char index_five[] = "local q, p = pair('q')\nlocal b, pb = pair('b')\n"
                                 "hamiltonian(p^2/2 + pb*q)\nconstrain('b', b)\nstart {}\n";
static const char many_solutions[] = "local q, p = pair('q')\nlocal b, pb = pair('b')\n"
                                     "hamiltonian(p^2/2)\nconstrain('b', b)\nstart { pq = 1 }\n";
static const char energy[] = "local x, px = pair('x')\nlocal y, py = pair('y')\n"
                             "local H = (px^2 + py^2)/2 + x^2 + "
                             "2*y^2\nhamiltonian(H)\nconstrain('energy', H - 1)\nstart { x = 1 }\n";

/* Prints the generations and the refusal; returns the diagnosis in *d. */
static rattle_doctor *examine(paper *out, const char *text, const rattle_diagnosis **d,
                              rattle_model **model) {
  rattle_doctor *doctor;
  rattle_error error;
  if (rattle_model_parse(model, text, "model", NULL, &error) ||
      rattle_doctor_create(&doctor, *model, NULL, NULL, &error))
    paper_stop(out, "%s", error.message);
  *d = rattle_doctor_diagnosis(doctor);
  for (int k = 0; k < (*d)->generations; k++) {
    const rattle_generation *generation = &(*d)->generation[k];
    for (int i = 0; i < generation->count; i++)
      paper_say(out, "generation %d: $%s = %s$", k, generation->name[i], generation->expression[i]);
  }
  if ((*d)->refused) paper_say(out, "refused: %s", (*d)->refused);
  return doctor;
}

static int run(paper *out) {
  const rattle_diagnosis *d;
  rattle_model *model;
  paper_heading(out, "$H = p^2/2 + p_b q$, constraint $b = 0$");
  rattle_doctor *doctor = examine(out, index_five, &d, &model);
  paper_claim(out, "index", "5", d->index, 5, 5);
  paper_claim(out, "generations of constraints: $b$, $q$, $p$, $p_b$", "4", d->generations, 4, 4);
  paper_claim(out, "refused with a reason", "assumption 1 fails", d->refused != NULL, 1, 1);
  rattle_doctor_destroy(&doctor);
  rattle_model_destroy(&model);
  paper_heading(out, "$H = p^2/2$, constraint $b = 0$");
  doctor = examine(out, many_solutions, &d, &model);
  paper_claim(out, "first class: the motion is not determined", "infinitely many solutions",
              !strcmp(d->class_, "first_class"), 1, 1);
  paper_claim(out, "refused with a reason", "-", d->refused != NULL, 1, 1);
  rattle_doctor_destroy(&doctor);
  rattle_model_destroy(&model);
  paper_heading(out, "The constraint $H = 1$ of $H$ itself");
  doctor = examine(out, energy, &d, &model);
  paper_claim(out, "first class: the multiplier is not determined", "-",
              !strcmp(d->class_, "first_class"), 1, 1);
  paper_claim(out, "refused with a reason", "no RATTLE keeps $H$", d->refused != NULL, 1, 1);
  rattle_doctor_destroy(&doctor);
  rattle_model_destroy(&model);
  return 0;
}

const paper_experiment paper_failing_assumptions = {
    "failing_assumptions", "Problems that SHAKE and RATTLE cannot integrate",
    "R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, Found. Comput. Math. 14 (2014) 339, "
    "section 5.2",
    "Where the manifold hides further constraints or leaves multipliers free, both methods have "
    "nothing to converge to, and are refused with the reason.",
    run};
