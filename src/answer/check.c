/* The rows of logs against what such a machine takes, and the verdict. */
#include "answer/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/systems.h"
#include "base/list.h"
#include "base/notes.h"
#include "base/statistics.h"
#include "record/nccl_reader.h"

#define GB            1e9
#define HS_NODE_GPUS  16
#define LARGEST_BYTES 4294967296.0 /* that people run */

/* From this size on a rate can be judged; below, what a call costs. */
#define LARGE_BYTES ((uint64_t)1 << 20)
/* From here on one size may be slow and the next one not, which is no accident of protocols. */
#define RATE_BYTES ((uint64_t)16 << 20)

/* What a call without a price, or on boards in slots, reaches of its line rate: nccl-tests 119 and
 * 212 (24 of 25, 46 of 50), nccl 371 (9.2 of 12.5); inside of boards nccl 841 (21 of 24 at best),
 * cases with peer access 0.5 to 0.9. */
#define LINE_USUAL   0.85
#define LINE_LEAST   0.70
#define SEND_USUAL   0.92
#define SEND_LEAST   0.80 /* of InfiniBand and RoCE: 46 to 49 of 50 (nccl 2409) */
#define SLOTS_USUAL  0.70
#define SLOTS_LEAST  0.42
#define LINE_SECONDS 2e-3 /* a call that short at line rate is not judged by it */

/* Times this far off are no accident of one size (deviations), nor too small to matter. */
#define SURE_DEVIATIONS    3.0
#define SURE_FACTOR        1.20
#define LARGEST_DEVIATIONS 2.2 /* of the largest size alone */
#define STEP_DEVIATIONS    1.0
#define STEP_FACTOR        1.3
#define CALL_FACTOR        2.2 /* of small sizes */

#define HS_ROW(name, text, ...) text,
const char *const hs_check_verdict_names[] = {HS_CHECK_VERDICTS(HS_ROW)};
const char *const hs_check_layer_names[] = {HS_CHECK_LAYERS(HS_ROW)};
const char *const hs_check_status_names[] = {HS_CHECK_STATUSES(HS_ROW)};
const char *const hs_check_against_names[] = {HS_CHECK_AGAINST(HS_ROW)};
#undef HS_ROW

double hs_check_rate(const struct hs_check_row *row, double seconds)
{
    return row->bus_factor * (double)row->bytes / seconds;
}

/* A tree on two nodes sends half as much as a ring. */
static double twice_of(const struct hs_check_row *row)
{
    return row->nodes == 2 && row->logged.kind == HS_CALL_ALLREDUCE ? 2 : 1;
}

double hs_check_line_rate(const struct hs_check_row *row)
{
    return hs_check_rate(row, row->bound_seconds) / twice_of(row);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double bus_factor_of(const char *call, int64_t ranks)
{
    double part = 1 - 1 / (double)ranks;

    if (strcmp(call, hs_library_call_names[HS_CALL_ALLREDUCE]) == 0)
        return 2 * part;
    for (int c = 0; c < HS_LIBRARY_CALL_COUNT; c++)
        if (strcmp(call, hs_library_call_names[c]) == 0)
            return part;
    return 1;
}

/* The row of the same size of the same run; else a new one. NULL: no memory. */
static struct hs_check_row *row_for(struct hs_check_answer *out, size_t *capacity,
                                    const struct hs_check_row *like, bool in_place,
                                    struct hs_error *err)
{
    struct hs_check_row *row;

    for (size_t i = out->row_count; i-- > 0 && in_place;) { /* it came just before */
        row = &out->rows[i];
        if (row->file == like->file && row->bytes == like->bytes && row->ranks == like->ranks &&
            strcmp(row->call, like->call) == 0) {
            row->seconds = sqrt(row->seconds * like->seconds);
            return row;
        }
    }
    row = hs_grow(&out->rows, capacity, out->row_count, sizeof(*row), err);
    if (!row)
        return NULL;
    *row = *like;
    row->bus_factor = bus_factor_of(row->call, row->ranks);
    row->expected_seconds = row->low_seconds = row->high_seconds = row->bound_seconds = NAN;
    row->curve_seconds[0] = row->curve_seconds[1] = NAN;
    out->row_count++;
    return row;
}

/* ---- results --------------------------------------------------------------------------------- */

/* The library's default call, as it was timed beside the plans; NULL: it was not. Others, such as
 * "ncclAllReduce ring", have a word more. */
static const struct hs_measured *default_of(const struct hs_result_message *message)
{
    for (size_t i = 0; i < message->baseline_count; i++) {
        const struct hs_baseline_result *baseline = &message->baselines[i];

        if (!strchr(baseline->name, ' ') && hs_measured_is_ok(&baseline->measured))
            return &baseline->measured;
    }
    return NULL;
}

/* The library's default calls of a result, as a log of them. */
static enum hs_status log_of(struct hs_log *log, const struct hs_result *result,
                             struct hs_error *err)
{
    static const enum hs_library_call calls[HS_COLLECTIVE_COUNT] = {
        [HS_COLLECTIVE_ALLREDUCE] = HS_CALL_ALLREDUCE,
        [HS_COLLECTIVE_REDUCE_SCATTER] = HS_CALL_REDUCE_SCATTER,
        [HS_COLLECTIVE_ALLGATHER] = HS_CALL_ALLGATHER,
        [HS_COLLECTIVE_ALLTOALL] = HS_CALL_ALLTOALL,
    };
    bool nccl = result->backend && strncmp(result->backend, "nccl", 4) == 0;

    *log = (struct hs_log){.runs = calloc(1, sizeof(*log->runs)),
                           .points = calloc(result->message_count + 1, sizeof(*log->points))};
    if (!log->runs || !log->points)
        return hs_no_memory(err);
    log->run_count = 1;
    log->runs[0] = (struct hs_log_run){.call = calls[result->collective],
                                       .call_known = true,
                                       .of = nccl ? HS_LOG_OF_NCCL : HS_LOG_OF_MPI,
                                       .ranks = result->np,
                                       .nodes = (int64_t)result->placement.node_count};
    for (size_t i = 0; i < result->message_count; i++) {
        const struct hs_measured *measured = default_of(&result->messages[i]);

        if (measured)
            log->points[log->point_count++] = (struct hs_log_point){
                .bytes = result->messages[i].message_bytes, .seconds = measured->median_seconds};
    }
    return HS_OK;
}

/* Adds the default calls of all processes; those of groups have no place on the machine here. */
static enum hs_status gather_results(struct hs_call_list *list, const struct hs_system *system,
                                     const struct hs_inputs *inputs, struct hs_error *err)
{
    static const struct hs_log_facts facts = {.algorithm = "", .may_lack_price = true};
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < inputs->count && status == HS_OK; i++) {
        const struct hs_result *result = inputs->inputs[i].result;
        struct hs_log log = {.run_count = 0};

        if (result->mesh.count == 0)
            status = log_of(&log, result, err);
        if (status == HS_OK && log.point_count > 0)
            status = hs_log_calls(list, system, &log, inputs->inputs[i].name, &facts, err);
        hs_log_release(&log);
    }
    return status;
}

static enum hs_status add_plans(struct hs_check_answer *out, const struct hs_inputs *inputs,
                                struct hs_error *err)
{
    size_t capacity = 0;

    for (size_t i = 0; i < inputs->count; i++)
        for (size_t m = 0; m < inputs->inputs[i].result->message_count; m++) {
            const struct hs_result_message *message = &inputs->inputs[i].result->messages[m];

            for (size_t c = 0; c < message->candidate_count; c++) {
                const struct hs_candidate *candidate = &message->candidates[c];
                struct hs_check_plan *plan;

                if (!hs_measured_is_ok(candidate->measured) || hs_plan_is_default(&candidate->plan))
                    continue;
                plan = hs_grow(&out->plans, &capacity, out->plan_count, sizeof(*plan), err);
                if (!plan)
                    return HS_MEMORY;
                *plan = (struct hs_check_plan){.file = inputs->inputs[i].name,
                                               .bytes = message->message_bytes,
                                               .seconds = candidate->measured->median_seconds,
                                               .expected_seconds = candidate->predicted_seconds,
                                               .low_seconds = candidate->predicted_low_seconds,
                                               .high_seconds = candidate->predicted_high_seconds};
                hs_plan_format(plan->plan, &candidate->plan);
                out->plan_count++;
            }
        }
    return HS_OK;
}

/* The logs without what NCCL_ALGO forced, which is a finding and no expectation. */
static enum hs_status add_calls(struct hs_check_answer *out, size_t *capacity,
                                const struct hs_check_question *question,
                                const struct hs_system *system, struct hs_error *err)
{
    struct hs_call_list calls = {0};
    struct hs_log_options options = question->settings->log;
    enum hs_status status = HS_OK;

    options.may_lack_price = true;
    if (!options.algorithm)
        options.algorithm = "";
    status = hs_logs_gather(&calls, system, question->inputs, &options, err);
    if (status == HS_OK)
        status = gather_results(&calls, system, question->inputs, err);
    for (size_t i = 0; i < calls.count && status == HS_OK; i++) {
        const struct hs_log_call *call = &calls.items[i];
        struct hs_check_row like = {.file = call->file,
                                    .ranks = call->ranks,
                                    .nodes = call->nodes,
                                    .bytes = call->bytes,
                                    .seconds = call->seconds,
                                    .logged = *call};

        snprintf(like.call, sizeof(like.call), "%s", hs_library_call_names[call->kind]);
        status = row_for(out, capacity, &like, call->in_place, err) ? HS_OK : HS_MEMORY;
    }
    for (size_t i = 0; i < question->inputs->log_count && status == HS_OK; i++) {
        const struct hs_log *log = &question->inputs->logs[i].log;

        for (size_t k = 0; k < log->other_count && status == HS_OK; k++) {
            const struct hs_log_other *other = &log->others[k];
            struct hs_check_row like = {.file = question->inputs->logs[i].file,
                                        .ranks = other->ranks ? other->ranks : options.np,
                                        .nodes = other->nodes ? other->nodes : options.nodes,
                                        .bytes = other->bytes,
                                        .seconds = other->seconds};

            memcpy(like.call, other->call, sizeof(like.call));
            if (like.ranks > 1)
                status = row_for(out, capacity, &like, other->in_place, err) ? HS_OK : HS_MEMORY;
        }
    }
    hs_call_list_release(&calls);
    return status;
}

/* ---- line rates ------------------------------------------------------------------------------ */

/* Bytes per second of busbw that the machine's lines carry: of a sendrecv one GPU's NICs. 0: not
 * known. */
static double line_rate(const struct hs_check_row *row, const struct hs_parts *parts)
{
    double gpus = (double)row->ranks / fmax(1, (double)row->nodes), rate;
    bool is_send = strcmp(row->call, "sendrecv") == 0;

    if (parts->gpu_count == 0)
        return 0;
    if (row->nodes <= 1)
        return parts->gpu.nvlink_GBps * GB;
    if (row->nodes > 1 && parts->nic_count == 0)
        return 0;
    rate = (double)parts->nic_count / (double)parts->gpu_count;
    rate = parts->nic.line_GBps * (is_send ? fmax(1, floor(rate)) : rate * gpus);
    rate = fmin(rate, parts->gpu.slot_GBps * (is_send ? 1 : gpus));
    if (parts->gpu.generation == HS_GPU_BOARD)
        rate = fmin(rate, parts->gpu.slot_GBps);
    return rate * GB;
}

static bool is_boards(const struct hs_parts *parts)
{
    return parts->gpu.generation == HS_GPU_BOARD;
}

/* GPUs that are otherwise sold with NVLinks: as boards they have peer access. */
static bool has_peer_access(const struct hs_parts *parts)
{
    return strchr("APVH", parts->gpu.name[0]) && parts->gpu.capability != 86;
}

static void judge_by_line(struct hs_check_row *row, const struct hs_parts *parts)
{
    double rate = line_rate(row, parts), bound;
    bool inside = row->nodes <= 1, sends = strcmp(row->call, "sendrecv") == 0;
    double least =
        inside ? SLOTS_LEAST
        : sends && (parts->nic.class == HS_NIC_INFINIBAND || parts->nic.class == HS_NIC_ROCE)
            ? SEND_LEAST
            : LINE_LEAST;

    if (!(rate > 0))
        return;
    bound = row->bus_factor * (double)row->bytes / rate;
    if (bound < LINE_SECONDS || strcmp(row->call, "alltoall") == 0 ||
        (inside && (!is_boards(parts) || !has_peer_access(parts))))
        return;
    row->against = HS_AGAINST_LINE;
    row->expected_seconds = bound / (inside ? SLOTS_USUAL : sends ? SEND_USUAL : LINE_USUAL);
    row->low_seconds = bound / 1.05;
    row->high_seconds = bound / least;
}

/* ---- prices ---------------------------------------------------------------------------------- */

/* The slots of its GPUs carry less than the NICs: those count that they fill (price_nccl.h does not
 * know of it). */
static double nics_filled(const struct hs_shape *shape)
{
    double slots = (double)shape->gpus * shape->parts.gpu.slot_GBps / shape->parts.nic.line_GBps;

    return shape->domains > 1 ? fmin(shape->nics, fmax(slots, 1e-3)) : shape->nics;
}

static void judge_by_price(struct hs_check_row *row, const struct hs_system *system)
{
    struct hs_call_price price = hs_log_call_price(&row->logged, system), filled = price;
    struct hs_nccl_run *run = &row->logged.nccl;

    if (isnan(price.seconds))
        return;
    /* an all-to-all of racks is what one machine takes (A2A_PEER_NET, constants_nccl.h) */
    if (row->logged.library == HS_LIBRARY_NCCL && row->logged.kind == HS_CALL_ALLTOALL &&
        run->call.shape.domains > 1 && run->call.shape.gpus > HS_NODE_GPUS)
        return;
    row->against = HS_AGAINST_PRICE;
    if (row->logged.library == HS_LIBRARY_NCCL) {
        struct hs_log_call open = row->logged;

        snprintf(row->algorithm, sizeof(row->algorithm), "%s, %s",
                 hs_nccl_algorithm_names[run->choice.algorithm],
                 hs_nccl_protocol_names[run->choice.protocol]);
        if (run->call.shape.domains > 1) {
            open.nccl.call.shape.nics = run->call.shape.nics = nics_filled(&run->call.shape);
            price = hs_log_call_price(&row->logged, system);
            if (system->nccl.parts.switch_nodes == 0 && run->call.shape.domains > HS_OPEN_NODES)
                open.nccl.call.shape.network_share /= HS_OPEN_TAPER;
            filled = hs_log_call_price(&open, system);
        }
    }
    row->expected_seconds = price.seconds;
    row->low_seconds = price.low_seconds;
    row->high_seconds = filled.high_seconds;
}

static void judge_row(struct hs_check_row *row, const struct hs_system *system)
{
    const struct hs_parts *parts = &system->nccl.parts;
    double rate = line_rate(row, parts);

    /* NCCL's calls have a price, or ranks that no price is of */
    if (parts->gpu_count > 0 &&
        (is_boards(parts) ||
         (row->logged.library == HS_LIBRARY_UNSAID &&
          (row->logged.ranks == 0 || hs_system_library(system) != HS_LIBRARY_NCCL))))
        judge_by_line(row, parts);
    if (row->against == HS_AGAINST_NOTHING)
        judge_by_price(row, system);
    if (rate > 0 && (row->nodes > 1 || !parts->gpu.nvls)) /* NVSwitches add without the links */
        row->bound_seconds = row->bus_factor * (double)row->bytes / rate / twice_of(row);
}

/* A log of the same machine when it was right takes the place of a price. */
static enum hs_status judge_by_good(struct hs_check_answer *out,
                                    const struct hs_check_question *question, struct hs_error *err)
{
    struct hs_inputs good = {.count = 0};
    struct hs_check_question other = *question;
    struct hs_check_settings settings = *question->settings;
    struct hs_check_answer rows = {.row_count = 0};
    struct hs_system none = {.level_count = 0};
    size_t capacity = 0, met = 0;
    enum hs_status status;

    if (!settings.good)
        return HS_OK;
    other.inputs = &good;
    status = hs_inputs_add(&good, settings.good, NULL, err);
    if (status == HS_OK)
        status =
            add_calls(&rows, &capacity, &other, question->system ? question->system : &none, err);
    for (size_t i = 0; i < out->row_count && status == HS_OK; i++)
        for (size_t k = 0; k < rows.row_count; k++) {
            struct hs_check_row *row = &out->rows[i];
            const struct hs_check_row *right = &rows.rows[k];

            if (right->bytes != row->bytes || right->ranks != row->ranks ||
                strcmp(right->call, row->call) != 0)
                continue;
            row->against = HS_AGAINST_GOOD;
            row->expected_seconds = right->seconds;
            row->low_seconds = right->seconds / HS_AGAIN_RANGE;
            row->high_seconds = right->seconds * HS_AGAIN_RANGE;
            met++;
        }
    if (status == HS_OK && met == 0)
        status = hs_fail(err, HS_INVALID,
                         "--good %s: expected a call and size that the other logs have, found none",
                         settings.good);
    for (size_t i = 0; i < out->row_count && status == HS_OK; i++)
        if (out->rows[i].against != HS_AGAINST_GOOD)
            out->rows[i].expected_seconds = out->rows[i].low_seconds = out->rows[i].high_seconds =
                NAN;
    free(rows.rows);
    hs_inputs_release(&good);
    return status;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* How far off, in standard deviations of log(seconds); above 0: slow. */
static double deviations_of(const struct hs_check_row *row)
{
    double low = log(row->expected_seconds / row->low_seconds),
           high = log(row->high_seconds / row->expected_seconds);
    double off = log(row->seconds / row->expected_seconds);

    return HS_PRICE_RANGE * off / fmax(off > 0 ? high : low, 1e-9);
}

static bool is_judged(const struct hs_check_row *row)
{
    return row->against != HS_AGAINST_NOTHING && isfinite(row->expected_seconds);
}

static int compare_runs(const struct hs_check_row *a, const struct hs_check_row *b)
{
    int files = strcmp(a->file, b->file), calls = strcmp(a->call, b->call);

    if (files || calls)
        return files ? files : calls;
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    return (a->nodes > b->nodes) - (a->nodes < b->nodes);
}

/* By run, then by size; of one size as they were read. */
static int by_run(const void *left, const void *right)
{
    const struct hs_check_row *a = *(const struct hs_check_row *const *)left,
                              *b = *(const struct hs_check_row *const *)right;
    int runs = compare_runs(a, b);

    if (runs)
        return runs;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a > b) - (a < b);
}

/* Sets the rows of the next smaller and the next larger size of each one's run: the first of each
 * size. */
static enum hs_status find_neighbours(struct hs_check_answer *out, struct hs_error *err)
{
    struct hs_check_row **sorted = malloc((out->row_count + 1) * sizeof(struct hs_check_row *));
    size_t before = HS_NO_ROW;

    if (!sorted)
        return hs_no_memory(err);
    for (size_t i = 0; i < out->row_count; i++)
        sorted[i] = &out->rows[i];
    qsort(sorted, out->row_count, sizeof(struct hs_check_row *), by_run);
    for (size_t i = 0, next; i < out->row_count; i = next) {
        bool goes_on;

        for (next = i + 1; next < out->row_count && compare_runs(sorted[next], sorted[i]) == 0 &&
                           sorted[next]->bytes == sorted[i]->bytes;)
            next++;
        goes_on = next < out->row_count && compare_runs(sorted[next], sorted[i]) == 0;
        for (size_t k = i; k < next; k++) {
            sorted[k]->smaller = before;
            sorted[k]->larger = goes_on ? (size_t)(sorted[next] - out->rows) : HS_NO_ROW;
        }
        before = goes_on ? (size_t)(sorted[i] - out->rows) : HS_NO_ROW;
    }
    free(sorted);
    return HS_OK;
}

static const struct hs_check_row *row_at(const struct hs_check_answer *out, size_t at)
{
    return at == HS_NO_ROW ? NULL : &out->rows[at];
}

/* One size that is off where the protocol changes is no step: the next one has to stay behind. */
bool hs_check_is_step_back(const struct hs_check_answer *out, const struct hs_check_row *row)
{
    const struct hs_check_row *before = row_at(out, row->smaller),
                              *above = row_at(out, row->larger);
    double factor;

    if (row->bytes < RATE_BYTES || !is_judged(row) || !before || !is_judged(before))
        return false;
    factor = before->seconds / before->expected_seconds;
    return hs_check_rate(row, row->seconds) * 1.1 < hs_check_rate(before, before->seconds) &&
           row->seconds / row->expected_seconds > STEP_FACTOR * factor &&
           (!above || !is_judged(above) ||
            above->seconds / above->expected_seconds > STEP_FACTOR * factor);
}

/* A size that is slow counts where it is the largest, or far off and next to another slow one, or a
 * step back. */
static bool counts(const struct hs_check_answer *out, const struct hs_check_row *row)
{
    const struct hs_check_row *above = row_at(out, row->larger), *below = row_at(out, row->smaller);
    double off = deviations_of(row);
    bool sure = off > SURE_DEVIATIONS && row->seconds > SURE_FACTOR * row->expected_seconds;

    if (row->bytes < LARGE_BYTES || (row->bytes < RATE_BYTES && above))
        return false;
    if (hs_check_is_step_back(out, row) && off > STEP_DEVIATIONS)
        return true;
    if (!above)
        return sure || (off > HS_PRICE_RANGE && row->bytes >= RATE_BYTES &&
                        (!below || below->bytes < RATE_BYTES || !is_judged(below) ||
                         deviations_of(below) > 1));
    return sure && is_judged(above) && deviations_of(above) > HS_PRICE_RANGE;
}

static bool is_fast(const struct hs_check_row *row)
{
    return row->bytes >= LARGE_BYTES && deviations_of(row) < -HS_PRICE_RANGE;
}

/* Small sizes that are slow while large ones are right: what each call costs. */
static bool are_calls_low(struct hs_check_answer *out)
{
    size_t small = 0, slow = 0;

    for (size_t i = 0; i < out->row_count; i++) {
        const struct hs_check_row *row = &out->rows[i];

        if (!is_judged(row) || row->bytes >= LARGE_BYTES || row->against == HS_AGAINST_LINE)
            continue;
        small++;
        slow += deviations_of(row) > SURE_DEVIATIONS &&
                row->seconds > CALL_FACTOR * row->expected_seconds;
    }
    if (slow < 3 || slow * 3 < small * 2)
        return false;
    for (size_t i = 0; i < out->row_count; i++)
        if (is_judged(&out->rows[i]) && out->rows[i].bytes < LARGE_BYTES)
            out->rows[i].is_low = deviations_of(&out->rows[i]) > SURE_DEVIATIONS;
    return true;
}

/* The largest size that can be judged, of several the one that is farthest off. */
static void find_decisive(struct hs_check_answer *out)
{
    double worst = -INFINITY;
    bool lows = false;

    out->decisive = SIZE_MAX;
    for (size_t i = 0; i < out->row_count; i++)
        lows = lows || out->rows[i].is_low;
    for (size_t i = 0; i < out->row_count; i++) {
        const struct hs_check_row *row = &out->rows[i], *best = NULL;
        double off = is_judged(row) ? log(row->seconds / row->expected_seconds) : -INFINITY;

        if (!is_judged(row) || row->is_low != lows)
            continue;
        if (out->decisive != SIZE_MAX)
            best = &out->rows[out->decisive];
        /* of what is low, the farthest; of what is right, the largest */
        if (!best || (lows ? off > worst : row->bytes > best->bytes)) {
            out->decisive = i;
            worst = off;
        }
    }
}

static void say_unjudged(struct hs_check_answer *out, const struct hs_system *system)
{
    const struct hs_check_row *row = out->row_count > 0 ? &out->rows[0] : NULL;

    out->verdict = HS_CHECK_UNJUDGED;
    if (!row)
        snprintf(out->reason, sizeof(out->reason), "no row has a time");
    else if (row->nodes == 0)
        snprintf(out->reason, sizeof(out->reason),
                 "%s does not say on how many nodes it ran: "
                 "--nodes N",
                 row->file);
    else if (hs_system_library(system) == HS_LIBRARY_UNSAID)
        snprintf(out->reason, sizeof(out->reason),
                 "the machine says neither its parts nor its "
                 "library, such as '8xH100, 8xNDR400'");
    else
        snprintf(out->reason, sizeof(out->reason),
                 "%s of %" PRId64 " ranks has no price here, and at these sizes the line rate does "
                 "not decide",
                 row->call, row->ranks);
}

/* Of lines of NCCL's without a time what they say of the job, for who has nothing else. */
static void say_job(struct hs_check_answer *out, const struct hs_nccl_info *info)
{
    const struct hs_nccl_host *host = info->host_count > 0 ? info->hosts : NULL;
    const struct hs_nccl_decisions *decided = &info->decided;
    struct hs_text text = {0};

    if (info->messages.count == 0)
        return;
    hs_text_append(&text, "no row has a time; NCCL's lines say");
    if (info->job.ranks > 0)
        hs_text_append(&text, " %" PRId64 " ranks", info->job.ranks);
    if (hs_nccl_info_hosts(info) > 0)
        hs_text_append(&text, ", %" PRId64 " nodes", hs_nccl_info_hosts(info));
    if (decided->channel_count > 0 && decided->channels[0].collective > 0)
        hs_text_append(&text, ", %" PRId64 " channels", decided->channels[0].collective);
    for (size_t n = 0; host && n < host->nic_count; n++)
        if (host->nics[n].name[0])
            hs_text_append(&text, "%s%s", n > 0 ? " " : ", NICs ", host->nics[n].name);
    for (size_t c = 0; c < decided->chosen_count; c++)
        if (c == 0 || strcmp(decided->chosen[c].name, decided->chosen[c - 1].name) != 0)
            hs_text_append(&text, "%s%s", c > 0 ? " " : ", algorithm ", decided->chosen[c].name);
    if (!text.failed)
        snprintf(out->reason, sizeof(out->reason), "%s", text.data);
    hs_text_release(&text);
}

static void find_verdict(struct hs_check_answer *out, const struct hs_system *system)
{
    size_t judged = 0, large = 0, fast = 0, impossible = SIZE_MAX;
    bool low = false;

    for (size_t i = 0; i < out->row_count; i++) {
        struct hs_check_row *row = &out->rows[i];
        if (row->bytes >= LARGE_BYTES && row->nodes > 1 && isfinite(row->bound_seconds) &&
            !hs_library_mpi_rule(row->logged.library) && row->seconds * 1.06 < row->bound_seconds)
            impossible = i;
        if (!is_judged(row))
            continue;
        judged++;
        large += row->bytes >= LARGE_BYTES;
        row->is_low = counts(out, row);
        fast += is_fast(row) && !row->is_low;
        low = low || row->is_low;
    }
    if (judged > 0 && !low && (large == 0 || large < judged))
        low = are_calls_low(out);
    find_decisive(out);
    if (judged == 0 || out->decisive == SIZE_MAX) {
        say_unjudged(out, system);
        return;
    }
    if (impossible != SIZE_MAX) {
        const struct hs_check_row *row = &out->rows[impossible];

        out->verdict = HS_CHECK_UNJUDGED;
        out->decisive = impossible;
        snprintf(out->reason, sizeof(out->reason),
                 "%.1f GB/s is more than NICs and slots of '%.60s' carry (%.1f): other NICs, or "
                 "wrong data",
                 hs_check_rate(row, row->seconds) / GB, out->machine,
                 hs_check_rate(row, row->bound_seconds) / GB);
        return;
    }
    if (!low && large == 0 && deviations_of(&out->rows[out->decisive]) > HS_PRICE_RANGE) {
        const struct hs_check_row *row = &out->rows[out->decisive];

        out->verdict = HS_CHECK_UNJUDGED;
        snprintf(out->reason, sizeof(out->reason),
                 "%s of %s takes %s, such a machine %s; sizes below 1MiB alone do not tell: "
                 "measure up to 1GiB",
                 row->call, HS_AS_BYTES(row->bytes), HS_AS_TIME(row->seconds),
                 HS_AS_RANGE(row->low_seconds, row->high_seconds));
        return;
    }
    out->verdict = low ? HS_CHECK_LOW
                   : large > 0 && fast == large && is_fast(&out->rows[out->decisive])
                       ? HS_CHECK_FAST
                       : HS_CHECK_EXPECTED;
    out->visible = 1 - out->rows[out->decisive].seconds / out->rows[out->decisive].high_seconds;
}

/* Why a time that people take for low, or for too fast, is right. */
static void say_why_right(struct hs_check_answer *out, const struct hs_system *system)
{
    const struct hs_check_row *row = &out->rows[out->decisive];
    const struct hs_parts *parts = &system->nccl.parts;
    double rate = hs_check_rate(row, row->seconds) / GB, line = hs_check_line_rate(row) / GB;

    if (row->against != HS_AGAINST_PRICE || row->logged.library != HS_LIBRARY_NCCL)
        return;
    if (row->nodes == 2 && rate > line && row->logged.nccl.choice.algorithm != HS_NCCL_RING)
        snprintf(out->reason, sizeof(out->reason),
                 "above the %.3g GB/s of the NICs: the %s on two nodes sends half as much", line,
                 hs_nccl_algorithm_names[row->logged.nccl.choice.algorithm]);
    else if (row->nodes > 1 && rate > LINE_USUAL * line)
        snprintf(out->reason, sizeof(out->reason),
                 "%.3g GB/s is %.2f of the line rate of a node's NICs (%.0f x %s)", rate,
                 rate / line, row->logged.nccl.call.shape.nics, parts->nic.name);
    else if (row->bytes < (uint64_t)1 << 30) {
        struct hs_log_call larger = row->logged;
        double most;

        larger.nccl.call.bytes = LARGEST_BYTES;
        larger.nccl = hs_nccl_run(&larger.nccl.call, larger.nccl.choice);
        most = row->bus_factor * LARGEST_BYTES / hs_log_call_price(&larger, system).seconds / GB;
        if (most > 1.08 * rate)
            snprintf(out->reason, sizeof(out->reason), "%.3g GB/s comes at larger sizes (4GiB)",
                     most);
    }
}

/* ---- a machine that the logs propose --------------------------------------------------------- */

/* "8xA100, 4xHDR200" of the list of ranks and NCCL's lines. */
static enum hs_status propose(char line[HS_FIELD_TEXT], const struct hs_inputs *inputs,
                              const struct hs_nccl_info *more, struct hs_error *err)
{
    const struct hs_log *log = inputs->log_count > 0 ? &inputs->logs[0].log : NULL;
    const struct hs_log_run *run = log && log->run_count > 0 ? log->runs : NULL;
    const struct hs_nccl_info *info = more->messages.count > 0 ? more : log ? &log->info : NULL;
    const struct hs_nccl_host *host = info && info->host_count > 0 ? info->hosts : NULL;
    const char *variant = "", *gpu = NULL, *nic = NULL;
    int64_t nics = 0;
    double rate = 0;
    bool roce = false;

    if (!run || run->ranks == 0 || run->nodes == 0 || !run->gpu[0])
        return hs_fail(err, HS_INVALID,
                       "expected MACHINE before the logs, such as '8xH100, 8xNDR400': %s has no "
                       "list of ranks with their GPUs",
                       inputs->log_count > 0 ? inputs->logs[0].file : "nothing");
    for (size_t g = 0; g < hs_gpu_count; g++)
        if (strstr(run->gpu, hs_gpus[g].name) && (!gpu || strlen(hs_gpus[g].name) > strlen(gpu)))
            gpu = hs_gpus[g].name;
    if (!gpu)
        return hs_fail(
            err, HS_INVALID,
            "%s: expected a GPU of the catalogue (hiersearch systems --parts), found %s: "
            "give the MACHINE",
            inputs->logs[0].file, run->gpu);
    if (strstr(run->gpu, "PCI") && strchr("AVP", gpu[0]) && gpu[1] != '6')
        variant = gpu[0] == 'A' ? "-pcie4" : "-pcie3";
    else if (strstr(run->gpu, "PCI"))
        variant = gpu[0] == 'H' ? "-pcie5" : "";
    snprintf(line, HS_FIELD_TEXT, "%" PRId64 "x%s%s", run->ranks / run->nodes, gpu, variant);
    if (run->nodes == 1)
        return HS_OK;
    if (host)
        nics = hs_nccl_host_nics(host, HS_NCCL_VERBS);
    for (size_t n = 0; host && n < host->nic_count; n++) {
        rate = fmax(rate, host->nics[n].believed.bytes_per_second);
        roce = roce || host->nics[n].roce;
    }
    for (size_t n = 0; n < hs_nic_count; n++)
        if (rate > 0 && fabs(hs_nics[n].line_GBps * GB / rate - 1) < 0.05 &&
            hs_nics[n].class == (roce ? HS_NIC_ROCE : HS_NIC_INFINIBAND))
            nic = hs_nics[n].name;
    if (nics == 0 || !nic)
        return hs_fail(err, HS_INVALID,
                       "expected MACHINE before the logs, such as '%s, %sxNDR400': they do not say "
                       "%s (NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH does)",
                       line, "8", nics == 0 ? "which NICs a node has" : "the NICs' rate");
    snprintf(line + strlen(line), HS_FIELD_TEXT - strlen(line), ", %" PRId64 "x%s", nics, nic);
    return HS_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Where what the environment forced explains the times alone, that is the finding; else rows are
 * held against what such a machine takes with it. */
static void take_forced(struct hs_check_answer *out, const struct hs_system *system,
                        const struct hs_check_facts *facts)
{
    struct hs_check_variant forced = HS_CHECK_SAME;
    const struct hs_check_row *decisive = &out->rows[out->decisive];
    double times;

    forced.among = facts->among;
    forced.protocols = facts->protocols;
    if (!facts->among && !facts->protocols)
        return;
    times = hs_check_seconds(decisive, system, &forced) / decisive->expected_seconds;
    if (times > 1.1 && decisive->seconds / times <= decisive->high_seconds)
        return;
    for (size_t i = 0; i < out->row_count; i++)
        if (is_judged(&out->rows[i]))
            hs_check_use_forced(&out->rows[i], system, &forced);
}

/* What was forced is of one of the libraries. */
static enum hs_status check_algorithm(const char *name, struct hs_error *err)
{
    struct hs_error unused;
    size_t found;

    if (!name ||
        hs_name_find(&found, name, "algorithm", hs_mpi_algorithm_names, HS_MPI_ALGORITHM_COUNT,
                     &unused) == HS_OK ||
        hs_name_find(&found, name, "algorithm", hs_nccl_algorithm_names, HS_NCCL_ALGORITHM_COUNT,
                     err) == HS_OK)
        return HS_OK;
    return hs_error_prefix(err, HS_INVALID, "--algorithm");
}

static enum hs_status load_info(struct hs_nccl_info *info, const char *path, struct hs_error *err)
{
    enum hs_status status = path ? hs_nccl_info_load(info, path, err) : HS_OK;

    return status == HS_OK ? HS_OK : hs_error_prefix(err, status, "--info");
}

static enum hs_status check(struct hs_check_answer *out, const struct hs_check_question *question,
                            const struct hs_system *system, const struct hs_nccl_info *info,
                            struct hs_error *err)
{
    struct hs_check_facts *facts = calloc(1, sizeof(*facts));
    struct hs_check_question asked = *question;
    size_t capacity = 0;
    enum hs_status status;

    asked.system = system;
    if (!facts)
        return hs_no_memory(err);
    status = hs_check_facts_find(facts, &asked, info, err);
    if (status == HS_OK)
        status = add_calls(out, &capacity, question, system, err);
    if (status == HS_OK)
        status = add_plans(out, question->inputs, err);
    for (size_t i = 0; i < out->row_count && status == HS_OK; i++) {
        if (facts->version > 0 && out->rows[i].logged.library == HS_LIBRARY_NCCL)
            hs_check_use_version(&out->rows[i], facts->version);
        judge_row(&out->rows[i], system);
    }
    if (status == HS_OK)
        status = judge_by_good(out, &asked, err);
    if (status == HS_OK)
        status = find_neighbours(out, err);
    if (status == HS_OK)
        find_verdict(out, system);
    if (status == HS_OK && out->row_count == 0 && question->inputs->log_count > 0)
        say_job(out, info->messages.count > 0 ? info : &question->inputs->logs[0].log.info);
    if (status == HS_OK && out->verdict == HS_CHECK_EXPECTED)
        say_why_right(out, system);
    if (status == HS_OK && out->verdict == HS_CHECK_LOW) {
        hs_check_facts_chosen(facts, out, &asked, info);
        take_forced(out, system, facts);
        status = hs_check_explain(out, system, facts, err);
    }
    free(facts);
    return status;
}

enum hs_status hs_check(struct hs_check_answer *out, const struct hs_check_question *question,
                        struct hs_text *notes, struct hs_error *err)
{
    const struct hs_inputs *inputs = question->inputs;
    struct hs_system proposed = {.level_count = 0};
    const struct hs_system *system = question->system;
    struct hs_nccl_info info = {.host_count = 0};
    enum hs_status status;

    *out = (struct hs_check_answer){.layer = HS_LAYER_UNKNOWN};
    if (inputs->log_count + inputs->count == 0 || inputs->profile_count > 0 || inputs->checked)
        return hs_fail(err, HS_INVALID,
                       "%s: expected logs of nccl-tests, rccl-tests or OSU, or results of measure",
                       inputs->profile_count > 0 ? inputs->profiles[0].file
                       : inputs->checked         ? inputs->checked_file
                                                 : "nothing given");
    for (size_t i = 0; i < inputs->count; i++)
        if (!inputs->inputs[i].result->backend)
            return hs_fail(err, HS_INVALID, "%s: is a prediction: expected what was measured",
                           inputs->inputs[i].name);
    if (!system && inputs->count > 0 && inputs->inputs[0].result->has_system)
        system = &inputs->inputs[0].result->system;
    status = check_algorithm(question->settings->log.algorithm, err);
    if (status == HS_OK)
        status = load_info(&info, question->settings->info, err);
    if (status == HS_OK && system)
        snprintf(out->machine, sizeof(out->machine), "%s",
                 question->machine ? question->machine : hs_system_called(system));
    if (status == HS_OK && !system) {
        status = propose(out->machine, inputs, &info, err);
        if (status == HS_OK)
            status = hs_system_ask(&proposed, out->machine, notes, err);
        out->proposed = true;
        system = &proposed;
    }
    if (status == HS_OK)
        status = check(out, question, system, &info, err);
    hs_nccl_info_release(&info);
    hs_system_release(&proposed);
    return status;
}

enum hs_status hs_check_result(struct hs_check_answer *out, const struct hs_named_result *result,
                               struct hs_error *err)
{
    static const struct hs_check_settings settings = {.good = NULL};
    struct hs_named_result input = *result;
    const struct hs_inputs inputs = {.inputs = &input, .count = 1};
    const struct hs_check_question question = {.inputs = &inputs, .settings = &settings};

    return hs_check(out, &question, NULL, err);
}

void hs_check_answer_release(struct hs_check_answer *checked)
{
    hs_fields_release(&hs_check_fields, checked);
    *checked = (struct hs_check_answer){.row_count = 0};
}

/* ---- the file -------------------------------------------------------------------------------- */

#define ROW(member)   HS_AT(struct hs_check_row, member)
#define CAUSE(member) HS_AT(struct hs_check_found, member)
#define PLAN(member)  HS_AT(struct hs_check_plan, member)
#define HERE(member)  HS_AT(struct hs_check_answer, member)

/* NOLINTNEXTLINE(readability-non-const-parameter): as of all that write there */
static const char *format_file(char text[HS_FIELD_TEXT], const void *value,
                               const struct hs_place *place)
{
    (void)text;
    (void)place;
    return *(const char *const *)value;
}
/* Of an answer that is read: which log it was, does not matter there. */
static enum hs_status parse_file(void *value, const char *text, const struct hs_place *place,
                                 struct hs_error *why)
{
    (void)text;
    (void)place;
    (void)why;
    *(const char **)value = "";
    return HS_OK;
}
static const struct hs_field_custom file_custom = {.parse = parse_file, .format = format_file};

/* NOLINTNEXTLINE(readability-non-const-parameter) */
static const char *format_cause(char text[HS_FIELD_TEXT], const void *value,
                                const struct hs_place *place)
{
    (void)text;
    (void)place;
    return hs_check_causes[*(const enum hs_check_cause *)value].key;
}
static enum hs_status parse_cause(void *value, const char *text, const struct hs_place *place,
                                  struct hs_error *why)
{
    (void)place;
    for (int c = 0; c < HS_CHECK_CAUSE_COUNT; c++)
        if (strcmp(hs_check_causes[c].key, text) == 0) {
            *(enum hs_check_cause *)value = (enum hs_check_cause)c;
            return HS_OK;
        }
    return hs_fail(why, HS_INVALID, "expected the key of a cause, found \"%.40s\"", text);
}
static const struct hs_field_custom cause_custom = {
    .parse = parse_cause, .format = format_cause, .pattern = "^[a-z0-9-]+$"};

static const struct hs_field row_rows[] = {
    {"file", HS_CUSTOM, ROW(file), .custom = &file_custom},
    {"call", HS_TEXT, ROW(call), .min = 1},
    {"np", HS_INTEGER, ROW(ranks), .min = 2, .max = HS_NP_MAX},
    {"nodes", HS_INTEGER, ROW(nodes), .max = HS_NP_MAX, .about = "0: not known."},
    {"bytes", HS_WHOLE, ROW(bytes), .about = "As nccl-tests counts them."},
    {"seconds", HS_TIME, ROW(seconds), .about = "Measured: geometric mean of both columns."},
    {"against", HS_CHOICE, ROW(against), HS_NAMES(hs_check_against_names),
     .about = "What is expected: the price of the call; what the links allow; a good log's time."},
    {"expected_seconds", HS_TIME, ROW(expected_seconds), HS_OPTIONAL,
     .about = "Absent where the call has no price."},
    {"expected_low_seconds", HS_TIME, ROW(low_seconds), HS_OPTIONAL, .about = "90 % range."},
    {"expected_high_seconds", HS_TIME, ROW(high_seconds), HS_OPTIONAL},
    {"bound_seconds", HS_TIME, ROW(bound_seconds), HS_OPTIONAL, .about = "By the line rates."},
    {"curve1_seconds", HS_TIME, ROW(curve_seconds[0]), HS_OPTIONAL,
     .about = "By the cause whose curve is 1."},
    {"curve2_seconds", HS_TIME, ROW(curve_seconds[1]), HS_OPTIONAL},
    {"bus_factor", HS_NUMBER, ROW(bus_factor), HS_NOT_NEGATIVE,
     .about = "Bus bandwidth is this times bytes over seconds."},
    {"algorithm", HS_TEXT, ROW(algorithm), HS_OPTIONAL,
     .about = "Algorithm and protocol that the library is expected to choose."},
    {"low", HS_BOOL, ROW(is_low)},
};
static const struct hs_fields row_fields = {HS_ROWS(row_rows, struct hs_check_row), .name = "row"};

static const struct hs_field plan_rows[] = {
    {"file", HS_CUSTOM, PLAN(file), .custom = &file_custom},
    {"plan", HS_TEXT, PLAN(plan), .min = 1},
    {"bytes", HS_WHOLE, PLAN(bytes), .about = "Per process."},
    {"seconds", HS_TIME, PLAN(seconds), .about = "Measured: median."},
    {"expected_seconds", HS_TIME, PLAN(expected_seconds), HS_OPTIONAL,
     .about = "As the result predicts it."},
    {"expected_low_seconds", HS_TIME, PLAN(low_seconds), HS_OPTIONAL, .about = "90 % range."},
    {"expected_high_seconds", HS_TIME, PLAN(high_seconds), HS_OPTIONAL},
};
static const struct hs_fields plan_fields = {HS_ROWS(plan_rows, struct hs_check_plan),
                                             .name = "plan"};

static const struct hs_field cause_rows[] = {
    {"cause", HS_CUSTOM, CAUSE(cause), .custom = &cause_custom},
    {"status", HS_CHOICE, CAUSE(status), HS_NAMES(hs_check_status_names),
     .about = "established: a line of the library says so; fits: its price explains all rows; "
              "not-excluded: it has no price, or a guess; excluded: a row or line contradicts it."},
    {"by", HS_TEXT, CAUSE(by), HS_OPTIONAL, .about = "The row or the line."},
    {"odds", HS_NUMBER, CAUSE(odds), HS_NOT_NEGATIVE,
     .about = "Among causes that are not excluded: how often each was the answer, no more."},
    {"curve", HS_INTEGER, CAUSE(curve), HS_WITHOUT(0), .min = 1, .max = 2,
     .about = "1 or 2, of the likeliest two causes whose prices differ: rows say what they take."},
};
static const struct hs_fields cause_fields = {HS_ROWS(cause_rows, struct hs_check_found),
                                              .name = "cause"};

static const struct hs_field checked_rows[] = {
    {"format", HS_CONSTANT, .text = HS_FORMAT_OF "check/1"},
    {"machine", HS_TEXT, HERE(machine)},
    {"machine_proposed", HS_BOOL, HERE(proposed),
     .about = "The machine was found in the logs' own lines."},
    {"verdict", HS_CHOICE, HERE(verdict), HS_NAMES(hs_check_verdict_names)},
    {"layer", HS_CHOICE, HERE(layer), HS_NAMES(hs_check_layer_names)},
    {"reason", HS_TEXT, HERE(reason), HS_OPTIONAL},
    {"where", HS_TEXT, HERE(where), HS_OPTIONAL, .about = "What the layer rests on."},
    {"rows", HS_LIST, HS_LIST_AT(struct hs_check_answer, rows, row_count), .max = 1e6,
     .fields = &row_fields},
    {"plans", HS_LIST, HS_LIST_AT(struct hs_check_answer, plans, plan_count), HS_OPTIONAL,
     .max = 1e6, .fields = &plan_fields, .about = "Plans of results: predicted against measured."},
    {"causes", HS_LIST, HS_LIST_AT(struct hs_check_answer, causes, cause_count),
     .max = HS_CHECK_CAUSE_COUNT, .fields = &cause_fields},
    {"next", HS_TEXT, HERE(next), HS_OPTIONAL,
     .about = "One measurement, or one line to look for."},
};
const struct hs_fields hs_check_fields = {
    HS_ROWS(checked_rows, struct hs_check_answer),
    .id = HS_SCHEMA_ID "check.schema.json",
    .title = "hiersearch check",
    .about = "Whether the times of logs are what such a machine takes, and why not.",
};
