/* The topology of a file, which may be a model: its particles, and its constraints, which are all
 * distances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/bonds.h"
#include "ground/pairs/pairs.h"
#include "problem/functions/distances.h"
#include "problem/functions/particles.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"

typedef struct model_topology {
  topology *t;
  const char *path;
  cli_session session;
  int *place, dimension, count; /* particles: problem/functions/particles.h */
  rattle_error *error;
} model_topology;

static rattle_status find_particles(model_topology *m) {
  const rattle_problem *problem = m->session.problem;
  const int n = rattle_problem_n(problem);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  m->place = malloc(((size_t)n + 1) * sizeof *m->place);
  rattle_status status = names && m->place ? RATTLE_OK : text_no_memory(m->error);
  for (int k = 0; k < n && !status; k++)
    names[k] = rattle_model_coordinate_name(m->session.model, k);
  if (!status)
    status =
        rattle__find_particles(names, n, problem->clock - 1, m->place, &m->dimension, m->error);
  free(names);
  m->count = n / m->dimension;
  if (!status && m->dimension < 2)
    status = text_fail(m->error, RATTLE_UNSUITABLE,
                       "%s: the coordinates are not all those of particles (x, y, z, or x[1], "
                       "y[1], ...), between which bonds could be",
                       m->path);
  return status;
}

static rattle_status take_atoms(model_topology *m) {
  topology *t = m->t;
  double *mass = NULL;
  const topology_reader r = {.path = m->path, .error = m->error};
  const topology_options none = {0};
  rattle_status status = rattle__particle_masses(&mass, m->session.problem, m->place, m->dimension,
                                                 m->count, m->error);
  if (!status && !mass)
    status = text_fail(m->error, RATTLE_UNSUITABLE,
                       "%s: its particles have no masses: H is no sum of p^2/(2 m) with one m for "
                       "each of them",
                       m->path);
  if (!status) status = topology_room(t, m->count, 1, &none, &r);
  for (int a = 0; a < m->count && !status; a++) t->mass[a + 1] = mass[a];
  for (int k = 0; k < rattle_problem_n(m->session.problem) && !status; k++) {
    const int particle = m->place[k] / m->dimension;
    if (particle < m->count)
      t->place[3 * (particle + 1) + m->place[k] % m->dimension] = m->session.q[k];
  }
  free(mass);
  if (!status && m->dimension == 2)
    status = topology_remark(t, NULL,
                             "the model is in the plane: atoms have z = 0, and nothing here keeps "
                             "them there");
  return status;
}

static rattle_status refuse(const model_topology *m, int row, const char *why) {
  return text_fail(m->error, RATTLE_UNSUITABLE, "%s: the constraint %.100s %s", m->path,
                   rattle_model_constraint_name(m->session.model, row), why);
}

/* The particles of row r; 0: it is no distance between two of them along all axes. */
static int ends_of(const model_topology *m, const rattle__function *g,
                   const rattle__distances *distances, int r, int atom[2]) {
  int axes = 0;
  for (int k = g->jac_ptr[r]; k < g->jac_ptr[r + 1]; k++) {
    const int a = g->jac_col[k], b = distances->other[k];
    if (b < 0 || m->place[a] % m->dimension != m->place[b] % m->dimension) return 0;
    const int i = m->place[a] / m->dimension + 1, j = m->place[b] / m->dimension + 1;
    if (!axes) atom[0] = i, atom[1] = j;
    if (i + j != atom[0] + atom[1] || (i != atom[0] && i != atom[1]) || i == j) return 0;
    axes++;
  }
  return axes == 2 * m->dimension;
}

static rattle_status take_bonds(model_topology *m, const rattle__function *g,
                                const rattle__distances *distances) {
  rattle_status status = RATTLE_OK;
  for (int r = 0; r < g->rows && !status; r++) {
    int atom[2];
    topology_entry entry = {sqrt(distances->square[r]), (double)INFINITY, 0};
    if (!ends_of(m, g, distances, r, atom))
      return refuse(m, r, "is no distance between two particles: only those are bonds");
    entry.source = topology_source_of(m->t, NULL, "constraints of the model", entry.value);
    status = entry.source < 0 ? text_no_memory(m->error)
                              : topology_add(&m->t->bond, atom, entry, m->error);
  }
  return status;
}

static rattle_status find_bonds(model_topology *m) {
  const rattle__function *g = m->session.problem->g;
  const rattle__distances *distances = NULL;
  rattle__arena arena = {0};
  int unlike = 0;
  if (!g || !g->rows)
    return text_fail(m->error, RATTLE_UNSUITABLE, "%s: the model has no constraints", m->path);
  rattle_status status = rattle__distances_create(&distances, g, &arena, &unlike, m->error);
  if (status == RATTLE_UNSUITABLE)
    status = refuse(m, unlike, "is no distance between two particles: only those are bonds");
  if (!status) status = take_bonds(m, g, distances);
  rattle__arena_release(&arena);
  return status;
}

/* Units of the model, and the box of its pair potentials. */
static void take_units(model_topology *m) {
  static const struct {
    const char *name;
    double angstrom;
  } lengths[] = {{"A", 1},        {"Angstrom", 1}, {"angstrom", 1},
                 {"\xC3\x85", 1}, {"nm", 10},      {"pm", 0.01}};
  const rattle_model *model = m->session.model;
  const char *key, *value, *length = "", *mass = "";
  const int entries = rattle_model_metadata(model, 0, &key, &value);
  for (int i = 0; i < entries; i++) {
    rattle_model_metadata(model, i, &key, &value);
    if (!strcmp(key, "unit of length")) length = value;
    if (!strcmp(key, "unit of mass")) mass = value;
  }
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths && !strcmp(mass, "u"); k++)
    if (!strcmp(length, lengths[k].name)) m->t->angstrom = lengths[k].angstrom, m->t->dalton = 1;
  double box[3] = {0};
  for (int i = 0; i < rattle_model_pair_potentials(model); i++)
    rattle__pairs_box(model->force[i], box);
  m->t->boxed = box[0] > 0 && box[1] > 0 && box[2] > 0;
  for (int d = 0; d < 3; d++) m->t->box.edge[d][d] = box[d];
}

static rattle_status read_model(topology *t, const cli_bonds *bonds, rattle_error *error) {
  model_topology m = {.t = t, .path = bonds->path, .dimension = 1, .error = error};
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = bonds->args->parameter,
                                        .parameter_count = bonds->args->parameters};
  t->format = "model", t->time = "", t->unit = 1;
  rattle_status status =
      cli_session_load(&m.session, bonds->args, bonds->path, NULL, &options, error);
  if (!status)
    status = rattle_problem_start(m.session.problem, rattle_model_wishes(m.session.model)->project,
                                  m.session.q, m.session.p, NULL, error);
  if (!status) status = find_particles(&m);
  if (!status) status = take_atoms(&m);
  if (!status) status = find_bonds(&m);
  if (!status) take_units(&m);
  free(m.place);
  cli_session_end(&m.session);
  return status;
}

rattle_status cli_bonds_load(topology *t, const cli_bonds *bonds, rattle_error *error) {
  const topology_options file = bonds->file;
  const size_t length = strlen(bonds->path);
  if (length < 4 || strcmp(bonds->path + length - 4, ".lua") != 0)
    return topology_load(t, bonds->path, &file, error);
  const topology_reader r = {.path = bonds->path, .error = error};
  *t = (topology){.bond.of = 2, .angle.of = 3, .spring.of = 2, .bend.of = 3};
  if (file.positions || file.angles || file.defines || file.folders)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s is a model: a second file, --angles, -D and -I belong to other topologies",
                     bonds->path);
  rattle_status status = read_model(t, bonds, error);
  if (!status && file.units && t->angstrom > 0)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s has units { } of its own: leave out --units",
                       bonds->path);
  if (!status && file.units) status = topology_units(t, &r, file.units);
  return status ? status : topology_finish(t, &r, &file);
}
