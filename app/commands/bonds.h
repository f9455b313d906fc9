#ifndef CLI_BONDS_H
#define CLI_BONDS_H
/* `rattle bonds check`, `rattle bonds bench` and `rattle bonds export`. */
#include "base/cli.h"
#include "molecules/analysis.h"

/* The options. */
typedef struct cli_bonds {
  const char *path;
  topology_options file;
  double tolerance;
  int json, force;
  const char *output; /* NULL: none */
  const cli_args *args;
} cli_bonds;

/* bonds_model.c: the topology, or that of a model at its start. topology_free all the same after a
 * failure. */
rattle_status cli_bonds_load(topology *t, const cli_bonds *bonds, rattle_error *error);
rattle_status cli_bonds_check(const cli_bonds *bonds, rattle_error *error);
/* bonds_origin.c: where lengths come from, and what of the file is not used; json NULL: as text. */
rattle_status cli_bonds_origin(const topology *t, json_writer *json, rattle_error *error);
rattle_status cli_bonds_bench(const cli_bonds *bonds, rattle_error *error);
rattle_status cli_bonds_export(const cli_bonds *bonds, rattle_error *error);
#endif
