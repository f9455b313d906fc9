/* rattle export RECORD -o FILE: samples for other programs, with the bonds and the box of the
 * model. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cli.h"
#include "commands/export.h"
#include "ground/pairs/pairs.h"
#include "problem/functions/distances.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"
#include "words/text.h"

int cli_is_conversion(const char *input, const char *output) {
  if (cli_is_record(input)) return 1;
  static const char *const endings[] = {".xyz", ".nc", ".h5md", ".csv"};
  const char *ending = output ? strrchr(output, '.') : NULL;
  for (int i = 0; ending && i < 4; i++)
    if (!strcmp(ending, endings[i])) return 1;
  return 0;
}

/* Pairs of coordinates, one of each end, where all constraints are distances. */
static rattle_status find_bonds(const rattle_problem *problem, rattle_record_export *with,
                                int **bond, rattle_error *error) {
  const rattle__function *g = problem->g;
  const rattle__distances *distances;
  rattle__arena arena = {0};
  int unlike;
  if (!g || rattle__distances_create(&distances, g, &arena, &unlike, NULL)) {
    rattle__arena_release(&arena);
    return RATTLE_OK;
  }
  *bond = malloc(2 * (size_t)g->rows * sizeof **bond);
  for (int r = 0; r < g->rows && *bond; r++) {
    const int at = g->jac_ptr[r];
    if (at == g->jac_ptr[r + 1] || distances->other[at] < 0) continue;
    (*bond)[2 * with->bonds] = g->jac_col[at];
    (*bond)[2 * with->bonds++ + 1] = distances->other[at];
  }
  rattle__arena_release(&arena);
  with->bond = *bond;
  return *bond ? RATTLE_OK : text_no_memory(error);
}

/* The parts of the model that a record's file lacks; a record of a program has no model. */
static rattle_status describe(cli_session *session, const cli_args *args,
                              const rattle_record_info *info, rattle_record_export *with,
                              int **bond, rattle_error *error) {
  if (!info->model_text || !info->model_text[0]) return RATTLE_OK;
  const rattle_status status = cli_remake(session, args, info, "export", error);
  if (status) return status;
  const rattle_model *model = session->model;
  for (int i = 0; i < rattle_model_pair_potentials(model); i++)
    rattle__pairs_box(model->force[i], with->box);
  return find_bonds(session->problem, with, bond, error);
}

static rattle_status read_units(const cli_args *args, char **length, rattle_record_export *with,
                                rattle_error *error) {
  const char *units = cli_text(args, "units");
  if (!units) return RATTLE_OK;
  *length = strdup(units);
  if (!*length) return text_no_memory(error);
  char *comma = strchr(*length, ',');
  if (!comma)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--units %s: expected two, as in nm,ps", units);
  *comma = 0;
  with->length = *length;
  with->time = comma + 1;
  return RATTLE_OK;
}

int cli_convert(const cli_args *args) {
  rattle_error error = {0};
  cli_session session = {0};
  rattle_record *record = NULL;
  char *units = NULL;
  int *bond = NULL;
  const char *path = cli_text(args, "output");
  rattle_record_export with = {.struct_size = sizeof with, .force = cli_flag(args, "force")};
  rattle_status status = cli_check_input(args->operand[0], &error);
  if (!status && !path)
    status = text_fail(&error, RATTLE_BAD_ARGUMENT,
                       "no output file: pass -o FILE.xyz, FILE.nc, FILE.h5md or FILE.csv");
  if (!status) status = read_units(args, &units, &with, &error);
  if (!status) status = rattle_record_open(&record, args->operand[0], &error);
  if (!status)
    status = describe(&session, args, rattle_record_info_of(record), &with, &bond, &error);
  if (!status) status = rattle_record_write(record, path, &with, &error);
  if (!status)
    cli_print(stdout, "wrote %lld sample%s to %s\n", rattle_record_info_of(record)->samples,
              rattle_record_info_of(record)->samples == 1 ? "" : "s", path);
  free(bond);
  free(units);
  cli_session_end(&session);
  rattle_record_close(&record);
  return status ? cli_end_badly(args, &error, 0) : CLI_DONE;
}
