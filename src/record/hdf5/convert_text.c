/* Records as text: extended XYZ (G. Csanyi, in ASE and OVITO), and CSV with units in its head. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/csv.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "record/hdf5/convert.h"

/* As few digits as it takes; whole numbers without an exponent. */
static void put(FILE *file, double x) {
  char text[RATTLE__NUMBER_ROOM];
  if (fabs(x) < 1e15 && x == nearbyint(x) && (x != 0 || !signbit(x)))
    fprintf(file, "%.0f", x);
  else
    fputs(rattle__number_shortest(x, text), file);
}

/* ---- extended XYZ ---- */

static void put_lattice(FILE *file, const double box[3]) {
  int periodic = 0;
  for (int i = 0; i < 3; i++) periodic += box[i] > 0;
  if (periodic == 3) {
    fputs("Lattice=\"", file);
    for (int i = 0; i < 9; i++) {
      if (i) fputc(' ', file);
      put(file, i % 4 ? 0 : box[i / 4]);
    }
    fputs("\" ", file);
  }
  fprintf(file, "pbc=\"%s\" ", periodic == 3 ? "T T T" : "F F F");
}

static void put_frame(FILE *file, const rattle__frames *f, long long i) {
  const double *x = f->position + 3 * (long long)f->count * i,
               *v = f->velocity ? f->velocity + 3 * (long long)f->count * i : NULL;
  fprintf(file, "%d\n", f->count);
  put_lattice(file, f->box);
  fprintf(file, "Properties=species:S:1:pos:R:3%s%s Time=", v ? ":vel:R:3" : "",
          f->mass ? ":masses:R:1" : "");
  put(file, f->times[i]);
  if (f->known) fputs(" units=\"Angstrom ps\"", file);
  fputc('\n', file);
  for (int a = 0; a < f->count; a++) {
    fputc('X', file);
    for (int axis = 0; axis < 3; axis++) {
      fputc(' ', file);
      put(file, x[3 * a + axis]);
    }
    for (int axis = 0; v && axis < 3; axis++) {
      fputc(' ', file);
      put(file, v[3 * a + axis]);
    }
    if (f->mass) {
      fputc(' ', file);
      put(file, f->mass[a]);
    }
    fputc('\n', file);
  }
}

rattle_status rattle__write_xyz(FILE *file, rattle__frames *f, rattle_error *error) {
  for (long long done = 0; done < f->samples && !ferror(file); done += RATTLE__FRAME_BLOCK) {
    const long long left = f->samples - done,
                    part = left < RATTLE__FRAME_BLOCK ? left : RATTLE__FRAME_BLOCK;
    const rattle_status status = rattle__frames_read(f, done, part, error);
    if (status) return status;
    for (long long i = 0; i < part; i++) put_frame(file, f, i);
  }
  return RATTLE_OK;
}

/* ---- CSV ---- */

struct column {
  rattle_column column;
  const char *name, *of, *unit; /* of: lambda[OF] */
};

static int columns_of(const rattle_record_info *info, struct column *c) {
  int count = 0;
#define PUT(...) c[count++] = (struct column){__VA_ARGS__}
  PUT({RATTLE_STEP_NUMBER, 0}, "step", NULL, "");
  PUT({RATTLE_TIME, 0}, "time", NULL, info->unit_time);
  for (int i = 0; i < info->n; i++)
    PUT({RATTLE_COORDINATE, i}, info->coordinate_names[i], NULL, info->unit_position);
  for (int i = 0; i < info->n; i++)
    PUT({RATTLE_MOMENTUM, i}, info->momentum_names[i], NULL, info->unit_momentum);
  PUT({RATTLE_ENERGY, 0}, info->has_work ? "balance" : "energy", NULL, info->unit_energy);
  if (info->has_work) {
    PUT({RATTLE_HAMILTONIAN, 0}, "H", NULL, info->unit_energy);
    PUT({RATTLE_WORK, 0}, "work", NULL, info->unit_energy);
  }
  if (info->m > 0) {
    PUT({RATTLE_CONSTRAINT, 0}, "g", NULL, "");
    PUT({RATTLE_HIDDEN, 0}, "psi", NULL, "");
  }
  for (int i = 0; i < info->m; i++)
    PUT({RATTLE_MULTIPLIER, i}, "lambda", info->constraint_names[i], "");
  for (int i = 0; i < info->observables; i++)
    PUT({RATTLE_OBSERVABLE, i}, info->observable_names[i], NULL, "");
#undef PUT
  return count;
}

static rattle_status put_head(FILE *file, const struct column *column, int count,
                              rattle_error *error) {
  for (int i = 0; i < count; i++) {
    const struct column *c = &column[i];
    const char *name = c->of ? c->of : c->name;
    const size_t size = 2 * strlen(name) + strlen(c->unit) + 32;
    char *field = malloc(size), after[RATTLE__UNIT + 8];
    if (!field) return rattle__no_memory(error);
    snprintf(after, sizeof after, "%s%s%s%s", c->of ? "]" : "", *c->unit ? " (" : "", c->unit,
             *c->unit ? ")" : "");
    if (i) fputc(',', file);
    fwrite(field, 1, rattle__csv_name(field, c->of ? "lambda[" : "", name, after), file);
    free(field);
  }
  fputc('\n', file);
  return RATTLE_OK;
}

static rattle_status put_rows(FILE *file, const rattle_record *record, const struct column *column,
                              int count, rattle_error *error) {
  const long long samples = record->info.samples,
                  block = 1 + (1 << 20) / count < samples ? 1 + (1 << 20) / count : samples;
  double *value = malloc(((size_t)block * (size_t)count + 1) * sizeof *value);
  rattle_status status = value ? RATTLE_OK : rattle__no_memory(error);
  for (long long done = 0; done < samples && !status && !ferror(file); done += block) {
    const long long part = samples - done < block ? samples - done : block;
    for (int i = 0; i < count && !status; i++)
      status =
          rattle_record_read_column(record, column[i].column, done, part, value + i * block, error);
    for (long long k = 0; k < part && !status; k++)
      for (int i = 0; i < count; i++) {
        put(file, value[i * block + k]);
        fputc(i + 1 < count ? ',' : '\n', file);
      }
  }
  free(value);
  return status;
}

rattle_status rattle__write_csv(FILE *file, const rattle_record *record, rattle_error *error) {
  const rattle_record_info *info = &record->info;
  const size_t most = 8 + 2 * (size_t)info->n + (size_t)info->m + (size_t)info->observables;
  struct column *column = malloc(most * sizeof *column);
  if (!column) return rattle__no_memory(error);
  const int count = columns_of(info, column);
  rattle_status status = put_head(file, column, count, error);
  if (!status) status = put_rows(file, record, column, count, error);
  free(column);
  return status;
}
