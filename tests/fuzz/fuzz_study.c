/* Studies, byte by byte: a file is loaded, or refused. */
#include "files.h"
#include "rattle/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rattle_study *study;
  rattle_error error = {0};
  files_put(data, size);
  if (!rattle_study_load(&study, files_path(), &error))
    rattle_study_destroy(&study);
  else if (!error.message[0])
    abort();
  return 0;
}
