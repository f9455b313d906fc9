/* Plug-ins: their contents are checked, copied, and added to the list of
 * method/notation/added.h. */
#include "rattle/plugin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "maps/base/custom.h"
#include "method/notation/added.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"

enum { MOST_ROWS = 100, MOST_ORDER = 100 };

/* A plug-in as this library knows it, with the rows of its maps. */
typedef struct own {
  rattle__added added;
  rattle_plugin plugin;
  rattle__added_row row[MOST_ROWS];
  rattle_base_map map[MOST_ROWS];
} own;

static rattle_status bad(const rattle_plugin *plugin, rattle_error *error, const char *sentence,
                         const char *name) {
  const char *title = plugin->name && plugin->name[0] ? plugin->name : "without a name";
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_plugin", "the plug-in %.60s: %s%s%.60s",
                      title, sentence, name ? " " : "", name ? name : "");
}

/* A name as in expressions. */
static int is_name(const char *name) {
  size_t length = 0;
  if (!name || !isalpha((unsigned char)name[0])) return 0;
  while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
  return !name[length] && length <= 31 && strcmp(name, "compensated") != 0 &&
         strcmp(name, "quad") != 0;
}

static rattle_status check_map(const rattle_plugin *plugin, const rattle_base_map *map,
                               rattle_error *error) {
  if (!is_name(map->name))
    return bad(plugin, error,
               "a base map has no name of letters, digits and underscores, at most 31", NULL);
  if (rattle__method_find(map->name, strlen(map->name)) &&
      !rattle__added_find(map->name, strlen(map->name)))
    return bad(plugin, error, "the table of methods has a row with the name", map->name);
  if (!map->step) return bad(plugin, error, "there is no step in the base map", map->name);
  if (!map->text || !map->text[0])
    return bad(plugin, error, "there is no text in the base map", map->name);
  if (map->order < 1 || map->order > MOST_ORDER)
    return bad(plugin, error, "the order is not 1 .. 100 in the base map", map->name);
  if (!rattle__custom_needs(map->needs))
    return bad(
        plugin, error,
        "`needs` must be 0, RATTLE_SEPARABLE, RATTLE_NATURAL or RATTLE_QUADRATIC_H in the base map",
        map->name);
  return RATTLE_OK;
}

static rattle_status check_observer(const rattle_plugin *plugin,
                                    const rattle_plugin_observer *observer, rattle_error *error) {
  rattle_plugin_observer known;
  const rattle_status status =
      RATTLE__TAKE(&known, rattle_plugin_observer, destroy, observer, error);
  if (status) return status;
  if (!is_name(known.name))
    return bad(plugin, error,
               "an observer has no name of letters, digits and underscores, at most 31", NULL);
  if (!known.create || !known.text)
    return bad(plugin, error, "there is no create or no text in the observer", known.name);
  return RATTLE_OK;
}

static void fill_row(rattle__added_row *row, const rattle_base_map *map,
                     const rattle__added *plugin) {
  row->row = (rattle_method_row){.name = map->name,
                                 .kind = "base map",
                                 .parameters = "",
                                 .claims = {.order = map->order,
                                            .symmetric = map->symmetric != 0,
                                            .symplectic = map->symplectic != 0,
                                            .explicit_ = map->explicit_ != 0,
                                            .pure = 1,
                                            .stages = 1},
                                 .needs = rattle__custom_needs(map->needs),
                                 .citation = map->citation ? map->citation : "",
                                 .text = map->text,
                                 .formula = map->formula};
  row->base = &rattle__custom;
  row->map = map;
  row->plugin = plugin;
}

static rattle_status fill(own *s, const rattle_plugin *given, rattle_error *error) {
  rattle_status status = RATTLE__TAKE(&s->plugin, rattle_plugin, observer, given, error);
  const rattle_plugin *plugin = &s->plugin;
  if (status) return status;
  if (!plugin->name || !plugin->name[0]) return bad(plugin, error, "there is no name", NULL);
  if (plugin->maps < 0 || plugin->maps > MOST_ROWS || plugin->observers < 0 ||
      plugin->observers > MOST_ROWS || (plugin->maps && !plugin->map) ||
      (plugin->observers && !plugin->observer))
    return bad(plugin, error, "it has 0 .. 100 base maps and observers", NULL);
  for (int i = 0; i < plugin->maps && !status; i++) {
    if (!plugin->map[i]) return bad(plugin, error, "one of its base maps is NULL", NULL);
    status = RATTLE__TAKE(&s->map[i], rattle_base_map, tangent, plugin->map[i], error);
    if (!status) status = check_map(plugin, &s->map[i], error);
    if (!status) fill_row(&s->row[i], &s->map[i], &s->added);
    for (int k = 0; k < i && !status; k++)
      if (!strcmp(s->map[k].name, s->map[i].name))
        status = bad(plugin, error, "two base maps have the name", s->map[i].name);
  }
  for (int i = 0; i < plugin->observers && !status; i++)
    status = plugin->observer[i] ? check_observer(plugin, plugin->observer[i], error)
                                 : bad(plugin, error, "one of its observers is NULL", NULL);
  s->added = (rattle__added){.given = given, .own = plugin, .rows = plugin->maps, .row = s->row};
  return status;
}

/* True if both have a name in common, or are the same. */
static int clashes(const rattle__added *other, const rattle__added *added) {
  const rattle_plugin *a = other->own, *b = added->own;
  if (other->given == added->given) return 1;
  for (int i = 0; i < a->maps; i++)
    for (int k = 0; k < b->maps; k++)
      if (!strcmp(other->row[i].row.name, added->row[k].row.name)) return 1;
  for (int i = 0; i < a->observers; i++)
    for (int k = 0; k < b->observers; k++)
      if (!strcmp(a->observer[i]->name, b->observer[k]->name)) return 1;
  return 0;
}

rattle_status rattle_plugin_add(const rattle_plugin *plugin, rattle_error *error) {
  if (!plugin)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_plugin_add", "the plug-in is NULL");
  own *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  rattle_status status = fill(s, plugin, error);
  const rattle__added *other = status ? NULL : rattle__added_push(&s->added, clashes);
  if (other && other->given != plugin)
    status = bad(&s->plugin, error, "a map or an observer has a name that is taken by the plug-in",
                 ((const rattle_plugin *)other->own)->name);
  if (status || other) free(s);
  return status;
}

const rattle_method_row *rattle_plugin_row(int i) {
  for (const rattle__added *at = NULL; i >= 0 && (at = rattle__added_next(at)); i -= at->rows)
    if (i < at->rows) return &at->row[i].row;
  return NULL;
}

const rattle_plugin *rattle_method_plugin(const rattle_method *method) {
  const rattle__node *node = rattle__method_root(method);
  while (rattle__method_inside(node)) node = rattle__method_inside(node);
  const rattle__added_row *row = rattle__method_added(node->row);
  return row ? row->plugin->own : NULL;
}

const rattle_plugin_observer *rattle_plugin_find_observer(const char *name) {
  for (const rattle__added *at = NULL; (at = rattle__added_next(at));) {
    const rattle_plugin *plugin = at->own;
    for (int i = 0; i < plugin->observers; i++)
      if (!strcmp(plugin->observer[i]->name, name)) return plugin->observer[i];
  }
  return NULL;
}
