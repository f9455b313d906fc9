/* How large the programs of a function from expressions are. */
#include "ground/expr/family.h"

int rattle__elements_registers(const rattle__elements *e) {
  int most = 0;
  for (int k = 0; k < e->families; k++)
    for (int kind = 0; kind < RATTLE__PROGRAMS; kind++)
      if (e->family[k].program[kind].registers > most) most = e->family[k].program[kind].registers;
  return most;
}

long rattle__elements_operations(const rattle__elements *e, int per_instance) {
  long operations = 0;
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    for (int kind = 0; kind < RATTLE__ALONG; kind++)
      operations +=
          (long)(f->program[kind].length + f->program[kind].outs) * (per_instance ? f->count : 1);
  }
  return operations;
}

int rattle__elements_are_few(const rattle__function *f, long operations) {
  enum { INSTANCES = 64, PLACES = 1024 };
  const rattle__elements *e = rattle__function_elements(f);
  if (!e || f->rows > PLACES || f->jac_nnz > PLACES || f->hess_nnz > PLACES) return 0;
  long instances = 0;
  for (int k = 0; k < e->families; k++) instances += e->family[k].count;
  return instances <= INSTANCES && rattle__elements_operations(e, 1) <= operations;
}

int rattle__function_inputs(const rattle__function *f, double *to, size_t stride) {
  const rattle__elements *e = f ? f->elements : NULL;
  int count = 0;
  for (int k = 0; e && k < e->families; k++) {
    const rattle__family *family = &e->family[k];
    for (int i = 0; i < family->count; i++)
      for (int j = family->params - family->settables; j < family->params; j++, count++)
        if (to)
          to[(size_t)count * stride] =
              family->param[(size_t)i * (size_t)family->params + (size_t)j];
  }
  return count;
}
