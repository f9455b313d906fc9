/* A record as a table: columns found by their names and read one by one. */
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/nearest.h"
#include "record/hdf5/handle.h"

/* Which channel of the file holds a quantity. */
static const int channel_of[] = {
    [RATTLE_STEP_NUMBER] = RATTLE__STEP,    [RATTLE_TIME] = RATTLE__TIME,
    [RATTLE_ENERGY] = RATTLE__ENERGY,       [RATTLE_CONSTRAINT] = RATTLE__CONSTRAINT,
    [RATTLE_HIDDEN] = RATTLE__HIDDEN,       [RATTLE_MULTIPLIER] = RATTLE__MULTIPLIERS,
    [RATTLE_COORDINATE] = RATTLE__POSITION, [RATTLE_MOMENTUM] = RATTLE__MOMENTUM,
    [RATTLE_OBSERVABLE] = RATTLE__OBSERVED};

/* Before a column that every record has: where the model has a name of its own like it. */
static const char prefix[] = "rattle:";
static const char *const own_names[] = {"step", "time", "energy", "g",
                                        "psi",  "H",    "work",   "balance"};
static const rattle_quantity own_quantities[] = {
    RATTLE_STEP_NUMBER, RATTLE_TIME,        RATTLE_ENERGY, RATTLE_CONSTRAINT,
    RATTLE_HIDDEN,      RATTLE_HAMILTONIAN, RATTLE_WORK,   RATTLE_ENERGY};
enum { OF_ALL = 5, WITH_WORK = sizeof own_names / sizeof *own_names };

/* How many columns a quantity has in this record. */
static int columns_of(const rattle_record *record, rattle_quantity quantity) {
  const rattle_record_info *info = &record->info;
  switch (quantity) {
  case RATTLE_MULTIPLIER:
    return info->m;
  case RATTLE_COORDINATE:
  case RATTLE_MOMENTUM:
    return info->n;
  case RATTLE_OBSERVABLE:
    return info->observables;
  case RATTLE_CONSTRAINT:
  case RATTLE_HIDDEN:
    return info->m > 0;
  case RATTLE_WORK:
  case RATTLE_HAMILTONIAN:
    return info->has_work;
  default:
    return 1;
  }
}

static int find_in(const char *name, const char *const *names, int count,
                   rattle__nearest *nearest) {
  for (int i = 0; i < count; i++) {
    if (!strcmp(name, names[i])) return i;
    rattle__nearest_try(nearest, names[i]);
  }
  return -1;
}

/* "lambda[NAME]" */
static int find_multiplier(const rattle_record_info *info, const char *name) {
  size_t length = strlen(name);
  if (length < 9 || strncmp(name, "lambda[", 7) != 0 || name[length - 1] != ']') return -1;
  for (int i = 0; i < info->m; i++)
    if (strlen(info->constraint_names[i]) == length - 8 &&
        !strncmp(info->constraint_names[i], name + 7, length - 8))
      return i;
  return -1;
}

rattle_status rattle_record_find_column(const rattle_record *record, const char *name,
                                        rattle_column *column, rattle_error *error) {
  const rattle_record_info *info = &record->info;
  const struct {
    rattle_quantity quantity;
    const char *const *names;
    int count;
  } lists[] = {{RATTLE_COORDINATE, info->coordinate_names, info->n},
               {RATTLE_MOMENTUM, info->momentum_names, info->n},
               {RATTLE_OBSERVABLE, info->observable_names, info->observables}};
  rattle__nearest nearest = {.name = name};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    int index = find_in(name, lists[i].names, lists[i].count, &nearest);
    *column = (rattle_column){lists[i].quantity, index};
    if (index >= 0) return RATTLE_OK;
  }
  const char *const bare =
      strncmp(name, prefix, sizeof prefix - 1) ? name : name + sizeof prefix - 1;
  int own = find_in(bare, own_names, info->has_work ? WITH_WORK : OF_ALL, &nearest),
      multiplier = -1;
  if (own < 0) multiplier = find_multiplier(info, bare);
  *column = own >= 0 ? (rattle_column){own_quantities[own], 0}
                     : (rattle_column){RATTLE_MULTIPLIER, multiplier};
  if (multiplier >= 0 || (own >= 0 && columns_of(record, column->quantity) > 0)) return RATTLE_OK;
  if (own >= 0 || (!strncmp(bare, "lambda[", 7) && info->m == 0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "%s has no column %s: its model has no constraints", record->path, name);
  return nearest.best
             ? rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                            "%s has no column %s; did you mean %s?", record->path, name,
                            nearest.best)
             : rattle__fail(
                   error, RATTLE_BAD_ARGUMENT, name,
                   "%s has no column %s; it has step, time, energy%s%s, and the names that "
                   "`rattle info` prints",
                   record->path, name, info->has_work ? ", H, work, balance" : "",
                   info->m > 0 ? ", g, psi, lambda[NAME]" : "");
}

/* The channel of a column of table t, and the place in its rows; -1: there is none. */
static int find_channel(const rattle_record *record, int t, rattle_column column, int *place) {
  const rattle__about *about = &record->store.about;
  const rattle_quantity quantity = column.quantity;
  const int work = rattle__channel_of_work(about), clock = rattle__channel_of_clock(about);
  *place = 0;
  if (quantity == RATTLE_DIRECTION) return t ? rattle__channels_of(about, t) - 1 : -1;
  if ((unsigned)quantity > RATTLE_HAMILTONIAN || column.index < 0 ||
      column.index >= columns_of(record, quantity))
    return -1;
  if (quantity == RATTLE_WORK || quantity == RATTLE_HAMILTONIAN)
    return work + (quantity == RATTLE_HAMILTONIAN);
  const int channel = channel_of[quantity];
  if (quantity == RATTLE_OBSERVABLE) return channel + column.index;
  *place = column.index;
  if (quantity != RATTLE_COORDINATE && quantity != RATTLE_MOMENTUM) return channel;
  *place = about->place[column.index];
  if (*place < record->store.table[t].channels.channel[channel].width) return channel;
  *place = quantity == RATTLE_MOMENTUM;
  return clock;
}

/* Rows [first, first+count) of a column of table t. */
static rattle_status read_column(const rattle_record *record, int t, rattle_column column,
                                 long long first, long long count, double *values,
                                 rattle_error *error) {
  if (!rattle__is_open(&record->store))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, record->path,
                        "the record %s is not open; open it to read", record->path);
  const long long rows = t ? record->counts[t - 1] : record->info.samples;
  if (first < 0 || count < 0 || first > rows - count)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "samples",
                        "%s %lld to %lld were requested, but %s has %lld", t ? "events" : "samples",
                        first, first + count - 1, record->path, rows);
  int place;
  const int channel = find_channel(record, t, column, &place);
  if (channel < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "column", "%s has no column %d of quantity %d",
                        record->path, column.index, (int)column.quantity);
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  rattle_status status = rattle__check_rows(record, t, channel, first, count, error);
  const rattle__channel *from = &record->store.table[t].channels.channel[channel];
  if (!status && rattle__channel_read_place(from, place, first, count, values))
    status = rattle__h5_fail(&h5, error, record->path, "read");
  rattle__h5_leave(&h5);
  return status;
}

rattle_status rattle_record_read_column(const rattle_record *record, rattle_column column,
                                        long long first, long long count, double *values,
                                        rattle_error *error) {
  return read_column(record, 0, column, first, count, values, error);
}

rattle_status rattle_record_read_event(const rattle_record *record, int event, rattle_column column,
                                       long long first, long long count, double *values,
                                       rattle_error *error) {
  if (event < 0 || event >= record->info.events)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "event", "%s has no event %d: it has %d",
                        record->path, event, record->info.events);
  return read_column(record, event + 1, column, first, count, values, error);
}
