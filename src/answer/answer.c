/*
 * The answer about a point, beside its plans and verdict: on what evidence, what bounds it, what
 * was not asked for and would be faster, what is assumed, what decides and what to measure.
 * Sentences are made here, so that every client has them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/point.h"
#include "base/list.h"
#include "library/known_faults.h"
#include "library/library_nccl.h"
#include "library/limit.h"
#include "library/price_rccl.h"
#include "search/proposal.h"

#define HINT_GAIN    1.05  /* what was not asked for is worth a hint from 5 % on */
#define HINT_LAYERS  4096  /* layers up to which searching again costs next to nothing */
#define WORTH        0.002 /* of the default's time, that a parameter known is worth a line */
#define STAGES_TRIED 512   /* stages of which each is tried as what to measure */
/* Times less bytes, from which on messages are measured: latency and bandwidth are told apart. */
#define FEWER ((uint64_t)8)

struct builder {
    struct hs_answer *answer;
    const struct hs_asked *asked;
    const struct hs_predict_point *point;
    struct hs_error *err;
};

static bool take_text(char **out, struct hs_text *text, struct hs_error *err)
{
    *out = text->failed ? NULL : text->data;
    if (*out)
        return true;
    hs_text_release(text);
    hs_no_memory(err);
    return false;
}

static void set_text(const struct builder *b, char **out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void set_text(const struct builder *b, char **out, const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    free(*out);
    *out = hs_strdup(line);
    if (!*out)
        hs_no_memory(b->err);
}

/* Adds a text to a list of them; takes it. */
static void add_text(const struct builder *b, char ***list, size_t *count, struct hs_text *text)
{
    char **line = hs_grow(list, NULL, *count, sizeof(*line), b->err);

    if (line && take_text(line, text, b->err))
        ++*count;
    else if (!line)
        hs_text_release(text);
}

#define ASSUME(b, ...)                                                                             \
    do {                                                                                           \
        struct hs_text line_ = {0};                                                                \
        hs_text_append(&line_, __VA_ARGS__);                                                       \
        add_text(b, &(b)->answer->assumptions, &(b)->answer->assumption_count, &line_);            \
    } while (0)

static void add_next(const struct builder *b, struct hs_text *line)
{
    add_text(b, &b->answer->next, &b->answer->next_count, line);
}

/* Whether one process count and one size are asked: of sweeps nobody reads hints. */
static bool is_single(const struct hs_asked *asked)
{
    const struct hs_question *question = asked->question;

    return question->np.first == question->np.last && question->bytes.first == question->bytes.last;
}

static bool is_calibrated(const struct hs_asked *asked)
{
    return asked->system->fits.count > 0;
}

/* ---- evidence -------------------------------------------------------------------------------- */

/* NVLink domains that a group's ranks lie among, of the group that goes furthest. */
static int64_t domains_of(const struct hs_predict_point *point)
{
    return hs_group_spread(&point->request.problem.group, point->request.system->nccl.gpus).units;
}

/* The least certain kind of a bandwidth among the levels that are crossed. */
static enum hs_figure_kind worst_kind(const struct hs_predict_point *point, const char **level)
{
    const struct hs_system *system = point->request.system;
    const struct hs_group *group = &point->request.problem.group;
    enum hs_figure_kind worst = HS_FIGURE_PUBLISHED;

    *level = system->levels[0].name;
    for (size_t l = 0; l < system->level_count; l++) {
        enum hs_figure_kind kind =
            (enum hs_figure_kind)(hs_level_bandwidth_kind(&system->levels[l]) - hs_figure_kinds);

        if (hs_group_spread(group, hs_system_child_ranks(system, l)).units == 1)
            break;
        if (kind > worst) {
            worst = kind;
            *level = system->levels[l].name;
        }
    }
    return worst;
}

bool hs_point_rests_on_guess(const struct hs_asked *asked, const struct hs_predict_point *point)
{
    const struct hs_system *system = asked->system;
    const char *level;

    if (is_calibrated(asked))
        return false;
    if (system->nccl.use.registered)
        return true; /* a machine's own times are of calls without registered buffers, too */
    if (system->constants.count > 0)
        return false;
    if (point->library.library == HS_LIBRARY_RCCL && hs_library_is_priced(&point->library))
        return true; /* of its reduce-scatters and allgathers one machine was measured */
    if (hs_library_is_priced(&point->library) && hs_system_shares_memory(system))
        return false; /* ranges have it, of machines that were left out */
    if (hs_system_is_nccl_native(system))
        return (domains_of(point) > 1 ? system->nccl.parts.network
                                      : system->nccl.parts.gpu.times) == HS_FIGURE_GUESS;
    return worst_kind(point, &level) == HS_FIGURE_GUESS;
}

static void say_nccl_evidence(const struct builder *b)
{
    const struct hs_parts *parts = &b->asked->system->nccl.parts;
    int64_t domains = domains_of(b->point);
    char **out = &b->answer->evidence;
    bool beyond = domains > parts->fitted_domains;

    if (domains <= 1 && parts->gpu.times == HS_FIGURE_FITTED)
        set_text(b, out, "not measured on this machine: the model is fitted to other nodes of %s",
                 parts->gpu.name);
    else if (domains > 1 && parts->network == HS_FIGURE_FITTED)
        set_text(b, out,
                 "not measured on this machine: the model is fitted to other machines with %s and "
                 "%s, up to "
                 "%" PRId64 " node%s%s",
                 parts->gpu.name, parts->nic.name, parts->fitted_domains,
                 HS_PLURAL(parts->fitted_domains), beyond ? ", and extrapolated beyond" : "");
    else if (domains > 1 && parts->network == HS_FIGURE_VENDOR)
        set_text(b, out,
                 "not measured on this machine: %s and %s were, on others, but not together",
                 parts->gpu.name, parts->nic.name);
    else if (domains <= 1 && parts->gpu.generation == HS_GPU_BOARD)
        set_text(b, out, "a guess: 6 machines of boards in slots differ by a factor of 10%s",
                 parts->paths ? "" : "; write -switch or -p2p=no behind the board to say which");
    else
        set_text(b, out, "a guess: no machine with %s%s%s was measured", parts->gpu.name,
                 domains > 1 ? " and " : "", domains > 1 ? parts->nic.name : "");
}

/* By whose rules it chooses. */
static const char *nccl_version(char text[HS_NCCL_VERSION_TEXT], const struct builder *b)
{
    int version = b->asked->system->nccl.version;

    return hs_nccl_version_format(text, version ? version : HS_NCCL_VERSION_USUAL);
}

/* What is known of NCCL's kernels for registered buffers. */
static void say_registered_evidence(const struct builder *b)
{
    const struct hs_library_price *price = &b->point->library;
    char **out = &b->answer->evidence;
    if (price->nccl_algorithm == HS_NCCL_SYMMETRIC &&
        b->point->request.problem.collective == HS_COLLECTIVE_ALLREDUCE)
        set_text(b, out,
                 "a guess: of NCCL's symmetric kernels one node was measured, 8 B200 from a CUDA "
                 "graph");
    else if (price->nccl_algorithm >= HS_NCCL_SYMMETRIC)
        set_text(b, out,
                 "a guess: this kernel of registered buffers was not measured by anybody "
                 "known");
    else if (price->nccl_algorithm == HS_NCCL_NVLS || price->nccl_algorithm == HS_NCCL_NVLSTREE)
        set_text(b, out,
                 "a guess: NCCL %s has no kernel of its own for registered buffers here, and "
                 "%s's zero copy is not priced",
                 nccl_version((char[HS_NCCL_VERSION_TEXT]){0}, b),
                 hs_nccl_algorithm_names[price->nccl_algorithm]);
    else
        set_text(b, out,
                 "a guess: NCCL %s has no kernel of its own for registered buffers here, and what "
                 "they save its usual one was not measured by anybody known",
                 nccl_version((char[HS_NCCL_VERSION_TEXT]){0}, b));
}

static void say_rccl_evidence(const struct builder *b)
{
    const struct hs_group *group = &b->point->request.problem.group;
    int64_t nodes = hs_group_spread(group, hs_system_node_ranks(b->asked->system)).units;

    if (nodes > 1)
        set_text(b, &b->answer->evidence,
                 "not measured on this machine: RCCL's model is fitted to %d machines, up to %d "
                 "nodes%s",
                 HS_RCCL_MACHINES_BETWEEN, HS_RCCL_NODES,
                 nodes > HS_RCCL_NODES ? ", and extrapolated beyond" : "");
    else
        set_text(b, &b->answer->evidence,
                 "not measured on this machine: RCCL's model is fitted to %d nodes of others",
                 HS_RCCL_MACHINES_INSIDE);
}

static void say_evidence(const struct builder *b)
{
    const struct hs_system *system = b->asked->system;
    char **out = &b->answer->evidence;
    const char *level;
    enum hs_figure_kind kind = worst_kind(b->point, &level);

    if (is_calibrated(b->asked))
        set_text(b, out, "layers of this machine were measured (%zu fits, %zu points)",
                 system->fits.count, system->fits.point_count);
    else if (system->nccl.use.registered)
        say_registered_evidence(b);
    else if (system->constants.count > 0)
        set_text(b, out, "fitted to this machine's own times (%zu constants)",
                 system->constants.count);
    else if (hs_system_is_nccl_native(system))
        say_nccl_evidence(b);
    else if (b->point->library.library == HS_LIBRARY_RCCL &&
             hs_library_is_priced(&b->point->library))
        say_rccl_evidence(b);
    else if (hs_library_is_priced(&b->point->library) && hs_system_shares_memory(system))
        set_text(
            b, out,
            "prices that were off by a factor of %.2g on other nodes of several ranks: no time "
            "of this machine says where %s switches algorithms (fit takes its times on one "
            "node and on two)",
            exp(hypot(hs_error_machine(HS_ERROR_CPU_RANKS, (double)b->point->bytes),
                      hs_error_point(HS_ERROR_CPU_RANKS, (double)b->point->bytes))),
            hs_library_written(b->point->library.library));
    else if (kind == HS_FIGURE_GUESS)
        set_text(b, out, "a guess: the bandwidth of %s is by likeness to other machines", level);
    else if (kind == HS_FIGURE_VENDOR)
        set_text(b, out, "not measured on this machine: the bandwidth of %s is as described",
                 level);
    else
        set_text(b, out, "latencies and bandwidths of this machine were measured and published");
}

/* ---- the default call, and the bound --------------------------------------------------------- */

static void say_default(const struct builder *b)
{
    const struct hs_library_price *price = &b->point->library;
    const struct hs_collective_row *row = &hs_collectives[b->point->request.problem.collective];
    struct hs_default_call *usual;

    if (!hs_library_is_priced(price)) {
        set_text(
            b, &b->answer->no_default,
            b->point->request.problem.group.size == 1 ? "one process does not communicate"
            : is_calibrated(b->asked) ? "the calibration measured layers, not the library's call"
            : price->library          ? "%s's %s%s has no price"
                             : "the machine's description names no library (library=openmpi, say)",
            hs_library_written(price->library), row->written,
            b->asked->question->mesh.count > 0 ? " of such groups" : "");
        return;
    }
    usual = b->answer->usual = calloc(1, sizeof(*usual));
    if (!usual) {
        hs_no_memory(b->err);
        return;
    }
    set_text(b, &usual->name, "%s", hs_library_written(price->library));
    if (price->library == HS_LIBRARY_NCCL)
        set_text(b, &usual->version, "%s", nccl_version((char[HS_NCCL_VERSION_TEXT]){0}, b));
    set_text(b, &usual->choice, "%s", price->choice);
    usual->seconds = b->point->reference.seconds;
    usual->low_seconds = b->point->reference.low_seconds;
    usual->high_seconds = b->point->reference.high_seconds;
}

static void say_bound(const struct builder *b)
{
    struct hs_limit limit = hs_limit_of(b->asked->system, &b->point->request.problem);

    b->answer->bound_seconds = limit.level < 0 ? NAN : limit.seconds;
    if (limit.level >= 0)
        set_text(b, &b->answer->bound_by, "the %s of %s",
                 2 * limit.latency_seconds > limit.seconds ? "latency" : "bandwidth",
                 b->asked->system->levels[limit.level].name);
}

/* ---- hints ----------------------------------------------------------------------------------- */

static struct hs_hint *add_hint(const struct builder *b, const char *option, double gain)
{
    struct hs_hint *hint =
        hs_grow(&b->answer->hints, NULL, b->answer->hint_count, sizeof(*hint), b->err);

    if (!hint)
        return NULL;
    b->answer->hint_count++;
    hint->gain = gain;
    if (option)
        set_text(b, &hint->option, "%s", option);
    return hint;
}

/* A hint where the best of another search is enough faster than the best of this one, both nominal:
 * "<before> 4x8/4 would be 1.2x faster". */
static enum hs_status hint_at(const struct builder *b, struct hs_search_request *request,
                              const char *option, const char *before)
{
    struct hs_search_result found;
    struct hs_hint *hint;
    enum hs_status status;
    double gain;

    if (b->point->library.library == HS_LIBRARY_RCCL && hs_library_is_priced(&b->point->library))
        return HS_OK; /* its plans are not priced by the levels, as the search is */
    if (b->asked->question->registered)
        return HS_OK; /* a gain that rests on a guess is no hint */
    request->top = 1;
    status = hs_search(&found, hs_search_strategy_find("lattice"), request, b->err);
    if (status)
        return status;
    gain = b->point->found.plans[0].seconds / found.plans[0].seconds;
    hint = gain < HINT_GAIN ? NULL : add_hint(b, option, gain);
    if (hint)
        set_text(b, &hint->text, "%s %s would be %s faster", before,
                 HS_AS_PLAN(&found.plans[0].plan), HS_AS_GAIN(gain));
    hs_search_result_release(&found);
    return HS_OK;
}

static enum hs_status hint_at_chunks(const struct builder *b)
{
    static const int chunks[] = {1, 2, 4, 8};
    struct hs_search_request request = b->point->request;

    if (b->asked->question->chunks.count || hs_collective_is_one_way(request.problem.collective) ||
        b->point->found.layers_priced > HINT_LAYERS)
        return HS_OK;
    request.chunks = chunks;
    request.chunk_count = 4;
    return hint_at(b, &request, "--chunks 1,2,4,8", "in chunks");
}

static enum hs_status hint_at_layout(const struct builder *b)
{
    struct hs_search_request request = b->point->request;

    if (!hs_collectives[request.problem.collective].ordered ||
        request.problem.layout == HS_REVERSED || b->point->found.layers_priced > HINT_LAYERS)
        return HS_OK;
    request.problem.layout = HS_REVERSED;
    return hint_at(b, &request, "--layout reversed", "if the caller can use the reversed layout,");
}

static enum hs_status hint_at_trees(const struct builder *b)
{
    struct hs_search_request request = b->point->request;

    if (b->asked->question->algorithms || request.system->levels[0].fabric != HS_FABRIC_LINKS)
        return HS_OK;
    request.algorithms |= 1U << HS_FOREST | 1U << HS_GROUPS;
    return hint_at(b, &request, "--algorithms all", "over trees packed on the links");
}

/* The best plan of another process count. */
static enum hs_status append_neighbour(struct hs_text *text, const struct builder *b, int64_t np,
                                       int64_t neighbour)
{
    struct hs_predict_point point;
    enum hs_status status = hs_point_search(&point, b->asked, neighbour, b->point->bytes, b->err);

    if (status)
        return status;
    hs_text_append(text, "%s%" PRId64 " processes (%.1f %% %s) take %s as %s",
                   text->length ? ", " : "", neighbour,
                   fabs(100 * ((double)neighbour / (double)np - 1)),
                   neighbour < np ? "fewer" : "more", HS_AS_TIME(point.plans[0].estimate.seconds),
                   HS_AS_PLAN(&point.plans[0].plan));
    hs_predict_point_release(&point);
    return HS_OK;
}

/* What the library's call is known to run into, before what would only be faster. */
static void hint_at_faults(const struct builder *b)
{
    const struct hs_known_fault *found[HS_KNOWN_FAULTS];
    size_t count =
        hs_known_faults_of(found, b->asked->system, &b->point->request.problem, &b->point->library,
                           hs_datatype_bytes(b->asked->question->datatype));

    for (size_t i = 0; i < count; i++) {
        struct hs_hint *hint = add_hint(b, NULL, NAN);

        if (hint)
            set_text(b, &hint->text, "a known fault: %s (github.com/%s)", found[i]->text,
                     found[i]->source);
    }
}

/* Of a prime number of processes: the next counts below and above that fill the units of the first
 * level, else that have splits. */
static enum hs_status hint_at_neighbours(const struct builder *b)
{
    int64_t np = b->point->request.problem.group.size;
    int64_t unit = hs_system_child_ranks(b->asked->system, 1);
    bool by_units = unit > 1 && unit < np;
    int64_t below = by_units ? np - np % unit : np - 1;
    int64_t above = by_units ? below + unit : np + 1;
    struct hs_text text = {0};
    struct hs_hint *hint;
    enum hs_status status;

    if (b->asked->question->mesh.count > 0 || np <= 3 || !hs_is_prime(np))
        return HS_OK;
    status = append_neighbour(&text, b, np, below);
    if (status == HS_OK && above <= HS_NP_MAX)
        status = append_neighbour(&text, b, np, above);
    hint = status ? NULL : add_hint(b, NULL, NAN);
    if (hint)
        set_text(b, &hint->text, "%" PRId64 " is prime, so there is nothing to split; %s", np,
                 text.failed ? "" : text.data);
    hs_text_release(&text);
    return status;
}

/* ---- assumptions ----------------------------------------------------------------------------- */

static void say_units(const struct builder *b)
{
    const struct hs_system *system = b->asked->system;
    int64_t np = b->point->request.problem.group.ranks, node = hs_system_node_ranks(system);
    int64_t unit = hs_system_unit_ranks(system, np);

    if (unit == node)
        return;
    if (unit > 1)
        ASSUME(b, "nodes of %" PRId64 " and of %" PRId64 " ranks are cut into units of %" PRId64,
               node, np % node, unit);
    else
        ASSUME(b,
               "nodes of %" PRId64 " and of %" PRId64
               " ranks have no common divisor, so every layer "
               "crosses nodes: %" PRId64 " or %" PRId64 " processes have layers within nodes",
               node, np % node, np / node * node, (np / node + 1) * node);
}

static void say_assumptions(const struct builder *b)
{
    const struct hs_system *system = b->asked->system;
    const struct hs_parts *parts = &system->nccl.parts;
    const struct hs_predict_point *point = b->point;

    if (hs_system_is_nccl_native(system) && hs_parts_are_open(parts) && domains_of(point) > 1)
        ASSUME(b,
               "one switch joins all nodes; ranges allow for 2:1 oversubscription above leaf "
               "switches of 32 nodes (\"%s, 32:2\")",
               system->parts);
    if (point->extrapolated)
        ASSUME(b, "%s describes %" PRId64 " processes: its outermost level (%s) goes on",
               b->asked->label, hs_system_capacity(system),
               system->levels[system->level_count - 1].name);
    say_units(b);
    if (!point->sampled && b->asked->question->machines > 0 && !is_calibrated(b->asked) &&
        point->request.problem.group.size > 1)
        ASSUME(b, "times are nominal: nothing of the description is uncertain");
    if (point->exact_seconds > 0)
        ASSUME(b,
               "containment looks at %" PRIu64 " of %" PRIu64 " splits; the exact search finds %s, "
               "nominally %.2g %% faster",
               point->found.looked_at, point->found.splits, HS_AS_PLAN(&point->exact_plan),
               fmax(0, 100 * (point->found.plans[0].seconds / point->exact_seconds - 1)));
    if (point->found.left_out[0])
        ASSUME(b, "the budget ended before %s", point->found.left_out);
}

/* ---- what decides, and what to measure ------------------------------------------------------- */

/* What a word for a shell may hold without quotes. */
#define PLAIN                                                                                      \
    "abcdefghijklmnopqrstuvwxyz"                                                                   \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"                                                                   \
    "0123456789_./+-"

/* The system as a word of a command, and a file that it is not in. */
static void append_system(struct hs_text *line, const struct builder *b)
{
    const char *system = b->asked->typed ? b->asked->typed : b->asked->label;
    const char *quote = system[strspn(system, PLAIN)] ? "'" : "";

    hs_text_append(line, "%s%s%s", quote, system, quote);
}

static const char *output_of(const struct builder *b)
{
    const char *system = b->asked->typed ? b->asked->typed : b->asked->label;

    return strcmp(system, "here.json") == 0 ? "here-2.json" : "here.json";
}

/* " --np 256", or " --mesh tp=8,dp=32 --group dp". */
static void append_whom(struct hs_text *line, const struct builder *b)
{
    const struct hs_mesh *mesh = &b->asked->question->mesh;

    if (mesh->count == 0)
        hs_text_append(line, " --np %" PRId64, b->point->request.problem.group.ranks);
    else
        hs_text_append(line, " --mesh %s --group %s", hs_mesh_format((char[HS_MESH_TEXT]){0}, mesh),
                       hs_mesh_format_over((char[HS_MESH_TEXT]){0}, mesh));
}

/* " --collective allgather --layout natural"; nothing for an AllReduce. */
static void append_call(struct hs_text *line, const struct hs_problem *problem)
{
    if (problem->collective != HS_COLLECTIVE_ALLREDUCE)
        hs_text_append(line, " --collective %s", hs_collective_names[problem->collective]);
    if (hs_collectives[problem->collective].ordered)
        hs_text_append(line, " --layout %s", hs_layout_names[problem->layout]);
}

/* Whether it is about anything but an AllReduce of all processes, which other commands ask. */
static bool is_other(const struct builder *b)
{
    return b->asked->question->mesh.count > 0 ||
           b->point->request.problem.collective != HS_COLLECTIVE_ALLREDUCE;
}

/* This question again, of the machine as it was then measured. */
static void next_again(const struct builder *b)
{
    struct hs_text line = {0};

    hs_text_append(&line, "hiersearch predict %s --compare-with ", output_of(b));
    append_system(&line, b);
    append_whom(&line, b);
    hs_text_append(&line, " --size %s", HS_AS_BYTES(b->point->bytes));
    append_call(&line, &b->point->request.problem);
    add_next(b, &line);
}

static void next_fit(const struct builder *b, const char *files)
{
    struct hs_text line = {0};

    hs_text_append(&line, "hiersearch fit ");
    append_system(&line, b);
    hs_text_append(&line, " %s -o %s", files, output_of(b));
    if (!is_other(b))
        hs_text_append(&line, " --for %" PRId64 " --size %s", b->point->request.problem.group.size,
                       HS_AS_BYTES(b->point->bytes));
    add_next(b, &line);
}

/* Two calls of a layer, one after the other, as NCCL's own tests run them; of its last one. */
static void next_nccl_tests(const struct builder *b, struct hs_stage_key key)
{
    double bytes = hs_problem_entering(&b->point->request.problem, key.layer);
    int64_t fit = b->asked->system->nccl.gpus / key.layer.stride;
    int64_t of_node = fit < 1 ? 1 : fit < key.layer.size ? fit : key.layer.size;
    static const char *const tests[HS_PHASE_COUNT][2] = {
        [HS_REDUCE_SCATTER] = {"reduce_scatter"},
        [HS_ALLGATHER] = {"all_gather"},
        [HS_ALLREDUCE] = {"all_reduce"},
        [HS_EXCHANGE] = {"alltoall"},
        [HS_PAIR] = {"reduce_scatter", "all_gather"}};

    for (int i = 0; i < hs_phase_calls(key.phase); i++) {
        struct hs_text line = {0};

        hs_text_append(&line,
                       "mpirun -np %" PRId64 " -N %" PRId64 " %s_perf -b %.0f -e %.0f -f 2 >%s",
                       key.layer.size, of_node, tests[key.phase][i], fmax(1, bytes / 8), bytes,
                       i == 0 ? "one.txt" : "two.txt");
        add_next(b, &line);
    }
    next_fit(b, key.phase == HS_PAIR ? "one.txt two.txt" : "one.txt");
    if (is_other(b)) /* a log says nothing of that */
        next_again(b);
}

static void next_calibrate(const struct builder *b, struct hs_stage_key key)
{
    bool by_host = key.algorithm != HS_RING || b->asked->system->executor == HS_BY_HOST;
    bool is_pair = key.phase == HS_PAIR;
    struct hs_text line = {0};

    hs_text_append(&line, "mpiexec -n %" PRId64 " hiersearch measure --calibrate ",
                   key.layer.stride * key.layer.size);
    append_system(&line, b);
    key.phase = is_pair ? HS_REDUCE_SCATTER : key.phase;
    hs_text_append(&line, " --stages %s", hs_stage_key_format((char[HS_STAGE_KEY_TEXT]){0}, key));
    key.phase = HS_ALLGATHER;
    if (is_pair)
        hs_text_append(&line, ",%s", hs_stage_key_format((char[HS_STAGE_KEY_TEXT]){0}, key));
    hs_text_append(&line, " --size %s%s -o %s", HS_AS_BYTES(b->point->bytes),
                   by_host ? " --backend host" : "", output_of(b));
    add_next(b, &line);
    next_again(b);
}

/* Two plans beside each other, or one beside the library's default, which is measured with every
 * plan. */
static void next_plans(const struct builder *b, const struct hs_plan *one,
                       const struct hs_plan *other)
{
    const struct hs_problem *problem = &b->point->request.problem;
    bool by_host = !hs_system_is_nccl_native(b->asked->system) &&
                   (hs_plan_has_letters(one) || (other && hs_plan_has_letters(other)));
    struct hs_text line = {0};

    hs_text_append(&line, "mpiexec -n %" PRId64 " hiersearch measure", problem->group.ranks);
    if (b->asked->question->mesh.count > 0)
        append_whom(&line, b);
    hs_text_append(&line, " --plans %s", HS_AS_PLAN(one));
    if (other)
        hs_text_append(&line, ",%s", HS_AS_PLAN(other));
    hs_text_append(&line, " --size ");
    if (b->point->bytes % (FEWER * FEWER) == 0)
        hs_text_append(&line, "%s:", HS_AS_BYTES(b->point->bytes / FEWER));
    hs_text_append(&line, "%s", HS_AS_BYTES(b->point->bytes));
    append_call(&line, problem);
    hs_text_append(&line, "%s%s -o plan.json", by_host ? " --backend host" : "",
                   b->asked->question->registered ? " --registered" : "");
    add_next(b, &line);
    if (!b->asked->question->registered) /* a machine's own times are of calls without */
        next_fit(b, "plan.json");        /* which says itself what it is about */
}

static void next_of_proposal(const struct builder *b, const struct hs_proposal *proposal,
                             const struct hs_plan *shown)
{
    const struct hs_verdict *verdict = &b->answer->verdict;
    bool plans = proposal->whole && proposal->compared >= WORTH;

    if (plans && verdict->advice == HS_ADVICE_UNDECIDED && hs_plan_is_flat(shown) &&
        !hs_plan_is_flat(&verdict->plan) && hs_plan_compare(&verdict->plan, &proposal->rival) != 0)
        next_plans(b, &verdict->plan, &proposal->rival);
    else if (plans && hs_plan_is_flat(shown))
        next_plans(b, &proposal->rival, hs_library_is_priced(&b->point->library) ? NULL : shown);
    else if (plans)
        next_plans(b, shown,
                   hs_plan_is_flat(&proposal->rival) && hs_library_is_priced(&b->point->library)
                       ? NULL
                       : &proposal->rival);
    else if (proposal->measured >= WORTH && b->asked->question->registered)
        return; /* nccl-tests -R 2 would say it, and nothing is fitted to it */
    else if (proposal->measured >= WORTH && hs_system_is_nccl_native(b->asked->system))
        next_nccl_tests(b, proposal->stage);
    else if (proposal->measured >= WORTH)
        next_calibrate(b, proposal->stage);
}

static void say_what_decides(const struct builder *b, const struct hs_proposal *proposal,
                             double loss)
{
    struct hs_text name = {0};

    if (!proposal->figure || proposal->known < WORTH)
        return;
    hs_machines_figure_text(&name, b->asked->machines, proposal->figure);
    set_text(b, &b->answer->decides,
             "%s: known, the expected loss falls from %.2g %% to %.2g %% of the default's time",
             name.failed ? "" : name.data, 100 * loss,
             100 * fmax(0, loss - fmin(proposal->known, loss)));
    hs_text_release(&name);
}

/* Over more samples than a plan is chosen on: it is a small difference of means. */
static enum hs_status propose(const struct builder *b)
{
    const struct hs_predict_point *point = b->point;
    const struct hs_plan flat = hs_problem_flat(&point->request.problem);
    const struct hs_plan *first = &point->plans[0].plan;
    const struct hs_plan *shown = hs_plan_is_default(first) ? &flat : first;
    struct hs_machines machines;
    struct hs_expected expected;
    struct hs_proposal proposal = {NULL};
    double loss = point->plans[0].estimate.loss;
    enum hs_status status;

    if (!point->sampled || !(loss >= WORTH) || point->expected.row_count == 0 ||
        point->expected.row_count > STAGES_TRIED)
        return HS_OK;
    status = hs_machines_init(&machines, b->asked->system, HS_EXPECTED_ASKED, 1, b->err);
    if (status)
        return status;
    hs_machines_ask(&machines, hs_point_ranks_among(&point->request.problem));
    status = hs_expected_init(&expected, &point->request, &machines, &point->library, true, b->err);
    if (!status) {
        status = hs_propose(&proposal, &expected, shown, b->err);
        hs_expected_release(&expected);
    }
    if (!status) {
        say_what_decides(b, &proposal, loss);
        next_of_proposal(b, &proposal, shown);
    }
    hs_machines_release(&machines);
    return status;
}

/* Where it cannot tell, there is always something to measure. */
static void next_at_least(const struct builder *b)
{
    if (b->answer->verdict.advice == HS_ADVICE_UNDECIDED && b->answer->next_count == 0)
        next_plans(b, &b->answer->verdict.plan, NULL);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum hs_status look_further(const struct builder *b)
{
    enum hs_status status = hint_at_chunks(b);

    if (!status)
        status = hint_at_layout(b);
    if (!status)
        status = hint_at_trees(b);
    if (!status)
        status = hint_at_neighbours(b);
    return status ? status : propose(b);
}

enum hs_status hs_point_answer(struct hs_answer **out, const struct hs_asked *asked,
                               const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_error own = {.status = HS_OK};
    struct hs_answer *answer = calloc(1, sizeof(*answer));
    const struct builder builder = {answer, asked, point, &own}, *b = &builder;
    enum hs_status status = HS_OK;

    if (!answer)
        return hs_no_memory(err);
    answer->verdict = point->verdict;
    answer->samples = point->sampled ? (int64_t)point->expected.samples : 0;
    say_evidence(b);
    say_default(b);
    say_bound(b);
    say_assumptions(b);
    hint_at_faults(b);
    if (point->tie_count > 0) {
        answer->ties = malloc(point->tie_count * sizeof(*answer->ties));
        if (answer->ties)
            memcpy(answer->ties, point->ties, point->tie_count * sizeof(*answer->ties));
        else
            hs_no_memory(&own);
        answer->tie_count = answer->ties ? point->tie_count : 0;
    }
    if (asked->further && is_single(asked) && point->request.problem.group.size > 1)
        status = look_further(b);
    if (!status)
        next_at_least(b);
    if (!status)
        status = own.status;
    if (status) {
        hs_fields_release(&hs_answer_fields, answer);
        free(answer);
        return hs_fail(err, status, "%s", own.message);
    }
    *out = answer;
    return HS_OK;
}
