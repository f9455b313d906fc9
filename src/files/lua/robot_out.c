/* Models of links as files of robots: the text is written by the module "mechanics_export", and
 * read back, so that what the format does not say is refused and not left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/lua/loader.h"
#include "files/robots/robot.h"
#include "ground/support/error.h"
#include "ground/support/random.h"
#include "rattle/robot.h"

static const char *entry_of(const rattle_model *model, const char *key) {
  for (int i = 0; i < model->metadata_count; i++)
    if (!strcmp(model->metadata[2 * i], key)) return model->metadata[2 * i + 1];
  return "";
}

/* ---- the model that the text is ---- */

/* Gravity is not said in URDF: the line of the reader is replaced by that of the model. */
static rattle_status with_gravity(char **text, const char *line, rattle_error *error) {
  char *at = strstr(*text, "mech.gravity("), *end = at ? strchr(at, '\n') : NULL;
  if (!end) return RATTLE_OK;
  char *whole = malloc(strlen(*text) + strlen(line) + 1);
  if (!whole) return rattle__no_memory(error);
  memcpy(whole, *text, (size_t)(at - *text));
  strcpy(whole + (at - *text), line);
  strcat(whole, end);
  free(*text);
  *text = whole;
  return RATTLE_OK;
}

static rattle_status read_back(rattle_model **other, const rattle_model *model, const char *text,
                               rattle_error *error) {
  char *copy = strdup(text);
  const rattle_parameter start = {"keyframe", 1}; /* expressions of joints depend on the start */
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = &start,
                                        .parameter_count = strstr(text, "<keyframe>") != NULL};
  if (!copy) return rattle__no_memory(error);
  rattle_status status = rattle__robot_model(&copy, "the file written", 0, NULL, error);
  if (!status) status = with_gravity(&copy, entry_of(model, "robot.gravity"), error);
  if (!status) status = rattle_model_parse(other, copy, "the file written", &options, error);
  free(copy);
  return status;
}

/* ---- are they the same? ---- */

struct likeness {
  const rattle_model *a, *b;
  int *place; /* of the pairs of a, in b; -1 those that count turns */
  double *x, *y;
};

static rattle_status refuse(const char *what, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, "robot",
                      "this model has no file of that format: %s", what);
}

static rattle_status match(struct likeness *c, rattle_error *error) {
  char why[200];
  for (int k = 0; k < c->a->n; k++) {
    c->place[k] = rattle__model_find_pair(c->b, c->a->pair[k].name, NULL);
    if (c->place[k] >= 0 || rattle__model_is_reference(c->a, k)) continue;
    snprintf(why, sizeof why, "\"%.60s\" is a coordinate of no link", c->a->pair[k].name);
    return refuse(why, error);
  }
  return RATTLE_OK;
}

static void draw(struct likeness *c, uint64_t *random) {
  memset(c->y, 0, 2 * (size_t)c->b->n * sizeof *c->y);
  for (int k = 0; k < c->a->n; k++)
    for (int i = 0; i < 2; i++) {
      c->x[2 * k + i] = c->place[k] < 0 ? 0 : rattle__random_signed(random);
      if (c->place[k] >= 0) c->y[2 * c->place[k] + i] = c->x[2 * k + i];
    }
}

/* True if they differ by more than conversions of angles do. */
static int differs(double a, double b, double scale) {
  return !(fabs(a - b) <= 1e-9 * scale);
}

static double force_on(const rattle_model *model, int pair, const double *x) {
  double sum = 0;
  for (int i = 0; i < model->applieds; i++)
    if (model->applied[i].pair == pair)
      sum += rattle_expr_evaluate(model->graph, model->applied[i].expr, x);
  return sum;
}

static rattle_status compare_at(const struct likeness *c, rattle_error *error) {
  const double H = rattle_expr_evaluate(c->a->graph, c->a->hamiltonian, c->x),
               other = rattle_expr_evaluate(c->b->graph, c->b->hamiltonian, c->y);
  if (differs(H, other, fabs(H) + fabs(other)))
    return refuse("its energy is not that of links, joints and gravity alone", error);
  double most = 0;
  for (int k = 0; k < c->a->n; k++) most = fmax(most, fabs(force_on(c->a, k, c->x)));
  for (int k = 0; k < c->a->n; k++) {
    const double own = force_on(c->a, k, c->x),
                 there = c->place[k] < 0 ? 0 : force_on(c->b, c->place[k], c->y);
    if (differs(own, there, most)) return refuse("it has forces that are of no joint", error);
  }
  return RATTLE_OK;
}

static rattle_status compare(const rattle_model *model, const rattle_model *other,
                             rattle_error *error) {
  struct likeness c = {.a = model, .b = other};
  if (model->velocity_rows || model->events || model->forces || model->fibre)
    return refuse("it has more than bodies and joints", error);
  if (model->m + model->omissions != atoi(entry_of(model, "robot.constraints")))
    return refuse("it has constraints that are of no joint", error);
  c.place = malloc((size_t)model->n * sizeof *c.place);
  c.x = calloc(2 * (size_t)model->n, sizeof *c.x);
  c.y = calloc(2 * (size_t)other->n, sizeof *c.y);
  uint64_t random = 1;
  rattle_status status = c.place && c.x && c.y ? match(&c, error) : rattle__no_memory(error);
  for (int k = 0; k < 3 && !status; k++) {
    draw(&c, &random);
    status = compare_at(&c, error);
  }
  free(c.place);
  free(c.x);
  free(c.y);
  return status;
}

/* ---- entry ---- */

static rattle_status read_with_export(rattle_model **model, const char *path, const char *format,
                                      const rattle_model_options *options, rattle_error *error) {
  char *text = NULL, *whole = NULL;
  rattle_status status = rattle__lua_read_model(&text, path, error);
  if (!status && rattle__is_robot(text))
    status = rattle__robot_model(&text, path, 0, rattle__lua_read_module, error);
  if (!status) {
    const size_t size = strlen(text) + 120;
    whole = malloc(size);
    if (whole)
      snprintf(whole, size, "%s\nmetadata(require(\"mechanics_export\").export(\"%s\"))\n", text,
               format);
    else
      status = rattle__no_memory(error);
  }
  free(text);
  return status ? status : rattle__lua_parse(model, whole, path, options, 1, error);
}

rattle_status rattle_robot_write(char **text, const char *path, const char *format,
                                 const rattle_model_options *options, rattle_error *error) {
  rattle_model *model = NULL, *other = NULL;
  char key[16];
  if (!text || !path || !format || (strcmp(format, "urdf") != 0 && strcmp(format, "mjcf") != 0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_robot_write",
                        "rattle_robot_write: expected text, path, and the format urdf or mjcf");
  *text = NULL;
  snprintf(key, sizeof key, "robot.%s", format);
  rattle_status status = read_with_export(&model, path, format, options, error);
  if (!status) status = read_back(&other, model, entry_of(model, key), error);
  if (!status) status = compare(model, other, error);
  if (!status && !(*text = strdup(entry_of(model, key)))) status = rattle__no_memory(error);
  rattle_model_destroy(&model);
  rattle_model_destroy(&other);
  return status;
}
