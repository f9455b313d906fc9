#ifndef RATTLE_OCTAVE_MODEL_H
#define RATTLE_OCTAVE_MODEL_H
/* Runs of model files. */
#include "session.h"

/* "run", path, options: a struct with the samples. Options: method, step, stop, steps, every,
 * project, compensated, parameters (struct), q, p */
octave_value_list run_model(const octave_value_list &arguments);

#endif
