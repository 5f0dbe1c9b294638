/*
 * What the lazy search states of machines that are played with noise, against the truth.
 *
 *     build/bench/certain [MACHINES]        (make bench-certain; default 2000)
 *
 * Machines are those of tests/search/lazy_machine.h: the model with other figures than the
 * description's, deviations of 10 % for each size and each layer, 2, 5 or 20 % of noise. Layers are
 * measured as `measure` does it, 3 samples of each phase or 12.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/search/lazy_machine.h"

#define MIB 1048576.0

#define MACHINES (sizeof(lazy_machines) / sizeof(*lazy_machines))

struct tally {
    size_t runs, covered, within, certain, wrong; /* wrong: certified, and not the best by 1 % */
    double half_width;
};

static void fail(const struct hs_error *err)
{
    fprintf(stderr, "certain: %s\n", err->message);
    exit(1);
}

static struct hs_certificate search(struct machine *machine, const struct hs_system *system,
                                    int64_t np, double bytes, bool shape_only)
{
    struct hs_lazy_options options = {.shape_only = shape_only};
    struct hs_certificate certificate;
    struct hs_error err = {0};
    struct hs_lazy_planner lazy;

    if (lazy_init(&lazy, system, np, bytes, &options, &err) ||
        lazy_search(&certificate, &lazy, machine, measure_layer, &err))
        fail(&err);
    hs_lazy_planner_release(&lazy);
    return certificate;
}

/* As `measure` does when the winner has run as a whole, which here takes the sum of its layers. */
static void confront(struct hs_certificate *certificate, struct machine *machine, double truth)
{
    double seconds, noise;

    take_median(&seconds, &noise, machine, truth, false);
    hs_certificate_widen(certificate, seconds, HS_NORMAL95 * noise * seconds);
}

static void add_run(struct tally *tally, double noise, uint64_t seed)
{
    static const int64_t counts[] = {12, 16, 24};
    int64_t np = counts[seed / 2 % 3];
    bool shape_only = seed % 2;
    struct hs_system described, given;
    struct hs_certificate certificate;
    struct machine machine;
    struct hs_error err = {0};
    uint64_t splits = 0;
    double truth, best;

    if (hs_system_parse(&described, lazy_machines[seed % MACHINES], &err))
        fail(&err);
    given = shape_only ? without_figures(&described) : described;
    machine_init(&machine, &described, 9000 + seed);
    machine.noise = noise;
    machine.samples = 12;
    certificate = search(&machine, &given, np, 16 * MIB, shape_only);
    truth = true_plan_seconds(&machine, &certificate.winner, 16 * MIB);
    confront(&certificate, &machine, truth);
    best = best_plan_seconds(&machine, np, 1, 16 * MIB, &splits);
    tally->runs++;
    tally->covered += fabs(certificate.seconds - truth) <= certificate.ci95_seconds;
    tally->within += truth <= best * (1 + certificate.within) * (1 + 1e-9);
    tally->half_width += certificate.ci95_seconds / certificate.seconds;
    tally->certain += hs_certificate_is_certain(&certificate);
    tally->wrong += hs_certificate_is_certain(&certificate) && truth > best * 1.01;
    hs_certificate_release(&certificate);
    hs_system_release(&described);
}

static void print_row(const char *name, const struct tally *tally)
{
    double runs = (double)tally->runs;

    printf("%-14s %8zu %12.1f %14.1f %16.1f %10.1f %20zu\n", name, tally->runs,
           100 * tally->half_width / runs, 100 * (double)tally->covered / runs,
           100 * (double)tally->within / runs, 100 * (double)tally->certain / runs, tally->wrong);
}

int main(int argc, char **argv)
{
    static const double noises[] = {0.02, 0.05, 0.2};
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    struct tally all = {0};

    printf("%-14s %8s %12s %14s %16s %10s %20s\n", "noise", "machines", "+- %", "truth in it %",
           "regret in it %", "certain %", "certain, not best");
    for (size_t n = 0; n < 3; n++) {
        struct tally tally = {0};
        char name[32];

        for (uint64_t seed = n; seed < count; seed += 3)
            add_run(&tally, noises[n], seed);
        snprintf(name, sizeof(name), "%g %%", 100 * noises[n]);
        print_row(name, &tally);
        all.runs += tally.runs;
        all.covered += tally.covered;
        all.within += tally.within;
        all.certain += tally.certain;
        all.wrong += tally.wrong;
        all.half_width += tally.half_width;
    }
    print_row("all", &all);
    printf("%-14s %8s %12s %14s %16s %10s %20s\n", "target", "2000", "", "93 to 97", "95 or more",
           "", "5 % or less");
    return 0;
}
