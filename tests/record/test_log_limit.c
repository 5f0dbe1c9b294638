/*
 * What `fit` and `check` say of a log's calls is never below what the machine's wires carry: random
 * machines in parts or levels with a taper, and calls of random nodes (LOGS says of how many). The
 * bound is worked out here, from the line's own figures: bytes that must leave a node, or the nodes
 * under a switch, over what these can send.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "record/log_fit.h"
#include "system/link_rates.h"
#include "test.h"

static int64_t random_of(uint64_t *state, int64_t first, int64_t last)
{
    return first + (int64_t)(hs_random_bits(state) % (uint64_t)(last - first + 1));
}

struct drawn {
    char text[128];
    int64_t ranks, under; /* of a node; nodes of a switch, 0: none */
    double node, leaf;    /* bytes per second that leave each; of parts found with the system */
    double taper;
    bool mpi, rccl;
};

static struct drawn draw_levels(uint64_t *random)
{
    struct drawn drawn = {.ranks = 4, .mpi = true, .under = random_of(random, 1, 16)};

    drawn.node = 1e9 * exp(4 * hs_random_uniform(random));
    drawn.leaf = (double)drawn.under * drawn.node / exp(log(64) * hs_random_uniform(random));
    snprintf(drawn.text, sizeof(drawn.text),
             "node:4@100GB/s~1us,ib:%d@%.17gGB/s~2us,spine@%.17gGB/s~3us;library=%s",
             (int)drawn.under, drawn.node * 1e-9, drawn.leaf * 1e-9,
             random_of(random, 0, 1) ? "mpich" : "openmpi");
    return drawn;
}

static struct drawn draw_parts(uint64_t *random)
{
    static const char *const gpus[] = {"8xH100", "4xA100-mesh", "8xB200", "8xA100", "8xMI300X"};
    static const char *const nics[] = {"8xNDR400", "4xHDR200", "8xRoCE400", "1xHDR100"};
    size_t g = (size_t)random_of(random, 0, 4), n = (size_t)random_of(random, 0, 3);
    struct drawn drawn = {.ranks = gpus[g][0] - '0',
                          .taper = exp(log(64) * hs_random_uniform(random)),
                          .under = random_of(random, 0, 3) ? random_of(random, 1, 16) : 0,
                          .rccl = g == 4};

    if (drawn.under > 0)
        snprintf(drawn.text, sizeof(drawn.text), "%s, %s, %d:%.17g", gpus[g], nics[n],
                 (int)drawn.under, drawn.taper);
    else
        snprintf(drawn.text, sizeof(drawn.text), "%s, %s", gpus[g], nics[n]);
    return drawn;
}

/* Bytes that pass a cut with the part f of all ranks on one side: what the other has to get of its
 * result, or of its blocks. */
static double across(enum hs_library_call kind, double bytes, double ranks, double part)
{
    switch (kind) {
    case HS_CALL_ALLREDUCE:
        return bytes;
    case HS_CALL_ALLGATHER:
    case HS_CALL_REDUCE_SCATTER:
        return bytes * fmax(part, 1 - part);
    case HS_CALL_ALLTOALL:
    case HS_LIBRARY_CALL_COUNT:
        break;
    }
    return bytes * ranks * part * (1 - part);
}

/* Seconds, at least; by the first node, whose ranks have all of its NICs or their own slots, and by
 * the first full switch. */
static double bound_of(const struct drawn *drawn, const struct hs_parts *parts,
                       const struct hs_log_call *call)
{
    double nodes = (double)call->nodes, ranks = (double)call->ranks, used = ranks / nodes;
    double nics = (double)parts->nic_count * parts->nic.line_GBps;
    double node =
        drawn->mpi ? drawn->node : 1e9 * fmin(nics, used * parts->gpu.slot_GBps * HS_SLOT_PEAK);
    double under = (double)drawn->under, bytes = (double)call->bytes, least;
    double leaf = drawn->mpi ? drawn->leaf : 1e9 * under * nics / drawn->taper;

    if (nodes < 2)
        return 0;
    least = across(call->kind, bytes, ranks, 1 / nodes) / node;
    if (under > 0 && nodes > under)
        least = fmax(least, across(call->kind, bytes, ranks, under / nodes) / leaf);
    return least;
}

static void no_call_of_a_log_is_said_to_take_less_than_its_wires(void **state)
{
    const char *asked = getenv("LOGS");
    size_t logs = asked ? (size_t)atol(asked) : hs_tests_quick() ? 1000 : 8000, calls = 0, near = 0;
    uint64_t random = 20261128;

    (void)state;
    for (size_t l = 0; l < logs; l++) {
        struct drawn drawn = l % 4 == 1 ? draw_levels(&random) : draw_parts(&random);
        const struct hs_log_facts facts = {.may_lack_price = drawn.rccl};
        struct hs_log_point points[4];
        struct hs_log_run run = {.call = (enum hs_library_call)(l / 4 % HS_LIBRARY_CALL_COUNT),
                                 .call_known = true,
                                 .nodes = random_of(&random, 1, 40)};
        struct hs_log log = {.runs = &run, .run_count = 1, .points = points, .point_count = 4};
        struct hs_call_list list = {0};
        struct hs_system system;
        struct hs_error err;

        run.ranks = run.nodes * (random_of(&random, 0, 2) ? drawn.ranks : 1);
        if (run.ranks < 2)
            run.ranks = drawn.ranks;
        for (int p = 0; p < 4; p++)
            points[p] = (struct hs_log_point){
                .bytes = (uint64_t)exp(4 + 19 * hs_random_uniform(&random)), .seconds = 1};
        if (hs_system_parse(&system, drawn.text, &err))
            fail_msg("%s: %s", drawn.text, err.message);
        if (hs_log_calls(&list, &system, &log, "log", &facts, &err))
            fail_msg("%s: %s", drawn.text, err.message);
        for (size_t c = 0; c < list.count; c++) {
            struct hs_call_price price = hs_log_call_price(&list.items[c], &system);
            double bound = bound_of(&drawn, &system.nccl.parts, &list.items[c]);

            if (isnan(price.seconds))
                continue;
            calls++;
            near += price.seconds < 2 * bound;
            if (price.seconds < bound * (1 - 1e-9) || price.low_seconds < bound * (1 - 1e-9))
                fail_msg("%s: %s of %llu bytes, %lld ranks on %lld nodes: %.6g (from %.6g), at "
                         "least %.6g",
                         drawn.text, hs_library_call_names[list.items[c].kind],
                         (unsigned long long)list.items[c].bytes, (long long)list.items[c].ranks,
                         (long long)list.items[c].nodes, price.seconds, price.low_seconds, bound);
        }
        hs_call_list_release(&list);
        hs_system_release(&system);
    }
    print_message("# %zu calls of %zu logs, %zu within twice their bound\n", calls, logs, near);
    assert_true(near > logs / 20);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("no call of a log is said to take less than its wires need",
            no_call_of_a_log_is_said_to_take_less_than_its_wires),
};
HS_TEST_MAIN(tests)
