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
