/* Status codes and their texts, versions, flags: public functions on nothing else, which
 * librattle_bonds and librattle both have, so that a program that links one of them finds them
 * there. */
#include "ground/support/flag.h"
#include "rattle/status.h"

static const struct {
  const char *name, *text, *remedy;
  int exit_status;
} table[] = {
#define STATUS(name, exit_status, text, remedy) {#name, text, remedy, exit_status},
#include "rattle/status.def"
#undef STATUS
};

static unsigned known(rattle_status status) {
  return (unsigned)status < RATTLE_STATUS_COUNT ? (unsigned)status : RATTLE_BAD_ARGUMENT;
}

const char *rattle_status_name(rattle_status status) {
  return table[known(status)].name;
}

const char *rattle_status_text(rattle_status status) {
  return table[known(status)].text;
}

const char *rattle_status_remedy(rattle_status status) {
  return table[known(status)].remedy;
}

int rattle_status_exit(rattle_status status) {
  return table[known(status)].exit_status;
}

const char *rattle_version(void) {
  return RATTLE_VERSION;
}

int rattle_abi(void) {
  return RATTLE_ABI;
}

void rattle_interrupt(volatile int *interrupt) {
  rattle__flag_set(interrupt);
}
