#ifndef CLI_TEMPLATE_H
#define CLI_TEMPLATE_H
/* The template of `rattle report`, report/template.html, made part of the command by
 * cmake/embed.cmake. */
#include <stddef.h>

extern const char cli_template[];
extern const size_t cli_template_size;
#endif
