/* What is seen of a record as one JSON object. */
#include <math.h>
#include <string.h>

#include "watch/watch.h"

static const char *const state_names[] = {
    [WATCH_WAITING] = "waiting", [WATCH_RUNNING] = "running", [WATCH_ENDED] = "ended", [WATCH_LOST] = "lost"};

int watch_is_size(const watch_follow *follow, int curve) {
  rattle_quantity quantity = follow->channel[curve].column.quantity;
  /* of the energy itself nothing is subtracted */
  return quantity == RATTLE_CONSTRAINT || quantity == RATTLE_HIDDEN ||
         (quantity == RATTLE_ENERGY && strcmp(follow->name, "energy") != 0);
}

/* Columns of the bins: times, lowest, highest. */
static void print_curve(cli_json *json, const char *name, int size, const envelope *curve) {
  static const char *const keys[] = {"time", "low", "high"};
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", name);
  cli_json_bool(json, "size", size);
  for (int k = 0; k < 3; k++) {
    cli_json_open(json, keys[k], '[');
    for (int i = 0; i < curve->bins; i++) {
      const envelope_bin *bin = &curve->bin[i];
      cli_json_real(json, NULL, k == 0 ? fmin(bin->x_low, bin->x_high) : k == 1 ? bin->low : bin->high);
    }
    cli_json_close(json, ']');
  }
  cli_json_close(json, '}');
}

static void print_record(cli_json *json, const watch_follow *follow) {
  const rattle_record_info *info = follow->source.info;
  char why[1200] = "";
  if (follow->state != WATCH_RUNNING) watch_say_why(follow, why, sizeof why);
  cli_json_text(json, "title", info->title[0] ? info->title : info->model_file);
  cli_json_text(json, "method", info->method);
  cli_json_integer(json, "n", info->n);
  cli_json_integer(json, "m", info->m);
  cli_json_real(json, "start", info->start_time);
  cli_json_real(json, "time", info->last_time);
  cli_json_integer(json, "steps", info->last_step);
  cli_json_integer(json, "steps_asked", info->steps_asked);
  cli_json_integer(json, "samples", info->samples);
  cli_json_real(json, "steps_per_second", watch_rate(follow));
  cli_json_real(json, "seconds_left", follow->state == WATCH_RUNNING ? watch_seconds_left(follow) : (double)NAN);
  cli_json_real(json, "energy_max_error", info->energy_max_error);
  cli_json_real(json, "g_max", info->m > 0 ? info->g_max : (double)NAN);
  cli_json_real(json, "psi_max", info->m > 0 ? info->psi_max : (double)NAN);
  cli_json_text(json, "run_status", info->status_name);
  cli_json_text(json, "why", why);
}

void watch_print_json(const watch_follow *follow, int with_curves, FILE *out) {
  cli_json json = {.out = out};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "record", follow->path);
  cli_json_text(&json, "state", state_names[follow->state]);
  if (follow->state != WATCH_WAITING) {
    print_record(&json, follow);
    if (with_curves) {
      cli_json_open(&json, "curves", '[');
      for (int c = 0; c < follow->curves; c++)
        print_curve(&json, c == 0 ? follow->name : follow->channel[c].label, watch_is_size(follow, c), &follow->curve[c]);
      cli_json_close(&json, ']');
    }
  }
  cli_json_close(&json, '}');
}
