/* How a command ended, in JSON. */
#include <math.h>

#include "base/cli.h"

void cli_json_status(json_writer *json, rattle_status status, const rattle_error *error) {
  json_open(json, "status", '{');
  json_integer(json, "code", status);
  json_text(json, "name", rattle_status_name(status));
  json_text(json, "message", status ? error->message : "");
  if (status && error->step >= 0)
    json_integer(json, "step", error->step);
  else
    json_text(json, "step", NULL);
  json_real(json, "time", status ? error->time : (double)NAN);
  json_close(json, '}');
}

void cli_json_not_proved(json_writer *json, const rattle_problem *problem,
                         const rattle_certificate *of, double time) {
  json_open(json, "not_proved", '{');
  if (of->step) {
    json_integer(json, "step", of->step);
    json_integer(json, "substep", of->substep);
    json_real(json, "time", time);
    json_bool(json, "wrong", of->is_wrong);
    json_real(json, "reached", of->reached);
    if (of->row >= 0) {
      json_text(json, "row", rattle_problem_constraint_name(problem, of->row));
      json_real(json, "margin", of->margin);
      json_real(json, "singular_value", of->singular_value);
    }
  }
  json_close(json, '}');
}
