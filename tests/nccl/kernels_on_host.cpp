/*
 * kernels_on_host.cpp - the kernels of cuda_kernels.cu and pattern_kernels.cu, compiled for the host, against pattern.c and reduce.c.
 *
 * test_kernels.sh takes the launches' <<<...>>> out, so a launch is a call, of one thread that strides over everything.
 * That tests what the kernels compute, bit for bit; not that a GPU rounds as the host does. TAP on stdout.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime_api.h>

extern "C" {
#include "engine/reduce.h"
#include "runner/pattern.h"
}

#undef __global__
#undef __device__
#define __global__
#define __device__
static struct {
    unsigned x = 0;
} blockIdx, threadIdx;
static struct {
    unsigned x = 1;
} blockDim, gridDim;

static void atomicAdd(unsigned long long *sum, unsigned long long value)
{
    *sum += value;
}

extern "C" cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

#include "kernels_on_host.inc"

static const size_t count = 5003;
static int line, failures;

static void tell(bool right, const char *what, enum hs_datatype datatype, enum hs_operation operation)
{
    failures += !right;
    printf("%sok %d - %s, %s of %s\n", right ? "" : "not ", ++line, what, hs_operation_names[operation],
           hs_datatype_names[datatype]);
}

static void check(enum hs_datatype datatype, enum hs_operation operation, int64_t np)
{
    struct hs_pattern pattern = {datatype, operation, np, false};
    struct hs_pattern_part part = {HS_PATTERN_REDUCED, 17, count}, own = {np - 1, 17, count};
    size_t bytes = count * hs_datatype_bytes(datatype);
    std::vector<char> a(bytes), b(bytes), sum(bytes), other(bytes);
    bool same = true;
    for (int64_t rank = 0; rank < np; rank++) {
        hs_pattern_fill(a.data(), &pattern, rank, 17, count);
        hs_cuda_fill(b.data(), &pattern, rank, 17, count, NULL);
        same = same && a == b;
        if (rank == 0)
            sum = other = a;
        else {
            hs_reduce(sum.data(), sum.data(), a.data(), count, {datatype, operation, 0});
            hs_cuda_reduce(other.data(), other.data(), a.data(), count, {datatype, operation, 0}, NULL);
        }
    }
    tell(same, "the fill kernel writes what the host writes", datatype, operation);
    if (operation == HS_AVERAGE) {
        hs_reduce_finish(sum.data(), count, {datatype, operation, np});
        hs_cuda_divide(other.data(), count, datatype, np, NULL);
    }
    tell(sum == other, "reduction and division kernels give the host's bits", datatype, operation);
    unsigned long long wrong = 0;
    hs_cuda_count_wrong(&wrong, sum.data(), &pattern, part, NULL);
    bool right = wrong == 0 && hs_pattern_wrong(sum.data(), &pattern, part) == 0;
    unsigned long long differs = 0;
    hs_cuda_count_wrong(&wrong, a.data(), &pattern, own, NULL);
    own.rank = 0;
    hs_cuda_count_wrong(&differs, a.data(), &pattern, own, NULL);
    tell(wrong == 0 && (np == 1 || differs > 0), "the count kernel tells one rank's elements from another's", datatype,
         operation);
    sum[bytes / 2] ^= 1;
    sum[bytes - 1] ^= 1;
    hs_cuda_count_wrong(&wrong, sum.data(), &pattern, part, NULL);
    tell(right && wrong == 2, "the count kernel finds none in a right result, and both spoiled elements", datatype,
         operation);
}

static void check_carried(enum hs_datatype datatype)
{
    struct hs_pattern pattern = {datatype, HS_SUM, 6, true};
    size_t bytes = count * hs_datatype_bytes(datatype);
    std::vector<char> a(bytes), b(bytes);
    unsigned long long wrong = 0;
    hs_pattern_fill(a.data(), &pattern, 5, 17, count);
    hs_cuda_fill(b.data(), &pattern, 5, 17, count, NULL);
    b[bytes / 2] ^= 1;
    hs_cuda_count_wrong(&wrong, b.data(), &pattern, {5, 17, count}, NULL);
    b[bytes / 2] ^= 1;
    tell(a == b && wrong == 1, "what is carried: the kernels write and count what the host does", datatype, HS_SUM);
}

/* Arrays that do not begin where 16 bytes do, and counts that end within. */
static void check_ends(enum hs_datatype datatype)
{
    size_t width = hs_datatype_bytes(datatype);
    struct hs_pattern pattern = {datatype, HS_SUM, 2, false};
    struct hs_reduction sum = {datatype, HS_AVERAGE, 0};
    bool same = true;
    for (size_t skipped = 0; skipped < 3; skipped++)
        for (size_t elements = 1; elements < 40; elements++) {
            std::vector<double> room(50, 7.0), other(50), b(50);
            char *mine = (char *)room.data(), *second = (char *)b.data();
            hs_pattern_fill(mine + skipped * width, &pattern, 0, 17, elements);
            hs_pattern_fill(second, &pattern, 1, 17, elements);
            other = room;
            char *theirs = (char *)other.data();
            hs_reduce(theirs + skipped * width, theirs + skipped * width, second, elements, sum);
            hs_reduce_finish(theirs + skipped * width, elements, {datatype, HS_AVERAGE, 2});
            hs_cuda_reduce(mine + skipped * width, mine + skipped * width, second, elements, sum, NULL);
            hs_cuda_divide(mine + skipped * width, elements, datatype, 2, NULL);
            same = same && memcmp(mine, theirs, room.size() * sizeof(double)) == 0;
        }
    tell(same, "any place and any count: nothing is left out or touched beyond", datatype, HS_AVERAGE);
}

/* Counts of packs below, at and between what a thread has under way; what lies behind stays. */
static void check_blocks()
{
    bool same = true;
    for (size_t packs : {1, 7, 8, 9, 16, 61}) {
        std::vector<float> mine(256, 0.5F), theirs(256, 0.5F), b(256);
        struct hs_pattern pattern = {HS_FLOAT32, HS_SUM, 2, false};
        hs_pattern_fill(b.data(), &pattern, 1, 17, b.size());
        hs_reduce(theirs.data(), theirs.data(), b.data(), 4 * packs, {HS_FLOAT32, HS_SUM, 0});
        same = same && hs_cuda_add_by_blocks(mine.data(), b.data(), 4 * packs, 3, NULL) == cudaSuccess;
        same = same && mine == theirs;
    }
    same = same && hs_cuda_add_by_blocks(NULL, NULL, 3, 1, NULL) == cudaErrorInvalidValue;
    tell(same, "blocks as NCCL's add what the host adds, in any number of packs", HS_FLOAT32, HS_SUM);
}

/* Numbers that say where they were; runs of 2, 4, 8 and 16 bytes' multiples, and back again. */
static void check_regrouped()
{
    bool same = true;
    for (size_t run : {1, 2, 3, 4, 8, 12, 24, 40})
        for (size_t rows : {1, 2, 7})
            for (size_t columns : {1, 3, 4}) {
                size_t times = 1 + run % 3, one = rows * columns * run;
                std::vector<uint16_t> from(one * times), to(from.size() + 1, 9), back(from.size());
                struct hs_cuda_runs runs = {rows, columns, 2 * run, times == 1 ? 0 : times},
                                    other = {columns, rows, 2 * run, times};
                for (size_t i = 0; i < from.size(); i++)
                    from[i] = (uint16_t)(100 + i);
                hs_cuda_regroup(to.data(), from.data(), runs, NULL);
                for (size_t k = 0; k < columns; k++)
                    for (size_t q = 0; q < rows; q++)
                        for (size_t j = 0; j < run * times; j++)
                            same = same && to[j / run * one + (k * rows + q) * run + j % run] ==
                                               100 + j / run * one + (q * columns + k) * run + j % run;
                hs_cuda_regroup(back.data(), to.data(), other, NULL);
                same = same && back == from && to[from.size()] == 9;
            }
    tell(same, "runs are brought together, and apart again", HS_FLOAT16, HS_SUM);
}

int main()
{
    check_regrouped();
    check_blocks();
    for (int d = 0; d < HS_DATATYPE_COUNT; d++)
        check_ends((enum hs_datatype)d), check_carried((enum hs_datatype)d);
    for (int d = 0; d < HS_DATATYPE_COUNT; d++)
        for (int o = 0; o < HS_OPERATION_COUNT; o++)
            check((enum hs_datatype)d, (enum hs_operation)o, d % 2 ? 6 : 300);
    printf("1..%d\n", line);
    return failures > 0;
}
