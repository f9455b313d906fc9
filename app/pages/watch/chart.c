/* Curves as text. A braille character has two columns of four dots: U+2800 plus a bit for each
 * dot. */
#include <math.h>
#include <stdlib.h>

#include "pages/watch/watch.h"

/* The part of the axis that a bin spans. Returns 0 if there is none. */
static int span_of(const watch_chart *chart, const envelope_bin *bin, double *low, double *high) {
  *low = bin->low, *high = bin->high;
  if (isnan(*low)) return 0;
  if (chart->log) *low = *high = fmax(fabs(bin->low), fabs(bin->high));
  return !chart->log || *high > 0;
}

int watch_fit_chart(watch_chart *chart, const envelope *curve) {
  double low, high;
  chart->low = (double)INFINITY, chart->high = -chart->low;
  for (int i = 0; i < curve->bins; i++)
    if (span_of(chart, &curve->bin[i], &low, &high))
      chart->low = fmin(chart->low, low), chart->high = fmax(chart->high, high);
  if (!(chart->low <= chart->high)) return 0;
  if (!chart->log) return 1;
  double first = floor(log10(chart->low)), last = ceil(log10(chart->high));
  chart->low = pow(10, first), chart->high = pow(10, last > first ? last : first + 1);
  return 1;
}

/* The height of a value in dots, 0 at the bottom. */
static int dot(const watch_chart *chart, double value, int dots) {
  if (!(chart->high > chart->low)) return dots / 2;
  double part = chart->log ? log10(value / chart->low) / log10(chart->high / chart->low)
                           : (value / 2 - chart->low / 2) / (chart->high / 2 - chart->low / 2);
  return (int)floor(fmin(fmax(part, 0), 1) * (dots - 1) + 0.5);
}

/* The parts that columns of dots span, as low[], high[] in dots; high < low: none. */
static void span_columns(const watch_chart *chart, const envelope *curve, int columns, int dots,
                         int *low, int *high) {
  double least, most;
  for (int c = 0; c < columns; c++) low[c] = dots, high[c] = -1;
  for (int i = 0; i < curve->bins; i++) {
    if (!span_of(chart, &curve->bin[i], &least, &most)) continue;
    int first = (int)((long long)i * columns / curve->bins),
        end = (int)((long long)(i + 1) * columns / curve->bins);
    int bottom = dot(chart, least, dots), top = dot(chart, most, dots);
    for (int c = first; c == first || c < end; c++) {
      /* of sizes the largest counts */
      low[c] = chart->log ? (top > high[c] ? top : high[c]) : bottom < low[c] ? bottom : low[c];
      high[c] = top > high[c] ? top : high[c];
    }
  }
  /* no gaps between neighbours */
  for (int c = 1; c < columns; c++) {
    if (high[c] < low[c] || high[c - 1] < low[c - 1]) continue;
    if (low[c] > high[c - 1] + 1) low[c] = high[c - 1] + 1;
    if (high[c] < low[c - 1] - 1) high[c] = low[c - 1] - 1;
  }
}

static void print_braille(FILE *out, const int *low, const int *high, int bottom) {
  /* from the bottom up */
  static const unsigned bits[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
  unsigned code = 0x2800;
  for (int side = 0; side < 2; side++)
    for (int d = 0; d < 4; d++)
      if (bottom + d >= low[side] && bottom + d <= high[side]) code |= bits[side][d];
  if (code == 0x2800)
    putc(' ', out);
  else
    fprintf(out, "%c%c%c", (int)(0xE0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3F)),
            (int)(0x80 | (code & 0x3F)));
}

void watch_draw_chart(FILE *out, const watch_chart *chart, const envelope *curve,
                      const char *const *before) {
  int across = chart->utf8 ? 2 : 1, up = chart->utf8 ? 4 : 1, columns = chart->columns * across;
  int *low = malloc(2 * (size_t)columns * sizeof *low), *high = low ? low + columns : NULL;
  if (!low) return;
  span_columns(chart, curve, columns, chart->rows * up, low, high);
  for (int row = 0; row < chart->rows; row++) {
    int bottom = (chart->rows - 1 - row) * up;
    fputs(before[row], out);
    for (int c = 0; c < chart->columns; c++) {
      if (chart->utf8)
        print_braille(out, low + 2 * c, high + 2 * c, bottom);
      else
        putc(bottom >= low[c] && bottom <= high[c] ? '*' : ' ', out);
    }
    putc('\n', out);
  }
  free(low);
}
