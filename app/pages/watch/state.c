/* The state of a record as one JSON object. */
#include <math.h>
#include <string.h>

#include "pages/watch/watch.h"

static const char *const state_names[] = {[WATCH_WAITING] = "waiting",
                                          [WATCH_RUNNING] = "running",
                                          [WATCH_ENDED] = "ended",
                                          [WATCH_LOST] = "lost"};

int watch_is_size(const watch_follow *follow, int curve) {
  rattle_quantity quantity = follow->channel[curve].column.quantity;
  /* of the energy, the balance, nothing is subtracted */
  return quantity == RATTLE_CONSTRAINT || quantity == RATTLE_HIDDEN ||
         (quantity == RATTLE_ENERGY && strstr(follow->name, "energy_error") != NULL);
}

/* Columns of the bins: times, lowest, highest. */
static void print_curve(json_writer *json, const char *name, int size, const envelope *curve) {
  static const char *const keys[] = {"time", "low", "high"};
  json_open(json, NULL, '{');
  json_text(json, "name", name);
  json_bool(json, "size", size);
  for (int k = 0; k < 3; k++) {
    json_open(json, keys[k], '[');
    for (int i = 0; i < curve->bins; i++) {
      const envelope_bin *bin = &curve->bin[i];
      json_real(json, NULL, k == 0 ? fmin(bin->x_low, bin->x_high) : k == 1 ? bin->low : bin->high);
    }
    json_close(json, ']');
  }
  json_close(json, '}');
}

static void print_record(json_writer *json, const watch_follow *follow) {
  const rattle_record_info *info = follow->source.info;
  char why[1200] = "";
  if (follow->state != WATCH_RUNNING) watch_say_why(follow, why, sizeof why);
  json_text(json, "title", info->title[0] ? info->title : info->model_file);
  json_text(json, "method", info->method);
  json_integer(json, "n", info->n);
  json_integer(json, "m", info->m);
  json_real(json, "start", info->start_time);
  json_real(json, "time", info->last_time);
  json_integer(json, "steps", info->last_step);
  json_integer(json, "steps_asked", info->steps_asked);
  json_integer(json, "samples", info->samples);
  json_real(json, "steps_per_second", watch_rate(follow));
  json_real(json, "seconds_left",
            follow->state == WATCH_RUNNING ? watch_seconds_left(follow) : (double)NAN);
  json_bool(json, "balance", info->has_work);
  json_real(json, "energy_max_error", info->energy_max_error);
  json_real(json, "g_max", info->m > 0 ? info->g_max : (double)NAN);
  json_real(json, "psi_max", info->m > 0 ? info->psi_max : (double)NAN);
  json_text(json, "run_status", info->status_name);
  json_text(json, "why", why);
}

void watch_print_json(const watch_follow *follow, int with_curves, FILE *out) {
  json_writer json = {.out = out};
  json_open(&json, NULL, '{');
  json_text(&json, "record", follow->path);
  json_text(&json, "state", state_names[follow->state]);
  if (follow->state != WATCH_WAITING) {
    print_record(&json, follow);
    if (with_curves) {
      json_open(&json, "curves", '[');
      for (int c = 0; c < follow->curves; c++)
        print_curve(&json, c == 0 ? follow->name : follow->channel[c].label,
                    watch_is_size(follow, c), &follow->curve[c]);
      json_close(&json, ']');
    }
  }
  json_close(&json, '}');
}
