/* Files of sweeps, byte by byte: a file is opened and its rows are read, or it is refused. */
#include "files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  files_put(data, size);
  files_cases();
  return 0;
}
