/*
 * lazy_machine.h - random machines whose layers take what the model says, times deviations: what
 * the lazy search is tried on, and the truth that it is compared with.
 */
#ifndef HS_TESTS_LAZY_MACHINE_H
#define HS_TESTS_LAZY_MACHINE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "../problem_world.h"
#include "base/statistics.h"
#include "library/price_plan.h"
#include "search/lazy_planner.h"

#define SAMPLES_MAX 64

/* A machine that differs from its description. */
struct machine {
    struct hs_system real; /* the description with other figures */
    uint64_t seed;
    double size_deviation, layer_deviation; /* standard deviations of latency and slowness */
    double algorithm_deviation;             /* of slowness, of others than the ring */
    double way_deviation;                   /* of a way's slowness: the other is as much faster */
    unsigned algorithms;                    /* bits, beside the ring */
    double noise;                           /* of one run: sigma of a lognormal factor */
    int samples;                            /* per median */
    uint64_t runs;
    double spent_seconds; /* in all runs */
};

/* Descriptions that the search is tried on. */
static const char *const lazy_machines[] = {
    "net@12.5GB/s~4us;s=2",
    "nvlink:mesh:4@111.6GB/s~4.8us,ib:32@18.6GB/s~4.8us/2p,spine@198.4GB/s~4.8us;s=2",
    "nv:4@150GB/s~0.5us,rack:8@50GB/s~2.3us/2p!,spine@133GB/s~4.6us",
    "xbus:3@50GB/s~1us,socket:2@64GB/s~2us,ib:18@23GB/s~5us,spine@300GB/s~9us;launch=8us",
    "nvl72:72@720GB/s~3us,ib@3600GB/s~14us/72p;launch=8.4us",
    "pcie:8@12GB/s~5us,ib:16@14GB/s~5us/2p,thin@60GB/s~8us;s=2;launch=2us",
    /* 8 hosts of 2 ranks in 2 racks; a rack's link carries a fifth of what its hosts send it. */
    "mem:2@3GB/s~2us,host:4@62.5MB/s~60us,spine@50MB/s~60us",
};

/* splitmix64: the same numbers on every machine. */
static uint64_t scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static double uniform(uint64_t key)
{
    return ((double)(scramble(key) >> 11) + 0.5) / 0x1p53;
}

/* Standard normal, by Box and Muller. */
static double normal(uint64_t key)
{
    return sqrt(-2 * log(uniform(2 * key))) * cos(6.283185307179586 * uniform(2 * key + 1));
}

/* A normal number for whatever the arguments name; beyond 3 standard deviations there is nothing.
 */
static double deviation(const struct machine *machine, uint64_t what, uint64_t a, uint64_t b)
{
    double value = normal(scramble(scramble(scramble(machine->seed + what) + a) + b) >> 2);

    return fmax(-3, fmin(3, value));
}

/* One phase's worth of passes of a layer, without launches: of a tree all its passes. */
static double true_moving_seconds(const struct machine *machine, int64_t np,
                                  struct hs_stage_key key, double bytes)
{
    struct hs_stage_price price = hs_stage_price(&machine->real, np, key);
    uint64_t group = (uint64_t)(2 * price.level + price.misaligned),
             size = (uint64_t)key.layer.size;
    uint64_t own = (uint64_t)key.layer.stride << 32 | size, algorithm = (uint64_t)key.algorithm;
    double latency = 1 + machine->size_deviation * deviation(machine, 1, group, size) +
                     machine->layer_deviation * deviation(machine, 2, own, algorithm);
    double slowness = 1 + machine->size_deviation * deviation(machine, 3, group, size) +
                      machine->layer_deviation * deviation(machine, 4, own, algorithm);

    if (key.algorithm != HS_RING)
        slowness *= 1 + machine->algorithm_deviation * deviation(machine, 5, group, algorithm);
    return hs_stage_line(&price, bytes).latency_seconds * latency +
           hs_stage_bandwidth_seconds(&price, bytes) * slowness;
}

static double true_phase_seconds(const struct machine *machine, int64_t np, struct hs_stage_key key,
                                 double bytes)
{
    double passes = key.algorithm == HS_TREE ? 1 : hs_phase_passes(key.phase), sign, slower;

    sign = key.phase == HS_ALLGATHER ? 1 : key.phase == HS_REDUCE_SCATTER ? -1 : 0;
    slower = 1 + sign * machine->way_deviation *
                     deviation(machine, 6, (uint64_t)key.algorithm, (uint64_t)key.layer.stride);
    if (key.algorithm != HS_TREE)
        key.phase = HS_ALLGATHER;
    return machine->real.launch_seconds +
           passes * slower * true_moving_seconds(machine, np, key, bytes);
}

static double true_layer_seconds(const struct machine *machine, int64_t np, struct hs_layer layer,
                                 enum hs_algorithm algorithm, enum hs_algorithm home, double bytes)
{
    double entering = bytes / (double)layer.stride;
    struct hs_stage_key key = {HS_ALLREDUCE, algorithm, layer}, back = {HS_ALLGATHER, home, layer};

    if (layer.stride * layer.size == np)
        return true_phase_seconds(machine, np, key, entering);
    key.phase = HS_REDUCE_SCATTER;
    return true_phase_seconds(machine, np, key, entering) +
           true_phase_seconds(machine, np, back, entering);
}

static double true_plan_seconds(const struct machine *machine, const struct hs_plan *plan,
                                double bytes)
{
    int64_t np = hs_split_product(&plan->split);
    double sum = 0;

    for (int i = 0; i < plan->split.count; i++)
        sum +=
            true_layer_seconds(machine, np, hs_split_layer(&plan->split, i),
                               hs_plan_algorithm(plan, i, 0), hs_plan_algorithm(plan, i, 1), bytes);
    return sum;
}

/* Whether the layer has another way than the ring to go by it: two processes have only a tree. */
static bool goes_by(const struct machine *machine, int64_t np, struct hs_layer layer,
                    enum hs_algorithm algorithm)
{
    bool last = layer.stride * layer.size == np;

    if (algorithm == HS_RING)
        return true;
    return machine->algorithms >> algorithm & 1 &&
           (algorithm == HS_TREE ? last
                                 : layer.size > 2 && (algorithm != HS_DIRECT || layer.size <= 32));
}

/* The best over all ordered factorizations of `rest` and all algorithms, each way apart but on the
 * last layer, by plain recursion. */
static double best_plan_seconds(const struct machine *machine, int64_t np, int64_t stride,
                                double bytes, uint64_t *plans)
{
    double best = INFINITY;

    if (stride == np) {
        ++*plans;
        return 0;
    }
    for (int64_t size = 2; size <= np / stride; size++) {
        uint64_t ways = 0, behind = 0;
        double rest;

        if (np / stride % size)
            continue;
        rest = best_plan_seconds(machine, np, stride * size, bytes, &behind);
        for (int pair = 0; pair < HS_ALGORITHM_COUNT * HS_ALGORITHM_COUNT; pair++) {
            enum hs_algorithm out = (enum hs_algorithm)(pair / HS_ALGORITHM_COUNT);
            enum hs_algorithm back = (enum hs_algorithm)(pair % HS_ALGORITHM_COUNT);
            struct hs_layer layer = {stride, size};

            if (hs_algorithms[out]->on_links || hs_algorithms[back]->on_links)
                continue; /* no machine here has single links */
            if ((out != back && stride * size == np) || !goes_by(machine, np, layer, out) ||
                !goes_by(machine, np, layer, back))
                continue;
            best = fmin(best, true_layer_seconds(machine, np, layer, out, back, bytes) + rest);
            ways++;
        }
        *plans += ways * behind;
    }
    return best;
}

/* Other figures than the description's: links 0.6 to 1.4 times as fast, latencies 0.5 to 2 times.
 */
static void machine_init(struct machine *machine, const struct hs_system *described, uint64_t seed)
{
    *machine = (struct machine){.real = *described,
                                .seed = scramble(seed),
                                .size_deviation = 0.1,
                                .layer_deviation = 0.1,
                                .algorithm_deviation = 0.2,
                                .samples = 8};
    machine->real.additive = true; /* the times that fits are made of */
    for (size_t l = 0; l < described->level_count; l++) {
        machine->real.levels[l].bytes_per_second *=
            0.6 * pow(1.4 / 0.6, uniform(machine->seed + 2 * l));
        machine->real.levels[l].latency_seconds *= 0.5 * pow(4, uniform(machine->seed + 2 * l + 1));
    }
}

/* The description without its figures, as where the ranks are would give it. */
static inline struct hs_system without_figures(const struct hs_system *described)
{
    struct hs_system shape = *described;

    shape.pipeline_granularity = 1;
    shape.launch_seconds = 0;
    for (size_t l = 0; l < shape.level_count; l++) {
        struct hs_level *level = &shape.levels[l];

        level->fabric = HS_FABRIC_SWITCH;
        level->bytes_per_second = 10e9;
        level->latency_seconds = 5e-6;
        level->ports = 1;
        level->striped = true;
    }
    return shape;
}

/* Relative standard error of a median, as hs_samples_noise in runner/samples.h has it: by
 * Tippett's range of three, or by the order-statistic interval. */
static inline double median_noise(const struct hs_summary *summary)
{
    return summary->count == 3
               ? 1.2533 * (summary->max - summary->min) / 1.693 / sqrt(3) / summary->median
               : hs_summary_noise(summary);
}

/* One run, whose time is spent. */
static double noisy(struct machine *machine, double seconds)
{
    double run = seconds * exp(machine->noise * normal(machine->seed + ++machine->runs));

    machine->spent_seconds += run;
    return run;
}

/* Median of noisy runs, with the error that its own samples let one think it has; three runs are
 * a rough look. */
static void take_median(double *seconds, double *noise, struct machine *machine, double truth,
                        bool rough)
{
    double values[SAMPLES_MAX];
    int samples = rough ? HS_LAZY_ROUGH_SAMPLES : machine->samples;
    struct hs_summary summary;

    for (int i = 0; i < samples; i++)
        values[i] = noisy(machine, truth);
    if (hs_summarise(&summary, values, (size_t)samples, NULL) != HS_OK)
        abort();
    *seconds = summary.median;
    *noise = median_noise(&summary);
}

/* An AllReduce of all of np ranks. */
static inline enum hs_status lazy_init(struct hs_lazy_planner *lazy, const struct hs_system *system,
                                       int64_t np, double bytes,
                                       const struct hs_lazy_options *options, struct hs_error *err)
{
    struct hs_problem problem = problem_world(np, bytes);

    return hs_lazy_planner_init(lazy, system, &problem, options, err);
}

/* Measures a layer as `measure` does. */
static inline size_t measure_layer(struct hs_fit_point points[2], struct machine *machine,
                                   const struct hs_lazy_planner *lazy, struct hs_stage_key key,
                                   bool rough)
{
    enum hs_phase phases[2];
    size_t count = (size_t)hs_problem_phases(phases, &lazy->problem, key.layer);

    for (size_t i = 0; i < count; i++) {
        double bytes = hs_problem_entering(&lazy->problem, key.layer);

        key.phase = phases[i];
        points[i] =
            (struct hs_fit_point){.key = key, .np = lazy->problem.group.ranks, .bytes = bytes};
        take_median(&points[i].seconds, &points[i].noise, machine,
                    true_phase_seconds(machine, lazy->problem.group.ranks, key, bytes), rough);
    }
    return count;
}

/* How a layer is measured: fills a point per phase, returns how many. */
typedef size_t measure_function(struct hs_fit_point points[2], struct machine *machine,
                                const struct hs_lazy_planner *lazy, struct hs_stage_key key,
                                bool rough);

/* A search from its beginning to its certificate. */
static inline enum hs_status lazy_search(struct hs_certificate *certificate,
                                         struct hs_lazy_planner *lazy, struct machine *machine,
                                         measure_function *measure, struct hs_error *err)
{
    struct hs_fit_point points[2];
    struct hs_lazy_step step;
    enum hs_status status;

    while (!(status = hs_lazy_planner_next(&step, lazy, err)) && step.wanted) {
        size_t count = measure(points, machine, lazy, step.key, step.rough);

        status = hs_lazy_planner_tell(lazy, points, count, step.rough, err);
        if (status)
            return status;
    }
    return status ? status : hs_lazy_planner_certify(certificate, lazy, err);
}

#endif
