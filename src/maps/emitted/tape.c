/* See tape.h. */
#include "maps/emitted/tape.h"

#include <stdlib.h>

#include "ground/expr/op.h"

/* The operations that wait: lists by number + 1, 0 ends one. */
typedef struct queue {
  int ready[RATTLE_OP_COUNT], count[RATTLE_OP_COUNT]; /* operations whose operands are there */
  int *next;                                          /* [length] in the same list of `ready` */
  int *user;                                          /* [registers] those that wait for a result */
  int *next_user; /* [2 length] of operand a and of operand b, one after the other */
  int *waits;     /* [length] for so many operands */
  int *a, *b;     /* [length] operands: inputs, or inputs + number of an operation */
  int *at;        /* [length] register of its result */
} queue;

static void make_ready(queue *q, int op, int k) {
  q->next[k] = q->ready[op];
  q->ready[op] = k + 1;
  q->count[op]++;
}

/* Operands by the number of the operation that they come from; lists of who waits. */
static void take_program(queue *q, const rattle__program *p, int inputs, int *from) {
  for (int r = 0; r < inputs; r++) from[r] = r;
  for (int k = 0; k < p->length; k++) {
    const rattle__code *c = &p->code[k];
    const int operand[] = {from[c->a], from[c->b]};
    q->a[k] = operand[0], q->b[k] = operand[1];
    for (int t = 0; t < 2; t++) {
      if (operand[t] < inputs) continue;
      int *user = &q->user[operand[t] - inputs];
      q->next_user[2 * k + t] = *user;
      *user = 2 * k + t + 1;
      q->waits[k]++;
    }
    from[c->to] = inputs + k;
  }
  for (int k = p->length - 1; k >= 0; k--)
    if (!q->waits[k]) make_ready(q, p->code[k].op, k);
}

static int most_ready(const queue *q) {
  int best = 0;
  for (int op = 1; op < RATTLE_OP_COUNT; op++)
    if (q->count[op] > q->count[best]) best = op;
  return best;
}

/* The register of an operand. */
static int place(const rattle__tape *tape, const queue *q, int operand) {
  return operand < tape->inputs ? operand : q->at[operand - tape->inputs];
}

/* The operations of that kind that are ready, as one run; what waited for them may be ready
 * then. */
static void append_run(rattle__tape *tape, queue *q, const rattle__program *p, int op) {
  int k = q->ready[op] - 1;
  q->ready[op] = q->count[op] = 0;
  while (k >= 0) {
    const int next = q->next[k] - 1;
    q->at[k] = tape->inputs + tape->length;
    tape->code[tape->length].a = place(tape, q, q->a[k]);
    tape->code[tape->length++].b = place(tape, q, q->b[k]);
    for (int user = q->user[k]; user; user = q->next_user[user - 1])
      if (!--q->waits[(user - 1) / 2]) make_ready(q, p->code[(user - 1) / 2].op, (user - 1) / 2);
    k = next;
  }
  tape->run[tape->runs].op = op;
  tape->run[tape->runs++].end = tape->length;
}

int rattle__tape_make(rattle__tape *tape, const rattle__program *p) {
  const int inputs = p->slots + p->params + p->constants;
  const size_t length = (size_t)p->length;
  *tape = (rattle__tape){.inputs = inputs};
  tape->run = malloc((length + 1) * sizeof *tape->run);
  tape->code = malloc((length + 1) * sizeof *tape->code);
  tape->out = malloc(((size_t)p->outs + 1) * sizeof *tape->out);
  int *block = calloc(9 * length + (size_t)p->registers + 1, sizeof *block);
  const int made = tape->run && tape->code && tape->out && block;
  if (made) {
    queue q = {.next = block,
               .user = block + length,
               .next_user = block + 2 * length,
               .waits = block + 4 * length,
               .a = block + 5 * length,
               .b = block + 6 * length,
               .at = block + 7 * length};
    int *from = block + 8 * length;
    take_program(&q, p, inputs, from);
    while (tape->length < p->length) append_run(tape, &q, p, most_ready(&q));
    for (int j = 0; j < p->outs; j++) tape->out[j] = place(tape, &q, from[p->out[j]]);
  }
  free(block);
  return made ? 0 : -1;
}

void rattle__tape_release(rattle__tape *tape) {
  free(tape->run);
  free(tape->code);
  free(tape->out);
  *tape = (rattle__tape){0};
}

#define RUN(result)                                                                                \
  for (; k < end; k++) {                                                                           \
    const double a = r[tape->code[k].a], b = r[tape->code[k].b];                                   \
    to[k] = result;                                                                                \
  }                                                                                                \
  break;
void rattle__tape_play(const rattle__tape *tape, double *r) {
  double *to = r + tape->inputs;
  int k = 0;
  for (int i = 0; i < tape->runs; i++) {
    const int end = tape->run[i].end, op = tape->run[i].op;
    switch (op) {
    case RATTLE_OP_ADD:
      RUN(a + b)
    case RATTLE_OP_SUB:
      RUN(a - b)
    case RATTLE_OP_MUL:
      RUN(a * b)
    default:
      RUN(rattle__op_apply((rattle_op)op, a, b))
    }
  }
}
#undef RUN
