/* A rank above 0: it asks for its next cases before it ends the last ones, where cases are short,
 * and sends rows together. If cases are long a rank asks when it has none, so that none waits for
 * one rank while another rank is idle. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "many/sweep/remote.h"

/* Seconds: how long rows wait for others; what cases at hand take when more are asked for, what
 * they take then at most and at least; pauses while an answer is awaited; otherwise. */
static const double gathered = 0.05, ahead = 0.02, most_asked = 0.05, least_asked = 0.002,
                    shortest_pause = 1e-4, longest_pause = 1e-3, idle_pause = 0.025;
enum { FIRST_WISH = 64, MOST_CASES = 1 << 16, ENOUGH_BYTES = 1 << 19, MOST_BYTES = 1 << 23 };

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sweep_share_init(sweep_share *s, int width) {
  *s = (sweep_share){.width = width, .start = now(CLOCK_MONOTONIC)};
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->change, NULL);
}

void sweep_share_free(sweep_share *s) {
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->change);
  free(s->row);
  s->row = NULL;
}

/* ---- threads of the ensemble ---- */

/* Seconds that a case takes of the time of this rank; 0: not known yet. */
static double pace(const sweep_share *s) {
  return s->done ? (now(CLOCK_MONOTONIC) - s->start - s->starved) / (double)s->done : 0;
}

/* True if more cases are to be asked for. */
static int wants(const sweep_share *s) {
  if (s->over || s->ended) return 0;
  const double each = pace(s);
  return !s->next.count &&
         (s->hungry || (each > 0 && each < ahead && each * (double)s->block.count < ahead));
}

static void turn_to_next(sweep_share *s) {
  if (!s->block.count) s->block = s->next, s->next.count = 0;
}

rattle_status sweep_share_claim(sweep_share *s, long long *first, long long *count,
                                rattle_error *error) {
  pthread_mutex_lock(&s->lock);
  turn_to_next(s);
  if (!s->block.count) {
    const double began = now(CLOCK_MONOTONIC);
    s->hungry = 1;
    while (!s->next.count && !s->over) {
      pthread_cond_broadcast(&s->change);
      pthread_cond_wait(&s->change, &s->lock);
    }
    s->starved += now(CLOCK_MONOTONIC) - began;
    s->hungry = 0;
    turn_to_next(s);
  }
  if (*count > s->block.count) *count = s->block.count;
  *first = s->block.first;
  s->block.first += *count, s->block.count -= *count;
  const int lost = s->lost;
  if (wants(s)) pthread_cond_broadcast(&s->change);
  pthread_mutex_unlock(&s->lock);
  return lost ? sweep_message_lost(error) : RATTLE_OK;
}

static size_t bytes(const sweep_share *s, long long rows) {
  return (size_t)rows * ((size_t)s->width + 1) * sizeof *s->row;
}

static int make_room(sweep_share *s) {
  if (s->rows < s->room) return 1;
  const long long room = 2 * s->room + 1;
  double *grown = realloc(s->row, bytes(s, room));
  if (!grown) return 0;
  s->row = grown, s->room = room;
  return 1;
}

rattle_status sweep_share_put(sweep_share *s, long long number, const double *row,
                              rattle_error *error) {
  rattle_status status = RATTLE_OK;
  pthread_mutex_lock(&s->lock);
  while (s->rows > 0 && bytes(s, s->rows + 1) > MOST_BYTES && !s->lost)
    pthread_cond_wait(&s->change, &s->lock);
  if (s->lost) {
    status = sweep_message_lost(error);
  } else if (!make_room(s)) {
    status = text_no_memory(error);
  } else {
    double *to = s->row + s->rows * (s->width + 1);
    memcpy(to, row, (size_t)s->width * sizeof *to);
    memcpy(to + s->width, &number, sizeof number);
    if (!s->rows++) s->oldest = now(CLOCK_MONOTONIC);
    s->done++;
    if (bytes(s, s->rows) > ENOUGH_BYTES) pthread_cond_broadcast(&s->change);
  }
  pthread_mutex_unlock(&s->lock);
  return status;
}

void sweep_share_close(sweep_share *s) {
  pthread_mutex_lock(&s->lock);
  s->ended = 1;
  pthread_cond_broadcast(&s->change);
  pthread_mutex_unlock(&s->lock);
}

/* ---- the main thread; the lock is held, but not while it sends ---- */

static void rest(sweep_share *s, double seconds) {
  const double until = now(CLOCK_REALTIME) + seconds;
  const struct timespec t = {.tv_sec = (time_t)until,
                             .tv_nsec = (long)(1e9 * (until - (double)(time_t)until))};
  (void)pthread_cond_timedwait(&s->change, &s->lock, &t);
}

static int are_due(const sweep_share *s) {
  return s->rows > 0 && (s->ended || bytes(s, s->rows) > ENOUGH_BYTES ||
                         now(CLOCK_MONOTONIC) >= s->oldest + gathered);
}

static int send_rows(sweep_share *s, const sweep_ranks *ranks) {
  double *row = s->row;
  const int size = (int)bytes(s, s->rows);
  s->row = NULL, s->rows = s->room = 0;
  pthread_cond_broadcast(&s->change);
  pthread_mutex_unlock(&s->lock);
  const int failed = ranks->send(0, SWEEP_ROWS, row, size);
  free(row);
  pthread_mutex_lock(&s->lock);
  return failed;
}

static long long clamped(double cases) {
  return cases < 1 ? 1 : cases < MOST_CASES ? (long long)cases : MOST_CASES;
}

static int ask(sweep_share *s, const sweep_ranks *ranks) {
  const double each = pace(s);
  sweep_wish wish = {.most = FIRST_WISH, .least = 1};
  if (each > 0) wish.most = clamped(most_asked / each), wish.least = clamped(least_asked / each);
  pthread_mutex_unlock(&s->lock);
  const int failed = ranks->send(0, SWEEP_CLAIM, &wish, sizeof wish);
  pthread_mutex_lock(&s->lock);
  return failed;
}

/* *there: the answer has come. */
static int hear(sweep_share *s, const sweep_ranks *ranks, int *there) {
  int from, tag, size;
  sweep_block next;
  pthread_mutex_unlock(&s->lock);
  int failed = ranks->look(there, &from, &tag, &size);
  if (!failed && *there) failed = ranks->receive(0, SWEEP_ANSWER, &next, sizeof next);
  pthread_mutex_lock(&s->lock);
  if (failed || !*there) return failed;
  s->next = next, s->over = next.count < 1;
  pthread_cond_broadcast(&s->change);
  return 0;
}

rattle_status sweep_share_carry(sweep_share *s, const sweep_ranks *ranks, rattle_error *error) {
  double pause = shortest_pause;
  int asked = 0, failed = 0;
  pthread_mutex_lock(&s->lock);
  while (!failed && (!s->ended || asked || s->rows > 0)) {
    int there = 0;
    if (are_due(s)) {
      failed = send_rows(s, ranks);
    } else if (!asked && wants(s)) {
      failed = ask(s, ranks), asked = 1, pause = shortest_pause;
    } else if (asked && ((failed = hear(s, ranks, &there)) || there)) {
      asked = 0;
    } else {
      rest(s, asked ? pause : idle_pause);
      if (pause < longest_pause) pause *= 2;
    }
  }
  if (failed) s->lost = s->over = 1, s->block.count = s->next.count = 0;
  pthread_cond_broadcast(&s->change);
  pthread_mutex_unlock(&s->lock);
  return failed ? sweep_message_lost(error) : RATTLE_OK;
}

rattle_status sweep_take_leave(const sweep_ranks *ranks, rattle_status status,
                               rattle_error *error) {
  sweep_last_word word = {.status = status};
  if (status) snprintf(word.message, sizeof word.message, "%s", error->message);
  return ranks->send(0, SWEEP_DONE, &word, sizeof word) && !status ? sweep_message_lost(error)
                                                                   : status;
}
