/* Level curves of H over two variables, with the orbit on them. The other variables are those of
 * the record's first sample, so for a model of one pair this is the whole phase portrait, and for
 * others a section through it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"

enum { SIDE = 121, LEVELS = 14 };

typedef struct section {
  rattle_model *model;
  double *z; /* [2n] as the model's graph counts its variables: q_k at 2k, p_k at 2k+1 */
  int variable[2];
} section;

static int variable_of(const rattle_record_info *info, const char *name) {
  for (int k = 0; k < info->n; k++) {
    if (!strcmp(name, info->coordinate_names[k])) return 2 * k;
    if (!strcmp(name, info->momentum_names[k])) return 2 * k + 1;
  }
  return -1;
}

static rattle_status load(section *s, const plot_source *source, const char *const name[2],
                          rattle_error *error) {
  const rattle_record_info *info = source->info;
  size_t n = (size_t)info->n;
  if (info->m > 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--style levels: %s has constraints, and a plane in phase space does not "
                     "satisfy them; draw observables with "
                     "--style phase",
                     source->path);
  if (!info->model_text[0])
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--style levels: %s was written by a program and does not contain H",
                     source->path);
  for (int a = 0; a < 2; a++)
    if ((s->variable[a] = variable_of(info, name[a])) < 0)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--style levels: %s is not a coordinate or momentum of %s", name[a],
                       source->path);
  if (s->variable[0] == s->variable[1])
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--style levels: --x and --y are both %s",
                     name[0]);
  rattle_model_options options = {.struct_size = sizeof options,
                                  .parameters = info->parameter,
                                  .parameter_count = info->parameters};
  rattle_status status =
      rattle_model_parse(&s->model, info->model_text, info->model_file, &options, error);
  if (!status && (rattle_model_pairs(s->model) != info->n || rattle_model_constraints(s->model)))
    status = text_fail(error, RATTLE_BAD_RECORD,
                       "--style levels: the model in %s has not the coordinates of its samples",
                       source->path);
  double *start = status ? NULL : malloc(2 * n * sizeof *start);
  s->z = status ? NULL : malloc(2 * n * sizeof *s->z);
  if (!status && (!start || !s->z)) status = text_no_memory(error);
  if (!status)
    status =
        rattle_record_read(source->record, 0, 1, NULL, NULL, start, start + n, NULL, NULL, error);
  for (size_t k = 0; k < n && !status; k++) s->z[2 * k] = start[k], s->z[2 * k + 1] = start[n + k];
  free(start);
  return status;
}

/* The rectangle of the orbits, and a third of it around. */
static void choose_rectangle(plot_figure *figure) {
  plot_grid *grid = &figure->grid;
  for (int a = 0; a < 2; a++) {
    double low = (double)INFINITY, high = -low;
    for (int c = 0; c < figure->curves; c++)
      for (size_t i = 0; i < figure->curve[c].count; i++) {
        double value = figure->curve[c].xy[2 * i + (size_t)a];
        if (isfinite(value)) low = fmin(low, value), high = fmax(high, value);
      }
    if (low > high) low = -1, high = 1;
    double room = high > low ? (high - low) / 3 : 0.5 * fmax(1, fabs(low));
    grid->low[a] = low - room, grid->high[a] = high + room;
  }
  figure->x.low = grid->low[0], figure->x.high = grid->high[0];
  figure->y.low = grid->low[1], figure->y.high = grid->high[1];
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Levels with about as much area between each and the next. */
static int choose_levels(plot_grid *grid) {
  size_t count = 0, all = (size_t)grid->rows * (size_t)grid->columns;
  double *sorted = malloc(all * sizeof *sorted);
  if (!sorted) return -1;
  for (size_t i = 0; i < all; i++)
    if (isfinite(grid->value[i])) sorted[count++] = grid->value[i];
  qsort(sorted, count, sizeof *sorted, ascending);
  grid->levels = count > 0 ? LEVELS : 0;
  for (int i = 0; i < grid->levels; i++)
    grid->level[i] = sorted[(size_t)(((double)i + 0.5) / LEVELS * (double)count)];
  free(sorted);
  return 0;
}

static int fill(plot_grid *grid, const section *s) {
  const rattle_graph *graph = rattle_model_graph(s->model);
  rattle_expr H = rattle_model_hamiltonian(s->model);
  grid->columns = grid->rows = SIDE;
  grid->value = malloc(SIDE * SIDE * sizeof *grid->value);
  if (!grid->value) return -1;
  for (int row = 0; row < SIDE; row++)
    for (int column = 0; column < SIDE; column++) {
      s->z[s->variable[0]] = grid->low[0] + (grid->high[0] - grid->low[0]) * column / (SIDE - 1);
      s->z[s->variable[1]] = grid->low[1] + (grid->high[1] - grid->low[1]) * row / (SIDE - 1);
      grid->value[row * SIDE + column] = rattle_expr_evaluate(graph, H, s->z);
    }
  return choose_levels(grid);
}

rattle_status plot_levels(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const rattle_record_info *info = request->source[0].info;
  const char *name[2] = {request->x ? request->x : info->coordinate_names[0],
                         request->y ? request->y : info->momentum_names[0]};
  section s = {.model = NULL};
  rattle_status status = RATTLE_OK;
  if (request->log_x > 0 || request->log_y > 0)
    status =
        text_fail(error, RATTLE_BAD_ARGUMENT, "--style levels: logarithmic axes are not supported");
  if (!request->x != !request->y)
    status =
        text_fail(error, RATTLE_BAD_ARGUMENT, "--style levels: give both --x and --y, or neither");
  if (!status) status = load(&s, &request->source[0], name, error);
  if (!status)
    status = plot_phase(figure,
                        &(plot_request){.style = request->style,
                                        .x = name[0],
                                        .y = name[1],
                                        .drawn = request->drawn,
                                        .log_x = 0,
                                        .log_y = 0,
                                        .source = request->source,
                                        .sources = request->sources},
                        error);
  if (!status) {
    choose_rectangle(figure);
    if (fill(&figure->grid, &s)) status = text_no_memory(error);
  }
  if (!status && info->n > 1)
    snprintf(figure->remark, sizeof figure->remark,
             "the other variables of H have the values of the first sample");
  rattle_model_destroy(&s.model);
  free(s.z);
  return status;
}
