/* Tables of studies: a row for each method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"

/* A column of a table with a row for each method. */
typedef enum cell { METHOD, ORDER, SLOPE, POINTS, VERDICT, FIGURE } cell;
typedef struct method_column {
  const char *head;
  cell cell;
  const char *name, *format; /* of a fit, of a figure */
  table_unit unit;
} method_column;

static const method_column of_order[] = {{"method", METHOD, NULL, NULL, TABLE_BARE},
                                         {"order claimed", ORDER, NULL, NULL, TABLE_BARE},
                                         {"measured", SLOPE, "error", NULL, TABLE_BARE},
                                         {"points", POINTS, "error", NULL, TABLE_BARE},
                                         {"verdict", VERDICT, NULL, NULL, TABLE_BARE},
                                         {NULL, METHOD, NULL, NULL, TABLE_BARE}};
static const method_column of_drift[] = {
    {"method", METHOD, NULL, NULL, TABLE_BARE},
    {PLOT_MAX_ENERGY, FIGURE, "energy_max", "%.2e", TABLE_ENERGY},
    {"exponent of growth", SLOPE, "energy", NULL, TABLE_BARE},
    {PLOT_MAX_G, FIGURE, "g_max", "%.2e", TABLE_BARE},
    {PLOT_MAX_PSI, FIGURE, "psi_max", "%.2e", TABLE_BARE},
    {"energy", VERDICT, NULL, NULL, TABLE_BARE},
    {NULL, METHOD, NULL, NULL, TABLE_BARE}};
static const method_column of_compare[] = {
    {"method", METHOD, NULL, NULL, TABLE_BARE},
    {"order", ORDER, NULL, NULL, TABLE_BARE},
    {PLOT_MAX_ENERGY, FIGURE, "energy_max", "%.2e", TABLE_ENERGY},
    {PLOT_MAX_G, FIGURE, "g_max", "%.2e", TABLE_BARE},
    {PLOT_MAX_PSI, FIGURE, "psi_max", "%.2e", TABLE_BARE},
    {"relative error", FIGURE, "error_end", "%.2e", TABLE_BARE},
    {"reversal", FIGURE, "reversal", "%.2e", TABLE_BARE},
    {"symplectic form", FIGURE, "symplecticity", "%.2e", TABLE_BARE},
    {"gradients a step", FIGURE, "gradients_per_step", "%.3g", TABLE_BARE},
    {"ns a step", FIGURE, "ns_per_step", "%.4g", TABLE_BARE},
    {"energy", VERDICT, NULL, NULL, TABLE_BARE},
    {NULL, METHOD, NULL, NULL, TABLE_BARE}};
static const method_column of_advise[] = {
    {"method", METHOD, NULL, NULL, TABLE_BARE},
    {"step", FIGURE, "step", "%.4g", TABLE_TIME},
    {"steps", FIGURE, "steps", "%.0f", TABLE_BARE},
    {"relative error", FIGURE, "error", "%.2e", TABLE_BARE},
    {"gradients of {/:Italic H}", FIGURE, "gradient", "%.0f", TABLE_BARE},
    {"CPU time (s)", FIGURE, "cpu_seconds", "%.2e", TABLE_BARE},
    {NULL, METHOD, NULL, NULL, TABLE_BARE}};
static const method_column of_lyapunov[] = {
    {"method", METHOD, NULL, NULL, TABLE_BARE},
    {"largest exponent", FIGURE, "exponent_1", "%.6f", TABLE_FREQUENCY},
    {"its error", FIGURE, "error", "%.1e", TABLE_FREQUENCY},
    {"MEGNO", FIGURE, "megno", "%.4g", TABLE_BARE},
    {"SALI", FIGURE, "sali", "%.2g", TABLE_BARE},
    {"verdict", VERDICT, NULL, NULL, TABLE_BARE},
    {NULL, METHOD, NULL, NULL, TABLE_BARE}};
static const method_column of_orbit[] = {{"method", METHOD, NULL, NULL, TABLE_BARE},
                                         {"period", FIGURE, "period", "%.12g", TABLE_TIME},
                                         {"its error", FIGURE, "period_error", "%.1e", TABLE_TIME},
                                         {"{/:Italic H}", FIGURE, "energy", "%.12g", TABLE_ENERGY},
                                         {"residual", FIGURE, "residual", "%.1e", TABLE_BARE},
                                         {"verdict", VERDICT, NULL, NULL, TABLE_BARE},
                                         {NULL, METHOD, NULL, NULL, TABLE_BARE}};
static const method_column *const by_method[] = {
    [RATTLE_STUDY_ORDER] = of_order,   [RATTLE_STUDY_DRIFT] = of_drift,
    [RATTLE_STUDY_WORK] = NULL,        [RATTLE_STUDY_COMPARE] = of_compare,
    [RATTLE_STUDY_ADVISE] = of_advise, [RATTLE_STUDY_LYAPUNOV] = of_lyapunov,
    [RATTLE_STUDY_ORBIT] = of_orbit,   [RATTLE_STUDY_FAMILY] = NULL,
    [RATTLE_STUDY_EQUILIBRIUM] = NULL, [RATTLE_STUDY_MODES] = NULL};

static int wanted(const table_writer *w, const method_column *c) {
  return w->r->m > 0 || !c->name || (strcmp(c->name, "g_max") != 0 && strcmp(c->name, "psi_max"));
}

static void put_slope(table_writer *w, const rattle_study_fit *fit) {
  char text[64];
  table_next(w);
  cli_study_slope(text, sizeof text, fit);
  char *sign = strstr(text, " +- ");
  if (!fit || !isfinite(fit->slope))
    fputs("--", w->out);
  else if (sign)
    fprintf(w->out, "$%.*s \\pm %s$", (int)(sign - text), text, sign + 4);
  else
    fprintf(w->out, "$%s$", text);
}

static void put_cell(table_writer *w, const rattle_study_method *method, const method_column *c) {
  const rattle_study_fit *fit = c->name ? rattle_study_find_fit(method, c->name) : NULL;
  switch (c->cell) {
  case METHOD:
    table_plain(w, method->method);
    break;
  case ORDER:
    if (method->claims.order >= RATTLE_ORDER_EXACT)
      table_words(w, "exact");
    else
      table_number(w, "%.0f", method->claims.order);
    break;
  case SLOPE:
    put_slope(w, fit);
    break;
  case POINTS:
    table_number(w, "%.0f", fit ? fit->points : 0);
    break;
  case VERDICT:
    table_plain(w, method->status && !method->tables ? "not studied" : method->verdict);
    break;
  case FIGURE:
    table_number(w, c->format, rattle_study_find_figure(method, c->name));
    break;
  }
}

int table_of_methods(table_writer *w) {
  const method_column *columns = by_method[w->r->kind];
  if (!columns) return 0;
  char align[32] = "";
  int count = 0;
  for (const method_column *c = columns; c->head; c++)
    if (wanted(w, c)) align[count++] = c->cell == METHOD
  || c->cell == VERDICT ? 'l' : 'r';
  table_begin(w, align);
  for (const method_column *c = columns; c->head; c++)
    if (wanted(w, c)) table_head(w, c->head, c->unit);
  table_end_row(w), table_rule(w, "mid");
  for (int i = 0; i < w->r->methods; i++) {
    /* candidates that were not tried in full */
    if (w->r->kind == RATTLE_STUDY_ADVISE && !w->r->method[i].figures) continue;
    for (const method_column *c = columns; c->head; c++)
      if (wanted(w, c)) put_cell(w, &w->r->method[i], c);
    table_end_row(w);
    w->figure->samples++;
  }
  table_end(w);
  return 1;
}
