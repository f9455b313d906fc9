/* rattle study modes --steady NAME=SPEED: a steady motion, along the flows of quantities. */
#include <stdlib.h>
#include <string.h>

#include "commands/study.h"

static rattle_status read_one(cli_steady *steady, const cli_along *along, const char *word,
                              rattle_error *error) {
  const char *sign = strrchr(word, '=');
  rattle_parameter *one = &steady->quantity[steady->quantities];
  one->name = strndup(word, sign ? (size_t)(sign - word) : strlen(word));
  if (!one->name) return text_no_memory(error);
  steady->quantities++;
  const int begins = along->name && along->ends && !strcmp(one->name, along->name);
  if (begins && sign)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--steady %s and --along both give the speed where the family begins: write "
                     "--steady %s",
                     word, one->name);
  if (begins) one->value = along->parameter[along->parameters - 1].value;
  return begins || (sign && sign > word && cli_is_number(sign + 1, &one->value))
             ? RATTLE_OK
             : text_fail(error, RATTLE_BAD_ARGUMENT,
                         "--steady %s: expected NAME=SPEED, a quantity that the model observes and "
                         "the speed along its flow, as in --steady Lz=2",
                         word);
}

int cli_steady_has(const cli_steady *steady, const char *name) {
  for (int i = 0; i < steady->quantities && name; i++)
    if (!strcmp(steady->quantity[i].name, name)) return 1;
  return 0;
}

rattle_status cli_steady_read(cli_steady *steady, cli_along *along, const cli_args *args,
                              rattle_error *error) {
  int at = 0, count = 0;
  rattle_status status = RATTLE_OK;
  while (cli_next(args, "steady", &at)) count++;
  if (!count) return RATTLE_OK;
  steady->quantity = calloc((size_t)count, sizeof *steady->quantity);
  if (!steady->quantity) return text_no_memory(error);
  at = 0;
  for (int i = 0; i < count && !status; i++)
    status = read_one(steady, along, cli_next(args, "steady", &at), error);
  /* the speed where it begins is no parameter of the model */
  if (!status && along->ends && cli_steady_has(steady, along->name)) along->parameters--;
  return status;
}

void cli_steady_drop(cli_steady *steady) {
  for (int i = 0; i < steady->quantities; i++) free((char *)steady->quantity[i].name);
  free(steady->quantity);
}
