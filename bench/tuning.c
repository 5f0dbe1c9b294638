/*
 * What the library says that NCCL believes of its own algorithms: latency, and bandwidth (message
 * size over time).
 *
 *     build/bench/tuning PARTS VERSION <LINES      a line: COLLECTIVE ALGORITHM PROTOCOL NODES GPUS
 *
 * COLLECTIVE: allreduce or allgather. Prints the line with "us GB/s" behind it, "- -" where NCCL
 * has no such choice there. It is that of long messages, where trees need no correction.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/library_nccl.h"
#include "library/price_nccl.h"
#include "system/parts.h"
#include "system/system.h"

#define LONG 0x1p44 /* bytes beside which no latency counts */

static const struct hs_nccl_choice *named(const struct hs_nccl_choice *choices, size_t count,
                                          const char *algorithm, const char *protocol)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(hs_nccl_algorithm_names[choices[i].algorithm], algorithm) == 0 &&
            strcmp(hs_nccl_protocol_names[choices[i].protocol], protocol) == 0)
            return &choices[i];
    return NULL;
}

int main(int argc, char **argv)
{
    char collective[32], algorithm[32], protocol[32];
    long long nodes, gpus;
    struct hs_system system;
    struct hs_error err;

    if (argc != 3 || hs_system_parse(&system, argv[1], &err) != HS_OK) {
        fprintf(stderr, "usage: %s PARTS VERSION\n", argv[0]);
        return 2;
    }
    while (scanf("%31s %31s %31s %lld %lld", collective, algorithm, protocol, &nodes, &gpus) == 5) {
        struct hs_nccl_call call = {
            .kind = strcmp(collective, "allreduce") == 0 ? HS_CALL_ALLREDUCE : HS_CALL_ALLGATHER,
            .version = atoi(argv[2])};
        const struct hs_nccl_ask ask = {.kind = call.kind, .domains = nodes, .gpus = gpus};
        struct hs_nccl_choice all[HS_NCCL_CHOICES_MAX];
        const struct hs_nccl_choice *one = NULL;

        printf("%s %s %s %lld %lld ", collective, algorithm, protocol, nodes, gpus);
        if (hs_nccl_shape(&call.shape, &system.nccl.parts, &ask, &err) == HS_OK) {
            call.bytes = LONG;
            one = named(all, hs_nccl_choices(all, &call), algorithm, protocol);
        }
        if (one) {
            double GBps = LONG / one->modelled_seconds * 1e-9, latency;

            call.bytes = 1;
            one = named(all, hs_nccl_choices(all, &call), algorithm, protocol);
            latency = one->modelled_seconds * 1e6;
            printf("%.2f %.2f\n", latency, GBps);
        } else {
            puts("- -");
        }
    }
    hs_system_release(&system);
    return 0;
}
