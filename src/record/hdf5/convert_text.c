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
  double *value;                /* in a block of rows */
  long long stride;             /* from row to row */
};

static int columns_of(const rattle_record_info *info, struct column *c) {
  int count = 0;
#define PUT(...) c[count++] = (struct column){__VA_ARGS__, NULL, 0}
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

/* A block of rows: matrices are read whole, since to read one of their columns takes as long. */
struct row_block {
  long long block;
  double *q, *p, *multipliers, *observed, *own; /* own: columns that are no matrix's */
};

static void place_columns(struct row_block *rows, const rattle_record_info *info, double *values,
                          struct column *column, int count) {
  const long long block = rows->block;
  double *own = rows->own = values;
  for (int i = 0; i < count; i++) {
    const rattle_quantity quantity = column[i].column.quantity;
    if (quantity == RATTLE_COORDINATE || quantity == RATTLE_MOMENTUM ||
        quantity == RATTLE_MULTIPLIER || quantity == RATTLE_OBSERVABLE)
      continue;
    column[i].value = own, column[i].stride = 1;
    own += block;
  }
  rows->q = own, rows->p = rows->q + block * info->n;
  rows->multipliers = rows->p + block * info->n;
  rows->observed = rows->multipliers + block * info->m;
  for (int i = 0; i < count; i++) {
    struct column *c = &column[i];
    if (c->stride) continue;
    const rattle_quantity quantity = c->column.quantity;
    c->stride = quantity == RATTLE_MULTIPLIER   ? info->m
                : quantity == RATTLE_OBSERVABLE ? info->observables
                                                : info->n;
    c->value = (quantity == RATTLE_MULTIPLIER   ? rows->multipliers
                : quantity == RATTLE_OBSERVABLE ? rows->observed
                : quantity == RATTLE_MOMENTUM   ? rows->p
                                                : rows->q) +
               c->column.index;
  }
}

static rattle_status read_rows(const struct row_block *rows, const rattle_record *record,
                               const struct column *column, int count, long long first,
                               long long part, rattle_error *error) {
  rattle_status status = rattle_record_read(
      record, first, part, NULL, NULL, rows->q, rows->p, record->info.m ? rows->multipliers : NULL,
      record->info.observables ? rows->observed : NULL, error);
  for (int i = 0; i < count && !status; i++)
    if (column[i].value >= rows->own && column[i].value < rows->q)
      status =
          rattle_record_read_column(record, column[i].column, first, part, column[i].value, error);
  return status;
}

static rattle_status put_rows(FILE *file, const rattle_record *record, struct column *column,
                              int count, rattle_error *error) {
  const long long samples = record->info.samples, most = 1 + (1 << 20) / count;
  struct row_block rows = {.block = most < samples ? most : samples};
  double *values = malloc(((size_t)rows.block * (size_t)count + 1) * sizeof *values);
  rattle_status status = values ? RATTLE_OK : rattle__no_memory(error);
  if (!status) place_columns(&rows, &record->info, values, column, count);
  for (long long done = 0; done < samples && !status && !ferror(file); done += rows.block) {
    const long long part = samples - done < rows.block ? samples - done : rows.block;
    status = read_rows(&rows, record, column, count, done, part, error);
    for (long long k = 0; k < part && !status; k++)
      for (int i = 0; i < count; i++) {
        put(file, column[i].value[k * column[i].stride]);
        fputc(i + 1 < count ? ',' : '\n', file);
      }
  }
  free(values);
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
