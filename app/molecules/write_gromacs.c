/* A topology of GROMACS and its gro, in nm and u. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/write.h"

static int is_site(const topology_out *out, int atom) {
  return out->site && out->site[atom];
}

/* "H1": h-bonds of grompp finds hydrogens by the letter; gro has room for five. */
static void name_atom(char name[8], const topology_out *out, const topology_part *p, int atom) {
  const char letter = is_site(out, atom) ? 'M' : out->hydrogen[atom] ? 'H' : 'X';
  snprintf(name, 8, "%c%d", letter, (atom - p->first) % 9999 + 1);
}

static void print_bonds(FILE *file, const topology_out *out, const topology_part *p, int settle) {
  const double *own = out->length + p->bond;
  if (settle) {
    fprintf(file, "\n[ settles ]\n1 1");
    topology_put_numbers(file, 2, own + 1); /* O-H, H-H */
    fprintf(file, "\n\n[ exclusions ]\n");
    for (int a = 1; a <= p->atoms; a++) {
      fprintf(file, "%d", a);
      for (int b = 1; b <= p->atoms; b++)
        if (b != a) fprintf(file, " %d", b);
      fprintf(file, "\n");
    }
    return;
  }
  if (p->bonds) fprintf(file, "\n[ constraints ]\n");
  for (long long k = 0; k < p->bonds; k++) {
    const int *pair = out->pair + 2 * (p->bond + k);
    fprintf(file, "%d %d 1", pair[0] - p->first + 1, pair[1] - p->first + 1);
    topology_put_numbers(file, 1, own + k);
    fprintf(file, "\n");
  }
}

/* Degrees that are read as this angle, of few digits if such do. */
static double degrees_of(double radians) {
  const double unit = acos(-1) / 180, degrees = radians / unit, few = rint(degrees * 1e9) / 1e9;
  return few * unit == radians ? few : degrees;
}

/* Parents and numbers of a site: in [ virtual_sitesn ] weights one by one after their atoms. */
static void print_site(FILE *file, const topology_out *out, const topology_part *p, int atom) {
  const topology_site *s = out->site[atom];
  const int n = !s->kind->section, degrees = !strcmp(s->kind->name, "3fad");
  fprintf(file, "%d", atom - p->first + 1);
  if (n) fprintf(file, " %d", s->kind->function);
  for (int k = 0; k < s->parents; k++) {
    fprintf(file, " %d", topology_parent(out, atom, k) - p->first + 1);
    if (n && s->numbers) topology_put_numbers(file, 1, s->number + k);
  }
  if (!n) fprintf(file, " %d", s->kind->function);
  for (int k = 0; k < s->numbers && !n; k++) {
    const double number = degrees && !k ? degrees_of(s->number[k]) : s->number[k];
    topology_put_numbers(file, 1, &number);
  }
  fprintf(file, "\n");
}

/* Numbers are in nm as they were read: topologies of GROMACS alone have sites. */
static void print_sites(FILE *file, const topology_out *out, const topology_part *p) {
  for (int k = 1; k <= 5 && p->sites; k++) {
    const int section = k % 5; /* those of any number of parents last */
    int begun = 0;
    for (int a = p->first; a < p->first + p->atoms; a++) {
      if (!is_site(out, a) || out->site[a]->kind->section != section) continue;
      if (!begun++) fprintf(file, "\n[ virtual_sites%c ]\n", section ? (char)('0' + section) : 'n');
      print_site(file, out, p, a);
    }
  }
}

static void print_kind(FILE *file, const topology_out *out, const topology_part *p, int settle,
                       const double *types, long long count) {
  char name[8];
  fprintf(file, "\n[ moleculetype ]\nM%d 1\n\n[ atoms ]\n", p->kind + 1);
  for (int a = p->first; a < p->first + p->atoms; a++) {
    name_atom(name, out, p, a);
    fprintf(file, "%d T%lld 1 M%d %s %d 0", a - p->first + 1,
            topology_number_of(types, count, out->mass[a]), p->kind + 1, name, a - p->first + 1);
    topology_put_numbers(file, 1, out->mass + a);
    fprintf(file, "\n");
  }
  print_bonds(file, out, p, settle);
  print_sites(file, out, p);
}

/* SETTLE takes one block of molecules; others keep their lengths as constraints. */
static int one_settle(const topology_out *out) {
  int blocks = 0;
  for (int k = 0; k < out->parts; k++)
    blocks += out->part[k].settle && (!k || out->part[k].kind != out->part[k - 1].kind);
  return blocks == 1;
}

static void print_molecules(FILE *file, const topology_out *out) {
  fprintf(file, "\n[ system ]\nbonds\n\n[ molecules ]\n");
  for (int k = 0, next; k < out->parts; k = next) {
    for (next = k; next < out->parts && out->part[next].kind == out->part[k].kind;) next++;
    fprintf(file, "M%d %d\n", out->part[k].kind + 1, next - k);
  }
}

rattle_status topology_write_gromacs(FILE *file, const topology_out *out, rattle_error *error) {
  double *types;
  const long long count = topology_distinct(&types, out->mass, out->atoms);
  if (count < 0) return text_no_memory(error);
  const int settle = one_settle(out);
  fprintf(file,
          "; %lld bonds as constraints: charges and forces are not in this file\n\n[ defaults ]\n1 "
          "1 no\n\n[ atomtypes ]\n",
          out->bonds);
  for (long long k = 0; k < count; k++) {
    fprintf(file, "T%lld", k + 1);
    topology_put_numbers(file, 1, types + k);
    fprintf(file, " 0 %c 0 0\n", types[k] > 0 ? 'A' : 'V');
  }
  for (int k = 0; k < out->kinds; k++)
    print_kind(file, out, out->kind[k], settle && out->kind[k]->settle, types, count);
  print_molecules(file, out);
  free(types);
  return RATTLE_OK;
}

/* ---- positions ---- */

enum { DECIMALS = 15 }; /* and five characters more are the width of a number */

static rattle_status print_place(FILE *file, const topology_out *out, const topology_part *p,
                                 int atom, rattle_error *error) {
  const double *x = out->place + 3 * (size_t)atom;
  char name[8];
  name_atom(name, out, p, atom);
  fprintf(file, "%5dM%-4d%5s%5d", (int)(p - out->part + 1) % 100000, (p->kind + 1) % 10000, name,
          (atom + 1) % 100000);
  for (int d = 0; d < 3; d++) {
    if (!(fabs(x[d]) < 999))
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "atom %d is at %c = %g nm, and a gro has room for 999: wrap the positions "
                       "into the box",
                       out->given[atom], "xyz"[d], x[d]);
    fprintf(file, "%*.*f", DECIMALS + 5, DECIMALS, x[d]);
  }
  fprintf(file, "\n");
  return RATTLE_OK;
}

rattle_status topology_write_gro(FILE *file, const topology_out *out, rattle_error *error) {
  const double(*edge)[3] = out->edge,
        box[] = {edge[0][0], edge[1][1], edge[2][2], 0, 0, edge[1][0], 0, edge[2][0], edge[2][1]};
  const int triclinic = edge[1][0] != 0 || edge[2][0] != 0 || edge[2][1] != 0;
  rattle_status status = RATTLE_OK;
  fprintf(file, "bonds\n%d\n", out->atoms);
  for (int k = 0; k < out->parts; k++) {
    const topology_part *p = &out->part[k];
    for (int a = p->first; a < p->first + p->atoms && !status; a++)
      status = print_place(file, out, p, a, error);
  }
  topology_put_numbers(file, triclinic ? 9 : 3, box);
  fprintf(file, "\n");
  return status;
}
