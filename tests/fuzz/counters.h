#ifndef COUNTERS_H
#define COUNTERS_H
/* What a child runs through is seen here: the counters of edges are in memory that both share, but
 * for those on the first and the last page. */
void counters_share(void);
#endif
