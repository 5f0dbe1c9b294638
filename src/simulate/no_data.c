/*
 * The runner's arithmetic (runner/reduce.h, runner/pattern.h) in a simulation: none.
 *
 * All ranks share their buffers, so sums would be meaningless, and simulated time has no computing
 * in it anyway. That the data is right is tested by real runs of the same ring.
 */
#include "runner/pattern.h"
#include "runner/reduce.h"

void hs_reduce(void *dst, const void *a, const void *b, size_t count, enum hs_datatype datatype,
               enum hs_operation operation)
{
    (void)dst, (void)a, (void)b, (void)count, (void)datatype, (void)operation;
}

void hs_reduce_last(void *dst, const void *a, const void *b, size_t count,
                    enum hs_datatype datatype, enum hs_operation operation, int64_t np)
{
    (void)dst, (void)a, (void)b, (void)count, (void)datatype, (void)operation, (void)np;
}

void hs_reduce_finish(void *data, size_t count, enum hs_datatype datatype,
                      enum hs_operation operation, int64_t np)
{
    (void)data, (void)count, (void)datatype, (void)operation, (void)np;
}

void hs_pattern_fill(void *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                     size_t count)
{
    (void)data, (void)pattern, (void)rank, (void)first, (void)count;
}

/* Nobody asks: simulated data is never verified. */
uint64_t hs_pattern_wrong(const void *data, const struct hs_pattern *pattern, size_t first,
                          size_t count)
{
    (void)data, (void)pattern, (void)first;
    return count;
}
