#ifndef CLI_MODULE_H
#define CLI_MODULE_H
/* The module of live pages, made part of the command by cmake/embed.cmake where the build names it
 * (RATTLE_LIVE_MODULE). */
#include "rattle/status.h"

extern const char cli_module[]; /* "": there is none */
/* RATTLE_UNSUITABLE, with a sentence that says how to get it, where there is none. */
rattle_status cli_need_module(rattle_error *error);
#endif
