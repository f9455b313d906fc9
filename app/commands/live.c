/* rattle live: a page in which the model runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cli.h"
#include "commands/module.h"
#include "commands/template.h"
#include "pages/report/live.h"
#include "pages/report/page.h"
#include "pages/report/report.h"

static const cli_option options[] = {
    {"output", 'o', "PAGE.html", "output page (the name of the model with .html, in this folder)"},
    CLI_PARAM_OPTION,
    {"method", 0, "METHOD", "the method at first (that of the model)"},
    {"step", 0, "H", "the time step at first (that of the model)"},
    {"stop", 0, "T", "the end time at first (that of the model)"},
    {"force", 0, NULL, "replace an existing page"},
    {"quiet", 0, NULL, "print nothing"},
    {NULL, 0, NULL, NULL}};

rattle_status cli_need_module(rattle_error *error) {
  return cli_module[0]
             ? RATTLE_OK
             : text_fail(error, RATTLE_UNSUITABLE,
                         "this rattle was built without the module that runs models in pages: "
                         "build it by tools/wasm, and rattle with -DRATTLE_LIVE_MODULE="
                         "build-wasm/live.module");
}

static rattle_status write_page(const char *path, const cli_args *args, const report_live *live,
                                rattle_error *error) {
  cli_output output;
  report_outcome outcome;
  const report_sources sources = {.live = live};
  rattle_status status = cli_begin_output(&output, path, cli_flag(args, "force"), error);
  if (status) return status;
  status = report_write(output.file, cli_template, cli_template_size, &sources, &outcome, error);
  return cli_end_output(&output, status, error);
}

/* The models of a page, which keep the strings of what it says of them. */
typedef struct models {
  rattle_model *model[CLI_MOST_OPERANDS];
  report_live live[CLI_MOST_OPERANDS];
} models;

static void drop(models *of) {
  if (!of) return;
  for (int i = 0; i < CLI_MOST_OPERANDS; i++) rattle_model_destroy(&of->model[i]);
  free(of);
}

/* The state of the page at first: of the model as it is read here, so that its mistakes are said at
 * once. */
static rattle_status begin_with(report_live *live, const cli_args *args, const char *file,
                                rattle_model **model, rattle_error *error) {
  const rattle_model_options how = {.struct_size = sizeof how,
                                    .parameters = args->parameter,
                                    .parameter_count = args->parameters};
  rattle_method *method = NULL;
  *live = (report_live){.module = cli_module,
                        .file = file,
                        .parameter = args->parameter,
                        .parameters = args->parameters,
                        .method = cli_text(args, "method"),
                        .stop = (double)NAN};
  rattle_status status = cli_real(args, "step", &live->step, error);
  if (!status) status = cli_real(args, "stop", &live->stop, error);
  if (!status && live->method) status = rattle_method_parse(&method, live->method, error);
  rattle_method_destroy(&method);
  if (!status) status = cli_check_input(live->file, error);
  if (!status) status = rattle_model_load(model, live->file, &how, error);
  if (status) return status;
  live->title = rattle_model_title(*model), live->text = rattle_model_text(*model);
  return RATTLE_OK;
}

/* The settings of the command are those of one model. */
static rattle_status begin(models *of, const cli_args *args, rattle_error *error) {
  static const char *const own[] = {"method", "step", "stop"};
  const char *given = args->parameters ? "param" : NULL;
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    if (cli_text(args, own[k])) given = own[k];
  if (given && args->operands > 1)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--%s is for a page of one model: give one, or set it in the models", given);
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < args->operands && !status; i++) {
    status = begin_with(&of->live[i], args, args->operand[i], &of->model[i], error);
    if (i) of->live[i - 1].next = &of->live[i];
    for (int k = 0; k < i && !status; k++)
      if (!strcmp(report_file_name(args->operand[k]), report_file_name(args->operand[i])))
        status = text_fail(error, RATTLE_BAD_ARGUMENT,
                           "two models are named %s, and the page tells them by their names: "
                           "rename one",
                           report_file_name(args->operand[i]));
  }
  return status;
}

/* pendulum.lua gives pendulum.html, in this folder. */
static char *page_name(const char *model) {
  const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model,
             *dot = strrchr(name, '.');
  const size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
  char *path = malloc(length + sizeof ".html");
  if (path) sprintf(path, "%.*s.html", (int)length, name);
  return path;
}

static int live(const cli_args *args) {
  rattle_error error = {0};
  models *of = calloc(1, sizeof *of);
  const char *inputs[CLI_MOST_OPERANDS + 1] = {NULL}, *path = cli_text(args, "output");
  for (int i = 0; i < args->operands; i++) inputs[i] = args->operand[i];
  char *named = path ? NULL : page_name(args->operand[0]);
  if (!path) path = named;
  rattle_status status = path && of ? begin(of, args, &error) : text_no_memory(&error);
  if (!status) status = cli_need_module(&error);
  if (!status) status = cli_check_output(path, cli_flag(args, "force"), inputs, &error);
  if (!status) status = write_page(path, args, of->live, &error);
  struct stat there = {0};
  if (!status && !cli_flag(args, "quiet") && !stat(path, &there))
    cli_print(stdout, "%s: %lld kB; open it in a browser\n", path,
              ((long long)there.st_size + 999) / 1000);
  const int exit_status = status ? cli_end_badly(args, &error, 0) : CLI_DONE;
  drop(of);
  free(named);
  return exit_status;
}

const cli_command cli_live = {
    "live",
    "MODEL.lua [MODEL.lua ...]",
    "Makes one HTML page in which models run: sliders for their parameters and starts, motion, "
    "errors.",
    1,
    CLI_MOST_OPERANDS,
    "A page of several models has a list of them, and #live?model=NAME.lua at the end of its "
    "address begins with that one. The page is one file that opens offline in any browser and "
    "sends "
    "nothing. It holds the models "
    "and the library, compiled to WebAssembly.\n"
    "parameter(\"length\", 1, { range = {0.5, 2} }) in the model says how far a slider goes.\n",
    options,
    live};
