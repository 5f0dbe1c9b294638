/*
 * Prices and fits of published times, for bench/accuracy_published.py, which reads the files and
 * keeps the score: all that computes is the library's.
 *
 * Commands, a line each, words kept apart by tabs; LIST is as 0-3,7 and counts points from 0. Every
 * command is answered by one line (price: by one per point), "no ..." where it cannot be done:
 *
 *     nccl PARTS CPU DOMAINS GPUS CALL FORCED BYTES VERSION CLOCK REGISTERED SECONDS   a point;
 *                                   CPU "" usual, FORCED an algorithm or "", CLOCK 1: of torch and
 *                                   a host clock, REGISTERED 1: buffers in symmetric windows, 2:
 *                                   from a CUDA graph, too
 *     mpi MACHINE CALL ALGORITHM RANKS TASKS BY_NODE BYTES SECONDS          a point; for ALGORITHM
 *                                   mpich or openmpi what that library runs, of elements of 4 bytes
 *     rccl PARTS NODES GPUS CALL BYTES ONE_PROCESS SECONDS                  a point; ONE_PROCESS 1:
 *                                   drives all GPUs of a node
 *     version VERSION LIST          these points' NCCL is another one
 *     kinds LIST LIST               figures of the former's parts are of such kinds as if the
 *                                   catalogue knew the latter alone
 *     ship MODEL                    its constants are what ships
 *     keep MODEL                    what they are now is kept: what a later fit is around
 *     recall MODEL                  they are what is kept
 *     fit MODEL table|own ROUNDS LIST     by the table's prior, or around what is kept
 *     wins SYSTEM RANKS BYTES PLAN PLAN   the share of machines drawn that fit the description (a
 *                                   file, or a line) on which the former plan is the faster
 *     price MODEL DOUBT LIST        seconds, low, high, the deviation by its constants alone, the
 *                                   class of its error; NCCL's by its parts' kinds where DOUBT is 0
 *     set MODEL NAME VALUE          one of its constants
 *     own MODEL LIST                constants fitted to these points around what is kept, in one
 *                                   answer:
 *                                   name=value=low=high=learned of each: the ends of the 95 %
 *                                   interval, and whether the points said much of it
 *
 * MODEL: nccl, rccl, mpi; plain and plain_mpi, the alpha-beta-s models that they are compared
 * with; rule, NCCL's own constants.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/problem_world.h"
#include "base/list.h"
#include "base/statistics.h"
#include "base/text.h"
#include "estimate/machines.h"
#include "estimate/system_file.h"
#include "library/library_mpi.h"
#include "library/price_mpi.h"
#include "library/price_nccl.h"
#include "library/price_rccl.h"
#include "system/link_rates.h"

#define WORDS_MAX 12

struct point {
    struct hs_nccl_run run;
    unsigned among; /* what the run was chosen from */
    struct hs_mpi_call call;
    struct hs_rccl_call rccl;
    double seconds;
};

static struct point *points;
static size_t point_count, point_capacity;

/* ---- the models to compare with -------------------------------------------------------------- */

enum { ALPHA_GPU = 0, ALPHA_NIC = 4, PART_GPU = 11, PART_NIC = 15 };

static double nics_rate(const struct hs_shape *shape)
{
    return fmax(1, shape->nics * shape->parts.nic.line_GBps * 1e3);
}

/* A ring of the paper (docs/model.md, section 2, s = 1): one latency and one part of the rate per
 * generation of GPUs and class of NICs. */
static double plain_seconds(const void *call, const double *values)
{
    const struct hs_nccl_run *run = call;
    const struct hs_shape *shape = &run->call.shape;
    int generation = (int)shape->parts.gpu.generation, class = (int)shape->parts.nic.class;
    double alpha = values[ALPHA_GPU + generation];
    double rate = shape->nvlink_GBps * 1e3 * values[PART_GPU + generation];
    double ranks = (double)shape->ranks;

    if (shape->domains > 1) {
        alpha = fmax(alpha, values[ALPHA_NIC + class]);
        rate = fmin(rate, nics_rate(shape) * values[PART_NIC + class]);
    }
    return hs_library_call_passes[run->call.kind] * (ranks - 1) *
           (alpha + run->call.bytes / ranks / rate) * 1e-6;
}

#define ALPHA(name, us)                                                                            \
    {                                                                                              \
        name, "us", us, 1.0, 0, us, 1.0, "latency of a step"                                       \
    }
#define PART(name)                                                                                 \
    {                                                                                              \
        name, "-", 0.8, 0.3, 0, 0.8, 0.3, "part of the rate"                                       \
    }
static const struct hs_constant plain_constants[] = {
    ALPHA("A", 3),     ALPHA("H", 3),    ALPHA("B", 3),     ALPHA("P", 3),   ALPHA("ib", 8),
    ALPHA("ss", 8),    ALPHA("roce", 8), ALPHA("tcpxo", 8), ALPHA("efa", 8), ALPHA("later_efa", 8),
    ALPHA("tcp", 8),   PART("A"),        PART("H"),         PART("B"),       PART("P"),
    PART("ib"),        PART("ss"),       PART("roce"),      PART("tcpxo"),   PART("efa"),
    PART("later_efa"), PART("tcp"),
};

/* Alpha, beta and gamma of the textbook, in us and us per byte. */
static double plain_mpi_seconds(const void *call, const double *values)
{
    const struct hs_mpi_call *mpi = call;
    double ranks = (double)mpi->ranks, levels = ceil(log2(ranks));
    double part = mpi->bytes * (ranks - 1) / ranks;
    double steps = mpi->algorithm == HS_MPI_RING ? ranks - 1 : levels;
    double gather = steps * values[0] + part * values[1], reduce = gather + part * values[2];

    if (mpi->kind == HS_CALL_ALLGATHER)
        return gather * 1e-6;
    if (mpi->kind == HS_CALL_REDUCE_SCATTER)
        return reduce * 1e-6;
    if (mpi->algorithm == HS_MPI_DOUBLING)
        return levels * (values[0] + mpi->bytes * (values[1] + values[2])) * 1e-6;
    return (gather + reduce) * 1e-6;
}

static const struct hs_constant plain_mpi_constants[] = {
    {"alpha", "us", 2, 1, 0, 2, 1, "latency of a step"},
    {"beta", "us/B", 6e-5, 1, 0, 6e-5, 1, "of a byte sent"},
    {"gamma", "us/B", 1e-4, 1, 0, 1e-4, 1, "of a byte reduced"},
};

static double rule_seconds(const void *call, const double *values)
{
    const struct hs_nccl_run *run = call;
    const struct hs_shape *shape = &run->call.shape;
    double rate = shape->nvlink_GBps * 1e3, ranks = (double)shape->ranks;

    (void)values;
    if (run->call.kind != HS_CALL_ALLTOALL)
        return run->choice.modelled_seconds;
    if (shape->domains > 1)
        rate = fmin(rate, nics_rate(shape));
    /* All-to-alls, which NCCL does not price. */
    return (ranks - 1) * run->call.bytes / ranks / rate * 1e-6 + HS_NCCL_CALL_SECONDS;
}

static const struct hs_price_model plain_model = {plain_constants, 22, 0.12, plain_seconds};
static const struct hs_price_model plain_mpi_model = {plain_mpi_constants, 3, 0.2,
                                                      plain_mpi_seconds};
static const struct hs_price_model rule_model = {NULL, 0, 0.12, rule_seconds};

enum { NCCL, MPI, PLAIN, PLAIN_MPI, RULE, RCCL, MODELS };
static const char *const model_names[MODELS] = {"nccl",      "mpi",  "plain",
                                                "plain_mpi", "rule", "rccl"};
static const struct hs_price_model *const models[MODELS] = {
    &hs_nccl_price_model, &hs_mpi_price_model, &plain_model,
    &plain_mpi_model,     &rule_model,         &hs_rccl_price_model};
static double constants[MODELS][HS_CONSTANTS_MAX], kept[MODELS][HS_CONSTANTS_MAX];
/* What a fit of a machine's own left of its times, as struct hs_own_constants has it. */
static double left[MODELS];

static const void *call_of(const struct point *point, size_t model)
{
    if (model == MPI || model == PLAIN_MPI)
        return &point->call;
    if (model == RCCL)
        return &point->rccl;
    return &point->run;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Words of the file, which the caller has checked; 0 where they are no numbers. */
static double number(const char *word)
{
    return strtod(word, NULL);
}

static int64_t whole(const char *word)
{
    return strtoll(word, NULL, 10);
}

static enum hs_status add_point(const struct point *point, struct hs_error *err)
{
    struct point *added = hs_grow(&points, &point_capacity, point_count, sizeof(*added), err);

    if (added == NULL)
        return HS_MEMORY;
    *added = *point;
    point_count++;
    return HS_OK;
}

static enum hs_status choose(struct hs_nccl_run *run, const struct hs_nccl_call *call,
                             unsigned among, struct hs_error *err)
{
    struct hs_nccl_choice choice;
    bool host_clock = run->host_clock, graph = run->graph;

    if (!hs_nccl_choose(&choice, call, among))
        return hs_fail(err, HS_INVALID, "NCCL has no such algorithm for this call");
    *run = hs_nccl_run(call, choice);
    run->host_clock = host_clock;
    run->graph = graph;
    return HS_OK;
}

static enum hs_status read_call(struct hs_nccl_call *call, char *const *words, struct hs_error *err)
{
    static const char *const cpus[] = {"intel", "amd", "arm"};
    struct hs_parts parts;
    size_t kind, cpu;

    if (hs_parts_parse(&parts, words[0], err) ||
        hs_name_find(&kind, words[4], "collective", hs_library_call_names, HS_LIBRARY_CALL_COUNT,
                     err))
        return HS_INVALID;
    if (hs_parts_library(&parts) != HS_LIBRARY_NCCL)
        return hs_fail(err, HS_INVALID, "NCCL does not run on %s", parts.gpu.name);
    if (words[1][0] != '\0') {
        if (hs_name_find(&cpu, words[1], "CPU", cpus, 3, err))
            return HS_INVALID;
        parts.gpu.cpu = (enum hs_cpu)cpu;
    }
    call->kind = (enum hs_library_call)kind;
    call->bytes = number(words[6]);
    call->version = (int)whole(words[7]);
    return hs_parts_shape(&call->shape, &parts, whole(words[2]), whole(words[3]), err);
}

static enum hs_status add_nccl(char *const *words, struct hs_error *err)
{
    struct point point = {.among = HS_NCCL_ANY, .seconds = number(words[10])};
    struct hs_nccl_call call = {0};
    size_t algorithm;

    if (read_call(&call, words, err))
        return HS_INVALID;
    if (words[5][0] != '\0') {
        if (hs_name_find(&algorithm, words[5], "algorithm", hs_nccl_algorithm_names,
                         HS_NCCL_ALGORITHM_COUNT, err))
            return HS_INVALID;
        point.among = 1U << algorithm;
    }
    point.run.host_clock = whole(words[8]) != 0;
    point.run.graph = whole(words[9]) == 2;
    call.use.registered = whole(words[9]) > 0;
    if (choose(&point.run, &call, point.among, err))
        return HS_INVALID;
    return add_point(&point, err);
}

static enum hs_status add_mpi(char *const *words, struct hs_error *err)
{
    struct point point = {.seconds = number(words[7])};
    size_t machine, kind, algorithm;
    enum hs_library library = strcmp(words[2], "mpich") == 0     ? HS_LIBRARY_MPICH
                              : strcmp(words[2], "openmpi") == 0 ? HS_LIBRARY_OPENMPI
                                                                 : HS_LIBRARY_UNSAID;

    if (library)
        algorithm = hs_mpi_choose(library, HS_ALLREDUCE, whole(words[3]), 1, number(words[6]),
                                  number(words[6]) / 4)
                        .algorithm;
    if (hs_name_find(&machine, words[0], "machine", hs_mpi_machine_names, HS_MPI_MACHINE_COUNT,
                     err) ||
        hs_name_find(&kind, words[1], "collective", hs_library_call_names, HS_CALL_ALLTOALL, err) ||
        (!library && hs_name_find(&algorithm, words[2], "algorithm", hs_mpi_algorithm_names,
                                  HS_MPI_ALGORITHM_COUNT, err)))
        return HS_INVALID;
    point.call = (struct hs_mpi_call){.machine = (enum hs_mpi_machine)machine,
                                      .kind = (enum hs_library_call)kind,
                                      .algorithm = (enum hs_mpi_algorithm)algorithm,
                                      .ranks = whole(words[3]),
                                      .tasks = whole(words[4]),
                                      .by_node = whole(words[5]) != 0,
                                      .bytes = number(words[6])};
    if (point.call.ranks < 2 || point.call.tasks < 1)
        return hs_fail(err, HS_INVALID, "expected 2 ranks or more");
    return add_point(&point, err);
}

static enum hs_status add_rccl(char *const *words, struct hs_error *err)
{
    static const enum hs_phase phases[] = {[HS_CALL_ALLREDUCE] = HS_ALLREDUCE,
                                           [HS_CALL_ALLGATHER] = HS_ALLGATHER,
                                           [HS_CALL_REDUCE_SCATTER] = HS_REDUCE_SCATTER,
                                           [HS_CALL_ALLTOALL] = HS_EXCHANGE};
    int64_t nodes = whole(words[1]), gpus = whole(words[2]);
    struct hs_group group = {.ranks = nodes * gpus, .stride = 1, .size = nodes * gpus};
    struct hs_stage_key key = {.algorithm = HS_RING, .layer = {.stride = 1, .size = group.size}};
    struct point point = {.seconds = number(words[6])};
    struct hs_system system;
    size_t kind;

    if (hs_name_find(&kind, words[3], "collective", hs_library_call_names, HS_LIBRARY_CALL_COUNT,
                     err) ||
        hs_system_parse(&system, words[0], err))
        return HS_INVALID;
    if (hs_system_library(&system) != HS_LIBRARY_RCCL || group.size < 2 ||
        (nodes > 1 && gpus != hs_system_node_ranks(&system))) {
        hs_system_release(&system);
        return hs_fail(err, HS_INVALID, "expected whole nodes of GPUs of AMD, found %s", words[0]);
    }
    key.phase = phases[kind];
    point.rccl = hs_rccl_call_of(&system, &group, key, number(words[4]));
    point.rccl.one_process = whole(words[5]) != 0;
    hs_system_release(&system);
    return add_point(&point, err);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The next point of a list: true, and *text is behind it. */
static bool next_point(size_t *point, size_t *last, const char **text)
{
    char *end;

    if (*point != SIZE_MAX && *point < *last) {
        ++*point;
        return true;
    }
    if (**text == '\0')
        return false;
    *point = *last = strtoul(*text, &end, 10);
    if (*end == '-')
        *last = strtoul(end + 1, &end, 10);
    *text = *end == ',' ? end + 1 : "";
    return *last < point_count;
}

static enum hs_status set_version(char *const *words, struct hs_error *err)
{
    size_t point = SIZE_MAX, last = 0;
    const char *list = words[1];

    while (next_point(&point, &last, &list)) {
        struct hs_nccl_run *run = &points[point].run;
        struct hs_nccl_call call = run->call;

        call.version = (int)whole(words[0]);
        if (choose(run, &call, points[point].among, err))
            return HS_INVALID;
    }
    return HS_OK;
}

/* What a catalogue made of the points of `list` would say of these parts. */
static void learn_kinds(struct hs_parts *parts, const char *list)
{
    bool generation = false, class = false;
    int64_t known = 0;
    size_t point = SIZE_MAX, last = 0;

    parts->network = HS_FIGURE_GUESS;
    parts->fitted_domains = HS_FITTED_DOMAINS;
    while (next_point(&point, &last, &list)) {
        const struct hs_shape *shape = &points[point].run.call.shape;
        const struct hs_parts *other = &shape->parts;
        bool between = shape->domains > 1;

        generation |= other->gpu.generation == parts->gpu.generation;
        class |= between && other->nic.class == parts->nic.class;
        if (between && other->gpu.name == parts->gpu.name && other->mesh == parts->mesh &&
            other->nic.name == parts->nic.name)
            known = known > shape->domains ? known : shape->domains;
    }
    if (known > 0) {
        parts->network = HS_FIGURE_FITTED;
        parts->fitted_domains = known;
    }
    if (!generation)
        parts->gpu.times = HS_FIGURE_GUESS;
    if (parts->network != HS_FIGURE_FITTED && generation && class)
        parts->network = HS_FIGURE_VENDOR;
}

static enum hs_status set_kinds(char *const *words, struct hs_error *err)
{
    size_t point = SIZE_MAX, last = 0;
    const char *list = words[0];

    (void)err;
    while (next_point(&point, &last, &list))
        learn_kinds(&points[point].run.call.shape.parts, words[1]);
    return HS_OK;
}

static enum hs_status find_model(size_t *model, const char *word, struct hs_error *err)
{
    return hs_name_find(model, word, "model", model_names, MODELS, err);
}

static enum hs_status ship_model(char *const *words, struct hs_error *err)
{
    size_t model;

    if (find_model(&model, words[0], err))
        return HS_INVALID;
    hs_constants_shipped(constants[model], models[model]);
    return HS_OK;
}

static enum hs_status set_constant(char *const *words, struct hs_error *err)
{
    size_t model, i = 0;

    if (find_model(&model, words[0], err))
        return HS_INVALID;
    while (i < models[model]->count && strcmp(models[model]->constants[i].name, words[1]) != 0)
        i++;
    if (i == models[model]->count || !(number(words[2]) > 0))
        return hs_fail(err, HS_INVALID, "no such constant, or value: %s", words[1]);
    constants[model][i] = number(words[2]);
    return HS_OK;
}

static enum hs_status tell_values(char *const *words, struct hs_error *err)
{
    size_t model;

    if (find_model(&model, words[0], err))
        return HS_INVALID;
    printf("values");
    for (size_t i = 0; i < models[model]->count; i++)
        printf("\t%s=%.10g", models[model]->constants[i].name, constants[model][i]);
    printf("\n");
    return HS_OK;
}

static enum hs_status keep_model(char *const *words, struct hs_error *err)
{
    size_t model;

    if (find_model(&model, words[0], err))
        return HS_INVALID;
    memcpy(kept[model], constants[model], sizeof(kept[model]));
    return HS_OK;
}

static enum hs_status recall_model(char *const *words, struct hs_error *err)
{
    size_t model;

    if (find_model(&model, words[0], err))
        return HS_INVALID;
    memcpy(constants[model], kept[model], sizeof(kept[model]));
    left[model] = 0;
    return HS_OK;
}

/* The points of a list, as the model's: owned by the caller. */
static enum hs_status take_points(struct hs_price_point **taken, size_t *count, size_t model,
                                  const char *list, struct hs_error *err)
{
    size_t point = SIZE_MAX, last = 0;

    *count = 0;
    *taken = calloc(point_count + 1, sizeof(**taken));
    if (*taken == NULL)
        return hs_no_memory(err);
    while (next_point(&point, &last, &list) && *count < point_count)
        (*taken)[(*count)++] =
            (struct hs_price_point){call_of(&points[point], model), points[point].seconds};
    return HS_OK;
}

static enum hs_status fit_model(char *const *words, struct hs_error *err)
{
    size_t model;
    struct hs_constants_question question = {.rounds = (int)whole(words[2])};
    struct hs_price_point *taken;
    enum hs_status status;
    double cost;

    if (find_model(&model, words[0], err) ||
        take_points(&taken, &question.count, model, words[3], err))
        return HS_INVALID;
    question.model = models[model];
    question.points = taken;
    question.around = strcmp(words[1], "own") == 0 ? kept[model] : NULL;
    status = hs_constants_fit(constants[model], &cost, &question, err);
    left[model] = 0;
    if (status == HS_OK && question.around && question.count > 0)
        hs_constants_error(&left[model], &question, constants[model]);
    free(taken);
    if (status == HS_OK)
        printf("cost\t%.9g\n", cost);
    return status;
}

static enum hs_status tell_own(char *const *words, struct hs_error *err)
{
    size_t model;
    double deviations[HS_CONSTANTS_MAX];
    struct hs_constants_question question = {.deviations = deviations};
    struct hs_price_point *taken;
    enum hs_status status;

    if (find_model(&model, words[0], err) ||
        take_points(&taken, &question.count, model, words[1], err))
        return HS_INVALID;
    question.model = models[model];
    question.points = taken;
    question.around = kept[model];
    status = hs_constants_fit(constants[model], NULL, &question, err);
    free(taken);
    if (status != HS_OK)
        return status;
    printf("own");
    for (size_t i = 0; i < models[model]->count; i++) {
        const struct hs_constant *row = &models[model]->constants[i];
        double value = constants[model][i], range = exp(HS_NORMAL95 * deviations[i]);

        printf("\t%s=%.4g=%.4g=%.4g=%d", row->name, value, value / range, value * range,
               deviations[i] < HS_CONSTANT_LEARNED * row->width);
    }
    printf("\n");
    return HS_OK;
}

static double deviation_of(const struct point *point, size_t model, double doubt)
{
    if (model == NCCL)
        return hs_nccl_deviation(&point->run, constants[model], doubt, left[model]);
    if (model == RCCL)
        return hs_rccl_deviation(&point->rccl, constants[model]);
    if (model == MPI)
        return hs_mpi_deviation(&point->call, constants[model], doubt, left[model]);
    return 0;
}

static enum hs_error_class class_of(const struct point *point, size_t model)
{
    return model == RCCL  ? hs_rccl_error_class(&point->rccl)
           : model == MPI ? HS_ERROR_CPU
                          : hs_nccl_run_class(&point->run);
}

static double bytes_of(const struct point *point, size_t model)
{
    return model == RCCL  ? point->rccl.bytes
           : model == MPI ? point->call.bytes
                          : point->run.call.bytes;
}

static enum hs_status price_points(char *const *words, struct hs_error *err)
{
    size_t model, point = SIZE_MAX, last = 0;
    const char *list = words[2];

    if (find_model(&model, words[0], err))
        return HS_INVALID;
    while (next_point(&point, &last, &list)) {
        double seconds = models[model]->seconds(call_of(&points[point], model), constants[model]);
        double deviation = deviation_of(&points[point], model, number(words[1]));
        double range = exp(HS_PRICE_RANGE * deviation), rest = 0;
        const char *class = "-";

        if (model == NCCL || model == RCCL || model == MPI) {
            enum hs_error_class of = class_of(&points[point], model);
            double bytes = bytes_of(&points[point], model);

            class = hs_error_class_names[of];
            rest = fmax(0, pow(deviation, 2) - pow(hs_error_machine(of, bytes), 2) -
                               pow(hs_error_point(of, bytes), 2));
        }
        printf("%.12g\t%.9g\t%.9g\t%.9g\t%s\n", seconds, seconds / range, seconds * range,
               sqrt(rest), class);
    }
    return HS_OK;
}

/* Other machines than those that plans are chosen on. */
#define DRAWN_ON 800
#define SEED     2

static enum hs_status tell_share(const struct hs_system *system, char *const *words,
                                 struct hs_error *err)
{
    struct hs_problem problem = problem_world(whole(words[0]), number(words[1]));
    struct hs_plan first, second;
    struct hs_machines machines;
    size_t wins = 0;

    if (hs_plan_parse(&first, words[2], whole(words[0]), err) ||
        hs_plan_parse(&second, words[3], whole(words[0]), err) ||
        hs_machines_init(&machines, system, DRAWN_ON, SEED, err))
        return HS_INVALID;
    hs_machines_ask(&machines, problem.group.size);
    for (size_t j = 0; j < DRAWN_ON; j++)
        wins += hs_machines_plan_seconds(&machines, j, &problem, &first) <
                hs_machines_plan_seconds(&machines, j, &problem, &second);
    printf("wins\t%.4f\n", (double)wins / DRAWN_ON);
    hs_machines_release(&machines);
    return HS_OK;
}

static enum hs_status tell_wins(char *const *words, struct hs_error *err)
{
    struct hs_system system;
    enum hs_status status = hs_system_is_text(words[0]) ? hs_system_parse(&system, words[0], err)
                                                        : hs_system_load(&system, words[0], err);

    if (status)
        return status;
    status = tell_share(&system, words + 1, err);
    hs_system_release(&system);
    return status;
}

static enum hs_status tell_choice(char *const *words, struct hs_error *err)
{
    int64_t point = whole(words[0]);

    if (point < 0 || (size_t)point >= point_count)
        return hs_fail(err, HS_INVALID, "there is no such point");
    printf("%s\t%s\n", hs_nccl_algorithm_names[points[point].run.choice.algorithm],
           hs_nccl_protocol_names[points[point].run.choice.protocol]);
    return HS_OK;
}

static const struct command {
    const char *name;
    size_t words; /* behind the name */
    bool answers; /* by itself */
    enum hs_status (*run)(char *const *words, struct hs_error *err);
} commands[] = {
    {"nccl", 11, false, add_nccl},    {"recall", 1, false, recall_model},
    {"mpi", 8, false, add_mpi},       {"version", 2, false, set_version},
    {"ship", 1, false, ship_model},   {"keep", 1, false, keep_model},
    {"fit", 4, true, fit_model},      {"price", 3, true, price_points},
    {"choice", 1, true, tell_choice}, {"own", 2, true, tell_own},
    {"set", 3, false, set_constant},  {"kinds", 2, false, set_kinds},
    {"wins", 5, true, tell_wins},     {"values", 1, true, tell_values},
    {"rccl", 7, false, add_rccl},
};

static enum hs_status obey(char *line, bool *answered, struct hs_error *err)
{
    char *words[WORDS_MAX] = {NULL}, *word;
    size_t count = 0;

    line[strcspn(line, "\n")] = '\0';
    while (count < WORDS_MAX && (word = strsep(&line, "\t")) != NULL)
        words[count++] = word;
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (strcmp(commands[i].name, words[0]) == 0 && commands[i].words == count - 1) {
            *answered = commands[i].answers;
            return commands[i].run(words + 1, err);
        }
    return hs_fail(err, HS_INVALID, "no command \"%.40s\" of %zu words", words[0], count - 1);
}

int main(void)
{
    size_t capacity = 0;
    char *line = NULL;

    for (size_t model = 0; model < MODELS; model++) {
        hs_constants_shipped(constants[model], models[model]);
        hs_constants_shipped(kept[model], models[model]);
    }
    while (getline(&line, &capacity, stdin) > 0) {
        struct hs_error err = {0};
        bool answered = false;

        if (obey(line, &answered, &err) != HS_OK)
            printf("no\t%s\n", err.message);
        else if (!answered)
            printf("ok\n");
        fflush(stdout);
    }
    free(line);
    free(points);
    return 0;
}
