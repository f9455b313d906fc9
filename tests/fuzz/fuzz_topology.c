/* Topologies of bonds: whatever the file says, in each of the formats, there are bonds that can be
 * analysed and written, or there is a sentence. */
#include <fcntl.h>

#include "fuzz.h"
#include "molecules/analysis.h"
#include "molecules/write.h"

/* The input by three names, and a topology of two atoms. */
enum { LAMMPS, GROMACS, POSITIONS, TWO, FILES };
static char folder[64], path[FILES][80];

static void end(void) {
  for (int k = 0; k < FILES; k++) unlink(path[k]);
  rmdir(folder);
}

static void write_all(const char *to, const uint8_t *data, size_t size) {
  const int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)size) || pwrite(fd, data, size, 0) != (ssize_t)size ||
      close(fd))
    abort();
}

static void begin(void) {
  static const char *const names[FILES] = {"a.data", "a.top", "a.gro", "two.top"};
  static const uint8_t two[] = "[atomtypes]\nH 1 0 A\n[moleculetype]\nM 1\n[atoms]\n1 H 1 M H 1\n2 "
                               "H 1 M H 1\n[constraints]\n1 2 1 .1\n[molecules]\nM 1\n";
  if (folder[0]) return;
  snprintf(folder, sizeof folder, "%s/fuzz-topology-XXXXXX", fuzz_folder());
  if (!mkdtemp(folder)) abort();
  for (int k = 0; k < FILES; k++) snprintf(path[k], sizeof path[k], "%s/%s", folder, names[k]);
  atexit(end);
  write_all(path[TWO], two, sizeof two - 1);
  write_all(path[LAMMPS], two, 0);
  for (int k = GROMACS; k < TWO; k++)
    if (link(path[LAMMPS], path[k])) abort();
}

/* For each program, to a file that forgets. */
static void write_out(const topology *t) {
  FILE *file = fopen("/dev/null", "w");
  for (int user = TOPOLOGY_RATTLE; file && user <= TOPOLOGY_LAMMPS; user++) {
    topology_out out;
    rattle_error error = {0};
    rattle_status status = topology_out_make(&out, t, (topology_user)user, &error);
    if (!status && user == TOPOLOGY_RATTLE) topology_write_plain(file, &out);
    if (!status && user == TOPOLOGY_GROMACS) status = topology_write_gromacs(file, &out, &error);
    if (!status && user == TOPOLOGY_GROMACS && out.place)
      status = topology_write_gro(file, &out, &error);
    if (!status && user == TOPOLOGY_LAMMPS && out.place) {
      status = topology_write_data(file, &out, &error);
      topology_write_commands(file, &out, "a.data");
    }
    if (status && !error.message[0]) abort();
    topology_out_free(&out);
  }
  if (file) fclose(file);
}

static void try(const char *from, const topology_options *options) {
  topology t;
  topology_analysis a = {0};
  rattle_error error = {0};
  rattle_status status = topology_load(&t, from, options, &error);
  if (!status && t.bond.count + t.angle.count < 60)
    status = topology_analyse(&a, &t, 1e-10, &error);
  if (!status) write_out(&t);
  if (status && !error.message[0]) abort();
  topology_analysis_free(&a);
  topology_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"FLEXIBLE", "STIFF=1", NULL}, *const folders[] = {folder,
                                                                                        NULL};
  begin();
  write_all(path[LAMMPS], data, size);
  for (int k = LAMMPS; k < POSITIONS; k++)
    try(path[k], &(topology_options){.most_atoms = 300,
                                     .repartition = 2,
                                     .hydrogens = size % 2,
                                     .defines = k == GROMACS && size % 4 > 1 ? names : NULL,
                                     .folders = k == GROMACS && size % 3 ? folders : NULL,
                                     .angles = k == LAMMPS && size % 3 == 0 ? "1" : NULL});
  try(path[TWO], &(topology_options){.most_atoms = 300, .positions = path[POSITIONS]});
  return 0;
}
