/* Drawings of a model. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/draw.h"
#include "ground/support/error.h"
#include "ground/support/nearest.h"
#include "ground/support/sized.h"
#include "ground/expr/elements.h"
#include "problem/model/model.h"

enum { MOST_DRAWINGS = 10000, MOST_SURFACES = 8 };

/* Places that a kind has, and sizes that it needs. */
static const struct drawable {
  const char *name;
  int places, sizes;
} kinds[] = {{"point", 1, 0},    {"link", 2, 0},   {"spring", 2, 0}, {"damper", 2, 0},
             {"cylinder", 2, 1}, {"sphere", 1, 1}, {"box", 1, 3},    {"mark", 1, 0},
             {"rail", 2, 0},     {"guide", 2, 0},  {"surface", 0, 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const colours[] = {"blue",   "orange", "green",  "pink",
                                      "yellow", "sky",    "purple", "grey"};
enum { COLOURS = sizeof colours / sizeof *colours };

static rattle_status find_kind(const char *name, const struct drawable **kind,
                               rattle_error *error) {
  rattle__nearest nearest = {.name = name ? name : ""};
  for (int i = 0; i < KINDS; i++) {
    *kind = &kinds[i];
    if (!strcmp(kinds[i].name, nearest.name)) return RATTLE_OK;
    rattle__nearest_try(&nearest, kinds[i].name);
  }
  return rattle__fail(
      error, RATTLE_BAD_ARGUMENT, "draw", "nothing of the kind \"%.40s\" is drawn; %s%s%s",
      nearest.name,
      nearest.best ? "did you mean \""
                   : "expected point, link, spring, damper, cylinder, sphere, box, mark, rail, "
                     "guide or surface",
      nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

static rattle_status check_colour(const char *colour, rattle_error *error) {
  if (!colour) return RATTLE_OK;
  for (int i = 0; i < COLOURS; i++)
    if (!strcmp(colour, colours[i])) return RATTLE_OK;
  int digits = colour[0] == '#' && strlen(colour) == 7;
  for (int i = 1; digits && i < 7; i++) digits = isxdigit((unsigned char)colour[i]) != 0;
  if (digits) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "draw",
                      "a colour is blue, orange, green, pink, yellow, sky, purple, grey or "
                      "\"#rrggbb\", found \"%.40s\"",
                      colour);
}

static rattle_status check_sizes(const struct drawable *kind, const double size[3],
                                 rattle_error *error) {
  for (int d = 0; d < 3; d++)
    if (!isfinite(size[d]) || size[d] < 0 || (d < kind->sizes && size[d] == 0))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "draw",
                          "the size of a %s is %g: expected a positive number%s", kind->name,
                          size[d], kind->sizes == 3 ? " for each edge" : "");
  return RATTLE_OK;
}

static rattle_status check_places(const rattle_model *model, const struct drawable *kind,
                                  const rattle_drawing *d, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < kind->places && !status; k++)
    for (int i = 0; i < 3 && !status; i++)
      if (i < 2 || d->at[k][i] != RATTLE_EXPR_NONE)
        status =
            rattle__model_check_expression(model, "the place of a", kind->name, d->at[k][i], error);
  if (!strcmp(kind->name, "rail"))
    return status ? status
                  : rattle__model_check_expression(model, "what moves on a", kind->name, d->axes[0],
                                                   error);
  for (int i = 0; i < 9 && !status && d->axes[0] != RATTLE_EXPR_NONE; i++)
    status = rattle__model_check_expression(model, "the axes of a", kind->name, d->axes[i], error);
  return status;
}

static rattle_status check_surface(const rattle_model *model, const rattle_drawing *d,
                                   rattle_error *error) {
  int surfaces = 0;
  for (int i = 0; i < model->drawings; i++) surfaces += !strcmp(model->drawing[i].kind, "surface");
  if (surfaces == MOST_SURFACES)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "draw", "a model draws at most %d surfaces",
                        MOST_SURFACES);
  for (int i = 0; i < 3; i++)
    if (d->over[i] >= model->n || d->over[i] < (i < 2 ? 0 : -1))
      return rattle__fail(
          error, RATTLE_BAD_ARGUMENT, "draw",
          "a surface is drawn over coordinates of the model: x, y and z, or x and y");
  return rattle__model_check_expression(model, "the", "surface", d->zero, error);
}

rattle_status rattle_model_add_drawing(rattle_model *model, const rattle_drawing *drawing,
                                       rattle_error *error) {
  rattle_drawing own;
  const struct drawable *kind = NULL;
  rattle_status status = RATTLE__TAKE(&own, rattle_drawing, over, drawing, error);
  if (!status) status = find_kind(own.kind, &kind, error);
  if (!status) status = check_colour(own.colour, error);
  if (!status) status = check_sizes(kind, own.size, error);
  if (!status) status = check_places(model, kind, &own, error);
  if (!status && !kind->places) status = check_surface(model, &own, error);
  if (status) return status;
  if (model->drawings == MOST_DRAWINGS)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "draw", "a model draws at most %d things",
                        MOST_DRAWINGS);
  rattle_drawing *grown =
      rattle__room(model->drawing, model->drawings, &model->drawings_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->drawing = grown;
  own.kind = kind->name;
  if (kind->places) own.zero = RATTLE_EXPR_NONE;
  if (!strcmp(own.kind, "rail")) memset(own.axes + 1, 0, sizeof own.axes - sizeof *own.axes);
  if (kind->places < 2)
    memset(own.at[kind->places], 0, sizeof own.at - (size_t)kind->places * sizeof own.at[0]);
  if (own.colour && !(own.colour = rattle__model_keep(model, own.colour)))
    return rattle__no_memory(error);
  own.struct_size = sizeof own;
  grown[model->drawings++] = own;
  return RATTLE_OK;
}

int rattle_model_drawing(const rattle_model *model, int i, rattle_drawing *drawing) {
  if (!drawing || i < 0 || i >= model->drawings) return model->drawings;
  const size_t asked = drawing->struct_size, first = RATTLE__UP_TO(rattle_drawing, over);
  size_t known = first;
  (void)rattle__size_check(asked, first, sizeof *drawing, "rattle_drawing", &known, NULL);
  memcpy(drawing, &model->drawing[i], known);
  drawing->struct_size = asked;
  return model->drawings;
}

rattle_status rattle_model_add_angle(rattle_model *model, int pair, rattle_error *error) {
  if (pair < 0 || pair >= model->n)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "draw",
                        "the angle is pair %d, and the model has %d", pair, model->n);
  model->pair[pair].is_angle = 1;
  return RATTLE_OK;
}

int rattle_model_is_angle(const rattle_model *model, int pair) {
  return pair >= 0 && pair < model->n && model->pair[pair].is_angle;
}

/* ---- when the model is complete ---- */

static rattle_status check_alone(const rattle_model *model, const rattle_drawing *d,
                                 rattle_error *error) {
  unsigned char *seen = calloc((size_t)rattle_graph_count(model->graph) + 1, 1),
                *mask = malloc(2 * (size_t)model->n + 1);
  unsigned depends = RATTLE__NOT_KNOWN;
  if (seen && mask) {
    memset(mask, 1, 2 * (size_t)model->n);
    for (int i = 0; i < 3; i++)
      if (d->over[i] >= 0) mask[2 * d->over[i]] = 0;
    depends = rattle__depends(model->graph, d->zero, mask, 2 * model->n, seen);
  }
  free(seen), free(mask);
  if (depends & RATTLE__NOT_KNOWN) return rattle__no_memory(error);
  if (!depends) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_MODEL, "draw",
                      "a surface is drawn where an expression is 0 that contains the coordinates "
                      "in `over` alone; this one "
                      "contains other variables too");
}

rattle_status rattle__drawings_check(const rattle_model *model, const int32_t *highest,
                                     rattle_error *error) {
  const int limit = 2 * model->n;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < model->drawings && !status; i++) {
    const rattle_drawing *d = &model->drawing[i];
    int most = highest[d->zero];
    for (int k = 0; k < 6; k++)
      if (highest[d->at[k / 3][k % 3]] > most) most = highest[d->at[k / 3][k % 3]];
    for (int k = 0; k < 9; k++)
      if (highest[d->axes[k]] > most) most = highest[d->axes[k]];
    if (most >= limit)
      status = rattle__fail(error, RATTLE_BAD_MODEL, "draw",
                            "a %s to be drawn contains the variable %d, which does not belong to a "
                            "pair: the model has %d pairs",
                            d->kind, most, model->n);
    else if (d->zero != RATTLE_EXPR_NONE)
      status = check_alone(model, d, error);
  }
  return status;
}
