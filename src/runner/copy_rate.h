/*
 * copy_rate.h - how fast a process copies within its memory while all do: what packed calls wait
 * for (hs_system.copy_bytes_per_second).
 */
#ifndef HS_RUNNER_COPY_RATE_H
#define HS_RUNNER_COPY_RATE_H

#include "runner/bench.h"

/* Collective. Bytes per second of the copy that a packed call of the bench's longest message and
 * two layers makes, n bytes read and written counting once: the median of a few runs, each as long
 * as the slowest rank's. Changes the output. Where a machine is played: what its description says.
 * HS_MEMORY. */
enum hs_status hs_copy_rate(double *bytes_per_second, struct hs_bench *bench, struct hs_error *err);

#endif
