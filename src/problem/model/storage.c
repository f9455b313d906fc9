/* Memory of a model. */
#include <stdlib.h>
#include <string.h>

#include "problem/model/model.h"

char *rattle__model_keep(rattle_model *model, const char *text) {
  return rattle__pool_copy(&model->pool, text, strlen(text));
}

void *rattle__room(void *array, int count, int *size, size_t element) {
  if (count < *size) return array;
  size_t larger = *size ? 2 * (size_t)*size : 8;
  if (larger > INT32_MAX / 4) return NULL;
  void *grown = realloc(array, larger * element);
  if (grown) *size = (int)larger;
  return grown;
}

int rattle__model_find_velocity_row(const rattle_model *model, const char *name) {
  int i = model->velocity_rows - 1;
  while (i >= 0 && strcmp(model->velocity_row[i].is.name, name) != 0) i--;
  return i;
}
