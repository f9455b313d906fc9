/* Says that files are read by a child process. In a file of its own, so that a fuzzer, which
 * learns nothing of what happens in another process, can be linked with another answer. */
#include "record/hdf5/hdf5.h"

int rattle__forks(void) {
  return 1;
}
