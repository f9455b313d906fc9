/* C text of programs of operations on balls: an operation a line, in their order, by the functions
 * of ball_text.h, or by the operations of numbers. Functions of the C library are called by way of
 * this library, so that there is one text of their bounds. */
#include <stdlib.h>

#include "ground/expr/ball_program.h"
#include "ground/expr/emit.h"
#include "ground/support/number.h"

extern const char rattle__ball_text[]; /* made by cmake/kernel.cmake */

/* --- operations ------------------------------------------------------------------------------- */

static void put_number(FILE *out, double x) {
  char text[RATTLE__NUMBER_ROOM];
  fprintf(out, "%s", rattle__number_hex(x, text));
}

static void put_ball(FILE *out, rattle__ball x, int plain) {
  fprintf(out, plain ? "" : "(ball){");
  put_number(out, x.at);
  if (plain) return;
  fprintf(out, ", ");
  put_number(out, x.by);
  fprintf(out, "}");
}

static void put(FILE *out, const rattle__ball_operations *all, int i, int plain) {
  const rattle__ball_operation *o = &all->of[i];
  if (o->is == RATTLE__BALL_NUMBER)
    put_ball(out, o->number, plain);
  else if (o->is == RATTLE__BALL_PART)
    fprintf(out, "t%d[%d]", o->a, o->b);
  else if (o->is == RATTLE__BALL_FUNCTION || o->is == RATTLE__BALL_ODD)
    fprintf(out, "t%d[0]", i);
  else
    fprintf(out, "t%d", i);
}

static const struct {
  const char *name, *sign; /* of balls, of numbers */
} binary[] = {[RATTLE__BALL_ADD] = {"add", "+"},
              [RATTLE__BALL_SUBTRACT] = {"subtract", "-"},
              [RATTLE__BALL_TIMES] = {"times", "*"}};

static void put_binary(FILE *out, const rattle__ball_operations *all, int i, int plain) {
  const rattle__ball_operation *o = &all->of[i];
  if (!plain) fprintf(out, "rattle__ball_%s(", binary[o->is].name);
  put(out, all, o->a, plain);
  fprintf(out, plain ? " %s " : ", ", binary[o->is].sign);
  put(out, all, o->b, plain);
  if (!plain) fprintf(out, ")");
}

static void put_multiple(FILE *out, const rattle__ball_operations *all, int i, int plain) {
  const rattle__ball_operation *o = &all->of[i];
  const int scaled = o->is == RATTLE__BALL_SCALED;
  if (!plain) fprintf(out, scaled ? "rattle__ball_scaled(" : "rattle__ball_multiple(");
  if (!plain && scaled) put(out, all, o->a, plain), fprintf(out, ", ");
  put_number(out, o->number.at);
  if (plain) fprintf(out, " * ");
  if (!plain && !scaled) fprintf(out, ", ");
  if (plain || !scaled) put(out, all, o->a, plain);
  if (!plain) fprintf(out, ")");
}

static void put_unary(FILE *out, const rattle__ball_operations *all, int i, int plain) {
  const rattle__ball_operation *o = &all->of[i];
  static const char *const name[] = {[RATTLE__BALL_MINUS] = "minus",
                                     [RATTLE__BALL_INVERSE] = "inverse",
                                     [RATTLE__BALL_POSITIVE] = "if_positive"};
  static const char *const sign[] = {
      [RATTLE__BALL_MINUS] = "-", [RATTLE__BALL_INVERSE] = "1 / ", [RATTLE__BALL_POSITIVE] = ""};
  if (plain)
    fprintf(out, "%s", sign[o->is]);
  else
    fprintf(out, "rattle__ball_%s(", name[o->is]);
  put(out, all, o->a, plain);
  if (!plain) fprintf(out, ")");
}

static void put_step(FILE *out, const rattle__ball_operations *all, int i, int plain) {
  const rattle__ball_operation *o = &all->of[i];
  const char *type = plain ? "double" : "ball";
  if (o->is == RATTLE__BALL_FUNCTION || o->is == RATTLE__BALL_ODD) {
    const int odd = o->is == RATTLE__BALL_ODD;
    if (plain)
      fprintf(out, "  double t%d[3];\n  near(%d, %d, ", i, odd, o->b);
    else
      fprintf(out, "  ball x%d = ", i);
    put(out, all, o->a, plain);
    if (!plain) fprintf(out, ", t%d[3];\n  function(%d, %d, &x%d", i, odd, o->b, i);
    fprintf(out, ", t%d);\n", i);
    return;
  }
  fprintf(out, "  const %s t%d = ", type, i);
  if (o->is == RATTLE__BALL_INPUT)
    fprintf(out, "in[%d][%d]", o->a, o->b);
  else if (o->is == RATTLE__BALL_ADD || o->is == RATTLE__BALL_SUBTRACT ||
           o->is == RATTLE__BALL_TIMES)
    put_binary(out, all, i, plain);
  else if (o->is == RATTLE__BALL_MULTIPLE || o->is == RATTLE__BALL_SCALED)
    put_multiple(out, all, i, plain);
  else
    put_unary(out, all, i, plain);
  fprintf(out, ";\n");
}

static void put_program(FILE *out, const rattle__ball_programs *p, int which, int number,
                        int plain) {
  const rattle__ball_program *of = &p->program[which];
  fprintf(out,
          plain ? "void rattle_near_%d_%d(const double *const *in, double *out, "
                  "void (*near)(int, int, double, double *)) {\n  (void)in, (void)near;\n"
                : "void rattle_balls_%d_%d(const ball *const *in, ball *out, "
                  "void (*function)(int, int, const ball *, ball *)) {\n"
                  "  (void)in, (void)function;\n",
          number, which);
  for (int k = 0; k < of->steps; k++) put_step(out, &p->all, of->step[k], plain);
  for (int k = 0; k < of->outs; k++) {
    const rattle__ball_output *o = &of->out[k];
    fprintf(out, "  out[%d] = ", k);
    if (o->at < 0)
      put_ball(out, o->number, plain);
    else
      fprintf(out, plain || !o->negative ? "" : "rattle__ball_minus(");
    if (o->at >= 0) {
      if (plain && o->negative) fprintf(out, "-");
      put(out, &p->all, o->at, plain);
      if (!plain && o->negative) fprintf(out, ")");
    }
    fprintf(out, ";\n");
  }
  fprintf(out, "LEAVE}\n");
}

/* --- sources ---------------------------------------------------------------------------------- */

/* The instructions of wide registers leave halves behind that make all others slow. */
static const char source_head[] = "typedef rattle__ball ball;\n"
                                  "#ifdef __AVX__\n#define LEAVE __builtin_ia32_vzeroupper();\n"
                                  "#else\n#define LEAVE\n#endif\n";

/* NULL without memory, and if there are too many operations for a compiler. */
static char *write_source(rattle__ball_programs *const *p, int count) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = rattle__ball_programs_steps(p, count) <= RATTLE__EMIT_MOST
                  ? open_memstream(&text, &size)
                  : NULL;
  if (!out) return NULL;
  rattle__emit_prelude(out);
  fprintf(out, "%s%s", rattle__ball_text, source_head);
  for (int i = 0; i < count; i++)
    for (int k = 0; p[i] && k < p[i]->count; k++) {
      put_program(out, p[i], k, i, 0);
      put_program(out, p[i], k, i, 1);
    }
  if (!fclose(out)) return text;
  free(text);
  return NULL;
}

/* 0, or -1: the library is another. */
static int take_code(rattle__ball_programs *p, int number, void *library) {
  char name[64];
  for (int k = 0; k < p->count; k++) {
    rattle__ball_program *of = &p->program[k];
    snprintf(name, sizeof name, "rattle_balls_%d_%d", number, k);
    if (rattle__native_symbol(library, name, &of->code)) return -1;
    snprintf(name, sizeof name, "rattle_near_%d_%d", number, k);
    if (rattle__native_symbol(library, name, &of->numbers)) return -1;
  }
  return 0;
}

static void drop_code(rattle__ball_programs *p) {
  for (int k = 0; k < p->count; k++) p->program[k].code = NULL, p->program[k].numbers = NULL;
}

void rattle__ball_programs_compile(rattle__ball_programs *const *p, int count,
                                   rattle__evaluator evaluator, rattle__orders *orders,
                                   void **library) {
  char *source = evaluator != RATTLE__BLOCK ? write_source(p, count) : NULL;
  *library = NULL;
  if (source && !rattle__native_get(evaluator, orders, source, library, NULL)) {
    int bad = 0;
    for (int i = 0; i < count && !bad; i++)
      if (p[i]) bad = take_code(p[i], i, *library);
    for (int i = 0; i < count && bad; i++)
      if (p[i]) drop_code(p[i]);
    if (bad) rattle__native_unload(library);
  }
  free(source);
}
