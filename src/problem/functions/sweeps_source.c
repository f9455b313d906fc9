/* C for the sweeps along one tree: the text of all trees (sweeps_text.h) with symbols in place of
 * numbers says which operations there are, and what H and its gradient need of them is written, an
 * operation a line, in its order. Pieces of it are functions of their own, since the time of a
 * compiler grows faster than its functions do; numbers that other pieces need are in memory. */
#include "problem/functions/sweeps_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/emit.h"
#include "ground/expr/native.h"
#include "ground/support/number.h"
#include "problem/functions/sweeps_symbols.h"

static const int sweeps_six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

typedef rattle__sweep_symbol symbol;
#define SYMBOL(x)                                                                                  \
  _Generic((x), symbol                                                                             \
           : rattle__sweep_same, int                                                               \
           : rattle__sweep_number, double                                                          \
           : rattle__sweep_number)(x)
#define REAL symbol
#define SWEEPS_NAME(x) symbol_##x
#define SWEEPS_INLINE static
#define SINE_COSINE(q, sine, cosine) rattle__sweep_sine_cosine(q, sine, cosine)
#define NUMBER(x) rattle__sweep_number(x)
#define ADD(a, b) rattle__sweep_add(SYMBOL(a), SYMBOL(b))
#define SUB(a, b) rattle__sweep_sub(SYMBOL(a), SYMBOL(b))
#define MUL(a, b) rattle__sweep_mul(SYMBOL(a), SYMBOL(b))
#define DIV(a, b) rattle__sweep_div(SYMBOL(a), SYMBOL(b))
#include "problem/functions/sweeps_text.h"

enum { PIECE = 1000 }; /* operations in one function */

typedef struct source_writer {
  rattle__sweep_operations all;
  const rattle__model_sweeps *tree;
  int n;
  symbol *x, H, *Y; /* x, Y [2n] */
  int *piece;       /* of an operation; -1: not needed */
  int *kept;        /* its place in memory for other pieces; -1: none */
  int pieces, memory;
  FILE *out;
} source_writer;

static int is_unary(const rattle__sweep_operation *o) {
  return o->is == RATTLE__SWEEP_SINE || o->is == RATTLE__SWEEP_COSINE;
}

/* True if it is written as itself wherever it is used. */
static int is_leaf(const rattle__sweep_operation *o) {
  return o->is == RATTLE__SWEEP_NUMBER || o->is == RATTLE__SWEEP_INPUT;
}

/* --- which operations, and where -------------------------------------------------------------- */

static void need(source_writer *w, symbol x) {
  if (x.all) w->piece[x.at] = 0;
}

static void mark(source_writer *w, int with_H) {
  const rattle__sweep_operation *of = w->all.of;
  for (int i = 0; i < w->all.count; i++) w->piece[i] = w->kept[i] = -1;
  for (int c = 0; c < 2 * w->n; c++) need(w, w->Y[c]);
  if (with_H) need(w, w->H);
  for (int i = w->all.count - 1; i >= 0; i--) {
    if (w->piece[i] < 0) continue;
    if (of[i].is == RATTLE__SWEEP_COSINE) w->piece[i - 1] = 0; /* both come from one call */
    if (!is_leaf(&of[i])) w->piece[of[i].a] = 0;
    if (!is_leaf(&of[i]) && !is_unary(&of[i])) w->piece[of[i].b] = 0;
    if (of[i].is == RATTLE__SWEEP_SINE) w->piece[i + 1] = 0;
  }
}

static void keep(source_writer *w, int i, int for_piece) {
  if (!is_leaf(&w->all.of[i]) && w->piece[i] != for_piece && w->kept[i] < 0)
    w->kept[i] = w->memory++;
}

static void divide(source_writer *w) {
  const rattle__sweep_operation *of = w->all.of;
  int written = 0;
  w->memory = 0;
  for (int i = 0; i < w->all.count; i++) {
    if (w->piece[i] < 0) continue;
    w->piece[i] = of[i].is == RATTLE__SWEEP_COSINE ? w->piece[i - 1] : written / PIECE;
    if (is_leaf(&of[i])) continue;
    if (!is_unary(&of[i])) keep(w, of[i].a, w->piece[i]), keep(w, of[i].b, w->piece[i]);
    written++;
  }
  w->pieces = written / PIECE + 1;
}

/* --- text ------------------------------------------------------------------------------------- */

static void put(source_writer *w, int i, int in_piece) {
  const rattle__sweep_operation *o = &w->all.of[i];
  char text[RATTLE__NUMBER_ROOM];
  if (o->is == RATTLE__SWEEP_NUMBER)
    fprintf(w->out, "%s", rattle__number_hex(o->number, text));
  else if (o->is == RATTLE__SWEEP_INPUT)
    fprintf(w->out, "x[%d]", o->a);
  else if (w->piece[i] == in_piece)
    fprintf(w->out, "t%d", i);
  else
    fprintf(w->out, "m[%d]", w->kept[i]);
}

static void put_operation(source_writer *w, int i, int piece, const char *name) {
  const rattle__sweep_operation *o = &w->all.of[i];
  static const char sign[] = {[RATTLE__SWEEP_ADD] = '+',
                              [RATTLE__SWEEP_SUB] = '-',
                              [RATTLE__SWEEP_MUL] = '*',
                              [RATTLE__SWEEP_DIV] = '/'};
  if (o->is == RATTLE__SWEEP_SINE) {
    fprintf(w->out, "  REAL t%d, t%d; %s_sine_cosine(", i, i + 1, name);
    put(w, o->a, piece);
    fprintf(w->out, ", &t%d, &t%d);\n", i, i + 1);
  } else if (o->is != RATTLE__SWEEP_COSINE) {
    fprintf(w->out, "  const REAL t%d = ", i);
    put(w, o->a, piece);
    fprintf(w->out, " %c ", sign[o->is]);
    put(w, o->b, piece);
    fprintf(w->out, ";\n");
  }
  if (w->kept[i] >= 0) fprintf(w->out, "  m[%d] = t%d;\n", w->kept[i], i);
}

/* A result in the piece that has it; zeros have no sign, whatever made them. */
static void put_result(source_writer *w, symbol x, int piece, const char *to) {
  char text[RATTLE__NUMBER_ROOM];
  const int here = x.all && !is_leaf(&w->all.of[x.at]) ? w->piece[x.at] : w->pieces - 1;
  if (here != piece) return;
  fprintf(w->out, "  %s = 0.0 ", to);
  if (x.all) {
    fprintf(w->out, "%c ", x.negative ? '-' : '+');
    put(w, x.at, piece);
  } else {
    fprintf(w->out, "+ (%s - (REAL){0})", rattle__number_hex(x.number, text));
  }
  fprintf(w->out, ";\n");
}

/* The pieces, as functions NAME_0, NAME_1, ... */
static void put_pieces(source_writer *w, int with_H, const char *name) {
  char to[24];
  mark(w, with_H);
  divide(w);
  for (int piece = 0, i = 0; piece < w->pieces; piece++) {
    fprintf(w->out,
            "static %s void %s_%d(const REAL *restrict x, REAL *restrict H, REAL *restrict Y, "
            "REAL *restrict m) {\n  (void)x, (void)H, (void)Y, (void)m;\n",
            w->pieces > 1 ? "__attribute__((noinline))" : "inline", name, piece);
    for (; i < w->all.count && w->piece[i] <= piece; i++)
      if (w->piece[i] >= 0 && !is_leaf(&w->all.of[i])) put_operation(w, i, piece, name);
    for (int c = 0; c < 2 * w->n; c++) {
      snprintf(to, sizeof to, "Y[%d]", c);
      put_result(w, w->Y[c], piece, to);
    }
    if (with_H) put_result(w, w->H, piece, "if (H) *H");
    fprintf(w->out, "}\n");
  }
}

static void put_calls(source_writer *w, const char *name, const char *H) {
  for (int piece = 0; piece < w->pieces; piece++)
    fprintf(w->out, "  %s_%d((const REAL *)x, %s, (REAL *)Y, (REAL *)room);\n", name, piece, H);
}

extern const char rattle__sine_one[], rattle__sine_lanes[]; /* made by cmake/kernel.cmake */

static void put_one(source_writer *w) {
  fprintf(w->out,
          "double sin(double), cos(double);\n#define REAL double\n#define SWEEPS_NAME(x) "
          "one_##x\n#define SWEEPS_INLINE static inline\n%s",
          rattle__sine_one);
  put_pieces(w, 1, "one");
  fprintf(w->out, "int rattle_sweeps_one(const double *x, double *H, double *Y, double *room) {\n");
  put_calls(w, "one", "H");
  fprintf(w->out, "  return 1;\n}\n");
}

static void put_lanes(source_writer *w, int lanes) {
  rattle__emit_prelude_of_lanes(w->out, lanes);
  fprintf(w->out, "#define SWEEPS_NAME(x) lanes_##x\n#define SWEEPS_INLINE INLINE\n%s",
          rattle__sine_lanes);
  put_pieces(w, 0, "lanes");
  fprintf(w->out, "int rattle_sweeps_lanes(const double *x, double *Y, double *room) {\n"
                  "  lanes_bits far = {0};\n");
  for (int i = 0; i < w->tree->count; i++)
    if (w->tree->node[i].kind == RATTLE__TURN)
      fprintf(w->out, "  far |= lanes_beyond(((const REAL *)x)[%d]);\n", w->tree->node[i].pair[0]);
  fprintf(w->out, "  if (lanes_any_beyond(far)) return 0;\n");
  put_calls(w, "lanes", "0");
  fprintf(w->out, "  return 1;\n}\n");
  rattle__emit_end_of_lanes(w->out);
}

static char *write_text(source_writer *w, int lanes) {
  char *text = NULL;
  size_t size = 0;
  w->out = open_memstream(&text, &size);
  if (!w->out) return NULL;
  if (lanes > 1)
    put_lanes(w, lanes);
  else
    put_one(w);
  if (!fclose(w->out)) return text;
  free(text);
  return NULL;
}

/* H and Y as symbols; 0, or -1 if the tree is too large or there is no memory. */
static int sweep(source_writer *w) {
  symbol_state *state = calloc((size_t)w->tree->count, sizeof *state);
  if (!state) return -1;
  for (int c = 0; c < 2 * w->n; c++) w->x[c] = rattle__sweep_input(&w->all, c);
  w->H = symbol_sweep(w->tree, w->n, w->x, w->Y, state);
  free(state);
  return w->all.failed ? -1 : 0;
}

char *rattle__sweeps_source(const rattle__model_sweeps *tree, int n, int lanes, size_t *room) {
  source_writer w = {.tree = tree, .n = n};
  char *text = NULL;
  if (3 * (long long)n > RATTLE__EMIT_MOST) return NULL; /* inputs, and a result for each pair */
  w.x = calloc(4 * (size_t)n, sizeof *w.x);
  w.piece = malloc(2 * (size_t)RATTLE__EMIT_MOST * sizeof *w.piece);
  if (w.x && w.piece && !rattle__sweep_operations_create(&w.all, RATTLE__EMIT_MOST)) {
    w.Y = w.x + 2 * n, w.kept = w.piece + RATTLE__EMIT_MOST;
    if (!sweep(&w)) text = write_text(&w, lanes);
  }
  *room = (size_t)w.memory;
  rattle__sweep_operations_release(&w.all);
  free(w.x);
  free(w.piece);
  return text;
}
