/* Degrees of programs in some of their variables. See affine.h. */
#include "ground/expr/affine.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/family.h"

/* The degree of the result: 0, 1, or 2 for more or none. */
static int degree_after(int op, int a, int b) {
  const int larger = a > b ? a : b;
  switch (op) {
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
    return larger;
  case RATTLE_OP_NEG:
    return a;
  case RATTLE_OP_MUL:
    return a + b < 2 ? a + b : 2;
  case RATTLE_OP_DIV:
    return b ? 2 : a;
  default:
    return larger ? 2 : 0;
  }
}

/* The same of the value of instance i; degree: scratch of the registers. */
static int degree_of(const rattle__family *f, int i, int from, int *degree) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  memset(degree, 0, ((size_t)p->registers + 1) * sizeof *degree);
  for (int j = 0; j < p->slots; j++) degree[j] = f->slot[i * f->slots + p->slot[j]] >= from;
  for (int k = 0; k < p->length; k++) {
    const rattle__code *c = &p->code[k];
    degree[c->to] = degree_after(c->op, degree[c->a], degree[c->b]);
  }
  return p->outs ? degree[p->out[0]] : 0;
}

int rattle__is_affine_from(const rattle__function *f, int from) {
  const rattle__elements *e = f->elements;
  int affine = e != NULL, registers = 1;
  for (int k = 0; affine && k < e->families; k++)
    if (e->family[k].program[RATTLE__VALUE].registers > registers)
      registers = e->family[k].program[RATTLE__VALUE].registers;
  int *degree = malloc(((size_t)registers + 1) * sizeof *degree);
  if (!degree) return -1;
  for (int k = 0; affine && k < e->families; k++)
    for (int i = 0; i < e->family[k].count; i++)
      affine &= degree_of(&e->family[k], i, from, degree) < 2;
  free(degree);
  return affine;
}
