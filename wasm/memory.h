#ifndef WASM_MEMORY_H
#define WASM_MEMORY_H
#include "rattle/record.h"
#include "rattle/trajectory.h"

/* A record of samples that remain the caller's, until the next one is made. */
const rattle_record *memory_record(const rattle_record_info *info, const rattle_samples *samples);
#endif
