/*
 * What the lazy plan costs against measuring every split: layers, communicators, seconds of
 * allocation.
 *
 *     build/bench/lazy [NP]        (make bench-lazy; default 128)
 *
 * Machines are played: the model with other figures than the description's, deviations of 10 % for
 * each size and each layer, and 2 % of noise (tests/search/lazy_machine.h). Splits run in the
 * race of `measure` itself, with its racing; layers by the rules of its timer: roughly first (1
 * run of warm-up, 3 samples); those that matter again with 2 runs of warm-up, then samples until
 * the median is known to 2 %, at least 8.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/search/lazy_machine.h"
#include "base/units.h"
#include "runner/race.h"

#define SEEDS       40
#define BYTES       (128 * 1048576.0)
#define WARMUP      2
#define PRECISION   0.02
#define MIN_SAMPLES 8
#define MAX_SAMPLES 200
#define TOLERANCE   0.01 /* regret that counts as a miss: the search's default */

static const struct {
    const char *name, *text;
} machines[] = {
    {"4 GPUs, ib, tapered spine",
     "nvlink:4@111.6GB/s~4.8us,ib:32@18.6GB/s~4.8us,spine:34@198.4GB/s~4.8us;s=2"},
    {"mesh nodes, 2 NICs not striped",
     "nv:mesh:4@450GB/s~0.5us,rack:8@50GB/s~2.3us/2p!,spine@133GB/s~4.6us"},
    {"8 GPUs, 8 NICs, three levels",
     "nvlink:8@370GB/s~3us,leaf:8@400GB/s~5us/8p,spine@1600GB/s~7us;launch=8us"},
    {"6 GPUs in 2 sockets, misaligned layers",
     "xbus:3@50GB/s~1us,socket:2@64GB/s~2us,ib:18@23GB/s~5us,spine@300GB/s~9us;launch=8us"},
    {"hosts of 2, 5:1 spine", "mem:2@3GB/s~2us,host:4@62.5MB/s~60us,spine@50MB/s~60us"},
};

static void fail(const struct hs_error *err)
{
    fprintf(stderr, "lazy: %s\n", err->message);
    exit(1);
}

/* A race among the plans, played to its end; its seconds are added to what the machine spent. */
static const struct hs_arm *play_race(struct hs_race *race, struct machine *machine)
{
    double begin = machine->spent_seconds;
    struct hs_error err = {0};

    race->rules = (struct hs_race_rules){.precision = PRECISION,
                                         .min_samples = MIN_SAMPLES,
                                         .max_samples = MAX_SAMPLES,
                                         .warmup_runs = WARMUP,
                                         .budget_seconds = 1e9};
    for (;;) {
        struct hs_step step = hs_race_next(race, machine->spent_seconds - begin);
        double before = machine->spent_seconds, truth, seconds;
        struct hs_step_outcome outcome = {.seconds = {&seconds, 1, 1}};

        if (step.end)
            break;
        truth = true_plan_seconds(machine, &step.task.plan, BYTES);
        for (int i = 0; i < step.rules.warmup_runs; i++)
            noisy(machine, truth);
        seconds = noisy(machine, truth);
        outcome.cost_seconds = machine->spent_seconds - before;
        if (hs_race_tell(race, &step, &outcome, &err))
            fail(&err);
    }
    return hs_race_best(race);
}

static void add_plan(struct hs_race *race, const struct hs_plan *plan)
{
    char text[HS_SPLIT_TEXT];
    struct hs_error err = {0};

    hs_plan_format(text, plan);
    if (!hs_race_find(race, text) && hs_race_add(race, plan, &err))
        fail(&err);
}

static void add_every_split(struct hs_race *race, struct hs_split *split, int64_t rest)
{
    if (rest == 1) {
        add_plan(race, &(struct hs_plan){.split = *split, .chunks = 1});
        return;
    }
    for (int64_t size = 2; size <= rest; size++)
        if (rest % size == 0) {
            split->sizes[split->count++] = size;
            add_every_split(race, split, rest / size);
            split->count--;
        }
}

static double measure_every_split(struct machine *machine, int64_t np)
{
    struct hs_race race = {0};
    struct hs_split split = {.count = 0};
    double begin = machine->spent_seconds;

    add_every_split(&race, &split, np);
    play_race(&race, machine);
    hs_race_release(&race);
    return machine->spent_seconds - begin;
}

/* One phase, by the rules of measure's lazy plan. */
static struct hs_fit_point measure_phase(struct machine *machine,
                                         const struct hs_lazy_planner *lazy,
                                         struct hs_stage_key key, bool rough)
{
    size_t least = rough ? HS_LAZY_ROUGH_SAMPLES : MIN_SAMPLES;
    double bytes = hs_problem_entering(&lazy->problem, key.layer), values[MAX_SAMPLES];
    double truth = true_phase_seconds(machine, lazy->problem.group.size, key, bytes);
    struct hs_summary summary = {0};
    size_t count = 0;

    for (int i = 0; i < (rough ? HS_LAZY_ROUGH_WARMUP : WARMUP); i++)
        noisy(machine, truth);
    do {
        values[count++] = noisy(machine, truth);
        if (count >= least && hs_summarise(&summary, values, count, NULL) != HS_OK)
            exit(1);
    } while (count < least ||
             (!rough && count < MAX_SAMPLES && hs_summary_precision(&summary) > PRECISION));
    return (struct hs_fit_point){.key = key,
                                 .np = lazy->problem.group.size,
                                 .bytes = bytes,
                                 .seconds = summary.median,
                                 .noise = median_noise(&summary)};
}

static size_t measure_phases(struct hs_fit_point points[2], struct machine *machine,
                             const struct hs_lazy_planner *lazy, struct hs_stage_key key,
                             bool rough)
{
    enum hs_phase phases[2];
    size_t count = (size_t)hs_problem_phases(phases, &lazy->problem, key.layer);

    for (size_t i = 0; i < count; i++) {
        key.phase = phases[i];
        points[i] = measure_phase(machine, lazy, key, rough);
    }
    return count;
}

static struct hs_certificate measure_layers(struct machine *machine, const struct hs_system *system,
                                            bool shape_only, int64_t np)
{
    struct hs_lazy_options options = {.shape_only = shape_only};
    struct hs_certificate certificate;
    struct hs_error err = {0};
    struct hs_lazy_planner lazy;

    if (lazy_init(&lazy, system, np, BYTES, &options, &err) ||
        lazy_search(&certificate, &lazy, machine, measure_phases, &err))
        fail(&err);
    hs_lazy_planner_release(&lazy);
    return certificate;
}

/* What one seed's machine says. */
struct tally {
    double layers, precise, all_layers, candidates, lazy_seconds, all_seconds, regret, missed;
};

static void add_run(struct tally *tally, const struct hs_system *described, bool shape_only,
                    int64_t np, uint64_t seed)
{
    struct hs_system given = shape_only ? without_figures(described) : *described;
    struct machine machine;
    struct hs_certificate certificate;
    struct hs_race race = {0};
    struct hs_plan flat = hs_plan_flat(np);
    const struct hs_arm *best;
    uint64_t plans = 0;
    double regret;

    machine_init(&machine, described, seed);
    machine.noise = 0.02;
    tally->all_seconds += measure_every_split(&machine, np);
    machine.spent_seconds = 0;
    certificate = measure_layers(&machine, &given, shape_only, np);
    add_plan(&race, &flat);
    add_plan(&race, &certificate.winner);
    for (size_t i = 0; i < certificate.tie_count && race.count < 9; i++)
        add_plan(&race, &certificate.ties[i].plan);
    best = play_race(&race, &machine);
    tally->lazy_seconds += machine.spent_seconds;
    tally->layers += (double)certificate.layers_measured;
    tally->precise += (double)(certificate.layers_measured - certificate.layers_rough);
    tally->all_layers = (double)certificate.layers;
    tally->candidates += (double)race.count;
    regret = true_plan_seconds(&machine, &best->plan, BYTES) /
                 best_plan_seconds(&machine, np, 1, BYTES, &plans) -
             1;
    tally->regret = fmax(tally->regret, regret);
    tally->missed += regret > TOLERANCE;
    hs_race_release(&race);
    hs_certificate_release(&certificate);
}

/* A row per kind of machine, and the ratios over all of them. */
static void print_table(int64_t np, bool shape_only)
{
    double all = 0, least = INFINITY;
    size_t count = sizeof(machines) / sizeof(*machines);

    printf("%-36s %9s %8s %14s %6s %9s %9s %6s %9s %7s\n",
           shape_only ? "only the shape known" : "described", "layers", "precise", "communicators",
           "splits", "lazy s", "all s", "ratio", "regret %", "missed");
    for (size_t m = 0; m < count; m++) {
        struct hs_system described;
        struct hs_error err = {0};
        struct tally tally = {0};
        double ratio;

        if (hs_system_parse(&described, machines[m].text, &err))
            fail(&err);
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            add_run(&tally, &described, shape_only, np, 1000 * m + seed);
        ratio = tally.all_seconds / tally.lazy_seconds;
        printf("%-36s %4.1f / %2.0f %8.1f %8.1f / %3.0f %6.1f %9.3f %9.3f %6.1f %9.2f %7.0f\n",
               machines[m].name, tally.layers / SEEDS, tally.all_layers, tally.precise / SEEDS,
               2 * tally.layers / SEEDS, 2 * tally.all_layers, tally.candidates / SEEDS,
               tally.lazy_seconds / SEEDS, tally.all_seconds / SEEDS, ratio, 100 * tally.regret,
               tally.missed);
        all += ratio;
        least = fmin(least, ratio);
        hs_system_release(&described);
    }
    printf("every split takes %.1f times the allocation of the lazy plan on average, %.1f at "
           "least%s\n\n",
           all / (double)count, least, shape_only ? "" : " (target 7)");
}

int main(int argc, char **argv)
{
    int64_t np = argc > 1 ? strtoll(argv[1], NULL, 10) : 128;

    printf("%" PRId64 " processes, 128 MiB, %d played machines of each kind; missed: the winner is "
           "worse than the best by more than 1 %%\n\n",
           np, SEEDS);
    print_table(np, false);
    print_table(np, true);
    return 0;
}
