/* The sources of the lengths of a topology, and the parts of its files that are not used. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/bonds.h"

enum { SHOWN = 20 };

/* How many bonds or angles of one source are kept, and their values. */
typedef struct tally {
  long long bonds, angles;
  double least, most;
} tally;

static void count(tally *of, const topology_list *list) {
  for (long long k = 0; k < list->count; k++) {
    tally *at = &of[list->source[k]];
    const double value = list->value[k];
    const int first = !at->bonds && !at->angles;
    at->least = first ? value : fmin(at->least, value);
    at->most = first ? value : fmax(at->most, value);
    if (list->of == 3)
      at->angles++;
    else
      at->bonds++;
  }
}

static void print_sources(const topology *t, const tally *of) {
  int shown = 0, others = 0;
  cli_print(stdout, "  %-22s %9s  %s\n", "length", "bonds", "source");
  for (int k = 0; k < t->sources; k++) {
    const topology_source *s = t->source[k];
    const double unit = of[k].angles ? 180 / acos(-1) : 1;
    char length[48];
    if (!of[k].bonds && !of[k].angles) continue;
    if (shown++ >= SHOWN) {
      others++;
      continue;
    }
    if (of[k].most > of[k].least * (1 + 1e-14))
      snprintf(length, sizeof length, "%.6g to %.6g", of[k].least * unit, of[k].most * unit);
    else
      snprintf(length, sizeof length, "%.8g%s", of[k].least * unit, of[k].angles ? " degrees" : "");
    cli_print(stdout, "  %-22s %9lld  %s", length, of[k].bonds + of[k].angles, s->what);
    if (s->path) cli_print(stdout, ", %s:%lld", s->path, s->line);
    cli_print(stdout, "\n");
  }
  if (others) cli_print(stdout, "  and %d other sources (--json lists them)\n", others);
}

/* Sites of one line of the file in one line. */
static void print_sites(const topology *t) {
  int shown = 0, others = 0;
  for (const topology_site *s = t->site; s; s = s->next) {
    if (!(s->count > 0)) continue;
    if (!shown) cli_print(stdout, "  %-22s %9s  %s\n", "site", "molecules", "place");
    if (shown++ >= SHOWN) {
      others++;
      continue;
    }
    cli_print(stdout, "  %-22s %9.0f  atom %d of %s, %s%s, %s:%lld\n", s->kind->name, s->count,
              s->atom, s->name, s->kind->text,
              s->kind->numbers && !s->numbers ? " (the file says no numbers)" : "", s->path,
              s->line);
  }
  if (others) cli_print(stdout, "  and %d other sites (--json lists them)\n", others);
}

/* Parts that are not used for one reason in one line. */
static void print_notes(const topology *t) {
  for (int k = 0; k < t->notes; k++) {
    const topology_note *n = &t->note[k];
    int before = 0;
    for (int e = 0; e < k && n->why; e++) before |= t->note[e].why == n->why;
    if (before) continue;
    cli_print(stdout, "  %-14s %s", n->why ? "not used" : "note", n->text);
    for (int e = k + 1; e < t->notes && n->why; e++)
      if (t->note[e].why == n->why) cli_print(stdout, ", %s", t->note[e].text);
    if (n->why) cli_print(stdout, ": %s", n->why);
    if (!n->why && n->path) cli_print(stdout, " (%s:%lld", n->path, n->line);
    if (!n->why && n->path && n->lines > 1) cli_print(stdout, " and %lld more", n->lines - 1);
    cli_print(stdout, !n->why && n->path ? ")\n" : "\n");
  }
}

static void json_place(json_writer *json, const char *path, long long line) {
  json_text(json, "file", path);
  if (path)
    json_integer(json, "line", line);
  else
    json_text(json, "line", NULL);
}

static void json_sources(json_writer *json, const topology *t, const tally *of) {
  json_open(json, "lengths", '[');
  for (int k = 0; k < t->sources; k++) {
    const topology_source *s = t->source[k];
    if (!of[k].bonds && !of[k].angles) continue;
    json_open(json, NULL, '{');
    json_text(json, "kind", of[k].angles ? "angle" : "bond");
    json_real(json, "least", of[k].least);
    json_real(json, "most", of[k].most);
    json_integer(json, "count", of[k].bonds + of[k].angles);
    json_text(json, "source", s->what);
    json_place(json, s->path, s->line);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void json_sites(json_writer *json, const topology *t) {
  json_open(json, "sites", '[');
  for (const topology_site *s = t->site; s; s = s->next) {
    if (!(s->count > 0)) continue;
    json_open(json, NULL, '{');
    json_text(json, "kind", s->kind->name);
    json_text(json, "molecule", s->name);
    json_integer(json, "atom", s->atom);
    json_open(json, "parents", '[');
    for (int k = 0; k < s->parents; k++) json_integer(json, NULL, s->parent[k]);
    json_close(json, ']');
    json_open(json, "numbers", '[');
    for (int k = 0; k < s->numbers; k++) json_real(json, NULL, s->number[k]);
    json_close(json, ']');
    json_real(json, "count", s->count);
    json_place(json, s->path, s->line);
    json_close(json, '}');
  }
  json_close(json, ']');
}

/* Remarks, or parts that are not used. */
static void json_notes(json_writer *json, const topology *t, int unused) {
  json_open(json, unused ? "unused" : "notes", '[');
  for (int k = 0; k < t->notes; k++) {
    const topology_note *n = &t->note[k];
    if ((n->why != NULL) != unused) continue;
    json_open(json, NULL, '{');
    json_text(json, unused ? "part" : "text", n->text);
    if (unused) json_text(json, "why", n->why);
    json_place(json, n->path, n->line);
    json_integer(json, "lines", n->lines);
    json_close(json, '}');
  }
  json_close(json, ']');
}

rattle_status cli_bonds_origin(const topology *t, json_writer *json, rattle_error *error) {
  tally *of = calloc((size_t)t->sources + 1, sizeof *of);
  if (!of) return text_no_memory(error);
  count(of, &t->bond), count(of, &t->angle);
  if (json) {
    json_sources(json, t, of);
    json_sites(json, t);
    json_notes(json, t, 0), json_notes(json, t, 1);
  } else {
    print_sources(t, of);
    print_sites(t);
    print_notes(t);
  }
  free(of);
  return RATTLE_OK;
}
