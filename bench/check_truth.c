/*
 * check_truth MACHINES SEED - `hiersearch check` on machines whose fault is known: machines of
 * parts with constants of their own, and a fault that changes their prices, two in a fifth; each
 * time with an error of 3 to 15 %. Prints what was found, where it was placed, what became of the
 * true cause, and how often a cause is the true one by its odds.
 *
 * The truth is of the same price as the answer, so this tests the reasoning and not the price.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer/check.h"

#define SIZES_MOST 16

struct fault {
    enum hs_check_cause cause;
    struct hs_check_variant variant;
};

/* Generator of its own: xorshift, as the bench needs no quality. */
static uint64_t state;
static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}
static double between(double low, double high)
{
    return low + (high - low) * uniform();
}
static size_t below(size_t count)
{
    return (size_t)(uniform() * (double)count) % count;
}
static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static const char *const machines[] = {"8xH100, 8xNDR400", "8xH100, 8xRoCE400", "8xA100, 4xHDR200",
                                       "8xA100, 8xHDR200", "8xH200, 8xRoCE400", "8xB200, 8xNDR400",
                                       "4xA100, 4xHDR200", "8xH100, 16xRoCE200"};

/* One priced fault on the machine. */
static struct fault draw_fault(const struct hs_parts *parts, int64_t nodes)
{
    struct fault fault = {HS_BY_NOISE, HS_CHECK_SAME};
    double nics = (double)parts->nic_count;

    switch (below(nodes > 1 ? 10 : 5)) {
    case 0:
        fault.cause = HS_BY_NVLS_OFF;
        fault.variant.among = ~((1U << HS_NCCL_NVLS) | (1U << HS_NCCL_NVLSTREE));
        break;
    case 1:
        fault.cause = HS_BY_RING_FORCED;
        fault.variant.among = 1U << HS_NCCL_RING;
        break;
    case 2:
        fault.cause = HS_BY_PROTOCOL;
        fault.variant.protocols = 1U << HS_NCCL_LL;
        break;
    case 3:
        fault.cause = HS_BY_P2P_OFF;
        fault.variant.inside = between(8, 20) / parts->gpu.nvlink_GBps;
        break;
    case 4:
        fault.cause = HS_BY_HOST_BUSY;
        fault.variant.all = between(1.4, 3);
        break;
    case 5:
        fault.cause = HS_BY_NICS_USED;
        fault.variant.network = (double)(1 + below((size_t)nics - 1)) / nics;
        break;
    case 6:
        fault.cause = HS_BY_PORT_RATE;
        fault.variant.network = 0.5;
        break;
    case 7:
        fault.cause = HS_BY_TAPER;
        fault.variant.network = 1 / between(1.5, 4);
        break;
    case 8:
        fault.cause = HS_BY_TCP_SOCKETS;
        fault.variant.network = between(1.5, 6) / (nics * parts->nic.line_GBps);
        fault.variant.step_us = between(15, 60);
        break;
    default:
        fault.cause = HS_BY_GDR_OFF;
        fault.variant.network = between(0.30, 0.66);
        break;
    }
    return fault;
}

static void add_fault(struct hs_check_variant *all, const struct hs_check_variant *more)
{
    all->network *= more->network;
    all->inside *= more->inside;
    all->all *= more->all;
    all->step_us = fmax(all->step_us, more->step_us);
    all->among = all->among && more->among ? all->among & more->among : all->among | more->among;
    all->protocols |= more->protocols;
}

static void own_constants(struct hs_system *truth, int64_t nodes)
{
    double deviations[HS_NCCL_K_COUNT];

    hs_nccl_deviations(deviations, &truth->nccl.parts, nodes, 0);
    for (size_t k = 0; k < hs_nccl_price_model.count; k++)
        truth->nccl.own[k] =
            hs_nccl_price_model.constants[k].fitted * exp(deviations[k] * normal());
}

/* Times of a run as CSV; how much slower its largest size is than without the faults. */
static double write_log(struct hs_text *csv, const struct hs_system *truth, int64_t nodes,
                        enum hs_library_call kind, const struct hs_check_variant *variant)
{
    static const double noises[] = {0.03, 0.05, 0.08, 0.15};
    double noise = noises[below(4)], slower = 1;
    int first = uniform() < 0.4 ? 13 : 24, last = 28 + (int)below(5), step = 1 + (int)below(3);
    int64_t ranks = nodes * truth->nccl.parts.gpu_count;

    hs_text_append(csv, "bytes,seconds,np,nodes,call\n");
    for (int power = first; power <= last; power += step) {
        struct hs_text point = {0};
        struct hs_call_list calls = {0};
        struct hs_log log;
        struct hs_check_row row = {.nodes = nodes, .against = HS_AGAINST_PRICE};
        struct hs_log_facts facts = {
            .ranks = ranks, .nodes = nodes, .call_known = true, .call = kind};
        double seconds;

        hs_text_append(&point, "bytes,seconds\n%.0f,1\n", ldexp(1, power));
        if (hs_log_parse(&log, NULL, "point", point.data, point.length, NULL) != HS_OK ||
            hs_log_calls(&calls, truth, &log, "point", &facts, NULL) != HS_OK)
            exit(1);
        row.logged = calls.items[0];
        row.expected_seconds = hs_log_call_price(&row.logged, truth).seconds;
        seconds = hs_check_seconds(&row, truth, variant);
        slower = seconds / row.expected_seconds;
        hs_text_append(csv, "%.0f,%.9g,%lld,%lld,%s\n", ldexp(1, power),
                       seconds * exp(noise * normal()), (long long)ranks, (long long)nodes,
                       hs_library_call_names[kind]);
        hs_call_list_release(&calls);
        hs_log_release(&log);
        hs_text_release(&point);
    }
    return slower;
}

/* By fault: how many, and what became of them. */
struct tally {
    int count, found, placed, established, statuses[HS_CHECK_STATUS_COUNT], alone_wrong;
    int layers[HS_CHECK_LAYER_COUNT];
};

int main(int argc, char **argv)
{
    static struct tally tallies[HS_CHECK_CAUSE_COUNT + 1];
    int count = argc > 1 ? atoi(argv[1]) : 2000, fits = 0, fits_true = 0, named = 0;
    double odds[5] = {0}, hits[5] = {0}, most_ms = 0;

    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
    for (int i = 0; i < count; i++) {
        static const int64_t nodes_of[] = {1, 2, 2, 3, 4, 8};
        const char *machine = machines[below(sizeof(machines) / sizeof(*machines))];
        int64_t nodes = nodes_of[below(6)];
        struct hs_system system, truth;
        struct hs_text csv = {0};
        struct hs_inputs inputs = {.count = 0};
        struct hs_check_settings settings = {.info = NULL};
        struct hs_check_answer checked;
        struct hs_error err;
        struct hs_check_variant variant = HS_CHECK_SAME;
        struct fault fault = {HS_BY_NOISE, HS_CHECK_SAME}, second = fault;
        bool faulty = uniform() < 0.8, two = false;
        enum hs_library_call kind = uniform() < 0.7 ? HS_CALL_ALLREDUCE : HS_CALL_ALLGATHER;
        double slower = 1;
        size_t of = HS_CHECK_CAUSE_COUNT, fitting = 0;
        bool true_fits = false;
        struct timespec before, after;
        double took;

        if (hs_system_parse(&system, machine, &err) || hs_system_parse(&truth, machine, &err))
            exit(1);
        own_constants(&truth, nodes);
        /* a fault that costs the call something */
        for (int tries = 0; faulty && slower < 1.15 && tries < 20; tries++) {
            struct hs_text scratch = {0};

            fault = draw_fault(&truth.nccl.parts, nodes);
            slower = write_log(&scratch, &truth, nodes, kind, &fault.variant);
            hs_text_release(&scratch);
        }
        if (faulty)
            add_fault(&variant, &fault.variant);
        two = faulty && uniform() < 0.2;
        if (two) {
            second = draw_fault(&truth.nccl.parts, nodes);
            if (second.cause != fault.cause)
                add_fault(&variant, &second.variant);
        }
        slower = write_log(&csv, &truth, nodes, kind, &variant);
        if (slower < 1.15) /* the fault costs nothing there */
            faulty = two = false;
        if (faulty)
            of = fault.cause;
        if (hs_inputs_add_any(&inputs, "log.csv", csv.data, NULL, &err)) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
        clock_gettime(CLOCK_MONOTONIC, &before);
        if (hs_check(&checked,
                     &(struct hs_check_question){.system = &system,
                                                 .inputs = &inputs,
                                                 .settings = &settings,
                                                 .machine = machine},
                     NULL, &err)) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
        clock_gettime(CLOCK_MONOTONIC, &after);
        took = (double)(after.tv_sec - before.tv_sec) * 1e3 +
               (double)(after.tv_nsec - before.tv_nsec) * 1e-6;
        most_ms = fmax(most_ms, took);
        tallies[of].count++;
        tallies[of].found += checked.verdict == HS_CHECK_LOW;
        tallies[of].layers[checked.layer] += checked.verdict == HS_CHECK_LOW;
        for (size_t c = 0; c < checked.cause_count; c++) {
            const struct hs_check_found *found = &checked.causes[c];
            bool is_true =
                faulty && (found->cause == fault.cause || (two && found->cause == second.cause));
            size_t bin = (size_t)fmin(4, found->odds * 5);

            if (found->status != HS_CAUSE_EXCLUDED) {
                odds[bin] += 1;
                hits[bin] += is_true;
            }
            fitting += found->status == HS_CAUSE_FITS;
            true_fits = true_fits || (found->status == HS_CAUSE_FITS && is_true);
            if (faulty && found->cause == fault.cause)
                tallies[of].statuses[found->status]++;
        }
        if (fitting > 0) {
            named++;
            fits += (int)fitting;
            fits_true += true_fits;
            tallies[of].alone_wrong += fitting == 1 && !true_fits;
        }
        hs_check_answer_release(&checked);
        hs_inputs_release(&inputs);
        hs_text_release(&csv);
        hs_system_release(&system);
        hs_system_release(&truth);
    }
    printf("%-16s %5s %5s | %5s %5s %8s %5s %7s | %5s %5s %8s | %s\n", "fault", "count", "low",
           "call", "node", "network", "algo", "unknown", "fits", "open", "excluded",
           "wrong one alone");
    for (int c = 0; c <= HS_CHECK_CAUSE_COUNT; c++) {
        const struct tally *t = &tallies[c];

        if (t->count > 0)
            printf("%-16s %5d %5d | %5d %5d %8d %5d %7d | %5d %5d %8d | %d\n",
                   c == HS_CHECK_CAUSE_COUNT ? "none" : hs_check_causes[c].key, t->count, t->found,
                   t->layers[HS_LAYER_CALL], t->layers[HS_LAYER_NODE], t->layers[HS_LAYER_NETWORK],
                   t->layers[HS_LAYER_ALGORITHM], t->layers[HS_LAYER_UNKNOWN],
                   t->statuses[HS_CAUSE_FITS], t->statuses[HS_CAUSE_OPEN],
                   t->statuses[HS_CAUSE_EXCLUDED], t->alone_wrong);
    }
    printf("a cause fits in %d answers, on average %.1f; the true one is among them in %.0f %%\n",
           named, (double)fits / fmax(1, named), 100.0 * fits_true / fmax(1, named));
    for (int b = 0; b < 5; b++)
        if (odds[b] > 0)
            printf("odds %.1f to %.1f: %.0f causes, %.0f %% true\n", b / 5.0, (b + 1) / 5.0,
                   odds[b], 100 * hits[b] / odds[b]);
    printf("slowest answer %.1f ms\n", most_ms);
    return 0;
}
