/* Events of a run: which output at given times is wanted, how many there were of each, and the
 * summary of that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"

/* --at: times separated by commas, or "+" and a step of time. */
static rattle_status read_times(cli_events *events, const char *text, rattle_error *error) {
  rattle_events *asked = &events->asked;
  const int by_step = text[0] == '+';
  size_t most = 1;
  for (const char *c = text; *c; c++) most += *c == ',';
  events->times = malloc(most * sizeof *events->times);
  if (!events->times) return text_no_memory(error);
  asked->time_step = 0, asked->times = events->times, asked->time_count = 0;
  for (const char *at = text + by_step; asked->time_count == 0 || *at == ',';) {
    char *end;
    at += *at == ',';
    const double time = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !isfinite(time) || (by_step && (*end || !(time > 0))))
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--at %s: expected times separated by commas, as in 0.5,2, or + and a step "
                       "of time, as in +0.1",
                       text);
    events->times[asked->time_count++] = time;
    at = end;
  }
  if (by_step) asked->time_step = events->times[0], asked->time_count = 0;
  return RATTLE_OK;
}

static rattle_status count_event(void *self, const rattle_occurrence *occurrence,
                                 rattle_error *error) {
  cli_events *events = self;
  cli_tally *tally = &events->tally[occurrence->event];
  (void)error;
  if (tally->count++ == 0) tally->first = occurrence->sample->time;
  tally->last = occurrence->sample->time;
  if (!occurrence->ends) return RATTLE_OK;
  events->ended = 1;
  memcpy(events->q, occurrence->sample->q, (size_t)events->n * sizeof *events->q);
  memcpy(events->p, occurrence->sample->p, (size_t)events->n * sizeof *events->p);
  return RATTLE_OK;
}

rattle_status cli_events_begin(cli_events *events, const cli_session *session,
                               rattle_error *error) {
  const int of_model = rattle_model_events(session->model);
  const size_t n = (size_t)rattle_problem_n(session->problem);
  const rattle_events *asked = &events->asked;
  events->n = (int)n;
  events->count = of_model + (asked->time_count > 0 || asked->time_step > 0 || asked->end);
  events->tally = calloc((size_t)events->count + 1, sizeof *events->tally);
  events->q = calloc(2 * n, sizeof *events->q);
  if (!events->tally || !events->q) return text_no_memory(error);
  events->p = events->q + n;
  for (int i = 0; i < events->count; i++)
    events->tally[i].name = i < of_model ? rattle_model_event_name(session->model, i) : "at";
  events->observer = (rattle_observer){
      .struct_size = sizeof events->observer, .self = events, .event = count_event};
  return RATTLE_OK;
}

rattle_status cli_events_plan(cli_events *events, const cli_args *args, const cli_session *session,
                              double stop, rattle_error *error) {
  const rattle_wishes *wishes = rattle_model_wishes(session->model);
  rattle_events *asked = &events->asked;
  rattle_status status = RATTLE_OK;
  *asked = (rattle_events){.struct_size = sizeof *asked,
                           .times = wishes->at,
                           .time_count = wishes->at_count,
                           .time_step = wishes->at_step};
  if (cli_flag(args, "at")) status = read_times(events, cli_text(args, "at"), error);
  if (status) return status;
  const int exact = wishes->exact || cli_flag(args, "exact");
  if (exact && isnan(stop) && cli_flag(args, "exact"))
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "--exact needs an end time: pass --stop T, or write integrate { stop = ... } in the model");
  events->end = stop;
  if (exact && !isnan(stop)) asked->end = &events->end;
  return cli_events_begin(events, session, error);
}

void cli_events_end(cli_events *events) {
  free(events->times), free(events->tally), free(events->q);
  *events = (cli_events){0};
}

void cli_events_json(json_writer *json, const cli_events *events, const rattle_summary *summary) {
  json_open(json, "events", '{');
  for (int i = 0; i < events->count; i++) {
    const cli_tally *tally = &events->tally[i];
    json_open(json, tally->name, '{');
    json_integer(json, "count", tally->count);
    json_real(json, "first", tally->count ? tally->first : (double)NAN);
    json_real(json, "last", tally->count ? tally->last : (double)NAN);
    json_close(json, '}');
  }
  json_close(json, '}');
  json_text(json, "ended_by", summary->ended_by >= 0 ? events->tally[summary->ended_by].name : "");
}

void cli_events_print(FILE *out, const cli_events *events, const rattle_summary *summary) {
  enum { MOST = 20 };
  for (int i = 0; i < events->count && i < MOST; i++) {
    const cli_tally *tally = &events->tally[i];
    cli_print(out, "  %-12s %s: %lld", i ? "" : "events", tally->name, tally->count);
    if (tally->count == 1) cli_print(out, ", at t = %.10g", tally->first);
    if (tally->count > 1) cli_print(out, ", from t = %.10g to %.10g", tally->first, tally->last);
    putc('\n', out);
  }
  if (events->count > MOST) cli_print(out, "  %-12s and %d more\n", "", events->count - MOST);
  if (summary->ended_by >= 0)
    cli_print(out, "  ended        at t = %.17g, by %s\n", summary->stop,
              events->tally[summary->ended_by].name);
}
