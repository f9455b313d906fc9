/* The lines of plans, "name value", as files of cases have them. */
#include <stdlib.h>
#include <string.h>

#include "many/sweep/sweep.h"

char *sweep_next_word(const char **at, const char *name) {
  const size_t length = strlen(name);
  while (**at) {
    const char *line = *at;
    const size_t all = strcspn(line, "\n");
    *at = line + all + (line[all] != 0);
    if (all > length && !strncmp(line, name, length) && line[length] == ' ')
      return strndup(line + length + 1, all - length - 1);
  }
  return NULL;
}

char *sweep_plan_word(const char *text, const char *name) {
  char *last = NULL, *word;
  while ((word = sweep_next_word(&text, name))) free(last), last = word;
  return last;
}

int sweep_plan_parameters(char *text, rattle_parameter parameter[SWEEP_PARAMETERS]) {
  char *rest = NULL;
  int count = 0;
  for (char *line = strtok_r(text, "\n", &rest); line && count < SWEEP_PARAMETERS;
       line = strtok_r(NULL, "\n", &rest)) {
    char *equals = strncmp(line, "param ", 6) ? NULL : strchr(line, '=');
    if (!equals) continue;
    *equals = 0;
    parameter[count++] = (rattle_parameter){line + 6, strtod(equals + 1, NULL)};
  }
  return count;
}
