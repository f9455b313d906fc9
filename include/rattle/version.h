#ifndef RATTLE_VERSION_H
#define RATTLE_VERSION_H
/* The version of these headers, as `#if RATTLE_VERSION_NUMBER >= 300` asks for 0.3.0;
 * rattle_version() and rattle_abi() (status.h) are those of the library that runs. Programs run
 * with each library of their ABI number that is not older than their headers. */
#define RATTLE_VERSION_MAJOR 0
#define RATTLE_VERSION_MINOR 2
#define RATTLE_VERSION_PATCH 0
#define RATTLE_VERSION_NUMBER                                                                      \
  (10000 * RATTLE_VERSION_MAJOR + 100 * RATTLE_VERSION_MINOR + RATTLE_VERSION_PATCH)
#define RATTLE_ABI 1 /* that of librattle.so.1 */
#endif
