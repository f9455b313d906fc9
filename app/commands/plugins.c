/* --plugin: shared objects with base maps and observers; --observe: observers of theirs by name. */
#include <string.h>

#include "base/cli.h"

rattle_status cli_load_plugins(const cli_args *args, rattle_error *error) {
  const char *path;
  rattle_status status = RATTLE_OK;
  for (int at = 0; !status && (path = cli_next(args, "plugin", &at));)
    status = rattle_plugin_load(path, NULL, error);
  return status;
}

/* NAME or NAME:ARGUMENT */
static rattle_status add_observer(cli_observers *observers, const rattle_problem *problem,
                                  const char *word, rattle_error *error) {
  char name[32];
  const size_t length = strcspn(word, ":");
  const char *argument = word[length] ? word + length + 1 : "";
  if (observers->count == CLI_MOST_OBSERVERS)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--observe %s: at most %d observers", word,
                     CLI_MOST_OBSERVERS);
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  const rattle_plugin_observer *found =
      strlen(name) == length ? rattle_plugin_find_observer(name) : NULL;
  if (!found)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--observe %s: no plug-in has this observer; give its file by --plugin", word);
  rattle_observer *own = &observers->observer[observers->count];
  *own = (rattle_observer){.struct_size = sizeof *own};
  *error = (rattle_error){.status = RATTLE_OK};
  const rattle_status status = found->create(own, problem, argument, error);
  if (!status) observers->from[observers->count++] = found;
  if (status && !error->message[0])
    return text_fail(error, status, "--observe %s: the observer could not be made", word);
  return status;
}

rattle_status cli_observers_create(cli_observers *observers, const cli_args *args,
                                   const rattle_problem *problem, rattle_error *error) {
  const char *word;
  rattle_status status = RATTLE_OK;
  observers->count = 0;
  for (int at = 0; !status && (word = cli_next(args, "observe", &at));)
    status = add_observer(observers, problem, word, error);
  return status;
}

void cli_observers_destroy(cli_observers *observers) {
  while (observers->count > 0) {
    const rattle_plugin_observer *from = observers->from[--observers->count];
    if (from->destroy) from->destroy(&observers->observer[observers->count]);
  }
}
