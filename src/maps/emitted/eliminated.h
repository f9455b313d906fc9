/* Part of a kernel's text, before elimination.h. Plain C without includes. */
#ifndef RATTLE__ELIMINATED_H
#define RATTLE__ELIMINATED_H
enum { RATTLE__ELIMINATED = 24 }; /* unknowns, at most */
#endif
