/* Records and studies: a file is read, continued and recovered, or refused. HDF5 leaks where its metadata are damaged. */
#include "fuzz.h"
#include "rattle/record.h"
#include "rattle/study.h"

__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

enum { MOST = 64 };

static void put_file(const char *path, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file)) abort();
}

static void read_some(const rattle_record *record) {
  const rattle_record_info *info = rattle_record_info_of(record);
  double time[MOST], energy[MOST];
  rattle_error error;
  const long long count = info->samples < MOST ? info->samples : MOST;
  (void)rattle_record_read(record, info->samples - count, count, time, energy, NULL, NULL, NULL, NULL, &error);
  for (int k = 0; k < info->n && k < 3; k++)
    (void)rattle_record_read_column(record, (rattle_column){RATTLE_COORDINATE, k}, 0, count, time, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64], damaged[80];
  rattle_record *record;
  rattle_study *study;
  rattle_error error = {0};
  long long samples;
  snprintf(path, sizeof path, "/tmp/rattle-fuzz-%d.h5", (int)getpid());
  snprintf(damaged, sizeof damaged, "%s.damaged", path);
  put_file(path, data, size);
  if (!rattle_record_open(&record, path, &error)) read_some(record);
  rattle_record_close(&record);
  if (!rattle_study_load(&study, path, &error)) rattle_study_destroy(&study);
  (void)rattle_record_append(&record, path, &error);
  rattle_record_close(&record);
  put_file(path, data, size);
  if (!rattle_record_recover(path, &samples, &error) && rattle_record_open(&record, path, &error)) abort();
  rattle_record_close(&record);
  unlink(path), unlink(damaged);
  return 0;
}
