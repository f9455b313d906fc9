/* What commands say in JSON of statuses, claims and counts. */
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

void cli_json_claims(json_writer *json, const rattle_claims *claims) {
  json_open(json, "claims", '{');
  json_integer(json, "order", claims->order);
  json_bool(json, "symmetric", claims->symmetric);
  json_bool(json, "symplectic", claims->symplectic);
  json_bool(json, "explicit", claims->explicit_);
  json_bool(json, "keeps_g", claims->keeps_g);
  json_bool(json, "keeps_psi", claims->keeps_psi);
  json_bool(json, "pure", claims->pure);
  json_integer(json, "stages", claims->stages);
  json_bool(json, "keeps_energy", claims->keeps_energy);
  json_close(json, '}');
}

void cli_json_counts(json_writer *json, const rattle_counts *counts) {
  json_open(json, "counts", '{');
#define COUNT(name, text) json_integer(json, #name, counts->name);
#include "rattle/counts.def"
#undef COUNT
  json_close(json, '}');
}
