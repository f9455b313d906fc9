/* Threads that help with bonds: each part of a work is done once, helpers that wait take no
 * processor, and in a child of the process the caller works alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "bonds/team.h"

enum { PARTS = 500, WORKS = 2000, HELPERS = 3 };

typedef struct parts {
  atomic_int next, done[PARTS], by[HELPERS + 1];
} parts;

static void take(void *work, int who) {
  parts *p = work;
  assert_in_range(who, 0, HELPERS);
  for (int k; (k = atomic_fetch_add(&p->next, 1)) < PARTS;) {
    atomic_fetch_add(&p->done[k], 1);
    atomic_fetch_add(&p->by[who], 1);
  }
}

/* A work by the team. */
static void work(rattle__team *team, parts *p) {
  atomic_store(&p->next, 0);
  rattle__team_run(team, take, p);
}

static void test_once(void **state) {
  (void)state;
  static parts p;
  for (int helpers = 0; helpers <= HELPERS; helpers++) {
    rattle__team *team = rattle__team_create(helpers);
    assert_int_equal(team != NULL, helpers > 0);
    for (int run = 1; run <= WORKS; run++) {
      work(team, &p);
      for (int k = 0; k < PARTS; k++) assert_int_equal(atomic_exchange(&p.done[k], 0), 1);
    }
    int all = 0;
    for (int who = 0; who <= HELPERS; who++) all += atomic_exchange(&p.by[who], 0);
    assert_int_equal(all, PARTS * WORKS);
    rattle__team_destroy(&team);
    assert_null(team);
  }
}

/* Processor time, which other work on the machine does not change. */
static void test_rest(void **state) {
  (void)state;
  static parts p;
  rattle__team *team = rattle__team_create(HELPERS);
  for (int run = 0; run < 100; run++) work(team, &p);
  const clock_t before = clock();
  usleep(200000);
  assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 0.02);
  rattle__team_destroy(&team);
}

static void test_child(void **state) {
  (void)state;
  static parts p;
  rattle__team *team = rattle__team_create(HELPERS);
  work(team, &p);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    for (int who = 0; who <= HELPERS; who++) atomic_store(&p.by[who], 0);
    work(team, &p);
    rattle__team_destroy(&team);
    _exit(p.by[0] == PARTS ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  rattle__team_destroy(&team);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_once), cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_child)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
