/*
 * Which known faults a call runs into: each row by a machine that has it, and by the same machine
 * with one thing changed that keeps it away.
 */
#include "systems.h"

#include <stdlib.h>
#include <string.h>

#include "library/known_faults.h"

struct asked {
    const char *machine;
    int version; /* 0: not said */
    int64_t ranks, size;
    enum hs_collective collective;
    double bytes;
};

static bool is_told(const struct asked *asked, const char *source)
{
    const struct hs_known_fault *found[HS_KNOWN_FAULTS];
    struct hs_system system = parse(asked->machine);
    struct hs_problem problem =
        hs_problem_of(asked->collective, HS_NATURAL, asked->ranks, asked->bytes);
    struct hs_library_price price;
    size_t count;
    bool told = false;

    problem.group.size = asked->size;
    system.nccl.version = asked->version;
    price = hs_library_price(&system, &problem, 4);
    count = hs_known_faults_of(found, &system, &problem, &price, 4);
    for (size_t i = 0; i < count; i++)
        told = told || strcmp(found[i]->source, source) == 0;
    hs_system_release(&system);
    return told;
}

#define AR HS_COLLECTIVE_ALLREDUCE
#define AA HS_COLLECTIVE_ALLTOALL
#define V  HS_NCCL_VERSION

static const struct {
    const char *source;
    struct asked with, without;
} cases[] = {
    {"NVIDIA/nccl/issues/2001",
     {"4xGH200, 4xSS11", V(2, 27, 3), 32, 32, AR, 1 << 20},
     {"4xGH200, 4xSS11", V(2, 26, 6), 32, 32, AR, 1 << 20}},
    {"NVIDIA/nccl/issues/2001",
     {"4xGH200, 4xSS11", 0, 32, 32, AR, 1 << 20},
     {"4xGH200, 4xSS11", 0, 32, 32, AR, 1 << 30}},
    {"NVIDIA/nccl/issues/2001",
     {"4xGH200, 4xSS11", 0, 32, 32, AR, 1 << 20},
     {"4xA100, 4xSS11", 0, 32, 32, AR, 1 << 20}},
    {"NVIDIA/nccl-tests/issues/167",
     {"8xH100, 8xNDR400", V(2, 18, 3), 16, 16, AR, 1 << 27},
     {"8xH100, 8xNDR400", V(2, 19, 3), 16, 16, AR, 1 << 27}},
    {"NVIDIA/nccl/issues/2353",
     {"72xGB200, 72xNDR400", 0, 144, 144, AR, 1 << 20},
     {"72xGB200, 72xNDR400", 0, 72, 72, AR, 1 << 20}},
    {"NVIDIA/nccl/issues/2353",
     {"4xGH200, 4xSS11", V(2, 29, 2), 32, 32, AR, 1 << 10},
     {"4xGH200, 4xSS11", V(2, 29, 3), 32, 32, AR, 1 << 10}},
    {"NVIDIA/nccl/issues/2077",
     {"8xH200, 8xNDR400", V(2, 29, 7), 8, 4, AR, 1 << 30},
     {"8xH200, 8xNDR400", V(2, 29, 7), 8, 8, AR, 1 << 30}},
    {"NVIDIA/nccl/issues/1876",
     {"4xA100-mesh, 4xHDR100", V(2, 25, 1), 8, 8, AR, 1 << 28},
     {"4xA100-mesh, 4xHDR100", V(2, 22, 3), 8, 8, AR, 1 << 28}},
    {"pytorch/pytorch/issues/117748",
     {"8xH100, 16xEFA200", V(2, 19, 3), 64, 64, AR, 1 << 26},
     {"8xH100, 16xEFA200", V(2, 20, 5), 64, 64, AR, 1 << 26}},
    {"NVIDIA/nccl/issues/1752",
     {"8xH200, 8xRoCE400", 0, 512, 512, AR, 1 << 27},
     {"8xH200, 8xRoCE400", 0, 512, 512, AR, 1 << 10}},
    {"NVIDIA/TensorRT-LLM/pull/17160",
     {"72xGB300, 72xRoCE800", V(2, 30, 4), 72, 72, AA, 1 << 18},
     {"72xGB300, 72xRoCE800", V(2, 29, 7), 72, 72, AA, 1 << 18}},
    {"NVIDIA/nccl/issues/2094",
     {"8xH100, 8xNDR400", V(2, 29, 2), 8, 8, AR, 1 << 12},
     {"8xH100, 8xNDR400", V(2, 28, 9), 8, 8, AR, 1 << 12}},
    {"NVIDIA/nccl/issues/1997",
     {"8xH200, 8xNDR400", V(2, 24, 3), 2, 2, AR, 1 << 30},
     {"8xH200, 8xNDR400", V(2, 22, 3), 2, 2, AR, 1 << 30}},
    {"ROCm/legacy-rocm-build/issues/5717",
     {"8xMI300X, 8xRoCE400", 0, 16, 16, AA, 1 << 20},
     {"8xMI300X, 8xNDR400", 0, 16, 16, AA, 1 << 20}},
    {"ROCm/rocm-systems/pull/6453",
     {"8xMI355X, 8xRoCE400", 0, 16, 16, AA, 1 << 20},
     {"8xMI355X, 8xRoCE400", 0, 32, 32, AA, 1 << 20}},
    {"open-mpi/ompi/issues/12550",
     {"node:2@10GB/s~1us,ib@10GB/s~2us;library=openmpi", 0, 16384, 16384, AR, 1 << 15},
     {"node:2@10GB/s~1us,ib@10GB/s~2us;library=openmpi", 0, 4096, 4096, AR, 1 << 15}},
};

static void a_call_is_told_what_it_runs_into_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        if (!is_told(&cases[i].with, cases[i].source))
            fail_msg("%s (%zu) is not told", cases[i].source, i);
        if (is_told(&cases[i].without, cases[i].source))
            fail_msg("%s (%zu) is told of what does not run into it", cases[i].source, i);
    }
}

static void every_row_has_a_case_and_a_number(void **state)
{
    (void)state;
    for (size_t row = 0; row < HS_KNOWN_FAULTS; row++) {
        const struct hs_known_fault *fault = hs_known_fault(row);
        const char *number = strrchr(fault->source, '/');
        bool tried = false;

        assert_non_null(number);
        assert_true(atoi(number + 1) > 0);
        for (size_t i = 0; i < HS_COUNT(cases); i++)
            tried = tried || strcmp(cases[i].source, fault->source) == 0;
        if (!tried)
            fail_msg("%s has no case", fault->source);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a call is told what it runs into, and nothing else",
            a_call_is_told_what_it_runs_into_and_nothing_else),
    HS_TEST("every row has a case and a number", every_row_has_a_case_and_a_number),
};
HS_TEST_MAIN(tests)
