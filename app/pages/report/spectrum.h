#ifndef REPORT_SPECTRUM_H
#define REPORT_SPECTRUM_H
/* Amplitudes over frequency. */
#include "pages/report/channels.h"

enum { REPORT_MOST_SPECTRA = 12 };
/* Amplitudes of a few channels, from every sample, with Hann's window: a sine of amplitude A has a
 * peak of height A. Long runs are cut into segments, whose powers are averaged. */
typedef struct report_spectra {
  int count, channel[REPORT_MOST_SPECTRA];
  long long last;                  /* the step that was offered last, -1: none */
  long long every;                 /* steps from sample to sample; samples off this rhythm are
                                      omitted */
  long long length, segments, hop; /* samples in a segment; how many; samples from one to the
                                      next */
  long long size, bins;            /* of the transform, with zeros put after the samples */
  long long seen, filled, done;    /* samples at the rhythm; in the segment at hand; segments
                                      done */
  int used[REPORT_MOST_SPECTRA];   /* segments without anything that is not finite */
  double *values, *power, *work;   /* [count*length], [count*bins], [2*size + size] */
} report_spectra;
rattle_status report_spectra_plan(report_spectra *spectra, const report_channels *channels,
                                  const rattle_record_info *info, rattle_error *error);
void report_spectra_offer(report_spectra *spectra, long long step, const double *row);
void report_spectra_end(report_spectra *spectra);
/* The highest amplitude in each of at most `room` bands, narrow at low frequencies, in their order;
 * returns how many. Frequencies are in cycles a sample. */
long long report_spectra_peaks(const report_spectra *spectra, int which, double *frequency,
                               double *amplitude, long long room);
void report_spectra_free(report_spectra *spectra);
#endif
