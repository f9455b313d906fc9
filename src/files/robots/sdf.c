/* SDF: models, links and their masses. Everything that is not taken over is named by what was not
 * marked as used (unused.h). */
#include "files/robots/sdf.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/number.h"

/* ---- nodes ---- */

static const char *name_of(const void *owner, uint32_t number) {
  return ((const rattle__sdf *)owner)->node[number].name;
}

/* NAME, or of a merged model the name of its frame; with those of the models around it. */
static const char *full_name(const rattle__sdf *s, const char *around, const char *name,
                             int merged) {
  static const char before[] = "_merged__", after[] = "__model_frame__";
  const size_t length = strlen(around) + strlen(name) + sizeof before + sizeof after + 2;
  char *full = rattle__arena_take(&s->document->arena, length);
  if (full)
    rattle__print(full, length, "%s%s%s%s%s", around, *around ? "::" : "", merged ? before : "",
                  name, merged ? after : "");
  return full;
}

static rattle_status add_node(rattle__sdf *s, rattle__element *e, int kind, int scope,
                              rattle_error *error) {
  const char *name = rattle__xml_value(e, "name"), *around = s->node[scope].around;
  const int merged = rattle__xml_value(e, RATTLE__SDF_MERGED) != NULL;
  if (!name || !*name)
    return rattle__xml_fail(s->document, e, error, "a <%s> has no name", e->name);
  if (strstr(name, "::"))
    return rattle__xml_fail(s->document, e, error,
                            "the name \"%s\" has \"::\", which is between "
                            "the names of a model and of its parts",
                            name);
  const char *full = full_name(s, around, name, merged);
  if (!full) return rattle__no_memory(error);
  if (rattle__names_find(&s->names, full, name_of, s) >= 0)
    return rattle__xml_fail(s->document, e, error, "two parts have the name \"%s\"", full);
  const int i = s->nodes++;
  s->node[i] = (rattle__sdf_node){.kind = kind,
                                  .element = e,
                                  .name = full,
                                  .scope = scope,
                                  .version = s->node[scope].version,
                                  .around = merged ? around : full,
                                  .merged = merged};
  e->used = 1;
  return rattle__names_add(&s->names, full, (uint32_t)i) ? rattle__no_memory(error) : RATTLE_OK;
}

/* ---- links ---- */

static rattle_status read_moments(const rattle__sdf *s, const rattle__element *inertial,
                                  rattle__link *link, rattle_error *error) {
  static const char *const moment[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const rattle__element *inertia = rattle__xml_child(inertial, "inertia");
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < 6; i++) link->inertia[i] = i < 3;
  for (int i = 0; i < 6 && inertia && !status; i++)
    status = rattle__sdf_number(s, inertia, moment[i], &link->inertia[i], error);
  return status;
}

/* Mass and inertia, 1 where the file does not say them, as the format has it. */
static rattle_status read_inertial(rattle__sdf *s, const rattle__element *e, rattle__link *link,
                                   rattle_error *error) {
  const rattle__element *inertial = rattle__xml_child(e, "inertial");
  rattle__pose pose = {.quat = {1}};
  const char *frame = NULL;
  link->mass = 1;
  link->weighs = 1;
  s->without_inertial += !inertial;
  if (rattle__sdf_true(rattle__xml_value(inertial, "auto")))
    return rattle__xml_fail(s->document, inertial, error,
                            "the inertia of link \"%s\" is that of its shapes (auto), which is not "
                            "read: write it out",
                            link->name);
  rattle_status status = read_moments(s, inertial, link, error);
  if (!status && inertial) status = rattle__sdf_pose(s, inertial, &pose, &frame, error);
  if (!status) status = rattle__sdf_number(s, inertial, "mass", &link->mass, error);
  if (!status && frame)
    status = rattle__xml_fail(s->document, inertial, error,
                              "the pose of the inertia of link \"%s\" is in the frame of the link, "
                              "found \"%s\"",
                              link->name, frame);
  if (!status && link->mass < 0)
    status = rattle__xml_fail(s->document, inertial, error, "the mass of link \"%s\" is negative",
                              link->name);
  memcpy(link->com, pose.at, sizeof pose.at);
  if (pose.quat[0] != 1) rattle__tensor_turn(pose.quat, link->inertia, link->inertia);
  return status;
}

static rattle_status read_link(rattle__sdf *s, int node, rattle_error *error) {
  const rattle__element *e = s->node[node].element, *gravity = rattle__xml_child(e, "gravity");
  const int i = s->bodies++;
  rattle__link *link = &s->body[i];
  *link = (rattle__link){.element = e, .name = rattle__sdf_short_name(s, node), .quat = {1}};
  s->node[node].link = i;
  s->node_of[i] = node;
  if (gravity && !rattle__sdf_true(gravity->text) && !rattle__sdf_is_still(s, node))
    return rattle__xml_fail(
        s->document, gravity, error,
        "link \"%s\" has no gravity, which is not read: all bodies of the model "
        "have it",
        link->name);
  return read_inertial(s, e, link, error);
}

/* ---- models ---- */

static rattle_status read_version(const rattle__sdf *s, const rattle__element *e, int *version,
                                  rattle_error *error) {
  *version = rattle__sdf_version(e);
  if (*version >= 0) return RATTLE_OK;
  return rattle__xml_fail(s->document, e, error, "<sdf> has no version, as in \"1.9\"");
}

static rattle_status collect(rattle__sdf *s, rattle__element *e, int scope, rattle_error *error) {
  static const struct {
    const char *name;
    int kind;
  } kinds[] = {{"model", RATTLE__SDF_MODEL},
               {"link", RATTLE__SDF_LINK},
               {"joint", RATTLE__SDF_JOINT},
               {"frame", RATTLE__SDF_FRAME}};
  rattle_status status = RATTLE_OK;
  for (rattle__element *c = e->first; c && !status; c = c->next) {
    int kind = 0;
    while (kind < 4 && strcmp(kinds[kind].name, c->name) != 0) kind++;
    if (kind == 4) continue;
    status = add_node(s, c, kinds[kind].kind, scope, error);
    if (status || kind != 0) continue;
    const int model = s->nodes - 1;
    const char *version = rattle__xml_value(c, "version"); /* of a file that is included */
    if (version) status = read_version(s, c, &s->node[model].version, error);
    if (status) return status;
    rattle__xml_value(c, "canonical_link"); /* asked where a frame is attached to the model */
    const rattle__element *still = rattle__xml_child(c, "static");
    s->node[model].is_static = still && rattle__sdf_true(still->text);
    status = collect(s, c, model, error);
  }
  return status;
}

static rattle_status read_world(rattle__sdf *s, rattle__element *world, rattle_error *error) {
  const rattle__element *gravity = rattle__xml_child(world, "gravity");
  const rattle__element *physics = rattle__xml_child(world, "physics");
  rattle_status status = RATTLE_OK;
  if (gravity) status = rattle__xml_text_numbers(s->document, gravity, s->gravity, 3, error);
  if (!status && physics) status = rattle__sdf_number(s, physics, "max_step_size", &s->step, error);
  if (!status && s->step <= 0)
    status = rattle__xml_fail(s->document, physics, error, "max_step_size is not positive");
  return status ? status : collect(s, world, 0, error);
}

/* Room for all models, links, joints and frames. */
static size_t parts_in(const rattle__element *e) {
  size_t count = !strcmp(e->name, "model") || !strcmp(e->name, "link") ||
                 !strcmp(e->name, "joint") || !strcmp(e->name, "frame");
  for (const rattle__element *c = e->first; c; c = c->next) count += parts_in(c);
  return count;
}

static rattle_status read_all(rattle__sdf *s, rattle_error *error) {
  rattle__element *root = s->document->root;
  rattle__element *world = rattle__xml_child(root, "world");
  if (world && rattle__xml_again(world))
    return rattle__xml_fail(s->document, rattle__xml_again(world), error,
                            "there is more than one <world>: expected one");
  s->node[s->nodes++] = (rattle__sdf_node){.kind = RATTLE__SDF_FRAME, .name = "", .around = ""};
  rattle_status status = read_version(s, root, &s->node[0].version, error);
  if (!status && world) status = read_world(s, world, error);
  if (!status) status = collect(s, root, 0, error);
  if (!status) status = rattle__sdf_place(s, error);
  for (int i = 1; i < s->nodes && !status; i++)
    if (s->node[i].kind == RATTLE__SDF_LINK) status = read_link(s, i, error);
  if (!status && !s->bodies)
    status = rattle__xml_fail(s->document, root, error, "there are no links");
  for (int i = 1; i < s->nodes && !status; i++)
    if (s->node[i].kind == RATTLE__SDF_JOINT) s->joint[s->joints++].node = i;
  return status ? status : rattle__sdf_read_joints(s, error);
}

/* ---- the text ---- */

static const char *title_of(const rattle__sdf *s) {
  const char *world = rattle__xml_value(rattle__xml_child(s->document->root, "world"), "name");
  return world && *world ? world : s->node[1].name;
}

static rattle_status write_robot(FILE *file, rattle__sdf *s, int module, rattle_error *error) {
  rattle__link *link = NULL;
  int links = 0;
  char *after = NULL, note[100] = "";
  size_t size;
  FILE *loops = open_memstream(&after, &size);
  rattle_status status =
      loops ? rattle__sdf_tree(s, &link, &links, loops, error) : rattle__no_memory(error);
  if (loops && fclose(loops) && !status) status = rattle__no_memory(error);
  if (s->without_inertial)
    rattle__print(note, sizeof note,
                  "%d links without <inertial> (mass and moments of 1, as the "
                  "format has it)",
                  s->without_inertial);
  if (!status && s->document->arena.failed) status = rattle__no_memory(error);
  if (!status)
    rattle__links_write(file,
                        &(rattle__robot){.link = link,
                                         .links = links,
                                         .title = title_of(s),
                                         .after = *after ? after : NULL,
                                         .note = *note ? note : NULL,
                                         .gravity = {s->gravity[0], s->gravity[1], s->gravity[2]},
                                         .step = s->step},
                        module, s->document);
  free(link);
  free(after);
  return status;
}

rattle_status rattle__sdf_write(FILE *file, rattle__document *document, int module,
                                rattle__file_reader *read, rattle_error *error) {
  const rattle_status included = rattle__sdf_include(document, read, error);
  if (included) return included;
  rattle__sdf s = {.document = document, .gravity = {0, 0, -9.8}, .step = 0.001};
  const size_t most = parts_in(document->root) + 1;
  document->root->used = 1;
  s.node = rattle__arena_take(&document->arena, most * sizeof *s.node);
  s.joint = rattle__arena_take(&document->arena, most * sizeof *s.joint);
  s.body = rattle__arena_take(&document->arena, most * sizeof *s.body);
  s.node_of = rattle__arena_take(&document->arena, most * sizeof *s.node_of);
  rattle_status status = document->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
  if (!status) status = read_all(&s, error);
  if (!status) status = write_robot(file, &s, module, error);
  rattle__names_clear(&s.names);
  return status;
}
