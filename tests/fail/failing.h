#ifndef FAILING_H
#define FAILING_H
/* Allocations that fail on demand. The linker hands malloc and its kin of the library here
 * (tests/extra.cmake); those of HDF5 and the C library stay as they are, those of
 * SuiteSparse come here by its own pointers. */

/* The k-th allocation from now on fails, k = 1, 2 ...; `all`: those after it fail too. k = 0: none
 * fails. */
void failing_begin(long long k, int all);
/* Ends it; returns how many allocations there were since then. */
long long failing_end(void);
/* Blocks that are allocated and not freed yet. */
long long failing_live(void);
#endif
