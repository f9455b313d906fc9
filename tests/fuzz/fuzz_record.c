/* Records, byte by byte: a file is read, or refused. */
#include "files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  files_put(data, size);
  files_read();
  return 0;
}
