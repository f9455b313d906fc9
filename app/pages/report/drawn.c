/* The drawing of the model itself: its places and axes as numbers of a frame. Equal expressions are
 * one column. */
#include <stdio.h>
#include <stdlib.h>

#include "pages/report/drawn.h"
#include "words/error.h"

typedef struct placing {
  report_drawn *drawn;
  rattle_graph *graph;
  int32_t *code; /* [nodes + 1] 1 + the column of an expression, or the code of a constant; 0:
                    not met */
  rattle_expr *column;
  int all; /* drawings */
} placing;

static int32_t code_of(placing *r, rattle_expr e) {
  if (e == RATTLE_EXPR_NONE) return REPORT_NONE;
  if (r->code[e]) return r->code[e] > 0 ? r->code[e] - 1 : r->code[e];
  if (rattle_expr_op(r->graph, e) == RATTLE_OP_CONSTANT) {
    const int k = r->drawn->constants++;
    r->drawn->constant[k] = rattle_expr_value(r->graph, e);
    return r->code[e] = -2 - k;
  }
  r->column[r->drawn->columns] = e;
  r->code[e] = ++r->drawn->columns;
  return r->code[e] - 1;
}

static int is_flat(const placing *r, rattle_expr z) {
  return z == RATTLE_EXPR_NONE ||
         (rattle_expr_op(r->graph, z) == RATTLE_OP_CONSTANT && rattle_expr_value(r->graph, z) == 0);
}

static void read_thing(placing *r, const rattle_drawing *is) {
  report_drawn *drawn = r->drawn;
  report_thing *thing = &drawn->thing[drawn->things++];
  *thing = (report_thing){.is = *is, .at = drawn->places};
  for (int k = 0; k < 2 && is->at[k][0] != RATTLE_EXPR_NONE; k++) {
    for (int d = 0; d < 3; d++) drawn->place[3 * drawn->places + d] = code_of(r, is->at[k][d]);
    drawn->places++;
    if (!is_flat(r, is->at[k][2])) drawn->dimension = 3;
  }
  for (int i = 0; i < 9; i++) thing->axes[i] = code_of(r, is->axes[i]);
}

static rattle_status make_room(placing *r, rattle_error *error) {
  const size_t all = (size_t)r->all;
  report_drawn *drawn = r->drawn;
  drawn->thing = calloc(all + 1, sizeof *drawn->thing);
  drawn->place = calloc(6 * all + 1, sizeof *drawn->place);
  drawn->constant = calloc(15 * all + 1, sizeof *drawn->constant);
  r->column = calloc(15 * all + 1, sizeof *r->column);
  r->code = calloc((size_t)rattle_graph_count(r->graph) + 1, sizeof *r->code);
  return drawn->thing && drawn->place && drawn->constant && r->column && r->code
             ? RATTLE_OK
             : text_no_memory(error);
}

static rattle_status observe(const placing *r, rattle_model *model, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  r->drawn->first = rattle_model_observables(model);
  for (int c = 0; c < r->drawn->columns && !status; c++) {
    char name[40];
    snprintf(name, sizeof name, "draw:%d", c);
    status = rattle_model_add_observable(model, name, r->column[c], error);
  }
  return status;
}

rattle_status report_drawn_read(report_drawn *drawn, rattle_model *model, rattle_error *error) {
  placing r = {.drawn = drawn,
               .graph = rattle_model_graph(model),
               .all = rattle_model_drawing(model, -1, NULL)};
  rattle_drawing is = {.struct_size = sizeof is};
  *drawn = (report_drawn){.dimension = 2};
  if (r.all == 0) return RATTLE_OK;
  rattle_status status = make_room(&r, error);
  for (int i = 0; i < r.all && !status; i++) {
    rattle_model_drawing(model, i, &is);
    if (is.zero == RATTLE_EXPR_NONE)
      read_thing(&r, &is);
    else
      drawn->surface[drawn->surfaces++] = is;
    if (is.zero != RATTLE_EXPR_NONE && is.over[2] >= 0) drawn->dimension = 3;
  }
  if (!status) status = observe(&r, model, error);
  free(r.code), free(r.column);
  return status;
}

void report_drawn_free(report_drawn *drawn) {
  free(drawn->thing), free(drawn->place), free(drawn->constant);
  *drawn = (report_drawn){0};
}
