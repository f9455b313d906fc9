/* The model and the problem of a record again. */
#include <string.h>

#include "base/cli.h"

/* True if the run output points of the cotangent bundle: they are named so, and no other name can
 * be. */
static int had_cotangent(const rattle_record_info *info) {
  int had = 0;
  for (int i = 0; i < info->observables; i++)
    had |= !strncmp(info->observable_names[i], "cotangent:", 10);
  return had;
}

/* Fails if the method is of a plug-in that is not loaded. */
static rattle_status check_plugin(const rattle_record_info *info, const char *path,
                                  rattle_error *error) {
  rattle_method *method = NULL;
  if (!info->plugin[0]) return RATTLE_OK;
  const rattle_status status = rattle_method_parse(&method, info->method, error);
  rattle_method_destroy(&method);
  return status ? text_fail(error, status,
                            "the method %s of %s is from the plug-in %s: give its file by --plugin",
                            info->method, path, info->plugin)
                : status;
}

/* Points of the record must fit the room that the problem has. */
static rattle_status check_size(const rattle_problem *problem, const rattle_record_info *info,
                                const char *path, rattle_error *error) {
  const int n = rattle_problem_n(problem), m = rattle_problem_m(problem);
  if (n == info->n && m == info->m) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_RECORD,
                   "%s has n = %d and m = %d, its model n = %d and m = %d: the record is damaged, "
                   "or its model was exchanged",
                   path, info->n, info->m, n, m);
}

rattle_status cli_remake(cli_session *session, const cli_args *args, const rattle_record_info *info,
                         const char *verb, rattle_error *error) {
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = info->parameter,
                                        .parameter_count = info->parameters,
                                        .cotangent = had_cotangent(info),
                                        .old_names = 1};
  if (!info->model_text || !info->model_text[0])
    return text_fail(error, RATTLE_BAD_RECORD,
                     "%s contains no model text: it was written by a program, which must %s it "
                     "itself",
                     args->operand[0], verb);
  rattle_status status = check_plugin(info, args->operand[0], error);
  if (!status)
    status = cli_session_load(session, args, info->model_file, info->model_text, &options, error);
  return status ? status : check_size(session->problem, info, args->operand[0], error);
}
