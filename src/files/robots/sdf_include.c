/* SDF: models of other files, in the place of <include>. A uri names a file or a folder in the
 * folder of the document or below it, with or without model:// before it; of a folder the file is
 * the one that its model.config names for the highest version of the format. */
#include <stdlib.h>
#include <string.h>

#include "files/robots/paths.h"
#include "files/robots/sdf.h"
#include "ground/support/error.h"

enum { MOST_INCLUDES = 256, DEEPEST = 16 };

typedef struct including {
  rattle__document *document;
  rattle__file_reader *read;
  int left, depth;
  const char *open[DEEPEST]; /* files whose includes are read [depth] */
} including;

/* ---- which file ---- */

static int ends_in(const char *text, const char *ending) {
  const size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && !strcmp(text + length - tail, ending);
}

/* The root of a file in XML; *root NULL: there is no such file. */
static rattle_status read_root(const including *in, const char *path, rattle__element **root,
                               rattle_error *error) {
  char *text = NULL;
  *root = NULL;
  rattle_status status = in->read(&text, NULL, path, error);
  if (!status && text)
    status = rattle__xml_read_more(in->document, root, text, strlen(text), path, error);
  free(text);
  return status;
}

/* FOLDER/NAME.sdf of FOLDER/model.config. */
static rattle_status configured(const including *in, const rattle__element *include,
                                const char *folder, const char **name, rattle_error *error) {
  rattle__element *root;
  const rattle__element *best = NULL;
  const char *config = rattle__robot_path(in->document, folder, "model.config");
  rattle_status status = config ? read_root(in, config, &root, error) : RATTLE_OK;
  if (status || in->document->arena.failed) return status ? status : rattle__no_memory(error);
  if (!config || !root)
    return rattle__xml_fail(in->document, include, error,
                            "there is no \"%s\", nor a file model.config in a folder of that name: "
                            "files that are included are in the folder of the document or below it",
                            folder);
  for (rattle__element *e = rattle__xml_child(root, "sdf"); e; e = rattle__xml_again(e))
    if (e->text && (!best || rattle__sdf_version(e) > rattle__sdf_version(best))) best = e;
  if (!best) return rattle__xml_fail(in->document, root, error, "it names no file (<sdf>)");
  *name = best->text;
  return RATTLE_OK;
}

static rattle_status find_model(including *in, const rattle__element *include,
                                rattle__element **root, rattle_error *error) {
  const rattle__element *uri = rattle__xml_child(include, "uri");
  const char *name = uri && uri->text ? uri->text : "", *folder = NULL;
  rattle_status status = RATTLE_OK;
  if (!strncmp(name, "model://", 8)) name += 8;
  if (!*name || strstr(name, "://") || !in->read)
    return rattle__xml_fail(in->document, include, error,
                            "<include> needs a file or a folder, in the folder of \"%s\" or below "
                            "it, found \"%s\"; others are written out by gz sdf -p",
                            in->document->path, uri && uri->text ? uri->text : "");
  if (!ends_in(name, ".sdf") && !ends_in(name, ".xml") && !ends_in(name, ".world")) {
    folder = name;
    status = configured(in, include, folder, &name, error);
  }
  const char *path = status ? NULL : rattle__robot_path(in->document, folder, name);
  for (int k = -1; k < in->depth && path; k++)
    if (!strcmp(k < 0 ? in->document->path : in->open[k], path))
      return rattle__xml_fail(in->document, include, error, "\"%s\" includes itself", path);
  if (!status && path) status = read_root(in, path, root, error);
  in->open[in->depth] = path;
  if (status) return status;
  if (!path || !*root)
    return rattle__xml_fail(in->document, include, error,
                            "there is no file \"%s\" in the folder of \"%s\" or below it", name,
                            in->document->path);
  if (strcmp((*root)->name, "sdf") != 0)
    return rattle__xml_fail(in->document, *root, error,
                            "the root of an included file is <sdf>, found <%s>", (*root)->name);
  return RATTLE_OK;
}

/* ---- in its place ---- */

static rattle__attribute *attribute_of(including *in, rattle__element *e, const char *name) {
  rattle__attribute *a = e->attribute;
  while (a && strcmp(a->name, name) != 0) a = a->next;
  if (a) return a;
  a = rattle__arena_take(&in->document->arena, sizeof *a);
  if (!a) return NULL;
  *a = (rattle__attribute){.name = name, .value = "", .used = 1, .next = e->attribute};
  return e->attribute = a;
}

static void set(including *in, rattle__element *e, const char *name, const char *value) {
  rattle__attribute *a = attribute_of(in, e, name);
  if (a && value) a->value = value;
}

static void take_out(rattle__element *from, const char *name) {
  rattle__element *before = NULL;
  for (rattle__element *e = from->first; e; e = e->next) {
    if (strcmp(e->name, name) != 0) {
      before = e;
      continue;
    }
    if (before)
      before->next = e->next;
    else
      from->first = e->next;
    if (from->last == e) from->last = before;
  }
}

static void put_last(rattle__element *to, rattle__element *e) {
  e->parent = to, e->next = NULL;
  if (to->last)
    to->last->next = e;
  else
    to->first = e;
  to->last = e;
}

/* An include's own words replace those of its model; all else of it, as plug-ins, belongs to the
 * model too. */
static void override(including *in, rattle__element *model, rattle__element *include) {
  for (rattle__element *e = include->first, *next; e; e = next) {
    next = e->next;
    if (!strcmp(e->name, "name"))
      set(in, model, "name", e->text);
    else if (!strcmp(e->name, "placement_frame"))
      set(in, model, "placement_frame", e->text);
    else if (!strcmp(e->name, "pose") || !strcmp(e->name, "static"))
      take_out(model, e->name), put_last(model, e);
    else if (strcmp(e->name, "uri") != 0)
      put_last(model, e);
  }
}

static rattle_status expand(including *in, rattle__element *e, rattle_error *error);

/* The model of an include. */
static rattle_status model_of(including *in, rattle__element *include, rattle__element **model,
                              rattle_error *error) {
  rattle__element *root = NULL;
  const int merged = rattle__sdf_true(rattle__xml_value(include, "merge"));
  if (merged && strcmp(include->parent->name, "model") != 0)
    return rattle__xml_fail(in->document, include, error,
                            "<include> that merges is in no model: links are parts of models");
  if (--in->left < 0 || in->depth == DEEPEST)
    return rattle__xml_fail(in->document, include, error,
                            "more than %d files are included, or files in one another more than "
                            "%d deep",
                            MOST_INCLUDES, DEEPEST);
  rattle_status status = find_model(in, include, &root, error);
  if (status) return status;
  *model = rattle__xml_child(root, "model");
  if (!*model || rattle__xml_again(*model))
    return rattle__xml_fail(in->document, root, error, "an included file has one <model>");
  in->depth++;
  status = expand(in, *model, error);
  in->depth--;
  set(in, *model, "version", rattle__xml_value(root, "version"));
  override(in, *model, include);
  if (status || !merged) return status;
  set(in, *model, RATTLE__SDF_MERGED, "");
  const rattle__element *still = rattle__xml_child(*model, "static");
  if (!still || !rattle__sdf_true(still->text)) return RATTLE_OK;
  return rattle__xml_fail(in->document, include, error,
                          "a model that is static cannot be merged: let the model that includes it "
                          "be static");
}

static rattle_status expand(including *in, rattle__element *e, rattle_error *error) {
  rattle__element *before = NULL;
  for (rattle__element *c = e->first; c; before = c, c = c->next) {
    rattle__element *model = c, *after = c->next;
    rattle_status status =
        strcmp(c->name, "include") ? expand(in, c, error) : model_of(in, c, &model, error);
    if (status) return status;
    if (model == c) continue;
    model->parent = e, model->next = after;
    if (before)
      before->next = model;
    else
      e->first = model;
    if (!after) e->last = model;
    c = model;
  }
  return in->document->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__sdf_include(rattle__document *document, rattle__file_reader *read,
                                  rattle_error *error) {
  including in = {.document = document, .read = read, .left = MOST_INCLUDES};
  return expand(&in, document->root, error);
}
