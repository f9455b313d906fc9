#ifndef RATTLE_ENVELOPE_H
#define RATTLE_ENVELOPE_H
/* A curve of any number of samples in room that does not grow: neighbours share a bin, which keeps
 * its lowest and highest point. A polyline through these points covers the same pixels as one
 * through all samples, as long as there are fewer columns of pixels than bins. */

typedef struct envelope_bin {
  double x_low, low, x_high, high; /* NaN if no sample of the bin was finite */
  int high_first;                  /* 1: the highest came before the lowest */
} envelope_bin;

typedef struct envelope {
  envelope_bin *bin; /* [room] */
  int room, bins;    /* the last of the bins may not be full yet */
  long long stride;  /* samples in a full bin: a power of 2 */
  long long in_last, samples;
} envelope;

/* room: an even number of bins. -1: out of memory. */
int envelope_begin(envelope *e, int room);
void envelope_end(envelope *e);
void envelope_clear(envelope *e); /* forgets all samples */
void envelope_add(envelope *e, double x, double y);
#endif
