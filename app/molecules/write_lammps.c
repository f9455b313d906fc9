/* A data file of LAMMPS, and commands that read it and keep its bonds by fix rattle/any. */
#include <math.h>
#include <stdlib.h>

#include "molecules/write.h"

/* Without periods the box holds all atoms with `around` at their sides, so that nearest images are
 * the atoms themselves. */
static void print_box(FILE *file, const topology_out *out, double around) {
  const double(*edge)[3] = out->edge, tilt[] = {edge[1][0], edge[2][0], edge[2][1]};
  for (int d = 0; d < 3; d++) {
    double side[2] = {0, edge[d][d]};
    for (int a = 0; a < out->atoms && !out->boxed; a++) {
      const double x = out->place[3 * (size_t)a + (size_t)d];
      side[0] = a ? fmin(side[0], x) : x, side[1] = a ? fmax(side[1], x) : x;
    }
    if (!out->boxed) side[0] -= around, side[1] += around;
    topology_put_numbers(file, 2, side);
    fprintf(file, " %clo %chi\n", "xyz"[d], "xyz"[d]);
  }
  if (!(tilt[0] != 0 || tilt[1] != 0 || tilt[2] != 0)) return;
  topology_put_numbers(file, 3, tilt);
  fprintf(file, " xy xz yz\n");
}

/* A type for each mass, and for each length. */
static void print_types(FILE *file, const char *title, const double *value, long long count) {
  fprintf(file, "\n%s\n\n", title);
  for (long long k = 0; k < count; k++) {
    fprintf(file, "%lld", k + 1);
    topology_put_numbers(file, 1, value + k);
    fprintf(file, "\n");
  }
}

static void print_data(FILE *file, const topology_out *out, const double *mass, long long masses,
                       const double *length, long long lengths) {
  fprintf(file, "bonds; units = %s\n\n%d atoms\n%lld bonds\n%lld atom types\n%lld bond types\n\n",
          out->style, out->atoms, out->bonds, masses, lengths);
  print_box(file, out, 2 * length[lengths - 1]);
  print_types(file, "Masses", mass, masses);
  print_types(file, "Bond Coeffs # zero", length, lengths);
  fprintf(file, "\nAtoms # bond\n\n");
  for (int k = 0; k < out->parts; k++)
    for (int a = out->part[k].first; a < out->part[k].first + out->part[k].atoms; a++) {
      fprintf(file, "%d %d %lld", a + 1, k + 1, topology_number_of(mass, masses, out->mass[a]));
      topology_put_numbers(file, 3, out->place + 3 * (size_t)a);
      fprintf(file, "\n");
    }
  fprintf(file, "\nBonds\n\n");
  for (long long k = 0; k < out->bonds; k++)
    fprintf(file, "%lld %lld %d %d\n", k + 1, topology_number_of(length, lengths, out->length[k]),
            out->pair[2 * k] + 1, out->pair[2 * k + 1] + 1);
}

rattle_status topology_write_data(FILE *file, const topology_out *out, rattle_error *error) {
  double *mass, *length;
  const long long masses = topology_distinct(&mass, out->mass, out->atoms),
                  lengths = topology_distinct(&length, out->length, out->bonds);
  const int made = masses >= 0 && lengths >= 0;
  if (made) print_data(file, out, mass, masses, length, lengths);
  free(mass), free(length);
  return made ? RATTLE_OK : text_no_memory(error);
}

void topology_write_commands(FILE *file, const topology_out *out, const char *name) {
  double longest = 0;
  for (long long k = 0; k < out->bonds; k++) longest = fmax(longest, out->length[k]);
  fprintf(file,
          "# %lld bonds kept by fix rattle/any, without forces: lmp -in FILE -var RATTLE FOLDER, "
          "where rattle-any.in is\n"
          "units %s\natom_style bond\nboundary %s\ninclude ${RATTLE}/rattle-any.in\n"
          "bond_style zero\nread_data %s\npair_style zero %g\npair_coeff * *\n"
          "fix move all nve\nfix bonds all rattle/any 1e-10 100 0 b *\n",
          out->bonds, out->style, out->boxed ? "p p p" : "m m m", name, 2 * longest);
}
