#ifndef CLI_TEMPLATE_H
#define CLI_TEMPLATE_H
/* The templates of `rattle report` and `rattle animate`, report/template.html and animation.html,
 * made part of the command by cmake/embed.cmake. */
#include <stddef.h>

extern const char cli_template[];
extern const size_t cli_template_size;
extern const char cli_animation[];
extern const size_t cli_animation_size;
#endif
