#include "answer/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/list.h"

#define JOB_BYTES_MAX ((size_t)1 << 20)

/* ---- what is asked --------------------------------------------------------------------------- */

enum hs_status hs_place_take(struct hs_place_settings *settings, struct hs_error *err)
{
    struct hs_question *ask = &settings->ask;

    if (!ask->words.mesh)
        return hs_fail(err, HS_INVALID, "--mesh is missing, such as tp=8,pp=4,dp=16");
    if (!settings->messages == !settings->model)
        return hs_fail(err, HS_INVALID,
                       "expected one of --messages, such as tp:allreduce:64MiB*160, and --model, "
                       "such as num-layers=80,hidden-size=8192,seq-length=4096,micro-batch-size=1,"
                       "global-batch-size=512");
    ask->words.placed = true;
    ask->search = hs_search_strategies[0].name;
    return hs_question_take(ask, err);
}

static enum hs_status read_messages(struct hs_job *job, const char *option, struct hs_error *err)
{
    char *file = NULL;
    enum hs_status status =
        strchr(option, ':') ? HS_OK : hs_file_read_text(&file, option, JOB_BYTES_MAX, err);

    if (!status)
        status = hs_job_parse(job, file ? file : option, err);
    free(file);
    return status ? hs_error_prefix(err, status, "--messages") : HS_OK;
}

static enum hs_status read_job(struct hs_place_answer *out,
                               const struct hs_place_settings *settings, struct hs_error *err)
{
    struct hs_transformer model;
    enum hs_status status;

    out->job = (struct hs_job){.mesh = settings->ask.mesh};
    if (!settings->model)
        return read_messages(&out->job, settings->messages, err);
    status = hs_transformer_parse(&model, settings->model, err);
    if (!status)
        status = hs_transformer_messages(&out->job, &model,
                                         hs_datatype_bytes(settings->ask.datatype), err);
    return status ? hs_error_prefix(err, status, "--model")
                  : hs_job_add_model(&out->assumptions, &model, err);
}

/* ---- prices over the samples ----------------------------------------------------------------- */

/* Calls that were priced: orders share most of them. */
struct prices {
    const struct hs_asked *asked;
    const struct hs_job *job;
    size_t samples;
    struct hs_job_price *items; /* [count] owned */
    size_t *messages;           /* [count] owned: whose call it is */
    size_t count, capacity, message_capacity;
};

static void release_prices(struct prices *prices)
{
    for (size_t i = 0; i < prices->count; i++)
        hs_job_price_release(&prices->items[i]);
    free(prices->items);
    free(prices->messages);
}

/* What a message asks where the axes lie so: parts of an axis are axes of a mesh of parts. */
static enum hs_status problem_of(struct hs_problem *out, const struct hs_job *job, size_t message,
                                 const struct hs_axes_layout *layout, struct hs_error *err)
{
    struct hs_job parts = {.mesh = {.count = layout->count}};
    int order[HS_AXES_MAX];

    if (layout->count > HS_AXES_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %d parts of axes", HS_AXES_MAX);
    parts.messages[0] = job->messages[message];
    parts.messages[0].over = 0;
    for (int i = 0; i < layout->count; i++) {
        parts.mesh.axes[i].size = layout->parts[i].size;
        parts.messages[0].over |= (job->messages[message].over >> layout->parts[i].axis & 1) << i;
        order[i] = i;
    }
    if (parts.messages[0].over == 0) { /* along axes of one rank */
        *out = hs_problem_of(job->messages[message].collective, job->messages[message].layout,
                             hs_mesh_ranks(&job->mesh), job->messages[message].bytes);
        out->group = (struct hs_group){.ranks = out->group.ranks, .stride = 1, .size = 1};
        return HS_OK;
    }
    return hs_job_problem(out, &parts, 0, order, err);
}

static enum hs_status find_price(size_t *out, struct prices *prices, size_t message,
                                 const struct hs_axes_layout *layout, struct hs_error *err)
{
    struct hs_problem problem;
    struct hs_job_price *price;
    size_t *whose;
    enum hs_status status = problem_of(&problem, prices->job, message, layout, err);

    if (status)
        return status;
    for (size_t i = 0; i < prices->count; i++)
        if (prices->messages[i] == message &&
            hs_group_equal(&prices->items[i].problem.group, &problem.group)) {
            *out = i;
            return HS_OK;
        }
    price = hs_grow(&prices->items, &prices->capacity, prices->count, sizeof(*price), err);
    whose = price ? hs_grow(&prices->messages, &prices->message_capacity, prices->count,
                            sizeof(*whose), err)
                  : NULL;
    if (!whose)
        return HS_MEMORY;
    *whose = message;
    *out = prices->count++;
    return hs_job_price(price, prices->asked, &prices->job->messages[message], &problem, err);
}

static enum hs_status add_part(struct hs_place_order *order, const struct hs_job *job,
                               unsigned over, double seconds, struct hs_error *err)
{
    struct hs_mesh mesh = job->mesh;
    struct hs_place_part *part;
    char text[HS_MESH_TEXT];

    mesh.over = over;
    hs_mesh_format_over(text, &mesh);
    for (size_t i = 0; i < order->part_count; i++)
        if (strcmp(order->parts[i].axes, text) == 0) {
            order->parts[i].seconds += seconds;
            return HS_OK;
        }
    part = hs_grow(&order->parts, NULL, order->part_count, sizeof(*part), err);
    if (!part)
        return HS_MEMORY;
    order->part_count++;
    part->seconds = seconds;
    return hs_job_write(&part->axes, err, "%s", text);
}

/* Adds a placement to the answer. */
static enum hs_status add_order(struct hs_place_answer *out, struct prices *prices,
                                const struct hs_axes_layout *layout, struct hs_error *err)
{
    const struct hs_job *job = &out->job;
    struct hs_place_order *order = hs_grow(&out->orders, NULL, out->count, sizeof(*order), err);
    unsigned seen = 0;
    enum hs_status status;

    if (!order)
        return HS_MEMORY;
    out->count++;
    order->layout = *layout;
    for (int i = 0; i < layout->count; i++) {
        order->split = order->split || seen >> layout->parts[i].axis & 1;
        seen |= 1U << layout->parts[i].axis;
    }
    status =
        hs_job_write(&order->order, err, "%s",
                     hs_axes_layout_format((char[HS_AXES_LAYOUT_TEXT]){0}, layout, &job->mesh));
    if (!status)
        status = hs_job_sum_init(&order->sum, prices->samples, err);
    for (size_t m = 0; m < job->count && !status; m++) {
        double calls = (double)job->messages[m].calls;
        size_t i = 0;

        status = find_price(&i, prices, m, layout, err);
        if (status)
            break;
        hs_job_sum_add(&order->sum, &prices->items[i], calls, prices->samples);
        status = add_part(order, job, job->messages[m].over, calls * prices->items[i].seconds, err);
    }
    return status ? status : hs_job_sum_end(&order->sum, prices->samples, err);
}

static void release_order(struct hs_place_order *order)
{
    for (size_t i = 0; i < order->part_count; i++)
        free(order->parts[i].axes);
    free(order->parts);
    free(order->order);
    hs_job_sum_release(&order->sum);
}

/* ---- which comes first ----------------------------------------------------------------------- */

static int by_seconds(const void *left, const void *right)
{
    const struct hs_place_order *a = left, *b = right;

    if (a->sum.seconds != b->sum.seconds)
        return a->sum.seconds < b->sum.seconds ? -1 : 1;
    if (a->given != b->given)
        return a->given ? -1 : 1;
    return strcmp(a->order, b->order);
}

static void remove_order(struct hs_place_answer *out, size_t i)
{
    release_order(&out->orders[i]);
    memmove(out->orders + i, out->orders + i + 1, (--out->count - i) * sizeof(*out->orders));
}

static size_t find_given(const struct hs_place_answer *out)
{
    size_t i = 0;

    while (!out->orders[i].given)
        i++;
    return i;
}

/* All whole orders, then the best split one where it is worth its parts. */
static enum hs_status add_orders(struct hs_place_answer *out, struct prices *prices,
                                 const struct hs_axes_result *found, struct hs_error *err)
{
    const struct hs_axes_order *given = hs_axes_given(found, &out->job);
    double least = INFINITY;
    struct hs_error ignored = {.status = HS_OK};
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < found->count && !status; i++) {
        status = add_order(out, prices, &found->orders[i].layout, err);
        if (status)
            break;
        out->orders[i].given = &found->orders[i] == given;
        least = fmin(least, out->orders[i].sum.seconds);
    }
    if (status || found->cut.count == 0 || found->cut_seconds >= found->orders[0].seconds)
        return status;
    /* Where a group would have more gaps than there is a form for, the split is left out. */
    status = add_order(out, prices, &found->cut, &ignored);
    if (status == HS_MEMORY)
        return hs_no_memory(err);
    if (status || !out->orders[out->count - 1].split ||
        out->orders[out->count - 1].sum.seconds * HS_ADVICE_GAIN > least)
        remove_order(out, out->count - 1);
    return HS_OK;
}

/* What is faster than the given order by too little becomes a tie: the verdict's order is first. */
static enum hs_status decide(struct hs_place_answer *out, size_t samples, struct hs_error *err)
{
    size_t given;
    double seconds;
    enum hs_status status;

    qsort(out->orders, out->count, sizeof(*out->orders), by_seconds);
    given = find_given(out);
    seconds = out->orders[given].sum.seconds;
    status =
        hs_job_decide(&out->verdict, &out->orders[0].sum, &out->orders[given].sum, samples, err);
    for (; out->verdict.advice == HS_JOB_KEEP && given > 0 && !status; given--) {
        status = hs_job_add_line(&out->ties, err, "%s", out->orders[0].order);
        remove_order(out, 0);
    }
    for (size_t i = 0; i < out->count; i++) {
        out->orders[i].rank = (int64_t)i + 1;
        out->orders[i].ratio = seconds > 0 ? out->orders[i].sum.seconds / seconds : 1;
    }
    return status;
}

/* As many as were asked for; the given one stays, and the first of whole axes. */
static void leave_out(struct hs_place_answer *out, size_t top)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->count; i++) {
        bool keep = kept < top || out->orders[i].given || (i == 1 && out->orders[0].split);

        if (keep && kept != i) {
            out->orders[kept] = out->orders[i];
            out->orders[i] = (struct hs_place_order){.order = NULL};
        } else if (!keep) {
            release_order(&out->orders[i]);
        }
        kept += keep;
    }
    out->count = kept;
}

/* ---- the messages of the first order --------------------------------------------------------- */

static enum hs_status add_messages(struct hs_place_answer *out, struct prices *prices,
                                   size_t *costly, struct hs_error *err)
{
    const struct hs_job *job = &out->job;
    double most = -1;
    enum hs_status status = HS_OK;

    out->messages = calloc(job->count, sizeof(*out->messages));
    if (!out->messages)
        return hs_no_memory(err);
    out->message_count = job->count;
    for (size_t m = 0; m < job->count && !status; m++) {
        const struct hs_job_message *message = &job->messages[m];
        const struct hs_job_price *price;
        struct hs_mesh mesh = job->mesh;
        char text[HS_MESH_TEXT];
        size_t i = 0;

        status = find_price(&i, prices, m, &out->orders[0].layout, err);
        if (status)
            break;
        price = &prices->items[i];
        mesh.over = message->over;
        out->messages[m] = (struct hs_place_message){
            .call = hs_job_message_name(message),
            .layout = hs_collectives[message->collective].ordered && !message->sends
                          ? hs_layout_names[message->layout]
                          : NULL,
            .bytes = message->bytes,
            .calls = message->calls,
            .ranks = price->problem.group.size,
            .plan = price->plan,
            .seconds = price->seconds,
            .library_seconds = price->library_seconds,
            .step_seconds = (double)message->calls * price->seconds};
        status = hs_job_write(&out->messages[m].axes, err, "%s", hs_mesh_format_over(text, &mesh));
        if (price->answer && out->messages[m].step_seconds > most) {
            most = out->messages[m].step_seconds;
            *costly = i;
        }
    }
    return status;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Between which times a step lies: by nominal times, as a part of those of messages one after the
 * other; of a split axis at least those of one axis. */
static void bound_step(struct hs_place_answer *out, const struct hs_axes_result *found,
                       const struct hs_asked *asked, const struct hs_place_settings *settings)
{
    const struct hs_place_order *first = &out->orders[0];
    double least = first->sum.seconds;

    out->least_seconds = out->most_seconds = NAN;
    if (!settings->overlap && settings->compute_seconds <= 0)
        return;
    for (size_t i = 0; i < found->count && settings->overlap; i++)
        if (strcmp(hs_axes_layout_format((char[HS_AXES_LAYOUT_TEXT]){0}, &found->orders[i].layout,
                                         &out->job.mesh),
                   first->order) == 0) {
            struct hs_axes_overlap overlap =
                hs_axes_overlap_of(&found->orders[i], found, &out->job, asked->system);

            least = overlap.most_seconds > 0 ? least * overlap.least_seconds / overlap.most_seconds
                                             : least;
        }
    if (settings->overlap && first->split) {
        least = 0;
        for (size_t i = 0; i < first->part_count; i++)
            least = fmax(least, first->parts[i].seconds);
    }
    out->least_seconds = fmax(settings->compute_seconds, least);
    out->most_seconds = settings->compute_seconds + first->sum.seconds;
}

/* ---- sentences ------------------------------------------------------------------------------- */

static enum hs_status say_assumptions(struct hs_place_answer *out,
                                      const struct hs_job_price *costly,
                                      const struct hs_place_settings *settings,
                                      struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (!settings->overlap)
        status = hs_job_add_line(&out->assumptions, err, "messages go one after the other%s",
                                 settings->compute_seconds > 0
                                     ? ""
                                     : "; --compute TIME bounds what computing hides of them");
    for (size_t m = 0; m < out->message_count && !status; m++) {
        const struct hs_place_message *message = &out->messages[m];
        char plan[HS_SPLIT_TEXT];

        if (!hs_plan_is_default(&message->plan) && !isnan(message->library_seconds))
            status = hs_job_add_line(
                &out->assumptions, err, "the %s along %s runs as %s, not as the library's default",
                message->call, message->axes, hs_plan_format(plan, &message->plan));
    }
    return !status && costly ? hs_job_add_assumptions(&out->assumptions, costly, err) : status;
}

/* The words of this question again, as a command. */
static void append_question(struct hs_text *line, const char *command,
                            const struct hs_place_answer *out)
{
    hs_text_append(line, "%s ", command);
    hs_command_word_append(line, out->machine);
}

/* The costliest message, on a mesh whose axes lie in the order of the machine. */
static enum hs_status next_measurement(struct hs_place_answer *out, const char *mesh,
                                       const char *file, struct hs_error *err)
{
    const struct hs_place_message *costly = NULL;
    struct hs_text line = {0};
    enum hs_status status;

    for (size_t m = 0; m < out->message_count; m++)
        if (strcmp(out->messages[m].call, "sendrecv") != 0 &&
            (!costly || out->messages[m].step_seconds > costly->step_seconds))
            costly = &out->messages[m];
    if (!costly)
        return HS_OK;
    hs_text_append(&line, "mpiexec -n %" PRId64 " ", out->np);
    append_question(&line, "hiersearch measure", out);
    hs_text_append(&line, " --mesh %s --group %s --collective %s --size %s -o %s.json", mesh,
                   costly->axes, costly->call, HS_AS_BYTES((uint64_t)costly->bytes), file);
    status = line.failed ? hs_no_memory(err) : hs_job_add_line(&out->next, err, "%s", line.data);
    hs_text_release(&line);
    return status;
}

/* Whether Megatron has axes of all these names. */
static bool is_of_megatron(const struct hs_mesh *mesh)
{
    static const char *const names[] = {"tp", "cp", "ep", "dp", "pp"};

    for (int a = 0; a < mesh->count; a++) {
        size_t n = 0;

        while (n < HS_COUNT_OF(names) && strcmp(mesh->axes[a].name, names[n]) != 0)
            n++;
        if (n == HS_COUNT_OF(names))
            return false;
    }
    return true;
}

/* How to apply the order; where it cannot tell, what to measure: the costliest message in both. */
static enum hs_status say_next(struct hs_place_answer *out,
                               const struct hs_place_settings *settings, struct hs_error *err)
{
    struct hs_text line = {0};
    enum hs_status status;

    if (out->verdict.advice == HS_JOB_KEEP)
        return HS_OK;
    if (out->verdict.advice == HS_JOB_UNDECIDED) {
        status = next_measurement(out, out->mesh, "yours", err);
        return status ? status : next_measurement(out, hs_place_whole(out)->order, "other", err);
    }
    append_question(&line, "hiersearch place", out);
    hs_text_append(&line, " --mesh %s --%s ", out->mesh, settings->model ? "model" : "messages");
    hs_command_word_append(&line, settings->model ? settings->model : settings->messages);
    if (settings->model)
        hs_text_append(&line, " --dtype %s", hs_datatype_names[settings->ask.datatype]);
    hs_text_append(&line, " --format %s",
                   !out->orders[0].split && is_of_megatron(&out->job.mesh) ? "megatron"
                                                                           : "device-mesh");
    status = line.failed ? hs_no_memory(err) : hs_job_add_line(&out->next, err, "%s", line.data);
    hs_text_release(&line);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum hs_status describe(struct hs_place_answer *out, const struct hs_asked *asked,
                               struct hs_error *err)
{
    char text[HS_MESH_TEXT];
    enum hs_status status;

    out->np = hs_mesh_ranks(&out->job.mesh);
    out->node_ranks = hs_system_node_ranks(asked->system);
    status = hs_job_write(&out->machine, err, "%s", asked->typed ? asked->typed : asked->label);
    if (!status)
        status =
            hs_job_write(&out->nodes, err, "%s",
                         hs_system_nodes_text((char[HS_NODES_TEXT]){0}, asked->system, out->np));
    return status ? status
                  : hs_job_write(&out->mesh, err, "%s", hs_mesh_format(text, &out->job.mesh));
}

static enum hs_status answer(struct hs_place_answer *out, struct prices *prices,
                             const struct hs_axes_result *found,
                             const struct hs_place_settings *settings, struct hs_error *err)
{
    size_t costly = SIZE_MAX;
    const struct hs_job_price *price = NULL;
    enum hs_status status = add_orders(out, prices, found, err);

    if (!status)
        status = decide(out, prices->samples, err);
    leave_out(out, (size_t)settings->ask.top);
    if (!status)
        status = add_messages(out, prices, &costly, err);
    if (status)
        return status;
    bound_step(out, found, prices->asked, settings);
    if (costly != SIZE_MAX)
        price = &prices->items[costly];
    status = hs_job_write(&out->evidence, err, "%s",
                          price ? price->answer->evidence
                                : "the latencies and bandwidths of the description");
    if (!status)
        status = say_assumptions(out, price, settings, err);
    return status ? status : say_next(out, settings, err);
}

enum hs_status hs_place(struct hs_place_answer *out, const struct hs_asked *asked,
                        const struct hs_place_settings *settings, struct hs_error *err)
{
    struct prices prices = {.asked = asked, .job = &out->job, .samples = hs_job_samples(asked)};
    struct hs_search_request request = {.system = asked->system,
                                        .algorithms = hs_asked_algorithms(asked),
                                        .serial_calls = hs_system_is_nccl_native(asked->system)};
    struct hs_axes_result found = {.count = 0};
    enum hs_status status;

    memset(out, 0, sizeof(*out));
    out->samples = (int64_t)prices.samples;
    status = read_job(out, settings, err);
    if (!status)
        status = describe(out, asked, err);
    if (!status)
        status = hs_axes_search(&found, &request, &out->job, err);
    out->evaluated = found.weighed;
    if (!status)
        status = answer(out, &prices, &found, settings, err);
    release_prices(&prices);
    hs_axes_result_release(&found);
    return status;
}

const struct hs_place_order *hs_place_whole(const struct hs_place_answer *placement)
{
    return &placement->orders[placement->orders[0].split ? 1 : 0];
}

/* ---- the document ---------------------------------------------------------------------------- */

#define VERSION "placement/1"

#define PART(member)    HS_AT(struct hs_place_part, member)
#define ORDER(member)   HS_AT(struct hs_place_order, member)
#define MESSAGE(member) HS_AT(struct hs_place_message, member)
#define ANSWER(member)  HS_AT(struct hs_place_answer, member)
#define LINES(items, count)                                                                        \
    HS_LIST_AT(struct hs_place_answer, items, count), .max = 1000, .fields = &hs_job_line_fields

static const struct hs_field part_rows[] = {
    {"axes", HS_TEXT, HS_OWNED(struct hs_place_part, axes), .min = 1},
    {"seconds", HS_NUMBER, PART(seconds), HS_NOT_NEGATIVE},
};
static const struct hs_fields part_fields = {HS_ROWS(part_rows, struct hs_place_part)};

static const struct hs_field order_rows[] = {
    {"rank", HS_INTEGER, ORDER(rank), .min = 1, .max = 50000, .about = "By time; without ties."},
    {"order", HS_TEXT, HS_OWNED(struct hs_place_order, order), .min = 1,
     .about = "The axes with their sizes, innermost first; one that comes twice is split."},
    {"given", HS_BOOL, ORDER(given), .about = "It is the order of the mesh."},
    {"split", HS_BOOL, ORDER(split), .about = "An axis comes in parts."},
    {"seconds", HS_NUMBER, ORDER(sum.seconds), HS_NOT_NEGATIVE,
     .about = "Communication time per step, expected over the samples."},
    {"low_seconds", HS_NUMBER, ORDER(sum.low_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Low end of the 90 % range of that; absent where nothing was sampled."},
    {"high_seconds", HS_NUMBER, ORDER(sum.high_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Its high end."},
    {"ratio", HS_NUMBER, ORDER(ratio), HS_NOT_NEGATIVE,
     .about = "Its time over that of the order of the mesh."},
    {"axes", HS_LIST, HS_LIST_AT(struct hs_place_order, parts, part_count),
     .max = HS_JOB_MESSAGES_MAX, .fields = &part_fields,
     .about = "What the messages along the same axes take of it."},
};
static const struct hs_fields order_fields = {.name = "placement_order",
                                              HS_ROWS(order_rows, struct hs_place_order)};

/* NOLINTNEXTLINE(readability-non-const-parameter): as hs_field_custom has it */
static const char *format_literal(char text[HS_FIELD_TEXT], const void *value,
                                  const struct hs_place *place)
{
    (void)text, (void)place;
    return *(const char *const *)value;
}
static bool has_order(const struct hs_place *place)
{
    return ((const struct hs_place_message *)place->object)->layout;
}
static const struct hs_field_custom literal = {NULL, format_literal, NULL};

static const struct hs_field message_rows[] = {
    {"axes", HS_TEXT, HS_OWNED(struct hs_place_message, axes), .min = 1},
    {"call", HS_CUSTOM, MESSAGE(call), .custom = &literal, .about = "A collective, or sendrecv."},
    {"layout", HS_CUSTOM, MESSAGE(layout), .custom = &literal, HS_OPTIONAL, .when = has_order,
     .about = "Of blocks."},
    {"message_bytes", HS_NUMBER, MESSAGE(bytes), HS_NOT_NEGATIVE, .above = true,
     .about = "Per rank."},
    {"calls", HS_INTEGER, MESSAGE(calls), .min = 1, .max = HS_JOB_CALLS_MAX, .about = "Per step."},
    {"ranks", HS_INTEGER, MESSAGE(ranks), .min = 1, .max = HS_NP_MAX, .about = "Of a group."},
    {"plan", HS_CUSTOM, MESSAGE(plan), .custom = &hs_plan_custom,
     .about = "That runs it; default: the library's default call."},
    {"seconds", HS_NUMBER, MESSAGE(seconds), HS_NOT_NEGATIVE, .about = "Per call, expected."},
    {"library_seconds", HS_NUMBER, MESSAGE(library_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Of the library's default call; absent where it has no price."},
    {"step_seconds", HS_NUMBER, MESSAGE(step_seconds), HS_NOT_NEGATIVE, .about = "Per step."},
};
static const struct hs_fields message_fields = {.name = "placement_message",
                                                HS_ROWS(message_rows, struct hs_place_message)};

static const struct hs_field rows[] = {
    {"format", HS_CONSTANT, .text = HS_FORMAT_OF VERSION},
    {"machine", HS_TEXT, HS_OWNED(struct hs_place_answer, machine), .min = 1},
    {"np", HS_INTEGER, ANSWER(np), .min = 1, .max = HS_NP_MAX},
    {"mesh", HS_TEXT, HS_OWNED(struct hs_place_answer, mesh), .min = 1,
     .about = "As the job numbers its ranks, innermost axis first."},
    {"verdict", HS_OBJECT, ANSWER(verdict), .fields = &hs_job_verdict_fields,
     .about = "On the first order, against that of the mesh."},
    {"evidence", HS_TEXT, HS_OWNED(struct hs_place_answer, evidence), .min = 1,
     .about = "What was measured of this machine, or of machines of its class."},
    {"samples", HS_INTEGER, ANSWER(samples), .max = 1e6,
     .about = "Samples of the uncertain parameters that times are expected over; 0: nominal "
              "times."},
    {"evaluated", HS_WHOLE, ANSWER(evaluated),
     .about = "Placements that were looked at, split ones among them."},
    {"orders", HS_LIST, HS_LIST_AT(struct hs_place_answer, orders, count), .min = 1, .max = 50000,
     .fields = &order_fields,
     .about = "The verdict's first, then by time; as many as --top says, and that of the mesh."},
    {"ties", HS_LIST, LINES(ties.items, ties.count),
     .about = "Orders that are faster than that of the mesh by less than 3 %."},
    {"messages", HS_LIST, HS_LIST_AT(struct hs_place_answer, messages, message_count), .min = 1,
     .max = HS_JOB_MESSAGES_MAX, .fields = &message_fields, .about = "In the first order."},
    {"least_step_seconds", HS_NUMBER, ANSWER(least_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Of a step with --overlap or --compute: at least"},
    {"most_step_seconds", HS_NUMBER, ANSWER(most_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "and at most."},
    {"assumptions", HS_LIST, LINES(assumptions.items, assumptions.count)},
    {"next", HS_LIST, LINES(next.items, next.count), .about = "What to do next, as command lines."},
};
static const struct hs_fields placement_fields = {
    .id = HS_SCHEMA_ID VERSION,
    .title = "hiersearch placement",
    .about = "Which axis of a job's mesh lies inside a node, as hiersearch place writes it "
             "(docs/job.md). Times are in seconds; what does not exist is absent.",
    HS_ROWS(rows, struct hs_place_answer),
};

enum hs_status hs_place_print(struct hs_text *out, const struct hs_place_answer *placement,
                              struct hs_error *err)
{
    return hs_fields_print(out, &placement_fields, placement, false, err);
}

enum hs_status hs_place_print_schema(struct hs_text *out, struct hs_error *err)
{
    return hs_fields_print_schema(out, &placement_fields, err);
}

void hs_place_release(struct hs_place_answer *placement)
{
    for (size_t i = 0; i < placement->count; i++)
        release_order(&placement->orders[i]);
    free(placement->orders);
    for (size_t i = 0; i < placement->message_count; i++)
        free(placement->messages[i].axes);
    free(placement->messages);
    free(placement->machine);
    free(placement->nodes);
    free(placement->mesh);
    free(placement->evidence);
    hs_job_lines_release(&placement->ties);
    hs_job_lines_release(&placement->assumptions);
    hs_job_lines_release(&placement->next);
    memset(placement, 0, sizeof(*placement));
}
