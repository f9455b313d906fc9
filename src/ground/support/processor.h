#ifndef RATTLE__PROCESSOR_H
#define RATTLE__PROCESSOR_H
/* Instructions that the processor has and the system lets it use. It is asked itself: where a
 * compiler's runtime library does not know it, __builtin_cpu_supports answers 0 to everything, and
 * the plain kernels run, at a third of the speed and without a word. */

/* True if there are instructions "avx2", "avx512f", "avx512dq", "avx512vl"; 0 for other names and
 * on other processors. */
int rattle__processor_has(const char *instructions);
#endif
