#ifndef RATTLE__XML_H
#define RATTLE__XML_H
/* Documents in XML as trees. Readers mark what they use, so that what they pass over can be named.
 * Entities and document types are refused: nothing of the kind is in a file of a robot, and nothing
 * but the text itself is ever opened. */
#include <stddef.h>

#include "ground/support/arena.h"
#include "rattle/status.h"

typedef struct rattle__attribute {
  const char *name, *value;
  int used;
  struct rattle__attribute *next;
} rattle__attribute;

/* text: what is written in an element after its last child, without the blanks around it; NULL if
 * there is none. */
typedef struct rattle__element {
  const char *name, *file, *text;
  long line;
  int used;
  rattle__attribute *attribute;
  struct rattle__element *parent, *first, *last, *next;
} rattle__element;

typedef struct rattle__document {
  rattle__element *root;
  const char *path; /* for messages */
  rattle__arena arena;
} rattle__document;

/* Reads `length` bytes. The document is to be released whatever comes back. */
rattle_status rattle__xml_read(rattle__document *document, const char *text, size_t length,
                               const char *path, rattle_error *error);
/* The root of another text, which is in the same arena and in no tree yet. */
rattle_status rattle__xml_read_more(rattle__document *document, rattle__element **root,
                                    const char *text, size_t length, const char *path,
                                    rattle_error *error);
void rattle__xml_release(rattle__document *document);

/* The value of an attribute, NULL if it is not there; the attribute is used. */
const char *rattle__xml_value(const rattle__element *element, const char *name);
/* The first child of that name, the next sibling of the same name; it is used. NULL: none. */
rattle__element *rattle__xml_child(const rattle__element *element, const char *name);
rattle__element *rattle__xml_again(const rattle__element *element);
/* The element and all that is in it are used: its meaning is carried over as a whole. */
void rattle__xml_use_all(rattle__element *element);

/* The sentence "FILE:LINE: ..." as a bad model. */
rattle_status rattle__xml_fail(const rattle__document *document, const rattle__element *element,
                               rattle_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* `count` finite numbers of an attribute that is separated by blanks. They stay as they are where
 * the attribute is not there; given: whether it is. */
rattle_status rattle__xml_numbers(const rattle__document *document, const rattle__element *element,
                                  const char *name, double *values, int count, int *given,
                                  rattle_error *error);
/* The same of the text of an element. */
rattle_status rattle__xml_text_numbers(const rattle__document *document,
                                       const rattle__element *element, double *values, int count,
                                       rattle_error *error);
#endif
