/* Structs of callers that may know fewer members, or more. */
#include "ground/support/sized.h"

#include <string.h>

#include "ground/support/error.h"

enum { MOST = 4096 }; /* bytes: no struct grows so large */

rattle_status rattle__size_check(size_t struct_size, size_t first, size_t size, const char *type,
                                 size_t *known, rattle_error *error) {
  if (struct_size && (struct_size < first || struct_size > MOST))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, type,
                        "struct_size of a %s is %zu: set it to sizeof(%s), or all of the struct to "
                        "0 before it is filled",
                        type, struct_size, type);
  *known = !struct_size ? first : struct_size < size ? struct_size : size;
  return RATTLE_OK;
}

rattle_status rattle__size_take(void *own, size_t size, size_t first, const void *given,
                                const char *type, rattle_error *error) {
  size_t known = 0;
  memset(own, 0, size);
  if (!given) return RATTLE_OK;
  const rattle_status status =
      rattle__size_check(*(const size_t *)given, first, size, type, &known, error);
  if (!status) memcpy(own, given, known);
  return status;
}

rattle_status rattle__size_take_element(void *own, size_t size, size_t first, const void *array,
                                        int i, const char *type, rattle_error *error) {
  const size_t apart = *(const size_t *)array;
  const void *element = (const char *)array + (size_t)i * (apart ? apart : first);
  rattle_status status =
      rattle__size_take(own, size, first, array, type, error); /* whether the step can be one */
  if (!status) status = rattle__size_take(own, size, first, element, type, error);
  if (!status && *(const size_t *)element != apart)
    status = rattle__fail(error, RATTLE_BAD_ARGUMENT, type,
                          "element %d of an array of %s has the struct_size %zu, and the first one "
                          "%zu: set it to sizeof(%s) in all",
                          i, type, *(const size_t *)element, apart, type);
  return status;
}
