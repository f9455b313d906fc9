#ifndef RATTLE__SIZED_H
#define RATTLE__SIZED_H
/* Public structs that may grow begin with `size_t struct_size`: sizeof of the struct as the caller
 * knows it, or 0 for the layout that was published first
 * (docs/decisions/016-structs-that-grow.md). */
#include <stddef.h>

#include "rattle/status.h"

/* Size of `type` up to and including a member: the last member of the first layout gives that
 * layout's size. */
#define RATTLE__UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

/* RATTLE_BAD_ARGUMENT unless struct_size can be the size of a layout, the first of which has
 * `first` bytes. *known: the bytes common to the caller's struct and the library's, which has
 * `size`. */
rattle_status rattle__size_check(size_t struct_size, size_t first, size_t size, const char *type,
                                 size_t *known, rattle_error *error);
/* Copies *given to own [size]; members unknown to the caller become 0. given NULL: all 0. */
rattle_status rattle__size_take(void *own, size_t size, size_t first, const void *given,
                                const char *type, rattle_error *error);
/* own [size] = element i of an array, whose elements are as far apart as the struct_size of the
 * first one says. BAD_ARGUMENT: element i has another struct_size. */
rattle_status rattle__size_take_element(void *own, size_t size, size_t first, const void *array,
                                        int i, const char *type, rattle_error *error);
#define RATTLE__TAKE_ELEMENT(own, type, last, array, i, error)                                     \
  rattle__size_take_element(own, sizeof(type), RATTLE__UP_TO(type, last), array, i, #type, error)
#define RATTLE__TAKE(own, type, last, given, error)                                                \
  rattle__size_take(own, sizeof(type), RATTLE__UP_TO(type, last), given, #type, error)
#endif
