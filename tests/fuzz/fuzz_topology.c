/* Topologies of bonds: whatever the file says, in each of the formats, there are bonds that can be
 * analysed, or there is a sentence. */
#include "fuzz.h"
#include "molecules/analysis.h"

static char folder[] = "/tmp/fuzz-topology-XXXXXX", path[3][64];

static void end(void) {
  for (int k = 0; k < 3; k++) unlink(path[k]);
  rmdir(folder);
}

static void begin(void) {
  static const char *const names[] = {"a.data", "a.top", "a.gro"};
  if (path[0][0]) return;
  if (!mkdtemp(folder)) abort();
  for (int k = 0; k < 3; k++) snprintf(path[k], sizeof path[k], "%s/%s", folder, names[k]);
  atexit(end);
}

static void write_all(const char *to, const uint8_t *data, size_t size) {
  FILE *file = fopen(to, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file)) abort();
}

static void try(const char *from, const topology_options *options) {
  topology t;
  topology_analysis a = {0};
  rattle_error error = {0};
  rattle_status status = topology_load(&t, from, options, &error);
  if (!status && t.bond.count + t.angle.count < 60)
    status = topology_analyse(&a, &t, 1e-10, &error);
  if (status && !error.message[0]) abort();
  topology_analysis_free(&a);
  topology_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint8_t two[] = "[atomtypes]\nH 1 0 A\n[moleculetype]\nM 1\n[atoms]\n1 H 1 M H 1\n2 "
                               "H 1 M H 1\n[constraints]\n1 2 1 .1\n[molecules]\nM 1\n";
  topology_options options = {.most_atoms = 300, .repartition = 2};
  begin();
  for (int k = 0; k < 2; k++) {
    write_all(path[k], data, size);
    options.hydrogens = k == 0 && size % 2, options.angles = k == 0 && size % 3 == 0 ? "1" : NULL;
    try(path[k], &options);
  }
  write_all(path[1], two, sizeof two - 1);
  write_all(path[2], data, size);
  options = (topology_options){.most_atoms = 300, .positions = path[2]};
  try(path[1], &options);
  return 0;
}
