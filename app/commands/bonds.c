/* rattle bonds: what a topology is made of, and the times of its solvers. */
#include "commands/bonds.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"tolerance", 't', "TOL", "largest relative error of a length (default 1e-10)"},
    {"hydrogens", 0, NULL,
     "keep bonds with hydrogen alone (in topologies of GROMACS names that begin with H, else "
     "masses "
     "of 0.9 to 1.2), and constraints that are given as such"},
    {"define", 'D', "NAME",
     "define NAME, or NAME=TEXT, for #ifdef in a topology of GROMACS; may be repeated"},
    {"include", 'I', "FOLDER",
     "look there for included files of a topology of GROMACS; may be repeated"},
    {"angles", 0, "TYPES", "keep the angles of these types of a LAMMPS data file, such as 1,3"},
    {"units", 0, "STYLE",
     "units of a LAMMPS data file, or of rattle-bonds: real, metal, lj, si, cgs, electron, micro, "
     "nano; of rattle-bonds and models also gromacs (nm, u, ps)"},
    {"hmr", 0, "NUMBER",
     "compare with heavier hydrogens, whose mass is taken from the atoms that they are bonded to: "
     "openmm:MASS, gromacs:FACTOR, or FACTOR times their mass"},
    CLI_PARAM_OPTION,
    {"output", 'o', "FILE",
     "of export: NAME.top of GROMACS, with NAME.gro, NAME.data of LAMMPS, with NAME.in, or "
     "NAME.bonds"},
    CLI_FORCE_OPTION,
    CLI_JSON_OPTION,
    {NULL, 0, NULL, NULL}};

/* RULE:NUMBER, or the factor alone. */
static rattle_status read_rule(topology_options *file, const char *text, rattle_error *error) {
  if (!text) return RATTLE_OK;
  const char *colon = strchr(text, ':'), *number = colon ? colon + 1 : text;
  char *end;
  file->rule = colon ? NULL : "factor";
  for (int k = 0; colon && rattle_bonds_rule_of(k); k++) {
    const char *name = rattle_bonds_rule_of(k)->name;
    if (strlen(name) == (size_t)(colon - text) && strncmp(name, text, strlen(name)) == 0)
      file->rule = name;
  }
  file->repartition = strtod(number, &end);
  if (!file->rule || end == number || *end)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--hmr %s: give openmm:MASS, gromacs:FACTOR or FACTOR, such as 3", text);
  if (strcmp(file->rule, "openmm") != 0 && !(file->repartition >= 1 && file->repartition <= 20))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--hmr %s: expected a factor from 1 to 20", text);
  return RATTLE_OK;
}

static rattle_status read_options(cli_bonds *bonds, const cli_args *args, rattle_error *error) {
  rattle_status status = cli_real(args, "tolerance", &bonds->tolerance, error);
  if (!status && !(bonds->tolerance >= 1e-15 && bonds->tolerance < 0.1))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--tolerance %g: expected 1e-15 to 0.1",
                       bonds->tolerance);
  bonds->file = (topology_options){.positions = args->operands > 2 ? args->operand[2] : NULL,
                                   .angles = cli_text(args, "angles"),
                                   .units = cli_text(args, "units"),
                                   .hydrogens = cli_flag(args, "hydrogens")};
  if (!status) status = read_rule(&bonds->file, cli_text(args, "hmr"), error);
  return status;
}

/* The values of an option that may be repeated, NULL-ended; *status: no memory. NULL: none. */
static const char **values_of(const cli_args *args, const char *option, rattle_status *status) {
  int at = 0, count = 0;
  if (!cli_text(args, option)) return NULL;
  const char **values = calloc((size_t)args->givens + 1, sizeof *values);
  if (!values) *status = RATTLE_NO_MEMORY;
  for (const char *value; values && (value = cli_next(args, option, &at));) values[count++] = value;
  return values;
}

static int bonds_command(const cli_args *args) {
  rattle_error error = {0};
  cli_bonds bonds = {.path = args->operand[1],
                     .tolerance = 1e-10,
                     .json = cli_flag(args, "json"),
                     .force = cli_flag(args, "force"),
                     .output = cli_text(args, "output"),
                     .args = args};
  static const struct {
    const char *name;
    rattle_status (*run)(const cli_bonds *, rattle_error *);
  } verbs[] = {
      {"check", cli_bonds_check}, {"bench", cli_bonds_bench}, {"export", cli_bonds_export}};
  int verb = 0;
  while (verb < 3 && strcmp(args->operand[0], verbs[verb].name) != 0) verb++;
  rattle_status status = read_options(&bonds, args, &error);
  const char **defines = values_of(args, "define", &status),
             **folders = values_of(args, "include", &status);
  bonds.file.defines = defines, bonds.file.folders = folders;
  if (!status && verb == 3)
    status = text_fail(&error, RATTLE_BAD_ARGUMENT,
                       "rattle bonds check, rattle bonds bench or rattle bonds export, not %s",
                       args->operand[0]);
  if (!status && strcmp(args->operand[0], "export") != 0 && (bonds.output || bonds.force))
    status = text_fail(&error, RATTLE_BAD_ARGUMENT, "-o and --force belong to rattle bonds export");
  if (!status) status = cli_check_input(bonds.path, &error);
  if (!status && bonds.file.positions) status = cli_check_input(bonds.file.positions, &error);
  if (!status) status = verbs[verb].run(&bonds, &error);
  free(defines), free(folders);
  return status ? cli_end_badly(args, &error, bonds.json) : CLI_DONE;
}

const cli_command cli_bonds_command = {
    "bonds",
    "check|bench|export TOPOLOGY [POSITIONS.gro]",
    "Analyses the bonds of a topology, measures all solvers on it, or writes it for others.",
    2,
    3,
    "TOPOLOGY is a file in the format rattle-bonds (`rattle help bonds`), a data file of LAMMPS, "
    "a topology of GROMACS "
    "(NAME.top), or a model (NAME.lua) of particles whose constraints are all distances.\n"
    "check prints kinds of clusters, bonds that repeat others, how hard the equations are for "
    "SHAKE and LINCS, and the largest "
    "stable step.\n"
    "bench prints nanoseconds a bond of both stages and the errors that are left, for each solver "
    "that can do the bonds.\n"
    "export writes what is kept as constraints of GROMACS, or for fix rattle/any of LAMMPS.\n",
    options,
    bonds_command};
