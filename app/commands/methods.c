/* rattle methods: the table of methods; or what one expression claims, needs and costs. */
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"

static const cli_option options[] = {
    {"model", 0, "MODEL.lua",
     "explain EXPR for this model; EXPR may name coefficients of the model"},
    CLI_PARAM_OPTION,
    CLI_JSON_OPTION,
    CLI_PLUGIN_OPTION,
    {NULL, 0, NULL, NULL}};

static void json_row(json_writer *json, const rattle_method_row *row) {
  json_open(json, NULL, '{');
  json_text(json, "name", row->name);
  json_text(json, "kind", row->kind);
  json_text(json, "parameters", row->parameters);
  json_claims(json, &row->claims);
  json_text(json, "needs", row->needs);
  json_text(json, "text", row->text);
  json_text(json, "citation", row->citation);
  json_close(json, '}');
}

static void json_table(const rattle_method_row *row, int rows) {
  json_writer json = {.out = stdout, .indent = 2};
  json_open(&json, NULL, '{');
  json_text(&json, "version", rattle_version());
  json_open(&json, "methods", '[');
  for (int i = 0; i < rows; i++) json_row(&json, &row[i]);
  for (int i = 0; rattle_plugin_row(i); i++) json_row(&json, rattle_plugin_row(i));
  json_close(&json, ']');
  cli_json_status(&json, RATTLE_OK, NULL);
  json_close(&json, '}');
}

/* Prints text in columns left .. right, broken at spaces; the cursor is in column `at`. */
static void print_wrapped(const char *text, int at, int left, int right) {
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (at > left && at + 1 + length > right)
      cli_print(stdout, "\n%*s", left, ""), at = left;
    else if (at > left)
      putchar(' '), at++;
    cli_print(stdout, "%.*s", length, text);
    at += length;
    text += length;
    text += strspn(text, " ");
  }
  putchar('\n');
}

static void print_row(const rattle_method_row *row) {
  enum { LEFT = 34, RIGHT = 120 };
  char name[96];
  snprintf(name, sizeof name, row->parameters[0] ? "%s(%s)" : "%s", row->name, row->parameters);
  cli_print(stdout, "  %s", name);
  int at = 2 + (int)strlen(name);
  if (at >= LEFT) putchar('\n'), at = 0;
  cli_print(stdout, "%*s", LEFT - at, "");
  print_wrapped(row->text, LEFT, LEFT, RIGHT);
}

/* The table, kind by kind in the order in which kinds first appear. */
static void print_table(const rattle_method_row *row, int rows) {
  for (int first = 0; first < rows; first++) {
    int seen = 0;
    for (int i = 0; i < first; i++) seen |= !strcmp(row[i].kind, row[first].kind);
    if (seen) continue;
    cli_print(stdout, "%s%ss\n", first ? "\n" : "", row[first].kind);
    for (int i = first; i < rows; i++)
      if (!strcmp(row[i].kind, row[first].kind)) print_row(&row[i]);
  }
  if (rattle_plugin_row(0)) puts("\nbase maps of plug-ins");
  for (int i = 0; rattle_plugin_row(i); i++) print_row(rattle_plugin_row(i));
  puts("\nA method is an expression: suzuki4(rattle(verlet)). `rattle methods EXPR` prints its "
       "claims, needs and cost.");
}

static rattle_status print_explanation(const rattle_method *method, int json, rattle_error *error) {
  enum { ROOM = 1 << 16 };
  char *text = malloc(ROOM);
  if (!text) return text_no_memory(error);
  rattle_method_explain(method, text, ROOM);
  rattle_claims claims = rattle_method_claims(method);
  if (json) {
    json_writer out = {.out = stdout, .indent = 1};
    json_open(&out, NULL, '{');
    json_text(&out, "method", rattle_method_text(method));
    if (claims.order)
      json_claims(&out, &claims);
    else
      json_text(&out, "claims", NULL); /* not known without the model */
    json_text(&out, "explanation", text);
    cli_json_status(&out, RATTLE_OK, NULL);
    json_close(&out, '}');
  } else {
    size_t length = strlen(text);
    cli_print(stdout, "%s%s", text, length > 0 && text[length - 1] == '\n' ? "" : "\n");
  }
  free(text);
  return RATTLE_OK;
}

/* The expression compiled for a model. */
static rattle_status explain_for(const cli_args *args, const char *path, int json,
                                 rattle_error *error) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_model_options given = {.struct_size = sizeof given,
                                .parameters = args->parameter,
                                .parameter_count = args->parameters};
  rattle_status status = cli_check_input(path, error);
  if (!status) status = rattle_model_load(&model, path, &given, error);
  if (!status) status = rattle_problem_create(&problem, model, NULL, error);
  if (!status) status = rattle_integrator_create(&integrator, problem, args->operand[0], error);
  if (!status) status = print_explanation(rattle_integrator_method(integrator), json, error);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return status;
}

static rattle_status explain_alone(const cli_args *args, int json, rattle_error *error) {
  rattle_method *method = NULL;
  rattle_status status = rattle_method_parse(&method, args->operand[0], error);
  if (!status) status = print_explanation(method, json, error);
  rattle_method_destroy(&method);
  return status;
}

static int explain(const cli_args *args, int json) {
  rattle_error error = {0};
  const char *path = cli_text(args, "model");
  const rattle_status status =
      path ? explain_for(args, path, json, &error) : explain_alone(args, json, &error);
  return status ? cli_end_badly(args, &error, json) : CLI_DONE;
}

static int methods(const cli_args *args) {
  int json = cli_flag(args, "json");
  if (args->operands == 1) return explain(args, json);
  if (cli_text(args, "model")) {
    rattle_error error = {0};
    text_fail(&error, RATTLE_BAD_ARGUMENT,
              "--model needs an expression, as in rattle methods \"rattle(verlet)\" --model %s",
              cli_text(args, "model"));
    return cli_end_badly(args, &error, json);
  }
  const rattle_method_row *row;
  int rows = rattle_method_rows(&row);
  if (json)
    json_table(row, rows);
  else
    print_table(row, rows);
  return CLI_DONE;
}

const cli_command cli_methods = {
    "methods",
    "[EXPR]",
    "Lists the methods, or prints the claims, needs and cost of a method expression.",
    0,
    1,
    "",
    options,
    methods};
