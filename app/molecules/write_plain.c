/* The format of rattle bonds itself. */
#include "molecules/write.h"

void topology_write_plain(FILE *file, const topology_out *out) {
  const double(*edge)[3] = out->edge,
        box[] = {edge[0][0], edge[1][1], edge[2][2], edge[1][0], edge[2][0], edge[2][1]};
  fprintf(file, "rattle-bonds 1\n");
  for (int a = 0; a < out->atoms; a++) {
    fprintf(file, "atom");
    topology_put_numbers(file, 1, out->mass + a);
    if (out->place) topology_put_numbers(file, 3, out->place + 3 * (size_t)a);
    fprintf(file, "\n");
  }
  for (long long k = 0; k < out->bonds; k++) {
    fprintf(file, "bond %d %d", out->pair[2 * k] + 1, out->pair[2 * k + 1] + 1);
    topology_put_numbers(file, 1, out->length + k);
    fprintf(file, "\n");
  }
  if (!out->boxed) return;
  fprintf(file, "box");
  topology_put_numbers(file, 6, box);
  fprintf(file, "\n");
}
