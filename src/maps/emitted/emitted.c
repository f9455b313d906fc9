/* See emitted.h. */
#include "maps/emitted/emitted.h"

#include <stdlib.h>

#include "ground/expr/emit.h"
#include "ground/expr/inputs.h"
#include "ground/expr/op.h"
#include "ground/support/error.h"

rattle_status rattle__emitted_begin(rattle__emitted *e, const char *const *name, int parts,
                                    rattle_error *error) {
  *e = (rattle__emitted){.parts = parts};
  for (int k = 0; k < parts; k++) e->part[k].name = name[k];
  const rattle_status status = rattle_graph_create(&e->graph, error);
  e->quotients = rattle__copy_begin(e->graph, e->graph, NULL, 0);
  e->quotients.by_reciprocals = 1;
  return status;
}

void rattle__emitted_end(rattle__emitted *e) {
  for (int k = 0; k < RATTLE__EMITTED_PARTS; k++) {
    free(e->part[k].value);
    free(e->part[k].to);
    rattle__sides_end(&e->part[k].lets);
    free(e->part[k].taken);
    rattle__program_release(&e->part[k].program);
    rattle__tape_release(&e->part[k].tape);
  }
  free(e->registers);
  rattle__copy_end(&e->quotients);
  rattle_graph_destroy(&e->graph);
  *e = (rattle__emitted){0};
}

rattle_expr rattle__emitted_name(rattle__emitted *e) {
  const rattle_expr name = rattle_expr_variable(e->graph, e->places++);
  e->failed |= !name;
  return name;
}

/* ---- names ---- */

void rattle__sides_end(rattle__sides *s) {
  rattle__copy_end(&s->copy);
  free(s->image);
  *s = (rattle__sides){0};
}

void rattle__sides_set(rattle__sides *s, rattle__emitted *e, rattle_expr name, rattle_expr value) {
  const int place = rattle__emitted_place(e, name), had = s->copy.images;
  if (place < 0) { /* without memory there is no name */
    e->failed = 1;
    return;
  }
  if (place >= had) {
    const int room = 2 * place + 64;
    rattle_expr *image = realloc(s->image, (size_t)room * sizeof *image);
    if (!image) {
      e->failed = 1;
      return;
    }
    for (int k = had; k < room; k++) image[k] = RATTLE_EXPR_NONE;
    if (!had) s->copy = rattle__copy_begin(e->graph, e->graph, image, room);
    s->copy.image = s->image = image;
    s->copy.images = room;
  }
  s->image[place] = value;
}

rattle_expr rattle__sides_of(rattle__sides *s, rattle__emitted *e, rattle_expr value) {
  if (!s->image) return value;
  const rattle_expr made = rattle__copy_of(&s->copy, value);
  e->failed |= !made;
  return made;
}

/* ---- assignments ---- */

/* An assignment more; 0 without memory. */
static int more(rattle__part *p) {
  if (p->count < p->room) return 1;
  const size_t room = p->room ? 2 * (size_t)p->room : 64;
  rattle_expr *value = realloc(p->value, room * sizeof *value);
  if (value) p->value = value;
  int *to = realloc(p->to, room * sizeof *to);
  if (to) p->to = to;
  if (value && to) p->room = (int)room;
  return value && to;
}

static void assign(rattle__emitted *e, int part, int to, rattle_expr value) {
  rattle__part *p = &e->part[part];
  if (!value || !more(p)) {
    e->failed = 1;
    return;
  }
  p->value[p->count] = value;
  p->to[p->count++] = to;
}

/* The value in that part, by reciprocals. */
static rattle_expr meant(rattle__emitted *e, int part, rattle_expr value) {
  return rattle__copy_of(&e->quotients, rattle__sides_of(&e->part[part].lets, e, value));
}

void rattle__emitted_put(rattle__emitted *e, int part, rattle_expr name, rattle_expr value) {
  assign(e, part, rattle__emitted_place(e, name), meant(e, part, value));
}

void rattle__emitted_show(rattle__emitted *e, int part, int k, rattle_expr value) {
  if (k >= e->shown) e->shown = k + 1;
  assign(e, part, -1 - k, meant(e, part, value));
}

void rattle__emitted_tell(rattle__emitted *e, int part, int k, rattle_expr value) {
  if (k >= e->shown) e->shown = k + 1;
  assign(e, part, -1 - k, rattle__sides_of(&e->part[part].lets, e, value));
}

void rattle__emitted_let_name(rattle__emitted *e, int part, rattle_expr name, rattle_expr value) {
  rattle__sides *lets = &e->part[part].lets;
  const rattle_expr whole = rattle__sides_of(lets, e, value);
  rattle__emitted_put(e, part, name, whole);
  rattle__sides_set(lets, e, name, whole);
}

rattle_expr rattle__emitted_let(rattle__emitted *e, int part, rattle_expr value) {
  const rattle_op op = rattle_expr_op(e->graph, value);
  if (op == RATTLE_OP_CONSTANT || op == RATTLE_OP_VARIABLE) return value;
  const rattle_expr name = rattle__emitted_name(e);
  rattle__emitted_let_name(e, part, name, value);
  return name;
}

rattle_expr rattle__emitted_take(rattle__emitted *e, int part, int k) {
  rattle__part *p = &e->part[part];
  const rattle_expr name = rattle__emitted_name(e);
  int *taken = realloc(p->taken, 2 * ((size_t)p->takes + 1) * sizeof *taken);
  if (k >= e->shown) e->shown = k + 1;
  if (taken) {
    p->taken = taken;
    taken[2 * p->takes] = e->places - 1;
    taken[2 * p->takes++ + 1] = k;
  } else
    e->failed = 1;
  return name;
}

/* ---- programs ---- */

rattle_status rattle__emitted_close(rattle__emitted *e, rattle_error *error) {
  long operations = 0;
  int registers = 1;
  if (!e->failed) rattle__emitted_balance(e);
  e->failed |= !e->failed && !rattle__inputs_watch(e->graph);
  for (int k = 0; k < e->parts && !e->failed; k++) {
    rattle__part *p = &e->part[k];
    e->failed = rattle__program_compile(&p->program, e->graph, e->places, p->value, p->count);
    if (!e->failed) e->failed = rattle__tape_make(&p->tape, &p->program);
    operations += p->tape.length;
    if (p->tape.inputs + p->tape.length > registers) registers = p->tape.inputs + p->tape.length;
  }
  e->registers = calloc((size_t)registers, sizeof *e->registers);
  if (e->failed || !e->registers) return rattle__no_memory(error);
  rattle__graph_pack(e->graph);
  return operations > RATTLE__EMIT_MOST || rattle__graph_is_unlike(e->graph) ? RATTLE_UNSUITABLE
                                                                             : RATTLE_OK;
}

void rattle__emitted_run_part(const rattle__emitted *e, int part, double *x, double *y) {
  const rattle__part *p = &e->part[part];
  double *r = e->registers, *next = r;
  for (int j = 0; j < p->takes; j++) x[p->taken[2 * j]] = y[p->taken[2 * j + 1]];
  for (int j = 0; j < p->program.slots; j++) *next++ = x[p->program.slot[j]];
  for (int j = 0; j < p->program.constants; j++) *next++ = p->program.constant[j];
  rattle__tape_play(&p->tape, r);
  for (int j = 0; j < p->count; j++) {
    const int to = p->to[j];
    *(to < 0 ? &y[-1 - to] : &x[to]) = r[p->tape.out[j]];
  }
}

/* An assigned number that was a number of x itself is read before others are assigned. */
static void write_part(const rattle__part *part, const rattle__family *places, FILE *out,
                       int *text) {
  const rattle__program *p = &part->program;
  fprintf(out,
          "static inline __attribute__((always_inline)) void part_%s(REAL *restrict x, REAL "
          "*restrict y%s, MASK active) {\n",
          part->name, places->settables ? ", const REAL *restrict number" : "");
  for (int j = 0; j < part->takes; j++)
    fprintf(out, "    x[%d] = y[%d];\n", part->taken[2 * j], part->taken[2 * j + 1]);
  rattle__emit_program(out, places, p, 0, text);
  for (int j = 0; j < p->outs; j++) {
    fprintf(out, "    const REAL o%d = ", j);
    rattle__emit_register(out, places, p, 0, text, p->out[j]);
    fprintf(out, ";\n");
  }
  for (int j = 0; j < p->outs; j++) {
    const int to = part->to[j];
    fprintf(out, "    WHERE(active, %c[%d], o%d);\n", to < 0 ? 'y' : 'x', to < 0 ? -1 - to : to, j);
  }
  fprintf(out, "}\n");
}

void rattle__emitted_write(const rattle__emitted *e, FILE *out) {
  int registers = 1;
  for (int k = 0; k < e->parts; k++)
    if (e->part[k].program.registers > registers) registers = e->part[k].program.registers;
  int *slot = malloc((size_t)e->places * sizeof *slot),
      *text = malloc((size_t)registers * sizeof *text);
  for (int k = 0; k < e->places && slot; k++) slot[k] = k;
  const int inputs = rattle__graph_inputs(e->graph);
  const rattle__family places = {.slots = e->places,
                                 .slot = slot,
                                 .count = 1,
                                 .params = RATTLE__OF_INPUT + inputs,
                                 .settables = inputs};
  fprintf(out, "#define PLACES %d\n#define SHOWN %d\n", e->places, e->shown);
  for (int k = 0; k < e->parts && slot && text; k++) write_part(&e->part[k], &places, out, text);
  free(slot);
  free(text);
}
