/* Time and memory of opening the chain of chain.lua, N = 10^4, 10^5 (10^6 with --big): user and
 * system time of the process, and by how much its memory at its highest grows. Each opening has a
 * process of its own; the least of them counts. */
#include "opening.h"

static const char *const stage_name[STAGES] = {"model", "problem", "start", "integrator"};

static void measure(int N, int repeats) {
  load least[STAGES];
  for (int repeat = 0; repeat < repeats; repeat++) {
    load at[STAGES];
    opening(N, at);
    for (int s = 0; s < STAGES; s++) {
      least[s].user = repeat ? fmin(least[s].user, at[s].user) : at[s].user;
      least[s].system = repeat ? fmin(least[s].system, at[s].system) : at[s].system;
      least[s].bytes = repeat ? fmin(least[s].bytes, at[s].bytes) : at[s].bytes;
    }
  }
  for (int s = 0; s < STAGES; s++) {
    printf("load\tto the %s, user\t%d\t%.3f\ts\t\n", stage_name[s], N, least[s].user);
    printf("load\tto the %s, system\t%d\t%.3f\ts\t\n", stage_name[s], N, least[s].system);
    printf("load\tto the %s, highest memory\t%d\t%.0f\tbytes/link\t\n", stage_name[s], N,
           least[s].bytes / N);
  }
}

int main(int count, char **arguments) {
  const int largest = count > 1 && !strcmp(arguments[1], "--big") ? 1000000 : 100000;
  for (int N = 10000; N <= largest; N *= 10) measure(N, N > 100000 ? 1 : 3);
  return 0;
}
