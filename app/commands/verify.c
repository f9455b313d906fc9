/* rattle verify: what a plug-in or an expression claims, measured. */
#include <math.h>
#include <string.h>

#include "base/cli.h"

static const cli_option options[] = {
    CLI_PLUGIN_OPTION,
    {"all", 0, NULL, "print what was measured on each problem, not only the worst"},
    CLI_JSON_OPTION,
    {NULL, 0, NULL, NULL}};

/* True if `a`, of two verdicts on one claim of one expression, is nearer to a refutation than
 * `b`. */
static int is_worse(const rattle_verdict *a, const rattle_verdict *b) {
  if (a->holds != b->holds) return !a->holds;
  /* numbers say more */
  if (isnan(a->measured) || isnan(b->measured)) return isnan(b->measured) && !isnan(a->measured);
  return strcmp(a->claim, "order") ? a->measured > b->measured : a->measured < b->measured;
}

static void print_verdict(const rattle_verdict *v, int problems) {
  char claim[48], where[64];
  if (!strcmp(v->claim, "order"))
    snprintf(claim, sizeof claim, "order %g", v->claimed);
  else
    snprintf(claim, sizeof claim, "%s", v->claim);
  if (problems > 1)
    snprintf(where, sizeof where, "%s, the worst of %d", v->problem, problems);
  else
    snprintf(where, sizeof where, "%s", v->problem);
  cli_print(stdout, "  %-13s ", claim);
  if (isnan(v->measured))
    cli_print(stdout, "%-9s", "failed");
  else if (!strcmp(v->claim, "order"))
    cli_print(stdout, "%-9.2f", v->measured);
  else
    cli_print(stdout, "%-9.1e", v->measured);
  cli_print(stdout, "  %s  %-9.2g  %-8s  %s\n", strcmp(v->claim, "order") ? "<=" : ">=", v->bound,
            v->holds ? "holds" : "REFUTED", where);
}

/* The verdicts on the claim of verdict i, which is the first of them: the worst, and how many. */
static const rattle_verdict *worst_of(const rattle_verification_result *r, int i, int *count) {
  const rattle_verdict *worst = &r->verdict[i];
  *count = 0;
  for (int k = i; k < r->verdicts; k++) {
    const rattle_verdict *v = &r->verdict[k];
    if (strcmp(v->method, worst->method) != 0 || strcmp(v->claim, worst->claim) != 0) continue;
    if (is_worse(v, worst)) worst = v;
    ++*count;
  }
  return worst;
}

static int is_first(const rattle_verification_result *r, int i, int same_claim) {
  for (int k = 0; k < i; k++)
    if (!strcmp(r->verdict[k].method, r->verdict[i].method) &&
        (!same_claim || !strcmp(r->verdict[k].claim, r->verdict[i].claim)))
      return 0;
  return 1;
}

static void print_text(const rattle_verification_result *r, int all) {
  for (int first = 0; first < r->verdicts; first++) {
    if (!is_first(r, first, 0)) continue;
    cli_print(stdout, "%s\n", r->verdict[first].method);
    for (int i = first; i < r->verdicts; i++) {
      int count = 1;
      if (strcmp(r->verdict[i].method, r->verdict[first].method) != 0) continue;
      if (!all && !is_first(r, i, 1)) continue;
      const rattle_verdict *v = all ? &r->verdict[i] : worst_of(r, i, &count);
      print_verdict(v, count);
    }
  }
}

static void put_json(json_writer *json, const char *expression,
                     const rattle_verification_result *r) {
  json_open(json, NULL, '{');
  json_text(json, "expression", expression);
  json_integer(json, "methods", r->methods);
  json_integer(json, "problems", r->problems);
  json_integer(json, "refuted", r->refuted);
  json_text(json, "note", r->note);
  json_open(json, "verdicts", '[');
  for (int i = 0; i < r->verdicts; i++) {
    const rattle_verdict *of = &r->verdict[i];
    JSON_OBJECT(NULL, RATTLE_VERDICT_FIELDS);
  }
  json_close(json, ']');
  json_close(json, '}');
}

/* Sums over all expressions of an operand. */
typedef struct totals {
  int verdicts, refuted;
} totals;

static rattle_status verify_one(const cli_args *args, const char *expression, json_writer *json,
                                totals *sum, rattle_error *error) {
  rattle_verification *verification = NULL;
  const rattle_verify_options how = {.struct_size = sizeof how, .interrupt = cli_catch_signals()};
  rattle_status status = rattle_verification_create(&verification, expression, &how, error);
  if (status) return status;
  const rattle_verification_result *r = rattle_verification_result_of(verification);
  if (json)
    put_json(json, expression, r);
  else
    print_text(r, cli_flag(args, "all"));
  if (!r->verdicts)
    status =
        text_fail(error, RATTLE_UNSUITABLE, "none of the problems here can be integrated by %s: %s",
                  expression, r->note);
  sum->verdicts += r->verdicts;
  sum->refuted += r->refuted;
  rattle_verification_destroy(&verification);
  return status;
}

/* True if the operand is a file, not an expression. */
static int is_file(const char *operand) {
  const size_t length = strlen(operand);
  return strchr(operand, '/') || (length > 3 && !strcmp(operand + length - 3, ".so"));
}

static rattle_status verify_file(const cli_args *args, json_writer *json, totals *sum,
                                 rattle_error *error) {
  const rattle_plugin *plugin;
  rattle_status status = rattle_plugin_load(args->operand[0], &plugin, error);
  if (status) return status;
  if (!json)
    cli_print(stdout, "plug-in %s %s: %d base map%s, %d observer%s\n", plugin->name,
              plugin->version ? plugin->version : "", plugin->maps, plugin->maps == 1 ? "" : "s",
              plugin->observers, plugin->observers == 1 ? "" : "s");
  for (int i = 0; i < plugin->maps && !status; i++)
    status = verify_one(args, plugin->map[i]->name, json, sum, error);
  return status;
}

static int verify(const cli_args *args) {
  rattle_error error = {0};
  totals sum = {0};
  json_writer writer = {.out = stdout, .indent = 2},
              *json = cli_flag(args, "json") ? &writer : NULL;
  if (json) json_open(json, NULL, '{'), json_open(json, "verified", '[');
  const rattle_status status = is_file(args->operand[0])
                                   ? verify_file(args, json, &sum, &error)
                                   : verify_one(args, args->operand[0], json, &sum, &error);
  if (json) {
    json_close(json, ']');
    json_integer(json, "measurements", sum.verdicts);
    json_integer(json, "refuted", sum.refuted);
    cli_json_status(json, status, &error);
    json_close(json, '}');
  }
  if (status) {
    cli_complain("verify", &error);
    return rattle_status_exit(status);
  }
  if (!json && sum.refuted)
    cli_print(stdout, "%d of %d measurements refute a claim\n", sum.refuted, sum.verdicts);
  else if (!json && sum.verdicts)
    cli_print(stdout, "all claims hold in %d measurements\n", sum.verdicts);
  return sum.refuted ? CLI_FAILED : CLI_DONE;
}

const cli_command cli_verify = {
    "verify",
    "PLUGIN.so|EXPR",
    "Measures what the base maps of a plug-in claim, or a method expression: order, symmetry, "
    "symplecticity, constraints, "
    "resumption.",
    1,
    1,
    "The problems are nonlinear, with and without constraints; a base map is also measured inside "
    "shake, rattle and a "
    "composition.\n"
    "Their solutions are computed without the method, to round-off. See docs/plug-ins.md.\n"
    "Exit status: 0 all claims hold, 1 a claim is refuted, 2 wrong usage, not a plug-in or not an "
    "expression.\n",
    options,
    verify};
