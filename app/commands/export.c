/* rattle export: self-contained C source of a model: model.h, model.c and a driver, rattle.c. */
#include "commands/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cli.h"
#include "rattle/robot.h"
#include "problem/model/model.h"
#include "words/text.h"

enum { MOST_PAIRS = 300 }; /* dense Jacobians, and code that can still be read */

static const cli_option options[] = {
    {"output", 'o', "DIR|FILE",
     "folder for C source, created if necessary; of a record the file, whose ending says the "
     "format: .xyz, .nc, .h5md or .csv; of a robot a file .urdf or .xml (MJCF)"},
    {"urdf", 0, NULL, "a robot in URDF, whatever the ending of FILE; without -o NAME.urdf"},
    {"mjcf", 0, NULL, "a robot in MJCF, whatever the ending of FILE; without -o NAME.xml"},
    {"units", 0, "LENGTH,TIME", "units of a record that has none, as in nm,ps"},
    CLI_PARAM_OPTION,
    CLI_START_OPTIONS,
    CLI_PROJECT_OPTION,
    {"force", 0, NULL, "replace existing files"},
    {"evaluator", 0, "KIND", "evaluator for the start: block, native or auto"},
    {NULL, 0, NULL, NULL}};

static const char *const file_names[] = {"model.h", "model.c", "rattle.c"};
enum { HEADER, MODEL, DRIVER, FILES };

static void print_header(FILE *out, const cli_session *session, const cli_args *args) {
  const rattle_model *model = session->model;
  const rattle_parameter *parameter;
  const char *title = rattle_model_title(model);
  int parameters = rattle_model_parameters(model, &parameter);
  fputs("#ifndef MODEL_H\n#define MODEL_H\n/* ", out);
  text_put_comment(out, title[0] ? title : args->operand[0]);
  fprintf(out, "\n *\n * Written by rattle %s from ", rattle_version());
  text_put_comment(out, args->operand[0]);
  for (int i = 0; i < parameters; i++) {
    fputs(i ? ", " : " with ", out);
    text_put_comment(out, parameter[i].name);
    fprintf(out, "=%.17g", parameter[i].value);
  }
  fputs(".\n *\n * ", out);
  for (int k = 0; k < rattle_model_pairs(model); k++) {
    fprintf(out, "%sq[%d] = ", k ? "\n * " : "", k);
    text_put_comment(out, rattle_model_coordinate_name(model, k));
    fprintf(out, ", p[%d] = ", k);
    text_put_comment(out, rattle_model_momentum_name(model, k));
  }
  for (int i = 0; i < rattle_model_constraints(model); i++) {
    fprintf(out, "\n * g[%d]: ", i);
    text_put_comment(out, rattle_model_constraint_name(model, i));
  }
  fprintf(out, " */\n\nenum { N = %d, M = %d }; /* pairs, constraints */\n",
          rattle_model_pairs(model), rattle_model_constraints(model));
  const int kind = rattle_problem_kind(session->problem), forced = (kind & RATTLE_FORCED) != 0;
  fprintf(out, "#define HOLONOMIC %d /* 1: g depends on q only */\n",
          rattle_model_constraints(model) == 0 || (kind & RATTLE_HOLONOMIC) != 0);
  fprintf(out, "#define FORCED %d /* 1: forces that are no gradient of H act */\n\n", forced);
  fputs("double hamiltonian(const double *q, const double *p);\n"
        "void gradient(const double *q, const double *p, double *H_q, double *H_p);                "
        "/* [N], [N] */\n"
        "void constraints(const double *q, const double *p, double *g);                            "
        "/* [M] */\n"
        "void constraint_jacobian(const double *q, const double *p, double *g_q, double *g_p);     "
        "/* [M][N], [M][N] */\n"
        "void hidden_constraints(const double *q, const double *p, double *psi);                   "
        "/* [M], psi_i = {g_i, H} */\n"
        "void brackets(const double *q, const double *p, double *B);                               "
        "/* [M][M], {psi_i, g_j} */\n",
        out);
  if (forced)
    fputs("void forces(const double *q, const double *p, double *f);                               "
          "   /* [N], p' = -H_q + f */\n",
          out);
  fputs("\nextern const char *const coordinate_name[N], *const momentum_name[N];\n"
        "extern const double start_q[N], start_p[N], start_time, time_step;\n"
        "extern const long long step_count, output_every;\n#endif\n",
        out);
}

/* Steps that the model asks for; where it asks for none, a hundred of the step. */
static long long steps_of(const rattle_wishes *wishes, double step) {
  rattle_error unused;
  long long steps = wishes->steps;
  if (steps < 1 && (isnan(wishes->stop) ||
                    cli_count_steps(wishes->start_time, wishes->stop, step, &steps, &unused)))
    steps = 100;
  return steps;
}

static void print_array(FILE *out, const char *name, const double *x, int count) {
  fprintf(out, "const double %s[N] = {", name);
  for (int i = 0; i < count; i++) fprintf(out, "%s%.17g", i ? ", " : "", x[i]);
  fputs("};\n", out);
}

static int print_model(FILE *out, const cli_session *session) {
  rattle_model *model = session->model;
  const rattle_wishes *wishes = rattle_model_wishes(model);
  int n = rattle_model_pairs(model);
  double step = wishes->step != 0 ? wishes->step : 0.01;
  fputs("/* H, g, their derivatives, and forces; see model.h. */\n#include \"model.h\"\n\n#include "
        "<math.h>\n#include "
        "<string.h>\n\n",
        out);
  for (int which = 0; which < 2; which++) {
    fprintf(out, "const char *const %s[N] = {", which ? "momentum_name" : "coordinate_name");
    for (int k = 0; k < n; k++) {
      if (k) fputs(", ", out);
      text_put_c_string(out, which ? rattle_model_momentum_name(model, k)
                                   : rattle_model_coordinate_name(model, k));
    }
    fputs("};\n", out);
  }
  print_array(out, "start_q", session->q, n);
  print_array(out, "start_p", session->p, n);
  fprintf(out, "const double start_time = %.17g, time_step = %.17g;\n", wishes->start_time, step);
  fprintf(out, "const long long step_count = %lld, output_every = %lld;\n\n",
          steps_of(wishes, step), wishes->every);
  return cli_emit_model(out, model);
}

static rattle_status print_file(const cli_session *session, const cli_args *args, int which,
                                const cli_output *output, rattle_error *error) {
  FILE *file = output->file;
  int good = 1;
  if (which == HEADER)
    print_header(file, session, args);
  else if (which == MODEL)
    good = print_model(file, session);
  else
    fputs(cli_export_driver, file);
  return good ? cli_flush_output(output, error) : text_no_memory(error);
}

/* All of them, or none. */
static rattle_status write_files(const cli_session *session, const cli_args *args,
                                 const char *folder, rattle_error *error) {
  static char path[FILES][4096];
  cli_output output[FILES] = {0};
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < FILES && !status; i++) {
    if (snprintf(path[i], sizeof path[i], "%s/%s", folder, file_names[i]) >= (int)sizeof path[i])
      status = text_fail(error, RATTLE_IO, "the name of folder %.60s... is too long", folder);
    if (!status) status = cli_begin_output(&output[i], path[i], cli_flag(args, "force"), error);
    if (!status) status = print_file(session, args, i, &output[i], error);
  }
  for (int i = 0; i < FILES; i++) {
    const rattle_status ended = cli_end_output(&output[i], status, error);
    if (!status) status = ended;
  }
  return status;
}

static rattle_status write_all(const cli_session *session, const cli_args *args, const char *folder,
                               rattle_error *error) {
  if (rattle_problem_velocity_constraints(session->problem))
    return text_fail(error, RATTLE_UNSUITABLE,
                     "the program that export writes does not know constraints on velocities "
                     "(velocity_constrain)");
  if (session->model->turnings)
    return text_fail(error, RATTLE_UNSUITABLE,
                     "the program that export writes does not know angles that count turns "
                     "(turning_angle, mech.angle and torsion springs in space)");
  if (session->model->held)
    return text_fail(error, RATTLE_UNSUITABLE,
                     "the program that export writes does not know controllers");
  if (rattle_model_switches(session->model))
    return text_fail(error, RATTLE_UNSUITABLE,
                     "the program that export writes does not know constraints that begin and end "
                     "(switch)");
  const int made = mkdir(folder, 0777) == 0;
  if (!made && errno != EEXIST)
    return text_fail(error, RATTLE_IO, "cannot create the folder %s: %s", folder, strerror(errno));
  const rattle_status status = write_files(session, args, folder, error);
  if (status && made) rmdir(folder);
  return status;
}

/* The format of a robot that an option or the ending of a file says, or NULL. */
static const char *robot_format(const cli_args *args, const char *path) {
  static const char *const kinds[][2] = {{".urdf", "urdf"}, {".xml", "mjcf"}, {".mjcf", "mjcf"}};
  for (int i = 0; i < 2; i++)
    if (cli_flag(args, kinds[i][1])) return kinds[i][1];
  const char *ending = path ? strrchr(path, '.') : NULL;
  for (int i = 0; i < 3 && ending; i++)
    if (!strcmp(ending, kinds[i][0])) return kinds[i][1];
  return NULL;
}

/* NAME.urdf or NAME.xml in the folder of the run, of FOLDER/NAME.lua. NULL: no memory. */
static char *name_robot(const char *model, const char *format) {
  const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
  const char *ending = strrchr(name, '.');
  const int length = (int)(ending && ending > name ? (size_t)(ending - name) : strlen(name));
  const size_t room = (size_t)length + sizeof ".urdf";
  char *path = malloc(room);
  if (path) snprintf(path, room, "%.*s.%s", length, name, strcmp(format, "mjcf") ? format : "xml");
  return path;
}

static int export_robot(const cli_args *args, const char *given, const char *format) {
  rattle_error error = {0};
  cli_output output = {0};
  char *text = NULL, *named = given ? NULL : name_robot(args->operand[0], format);
  const char *path = given ? given : named;
  const rattle_model_options model_options = {.struct_size = sizeof model_options,
                                              .parameters = args->parameter,
                                              .parameter_count = args->parameters};
  rattle_status status = path ? cli_check_input(args->operand[0], &error) : text_no_memory(&error);
  if (!status && cli_flag(args, "urdf") && cli_flag(args, "mjcf"))
    status = text_fail(&error, RATTLE_BAD_ARGUMENT, "--urdf and --mjcf: choose one");
  if (!status) status = rattle_robot_write(&text, args->operand[0], format, &model_options, &error);
  if (!status) {
    status = cli_begin_output(&output, path, cli_flag(args, "force"), &error);
    if (!status) fputs(text, output.file);
    if (!status) status = cli_flush_output(&output, &error);
    const rattle_status ended = cli_end_output(&output, status, &error);
    if (!status) status = ended;
  }
  if (!status && named) cli_print(stdout, "wrote %s\n", named);
  free(text), free(named);
  return status ? cli_end_badly(args, &error, 0) : CLI_DONE;
}

static int export_model(const cli_args *args) {
  rattle_error error = {0};
  const char *format = robot_format(args, cli_text(args, "output"));
  if (format) return export_robot(args, cli_text(args, "output"), format);
  if (cli_is_conversion(args->operand[0], cli_text(args, "output"))) return cli_convert(args);
  cli_session session = {0};
  rattle_model_options model_options = {.struct_size = sizeof model_options,
                                        .parameters = args->parameter,
                                        .parameter_count = args->parameters};
  const char *folder = cli_text(args, "output");
  rattle_status status = RATTLE_OK;
  if (!folder) status = text_fail(&error, RATTLE_BAD_ARGUMENT, "no output folder: pass -o DIR");
  if (!status) status = cli_check_input(args->operand[0], &error);
  if (!status)
    status = cli_session_load(&session, args, args->operand[0], NULL, &model_options, &error);
  if (!status && rattle_model_pairs(session.model) > MOST_PAIRS)
    status =
        text_fail(&error, RATTLE_UNSUITABLE, "the model has %d pairs; export supports at most %d",
                  rattle_model_pairs(session.model), MOST_PAIRS);
  if (!status && rattle_model_pair_potentials(session.model))
    status = text_fail(
        &error, RATTLE_UNSUITABLE,
        "export writes expressions, and pair_potential is none: remove it from the model");
  if (!status) {
    int project = rattle_model_wishes(session.model)->project || cli_flag(args, "project");
    status = rattle_problem_start(session.problem, project, session.q, session.p, NULL, &error);
  }
  if (!status) status = write_all(&session, args, folder, &error);
  if (!status) {
    cli_print(stdout, "wrote model.h, model.c and rattle.c to %s; try: cd ", folder);
    text_put_shell(stdout, folder);
    fputs(" && cc -O2 *.c -lm && ./a.out\n", stdout);
  }
  cli_session_end(&session);
  return status ? cli_end_badly(args, &error, 0) : CLI_DONE;
}

const cli_command cli_export = {
    "export",
    "MODEL.lua|RECORD",
    "Writes C source of a model: H, g, their derivatives, and a plain RATTLE driver; or a record "
    "or a robot in the format of another program.",
    1,
    1,
    "The driver uses Stoermer-Verlet if the constraints depend on coordinates only, the implicit "
    "midpoint rule if they depend "
    "on\n"
    "momenta too. It reproduces rattle(verlet) or rattle(midpoint) to round-off. The code is "
    "simple rather than fast.\n",
    options,
    export_model};
