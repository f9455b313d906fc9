/* Records, byte by byte: what is recovered can be read. */
#include "files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  files_put(data, size);
  files_recover();
  files_remove();
  return 0;
}
