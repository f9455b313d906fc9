/* How curves of few constraints are made, and followed. See curve.h. */
#include <math.h>
#include <stdlib.h>

#include "constraint/guard/curve_scratch.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static void start_piece(rattle__curve *c, double t, const double *s, double *known, double *slope) {
  (void)known; /* all boxes have the same edges */
  rattle__curve_start(c, t, s, slope);
}

static void find_distance(rattle__curve *c, const double *from, int parts, const double *x,
                          double *off) {
  for (int i = 0; i < c->m; i++) {
    rattle__ball sum = rattle__exactly(-x[i]);
    for (int k = 0; k < parts; k++)
      sum = rattle__ball_add(sum, rattle__exactly(from[k * c->m + i]));
    off[i] = rattle__ball_size(sum);
  }
}

static int is_apart(rattle__curve *c, const double *s, const double *known) {
  int apart = 0;
  for (int i = 0; i < c->m; i++) apart |= fabs(s[i]) > known[i];
  return apart;
}

static const rattle__curve_kind quadratic = {
    start_piece,           rattle__curve_prove, rattle__curve_correction,
    rattle__curve_slope,   find_distance,       is_apart,
    rattle__curve_smallest};
static const rattle__curve_kind smooth = {start_piece,
                                          rattle__curve_prove_smooth,
                                          rattle__curve_correction,
                                          rattle__curve_slope,
                                          find_distance,
                                          is_apart,
                                          rattle__curve_smallest};

/* --- room ------------------------------------------------------------------------------------- */

typedef struct room {
  void *at; /* of a pointer to balls or to doubles */
  size_t count;
} room;

/* Balls and doubles in one block; *block, to be freed, is NULL without memory. */
static void lay_out(const room *balls, int ball_arrays, const room *doubles, int double_arrays,
                    void **block) {
  size_t bytes = 0;
  for (int k = 0; k < ball_arrays; k++) bytes += balls[k].count * sizeof(rattle__ball);
  for (int k = 0; k < double_arrays; k++) bytes += doubles[k].count * sizeof(double);
  char *next = *block = calloc(bytes + 1, 1);
  for (int k = 0; k < ball_arrays && next; next += balls[k++].count * sizeof(rattle__ball))
    *(rattle__ball **)balls[k].at = (rattle__ball *)next;
  for (int k = 0; k < double_arrays && next; next += doubles[k++].count * sizeof(double))
    *(double **)doubles[k].at = (double *)next;
}

rattle__curve *rattle__curve_create(rattle__rows_of_step *g) {
  rattle__curve *c = calloc(1, sizeof *c);
  rattle__curve_scratch *s = calloc(1, sizeof *s);
  if (!c || !s) {
    free(c), free(s);
    return NULL;
  }
  const size_t n = (size_t)g->vars, m = (size_t)g->rows, mm = m * m, nnz = (size_t)g->ptr[m];
  *c = (rattle__curve){
      .kind = g->varies ? &smooth : &quadratic, .g = g, .n = g->vars, .m = g->rows, .scratch = s};
  const room balls[] = {{&c->q0, n},       {&c->d, n},         {&c->a, n},    {&c->W, m * n},
                        {&c->g0, m},       {&c->bent, m * mm}, {&s->b0, n},   {&s->b1, n},
                        {&s->b2, n},       {&s->b3, n},        {&s->u1, n},   {&s->u2, n},
                        {&s->v, n},        {&s->w, n},         {&s->F, m},    {&s->value, m},
                        {&s->k0, m},       {&s->k1, m},        {&s->ke, m},   {&s->k1e, m},
                        {&s->pa, m},       {&s->pb, m},        {&s->pc, m},   {&s->G, nnz},
                        {&s->beside, nnz}, {&s->box, n},       {&s->rate, n}, {&s->second_rate, n},
                        {&s->first, n},    {&s->second, n},    {&s->last, n}};
  const room doubles[] = {{&c->r, m},
                          {&c->end, m},
                          {&s->R, RATTLE__CURVE_POINTS * mm},
                          {&s->R_by, RATTLE__CURVE_POINTS * mm},
                          {&s->C, mm},
                          {&s->T, m * mm},
                          {&s->f, m},
                          {&s->f_end, m},
                          {&s->X, RATTLE__CURVE_POINTS * mm},
                          {&s->X_by, RATTLE__CURVE_POINTS * mm},
                          {&s->H, mm},
                          {&s->trial, m},
                          {&s->work, mm},
                          {&s->J, mm},
                          {&s->s1, m},
                          {&s->J1, mm},
                          {&s->x, n},
                          {&s->near_F, m},
                          {&s->near_G, nnz},
                          {&s->at, m},
                          {&s->by, m},
                          {&s->wide, m}};
  lay_out(balls, sizeof balls / sizeof *balls, doubles, sizeof doubles / sizeof *doubles,
          &s->block);
  s->which = calloc(m + 1, sizeof *s->which);
  c->first = calloc(n + 1, sizeof *c->first);
  c->move = calloc(n * m + 1, sizeof *c->move);
  if (!s->block || !s->which || !c->first || !c->move) rattle__curve_destroy(&c);
  return c;
}

void rattle__curve_destroy(rattle__curve **c) {
  if (!c || !*c) return;
  free((*c)->scratch->block), free((*c)->scratch->which), free((*c)->scratch);
  free((*c)->first), free((*c)->move);
  free(*c);
  *c = NULL;
}
