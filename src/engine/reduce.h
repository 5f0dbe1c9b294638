/*
 * reduce.h - elementwise reductions of two arrays, for every data type and operation.
 *
 * Arrays may be the same (dst == a, dst == b) but must not overlap otherwise; any alignment of
 * whole elements will do. Sums of float16 and bfloat16 are made in float and rounded to nearest,
 * ties to even, once per call, as MPI's and NCCL's are. The instruction set is chosen when a
 * program runs; all choices give the same bits, except in which NaN they return.
 *
 * Average: added like sum, and divided by the number of processes when the last addition is done.
 * The sum is rounded to the data type before the division, the quotient after it. Max: of zeros of
 * different sign either; where an element is a NaN the result is not specified.
 */
#ifndef HS_ENGINE_REDUCE_H
#define HS_ENGINE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "system/datatype.h"

struct hs_reduction {
    enum hs_datatype datatype;
    enum hs_operation operation;
    /* Average: processes to divide by, now that the last part is added; 0: there are more parts. */
    int64_t divisor;
};

/* dst[i] = a[i] op b[i]; for an average the sum, or (a[i] + b[i]) / divisor. */
void hs_reduce(void *dst, const void *a, const void *b, size_t count,
               struct hs_reduction reduction);

/* data[i] = data[i] / divisor for an average with one, nothing else: where a library made the sum.
 */
void hs_reduce_finish(void *data, size_t count, struct hs_reduction reduction);

/* Instruction sets this program has loops for, widest last. The widest that the processor knows is
 * in use; hs_reduce_limit forbids wider ones (tests: every set must give the same bits). */
enum hs_isa { HS_ISA_BASE, HS_ISA_AVX2, HS_ISA_COUNT };
void hs_reduce_limit(enum hs_isa widest);

#endif
