/* One experiment, or all of them.
 *
 *     papers              lists them
 *     papers NAME [DIR]   runs one; the data of its figures go to DIR/NAME/
 *     papers all [DIR] */
#include "paper.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int failed = 0, found = 0;
  for (const paper_experiment *const *e = paper_experiments; *e; e++) {
    if (argc < 2) printf("%-20s %s (%s)\n", (*e)->name, (*e)->title, (*e)->source);
    if (argc < 2 || (strcmp(argv[1], "all") != 0 && strcmp(argv[1], (*e)->name) != 0)) continue;
    found = 1;
    failed |= paper_perform(*e, argc > 2 ? argv[2] : NULL) != 0;
  }
  if (argc > 1 && !found)
    fprintf(stderr, "papers: there is no experiment %s; run without arguments to list all\n",
            argv[1]);
  return argc > 1 && !found ? 2 : failed;
}
