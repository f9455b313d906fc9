/* Documents in XML as trees: by expat. */
#include "files/robots/xml.h"

#include <ctype.h>
#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/number.h"

enum { DEEPEST = 1000 };

struct xml_reading {
  rattle__document *document;
  const char *path;
  rattle__element *root, *inside;
  XML_Parser parser;
  int depth;
  const char *refused; /* why, once the text is refused */
  char *text;          /* of the element that ends next, without a zero byte */
  size_t length, room;
};

static const char *copy(rattle__document *document, const char *text) {
  const size_t size = strlen(text) + 1;
  char *kept = rattle__arena_take(&document->arena, size);
  if (kept) memcpy(kept, text, size);
  return kept;
}

static void refuse(struct xml_reading *r, const char *why) {
  if (!r->refused) r->refused = why;
  XML_StopParser(r->parser, XML_FALSE);
}

static void take_attributes(struct xml_reading *r, rattle__element *element, const char **pairs) {
  rattle__attribute **end = &element->attribute;
  for (; *pairs; pairs += 2) {
    rattle__attribute *a = rattle__arena_take(&r->document->arena, sizeof *a);
    if (!a) return;
    a->name = copy(r->document, pairs[0]);
    a->value = copy(r->document, pairs[1]);
    *end = a;
    end = &a->next;
  }
}

static void XMLCALL begin(void *data, const char *name, const char **pairs) {
  struct xml_reading *r = data;
  rattle__element *element = rattle__arena_take(&r->document->arena, sizeof *element);
  if (!element) {
    refuse(r, "");
    return;
  }
  element->name = copy(r->document, name);
  element->file = r->path;
  element->line = (long)XML_GetCurrentLineNumber(r->parser);
  element->parent = r->inside;
  take_attributes(r, element, pairs);
  r->length = 0;
  if (!r->inside) {
    r->root = element;
  } else if (r->inside->last) {
    r->inside->last->next = element;
  } else {
    r->inside->first = element;
  }
  if (r->inside) r->inside->last = element;
  r->inside = element;
  if (r->document->arena.failed) refuse(r, "");
  if (++r->depth > DEEPEST) refuse(r, "elements are more than 1000 deep");
}

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void XMLCALL take_text(void *data, const char *text, int length) {
  struct xml_reading *r = data;
  while (length > 0 && !r->length && is_blank(*text)) text++, length--;
  if (!length) return;
  if (r->length + (size_t)length > r->room) {
    const size_t room = 2 * r->room + (size_t)length;
    char *grown = realloc(r->text, room);
    if (!grown) {
      r->document->arena.failed = 1;
      refuse(r, "");
      return;
    }
    r->text = grown;
    r->room = room;
  }
  memcpy(r->text + r->length, text, (size_t)length);
  r->length += (size_t)length;
}

static void XMLCALL end(void *data, const char *name) {
  struct xml_reading *r = data;
  (void)name;
  while (r->length && is_blank(r->text[r->length - 1])) r->length--;
  if (r->length) {
    char *kept = rattle__arena_take(&r->document->arena, r->length + 1);
    if (kept) r->inside->text = memcpy(kept, r->text, r->length);
  }
  r->length = 0;
  r->inside = r->inside->parent;
  r->depth--;
}

static void XMLCALL doctype(void *data, const char *name, const char *system, const char *public,
                            int subset) {
  (void)name, (void)system, (void)public, (void)subset;
  refuse(data, "a document type is declared, which is not read");
}

rattle_status rattle__xml_read_more(rattle__document *document, rattle__element **root,
                                    const char *text, size_t length, const char *path,
                                    rattle_error *error) {
  struct xml_reading r = {.document = document, .path = path, .parser = XML_ParserCreate(NULL)};
  if (!r.parser) return rattle__no_memory(error);
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, begin, end);
  XML_SetCharacterDataHandler(r.parser, take_text);
  XML_SetStartDoctypeDeclHandler(r.parser, doctype);
  enum XML_Status parsed = XML_STATUS_OK;
  while (parsed == XML_STATUS_OK) {
    const int part = length > INT_MAX / 2 ? INT_MAX / 2 : (int)length;
    length -= (size_t)part;
    parsed = XML_Parse(r.parser, text, part, length == 0);
    text += part;
    if (!length) break;
  }
  const long line = (long)XML_GetCurrentLineNumber(r.parser);
  const char *why = r.refused ? r.refused : XML_ErrorString(XML_GetErrorCode(r.parser));
  XML_ParserFree(r.parser);
  free(r.text);
  if (document->arena.failed) return rattle__no_memory(error);
  *root = r.root;
  if (parsed == XML_STATUS_OK) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_MODEL, path, "%s:%ld: %s", path, line, why);
}

rattle_status rattle__xml_read(rattle__document *document, const char *text, size_t length,
                               const char *path, rattle_error *error) {
  *document = (rattle__document){.path = path};
  return rattle__xml_read_more(document, &document->root, text, length, path, error);
}

void rattle__xml_release(rattle__document *document) {
  rattle__arena_release(&document->arena);
}

const char *rattle__xml_value(const rattle__element *element, const char *name) {
  for (rattle__attribute *a = element ? element->attribute : NULL; a; a = a->next)
    if (!strcmp(a->name, name)) {
      a->used = 1;
      return a->value;
    }
  return NULL;
}

static rattle__element *named(rattle__element *from, const char *name) {
  while (from && strcmp(from->name, name) != 0) from = from->next;
  if (from) from->used = 1;
  return from;
}

rattle__element *rattle__xml_child(const rattle__element *element, const char *name) {
  return element ? named(element->first, name) : NULL;
}

rattle__element *rattle__xml_again(const rattle__element *element) {
  return named(element->next, element->name);
}

void rattle__xml_use_all(rattle__element *element) {
  element->used = 1;
  for (rattle__attribute *a = element->attribute; a; a = a->next) a->used = 1;
  for (rattle__element *e = element->first; e; e = e->next) rattle__xml_use_all(e);
}

rattle_status rattle__xml_fail(const rattle__document *document, const rattle__element *element,
                               rattle_error *error, const char *format, ...) {
  char text[480];
  va_list arguments;
  va_start(arguments, format);
  rattle__format(text, sizeof text, format, arguments);
  va_end(arguments);
  char where[64];
  snprintf(where, sizeof where, "line %ld", element->line);
  (void)document;
  return rattle__fail(error, RATTLE_BAD_MODEL, where, "%s:%ld: %s", element->file, element->line,
                      text);
}

/* True if the text is `count` finite numbers and nothing else. */
static int read_numbers(const char *at, double *values, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    values[i] = rattle__number_read(at, &end);
    if (end == at || !isfinite(values[i]) || (*end && !isspace((unsigned char)*end))) return 0;
    at = end;
  }
  while (isspace((unsigned char)*at)) at++;
  return !*at;
}

rattle_status rattle__xml_numbers(const rattle__document *document, const rattle__element *element,
                                  const char *name, double *values, int count, int *given,
                                  rattle_error *error) {
  const char *text = rattle__xml_value(element, name);
  if (given) *given = text != NULL;
  if (!text || read_numbers(text, values, count)) return RATTLE_OK;
  return rattle__xml_fail(document, element, error,
                          "%s of <%s> is \"%.60s\": expected %d finite number%s", name,
                          element->name, text, count, count == 1 ? "" : "s");
}

rattle_status rattle__xml_text_numbers(const rattle__document *document,
                                       const rattle__element *element, double *values, int count,
                                       rattle_error *error) {
  const char *text = element->text ? element->text : "";
  if (read_numbers(text, values, count)) return RATTLE_OK;
  return rattle__xml_fail(document, element, error,
                          "<%s> is \"%.60s\": expected %d finite number%s", element->name, text,
                          count, count == 1 ? "" : "s");
}
