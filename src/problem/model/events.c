/* Events of a model. */
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"

static const char *event_of(const void *model, uint32_t number) {
  return ((const rattle_model *)model)->event[number].is.name;
}

rattle_status rattle_model_add_event(rattle_model *model, const char *name, rattle_expr e,
                                     int direction, long long count, int stop,
                                     rattle_error *error) {
  rattle_status status = rattle__model_check_name("event", name, error);
  if (!status) status = rattle__model_check_expression(model, "the event", name, e, error);
  if (status) return status;
  if (!strcmp(name, "at"))
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, name,
        "the name \"at\" of an event is taken: it is that of output at given times");
  if (rattle__names_find(&model->event_names, name, event_of, model) >= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "an event \"%s\" already exists", name);
  if (rattle_expr_op(model->graph, e) == RATTLE_OP_CONSTANT)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the event \"%s\" is the number %.17g, which never changes its sign: "
                        "expected an expression in the variables",
                        name, rattle_expr_value(model->graph, e));
  if (direction < -1 || direction > 1)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the direction of the event \"%s\" is %d: expected -1, 0 or 1", name,
                        direction);
  if (count < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the count of the event \"%s\" is %lld: expected 1 or more, or 0 for all",
                        name, count);
  rattle__model_event *grown =
      rattle__room(model->event, model->events, &model->events_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->event = grown;
  grown[model->events] =
      (rattle__model_event){.is = {.name = rattle__model_keep(model, name), .expr = e},
                            .direction = direction,
                            .count = count,
                            .stop = stop != 0};
  if (!grown[model->events].is.name ||
      rattle__names_add(&model->event_names, name, (uint32_t)model->events))
    return rattle__no_memory(error);
  model->events++;
  return RATTLE_OK;
}

int rattle_model_events(const rattle_model *model) {
  return model->events;
}

const char *rattle_model_event_name(const rattle_model *model, int event) {
  return event >= 0 && event < model->events ? model->event[event].is.name : NULL;
}
