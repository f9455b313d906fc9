/* Records and studies, byte by byte: a file is read and continued, or refused. */
#include "files.h"
#include "rattle/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rattle_study *study;
  files_put(data, size);
  files_read();
  files_continue();
  if (!rattle_study_load(&study, files_path(), NULL)) rattle_study_destroy(&study);
  files_remove();
  return 0;
}
