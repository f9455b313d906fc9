/* rattle bonds check. */
#include <math.h>
#include <string.h>

#include "commands/bonds.h"

/* Lengths are off by so much before a stage, about as in a step of 2 fs. */
static const double off_before = 1e-2;

/* How often errors are multiplied by `factor` until they are below the tolerance; -1: never. */
static double times(double factor, double tolerance) {
  if (!(factor < 1)) return -1;
  return factor > 0 ? ceil(log(tolerance / off_before) / log(factor)) : 1;
}

/* null: never, or not known. */
static void json_times(json_writer *json, const char *key, const topology_kind *k, double factor,
                       double tolerance) {
  const double count = isfinite(k->rates.condition) ? times(factor, tolerance) : -1;
  json_real(json, key, count < 0 ? (double)NAN : count);
}

static void json_kinds(json_writer *json, const topology_analysis *a, double tolerance) {
  json_open(json, "kinds", '[');
  for (int i = 0; i < a->kinds; i++) {
    const topology_kind *k = &a->kind[i];
    json_open(json, NULL, '{');
    json_text(json, "name", k->name);
    json_integer(json, "clusters", k->clusters);
    json_integer(json, "atoms", k->atoms);
    json_integer(json, "bonds", k->bonds);
    json_integer(json, "first_atom", k->first);
    json_real(json, "condition", k->rates.condition);
    json_real(json, "gauss_seidel", k->rates.gauss_seidel);
    json_real(json, "series", k->rates.series);
    json_times(json, "shake_sweeps", k, k->rates.gauss_seidel, tolerance);
    json_times(json, "lincs_order", k, k->rates.series, tolerance);
    json_text(json, "solver", k->solver);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void json_analysis(json_writer *json, const topology *t, const topology_analysis *a,
                          double tolerance) {
  json_integer(json, "atoms", t->atoms - t->missing);
  json_integer(json, "bonds", t->bond.count);
  json_integer(json, "angles", t->angle.count);
  json_integer(json, "clusters", a->clusters);
  json_integer(json, "rank", a->bonds - a->repeateds);
  json_integer(json, "lines", a->lines);
  json_integer(json, "rigid", a->rigid);
  json_open(json, "repeated", '[');
  for (long long k = 0; k < a->repeateds; k++) {
    json_open(json, NULL, '[');
    for (int e = 0; e < 2; e++) json_integer(json, NULL, a->pair[2 * a->repeated[k] + e]);
    json_close(json, ']');
  }
  json_close(json, ']');
  json_kinds(json, a, tolerance);
  json_open(json, "doubts", '[');
  if (a->doubt[0]) json_text(json, NULL, a->doubt);
  json_close(json, ']');
  json_real(json, "largest_step", a->frequency > 0 ? 2 / a->frequency : (double)NAN);
  json_text(json, "time_unit", t->time);
}

static void print_kinds(const topology_analysis *a, double tolerance) {
  enum { SHOWN = 20 };
  cli_print(stdout, "  %-22s %9s %6s %6s  %9s  %12s  %11s  %s\n", "kind", "clusters", "atoms",
            "bonds", "condition", "SHAKE sweeps", "LINCS order", "solver");
  for (int i = 0; i < a->kinds && i < SHOWN; i++) {
    const topology_kind *k = &a->kind[i];
    char text[3][24] = {"-", "-", "-"};
    if (!isnan(k->rates.condition)) {
      const double sweeps = times(k->rates.gauss_seidel, tolerance),
                   order = times(k->rates.series, tolerance);
      snprintf(text[0], sizeof text[0], isinf(k->rates.condition) ? "singular" : "%.3g",
               k->rates.condition);
      snprintf(text[1], sizeof text[1], sweeps < 0 || isinf(k->rates.condition) ? "never" : "%.0f",
               sweeps);
      snprintf(text[2], sizeof text[2], order < 0 || isinf(k->rates.condition) ? "never" : "%.0f",
               order);
    }
    cli_print(stdout, "  %-22s %9lld %6d %6d  %9s  %12s  %11s  %s\n", k->name, k->clusters,
              k->atoms, k->bonds, text[0], text[1], text[2], k->solver);
  }
  if (a->kinds > SHOWN)
    cli_print(stdout, "  and %d other kinds (--json lists them)\n", a->kinds - SHOWN);
  if (a->others)
    cli_print(stdout, "  and %lld clusters of kinds after the first %d\n", a->others, a->kinds);
}

static void print_analysis(const topology *t, const topology_analysis *a, double tolerance) {
  enum { SHOWN = 10 };
  cli_print(stdout, "  %-14s %lld of %lld%s\n", "rank", a->bonds - a->repeateds, a->bonds,
            a->repeateds ? "" : "; no bond repeats others");
  for (long long k = 0; k < a->repeateds && k < SHOWN; k++)
    cli_print(stdout,
              "  %-14s the length between atoms %d and %d, which follows from others and is left "
              "to them\n",
              "repeated", a->pair[2 * a->repeated[k]], a->pair[2 * a->repeated[k] + 1]);
  if (a->repeateds > SHOWN)
    cli_print(stdout, "  %-14s and %lld others (--json lists them)\n", "", a->repeateds - SHOWN);
  if (a->lines)
    cli_print(stdout,
              "  %-14s %lld of three or more atoms, whose inner atoms are placed between the outer "
              "ones\n",
              "lines", a->lines);
  if (a->rigid)
    cli_print(stdout,
              "  %-14s %lld flat molecule%s with all distances, kept whole by their inertia\n",
              "rigid bodies", a->rigid, a->rigid == 1 ? "" : "s");
  print_kinds(a, tolerance);
  if (a->frequency > 0)
    cli_print(
        stdout,
        "  %-14s %.3g%s%s, 2/omega of the fastest vibration that is left, whose period is %.3g\n",
        "largest step", 2 / a->frequency, t->time[0] ? " " : "", t->time,
        2 * acos(-1) / a->frequency);
  else
    cli_print(stdout, "  %-14s not known: the file has no %s\n", "largest step",
              t->place ? "force constants of what vibrates" : "positions");
  if (a->doubt[0]) cli_print(stdout, "  %-14s %s\n", "doubt", a->doubt);
}

/* One analysis; repartitioned: the second, beside that of the masses of the file. */
static rattle_status analyse(const cli_bonds *bonds, int repartitioned, json_writer *json,
                             rattle_error *error) {
  topology t;
  topology_analysis a = {0};
  rattle_status status = cli_bonds_load(&t, bonds, error);
  if (!status) status = topology_analyse(&a, &t, bonds->tolerance, error);
  if (!status && bonds->json) {
    if (repartitioned)
      json_open(json, "hmr", '{'), json_text(json, "rule", bonds->file.rule),
          json_real(json, "number", bonds->file.repartition);
    else
      json_open(json, NULL, '{'), json_text(json, "version", rattle_version()),
          json_text(json, "topology", bonds->path), json_text(json, "format", t.format),
          json_real(json, "tolerance", bonds->tolerance);
    json_analysis(json, &t, &a, bonds->tolerance);
    if (!repartitioned) status = cli_bonds_origin(&t, json, error);
    if (repartitioned) json_close(json, '}');
  } else if (!status) {
    if (repartitioned)
      cli_print(stdout, "with masses of hydrogens by the rule %s and its number %g\n",
                bonds->file.rule, bonds->file.repartition);
    else
      cli_print(stdout,
                "%s: %s, %lld atoms, %lld bonds, %lld angles, %lld clusters; iterations from "
                "errors of %g to %g\n",
                bonds->path, t.format, t.atoms - t.missing, t.bond.count, t.angle.count, a.clusters,
                off_before, bonds->tolerance);
    print_analysis(&t, &a, bonds->tolerance);
    if (!repartitioned) status = cli_bonds_origin(&t, NULL, error);
    if (!t.place && !repartitioned)
      cli_print(
          stdout,
          "  %-14s the file has no positions, from which conditions and iterations are computed\n",
          "note");
  }
  topology_analysis_free(&a);
  topology_free(&t);
  return status;
}

rattle_status cli_bonds_check(const cli_bonds *bonds, rattle_error *error) {
  json_writer json = {.out = stdout, .indent = 2};
  cli_bonds first = *bonds;
  first.file.rule = NULL;
  rattle_status status = analyse(&first, 0, &json, error);
  const int begun = !status;
  if (!status && bonds->file.rule) status = analyse(bonds, 1, &json, error);
  if (begun && bonds->json) {
    cli_json_status(&json, status, error);
    json_close(&json, '}');
  }
  return status;
}
