#include "export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/utf8.h"
#include "library/price_plan.h"
#include "links/graph.h"
#include "model/backends.h"

#define EXPORTERS_MAX 64

const struct hs_exporter *const hs_exporters[] = {
#define HS_ROW(name) &hs_exporter_##name,
    HS_EXPORTERS(HS_ROW)
#undef HS_ROW
        NULL,
};

enum hs_status hs_exporter_find(const struct hs_exporter **out, const char *name,
                                struct hs_error *err)
{
    const char *names[EXPORTERS_MAX], *nearest;
    size_t count = 0;

    for (; hs_exporters[count] && count < EXPORTERS_MAX; count++) {
        names[count] = hs_exporters[count]->name;
        if (strcmp(names[count], name) == 0) {
            *out = hs_exporters[count];
            return HS_OK;
        }
    }
    nearest = hs_nearest_name(name, names, count);
    if (nearest)
        return hs_fail(err, HS_INVALID, "unknown format \"%.60s\", did you mean \"%s\"?", name,
                       nearest);
    return hs_fail(err, HS_INVALID, "unknown format \"%.60s\"", name);
}

bool hs_exporter_takes_several(const struct hs_exporter *exporter)
{
    return exporter == &hs_exporter_rules || hs_export_has_own(exporter);
}

/* Whether it can say a collective whose blocks lie in this layout (of others: HS_NATURAL). */
static bool can_say(const struct hs_exporter *exporter, enum hs_collective collective,
                    enum hs_layout layout)
{
    if (collective == HS_COLLECTIVE_ALLREDUCE)
        return true;
    return exporter->also >> (collective * HS_LAYOUT_COUNT + layout) & 1;
}

static bool is_of_machine(const struct hs_exporter *exporter)
{
    return exporter->also == HS_EXPORT_MACHINE;
}

bool hs_exporter_is_of_times(const struct hs_exporter *exporter)
{
    return exporter->sizes && !exporter->affects;
}

/* Groups over all axes of a mesh are the whole job. */
static bool can_say_groups(const struct hs_exporter *exporter, const struct hs_result *result)
{
    struct hs_group group = hs_result_group(result);

    return exporter->groups != HS_GROUPS_NONE || is_of_machine(exporter) ||
           hs_group_is_world(&group);
}

bool hs_exporter_can_export(const struct hs_exporter *exporter, const struct hs_result *result)
{
    return can_say(exporter, result->collective, result->layout) &&
           can_say_groups(exporter, result);
}

/* " natural/packed" */
static void append_layouts(struct hs_text *text, const struct hs_exporter *exporter, int collective)
{
    const char *before = " ";

    for (int o = 0; o < HS_LAYOUT_COUNT; o++)
        if (can_say(exporter, collective, (enum hs_layout)o)) {
            hs_text_append(text, "%s%s", before, hs_layout_names[o]);
            before = "/";
        }
}

void hs_exporter_also_append(struct hs_text *text, const struct hs_exporter *exporter)
{
    bool any = false;

    if (is_of_machine(exporter) || exporter->also == 0) {
        hs_text_append(text, exporter->also ? "any collective" : "-");
        return;
    }
    for (int c = HS_COLLECTIVE_ALLREDUCE + 1; c < HS_COLLECTIVE_COUNT; c++) {
        bool in_place = can_say(exporter, c, HS_NATURAL);
        bool reversed = can_say(exporter, c, HS_REVERSED);

        if (!in_place && !reversed)
            continue;
        hs_text_append(text, "%s%s", any ? ", " : "", hs_collective_names[c]);
        if (hs_collectives[c].ordered && in_place != reversed)
            append_layouts(text, exporter, c);
        any = true;
    }
}

/* Who can say it instead, as "colors, pytorch or simgrid (the machine)". */
static void append_others(struct hs_text *text, const struct hs_result *result)
{
    size_t left = 0, begin = text->length;

    for (size_t i = 0; hs_exporters[i]; i++)
        left += hs_exporter_can_export(hs_exporters[i], result) &&
                !hs_exporter_is_of_times(hs_exporters[i]);
    for (size_t i = 0; hs_exporters[i]; i++) {
        if (!hs_exporter_can_export(hs_exporters[i], result) ||
            hs_exporter_is_of_times(hs_exporters[i]))
            continue;
        left--;
        hs_text_append(text, "%s%s%s",
                       text->length == begin ? ""
                       : left > 0            ? ", "
                                             : " or ",
                       hs_exporters[i]->name,
                       is_of_machine(hs_exporters[i]) ? " (the machine)" : "");
    }
}

static enum hs_status refuse(const struct hs_export_job *job, const struct hs_exporter *exporter,
                             struct hs_error *err)
{
    const struct hs_result *result = job->result;
    bool ordered = hs_collectives[result->collective].ordered;
    struct hs_text others = {0};
    enum hs_status status;

    append_others(&others, result);
    if (!can_say(exporter, result->collective, result->layout))
        status =
            hs_fail(err, HS_INVALID, "%s: is about %s%s%s%s, which %s cannot say: export it to %s",
                    job->result_name, hs_collective_names[result->collective],
                    ordered ? " with " : "", ordered ? hs_layout_names[result->layout] : "",
                    ordered ? " layout" : "", exporter->name, others.data ? others.data : "none");
    else
        status = hs_fail(err, HS_INVALID,
                         "%s: is about groups of %" PRId64 " over %s of %s, and %s holds for whole "
                         "jobs: export it to %s",
                         job->result_name, hs_result_group(result).size,
                         hs_mesh_format_over((char[HS_MESH_TEXT]){0}, &result->mesh),
                         hs_mesh_format((char[HS_MESH_TEXT]){0}, &result->mesh), exporter->name,
                         others.data ? others.data : "none");
    hs_text_release(&others);
    return status;
}

/* ---- outputs ---- */

struct hs_text *hs_export_add_file(struct hs_export_output *output, const char *name)
{
    struct hs_export_file *file = hs_grow(&output->files, NULL, output->count, sizeof(*file), NULL);

    if (file)
        file->name = hs_strdup(name);
    if (!file || !file->name) {
        output->lost.failed = true;
        return &output->lost;
    }
    output->count++;
    return &file->text;
}

void hs_export_output_release(struct hs_export_output *output)
{
    for (size_t i = 0; i < output->count; i++) {
        free(output->files[i].name);
        hs_text_release(&output->files[i].text);
    }
    free(output->files);
    hs_text_release(&output->notes);
    memset(output, 0, sizeof(*output));
}

void hs_export_note(struct hs_export_output *out, const char *format, ...)
{
    char line[HS_ERROR_MESSAGE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    hs_text_append(&out->notes, "%s\n", line);
}

static bool ran_out_of_memory(const struct hs_export_output *out)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->files[i].text.failed)
            return true;
    return out->notes.failed || out->lost.failed;
}

/* ---- running an exporter ---- */

static const struct hs_plan left_alone = {.chunks = 1}; /* as the verdict's default call is */

/* Whether the verdict is to keep the library's default: a measured result's best plan is slower. */
static bool is_kept(const struct hs_result_message *message)
{
    return hs_plan_is_default(&message->best) ||
           (message->answer && message->answer->verdict.advice == HS_ADVICE_DEFAULT);
}

/* Whether a plan was not measured, and its predicted gain over the library's default reaches below
 * 1: nobody who applies an export is to be slower for it. */
static bool may_lose(const struct hs_result_message *message)
{
    const struct hs_candidate *candidate = hs_result_candidate(message, &message->best);
    const struct hs_answer *answer = message->answer;

    return answer && answer->usual && answer->verdict.gain_low < 1 &&
           !(candidate && candidate->measured);
}

const struct hs_plan *hs_export_wanted(const struct hs_export_job *job, size_t message)
{
    const struct hs_result_message *at = &job->result->messages[message];

    if (job->plan)
        return job->plan;
    if (job->stand_in && message == job->message)
        return job->stand_in;
    return is_kept(at) || may_lose(at) ? &left_alone : &at->best;
}

enum hs_status hs_export_fail_unplanned(const struct hs_export_job *job, size_t message,
                                        struct hs_error *err)
{
    const struct hs_result_message *at = &job->result->messages[message];

    if (is_kept(at))
        return hs_fail(err, HS_INVALID,
                       "%s: its verdict for %s is to keep the library's default, which needs no "
                       "configuration; name a plan (--plan) to export one anyway",
                       job->result_name, HS_AS_BYTES(at->message_bytes));
    if (may_lose(at))
        return hs_fail(
            err, HS_INVALID,
            "%s: what the best plan for %s gains was predicted, and may be a loss (%.2f "
            "times at the low end of its 90 %% range): measure it, or name a plan (--plan)",
            job->result_name, HS_AS_BYTES(at->message_bytes), at->answer->verdict.gain_low);
    return hs_fail(err, HS_INVALID,
                   "%s: no best plan for %s: no candidate was measured without fault or "
                   "predicted; name a plan (--plan) or measure again",
                   job->result_name, HS_AS_BYTES(at->message_bytes));
}

const struct hs_plan *hs_export_plan(const struct hs_export_job *job)
{
    return hs_export_wanted(job, job->message);
}

char *hs_export_size(char text[HS_UNIT_TEXT], const struct hs_export_job *job)
{
    return hs_bytes_format(text, job->result->messages[job->message].message_bytes);
}

enum hs_status hs_export_need_system(const struct hs_export_job *job,
                                     const struct hs_exporter *exporter, struct hs_error *err)
{
    if (job->result->has_system)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "%s: no system in it, and %s describes the machine: give `hiersearch measure` "
                   "a SYSTEM, or export a result of `hiersearch predict`",
                   job->result_name, exporter->name);
}

uint64_t hs_export_entering(const struct hs_export_job *job, struct hs_layer layer, uint64_t bytes)
{
    struct hs_problem problem = hs_result_problem(job->result, &job->result->messages[0]);
    uint64_t parts = (uint64_t)llround(problem.bytes / hs_problem_entering(&problem, layer));

    return bytes == UINT64_MAX ? bytes : bytes / parts + (bytes % parts > 0);
}

bool hs_exporter_is_of_use(const struct hs_exporter *exporter, const struct hs_result *result)
{
    return exporter != &hs_exporter_nccl_tuner ||
           !hs_export_is_nccl_native(&(struct hs_export_job){.result = result});
}

bool hs_export_is_nccl_native(const struct hs_export_job *job)
{
    const struct hs_result *result = job->result;

    if (result->backend)
        return hs_backend_is_nccl(result->backend);
    return result->has_system && hs_system_is_nccl_native(&result->system);
}

bool hs_export_is_for_nccl(const struct hs_export_job *job)
{
    const struct hs_result *result = job->result;

    return hs_export_is_nccl_native(job) || (!result->backend && result->has_system &&
                                             hs_system_library(&result->system) == HS_LIBRARY_RCCL);
}

static enum hs_status check_messages(const struct hs_export_job *job,
                                     const struct hs_exporter *exporter, struct hs_error *err)
{
    const struct hs_result *result = job->result;

    if (!hs_exporter_can_export(exporter, result))
        return refuse(job, exporter, err);
    if (hs_result_group(result).size < 2)
        return hs_fail(err, HS_INVALID, "%s: one process has nothing to split: nothing to export",
                       job->result_name);
    if (job->message >= result->message_count)
        return hs_fail(err, HS_INVALID,
                       "%s: no message size in it: nothing to export, measure or predict again",
                       job->result_name);
    for (size_t i = 1; i < result->message_count; i++)
        if (result->messages[i].message_bytes <= result->messages[i - 1].message_bytes)
            return hs_fail(err, HS_INVALID, "%s: results[%zu]: expected message sizes that ascend",
                           job->result_name, i);
    return HS_OK;
}

static enum hs_status check_plan(const struct hs_export_job *job, struct hs_error *err)
{
    const struct hs_plan *plan = hs_export_plan(job);
    struct hs_problem problem =
        hs_result_problem(job->result, &job->result->messages[job->message]);
    char text[HS_SPLIT_TEXT];
    struct hs_error reason;

    if (plan->split.count == 0)
        return hs_export_fail_unplanned(job, job->message, err);
    if (hs_split_product(&plan->split) != hs_result_group(job->result).size)
        return hs_fail(err, HS_INVALID, "plan %s is for %" PRId64 " processes, %s for %" PRId64,
                       hs_plan_format(text, plan), hs_split_product(&plan->split), job->result_name,
                       hs_result_group(job->result).size);
    if (hs_problem_check(&problem, plan, &reason) != HS_OK)
        return hs_fail(err, HS_INVALID, "plan %s: %s", hs_plan_format(text, plan), reason.message);
    return HS_OK;
}

/* A target without chunks gets the split, and the reader of stderr what that costs. */
static void drop_chunks(struct hs_plan *plan, struct hs_export_output *out,
                        const struct hs_export_job *job, const struct hs_exporter *exporter)
{
    char text[HS_SPLIT_TEXT], split[HS_SPLIT_TEXT], cost[64] = "";
    struct hs_problem problem =
        hs_result_problem(job->result, &job->result->messages[job->message]);
    struct hs_plan whole = *plan;

    whole.chunks = 1;
    if (job->result->has_system) {
        double with = hs_plan_seconds(&job->result->system, &problem, plan);
        double without = hs_plan_seconds(&job->result->system, &problem, &whole);

        snprintf(cost, sizeof(cost), ", predicted %.3f times as long", without / with);
    }
    hs_export_note(out, "%s has no chunks: plan %s is exported as %s%s", exporter->name,
                   hs_plan_format(text, plan), hs_plan_format(split, &whole), cost);
    *plan = whole;
}

void hs_export_keep_letters(struct hs_plan *plan, unsigned letters)
{
    for (int i = 0; i < 2 * HS_LAYERS_MAX; i++)
        if (!(letters >> plan->algorithms[i / 2][i % 2] & 1))
            plan->algorithms[i / 2][i % 2] = HS_RING;
}

/* Where a library runs its own algorithm on each layer, only the layers can be exported. */
static void drop_letters(struct hs_plan *plan, struct hs_export_output *out,
                         const struct hs_exporter *exporter)
{
    char text[HS_SPLIT_TEXT], split[HS_SPLIT_TEXT];
    struct hs_plan plain = *plan;
    bool kept;

    hs_export_keep_letters(&plain, exporter->letters);
    kept = hs_plan_has_letters(&plain);
    if (hs_plan_compare(&plain, plan) == 0)
        return;
    if (hs_plan_names_ours(plan) || exporter->rings)
        hs_export_note(out, "%s cannot name %s: plan %s is exported as %s, with %s on %s",
                       exporter->name, kept ? "all algorithms" : "algorithms",
                       hs_plan_format(text, plan), hs_plan_format(split, &plain),
                       exporter->rings ? "a ring" : "its own",
                       kept ? "layers without a letter" : "each layer");
    *plan = plain;
}

/* Trees go over the links of the system that the result has. */
static enum hs_status check_layer(const struct hs_export_job *job, const struct hs_plan *plan,
                                  int i, struct hs_error *err)
{
    const struct hs_result *result = job->result;
    struct hs_problem problem = hs_result_problem(result, &result->messages[job->message]);
    char text[HS_SPLIT_TEXT];

    if (!result->has_system)
        return hs_fail(err, HS_INVALID,
                       "%s: plan %s goes by trees on single links, and no system in it says which: "
                       "expected a result that has one",
                       job->result_name, hs_plan_format(text, plan));
    if (!hs_graph_holds(&result->system, hs_problem_layer(&problem, &plan->split, i)))
        return hs_fail(err, HS_INVALID,
                       "%s: plan %s: layer %d goes by trees, and %s has no single links that join "
                       "just its ranks: expected another plan (--plan)",
                       job->result_name, hs_plan_format(text, plan), i + 1, result->system.name);
    return HS_OK;
}

static enum hs_status check_trees(const struct hs_export_job *job,
                                  const struct hs_exporter *exporter, const struct hs_plan *plan,
                                  struct hs_error *err)
{
    char text[HS_SPLIT_TEXT];
    enum hs_status status = HS_OK;

    for (int i = 0; i < 2 * plan->split.count && status == HS_OK; i++) {
        if (!hs_algorithms[hs_plan_algorithm(plan, i / 2, i % 2)]->on_links)
            continue;
        if (!(exporter->letters & HS_EXPORT_TREES))
            return hs_fail(
                err, HS_INVALID,
                "%s: plan %s goes by trees on the machine's single links, which %s does not "
                "have: expected another one (--plan), or a result without (--algorithms)",
                job->result_name, hs_plan_format(text, plan), exporter->name);
        status = check_layer(job, plan, i / 2, err);
    }
    return status;
}

/* What names algorithms may not know the trees of a machine's single links. */
static enum hs_status check_links(const struct hs_export_job *job,
                                  const struct hs_exporter *exporter, const struct hs_plan *plan,
                                  struct hs_error *err)
{
    size_t messages = exporter->sizes && !job->plan ? job->result->message_count : 0;
    enum hs_status status = HS_OK;

    if (!exporter->letters || exporter->also == HS_EXPORT_MACHINE)
        return HS_OK;
    status = check_trees(job, exporter, plan, err);
    for (size_t m = 0; m < messages && status == HS_OK; m++)
        status = check_trees(job, exporter, hs_export_wanted(job, m), err);
    return status;
}

/* Text of a result goes into comments and names as it is: nothing in it may speak to the terminal
 * of who looks at the file (base/utf8.h). */
static void make_harmless(struct hs_text *text)
{
    char *to = text->data;

    for (size_t from = 0, length; from < text->length; from += length) {
        const char *at = text->data + from;

        if (hs_utf8_is_harmless(&length, at, text->length - from) || *at == '\n' || *at == '\t') {
            memmove(to, at, length);
            to += length;
        } else {
            *to++ = '?';
        }
    }
    if (to) {
        text->length = (size_t)(to - text->data);
        *to = '\0';
    }
}

enum hs_status hs_export(struct hs_export_output *out, const struct hs_exporter *exporter,
                         const struct hs_export_job *job, struct hs_error *err)
{
    struct hs_export_job own = *job;
    struct hs_plan plan;
    enum hs_status status;

    memset(out, 0, sizeof(*out));
    own.letters = exporter->letters;
    status = check_messages(job, exporter, err);
    if (status == HS_OK && (job->plan || !exporter->sizes))
        status = check_plan(job, err);
    if (status != HS_OK)
        return status;
    plan = *hs_export_plan(job);
    status = check_links(job, exporter, &plan, err);
    if (status != HS_OK)
        return status;
    if (hs_plan_has_letters(&plan))
        drop_letters(&plan, out, exporter);
    if (plan.chunks > 1 && !exporter->chunks)
        drop_chunks(&plan, out, job, exporter);
    if (hs_plan_compare(&plan, hs_export_plan(job)) != 0) {
        own.plan = job->plan ? &plan : NULL;
        own.stand_in = exporter->sizes ? NULL : &plan;
    }
    hs_export_advice_append(&out->notes, &own, exporter);
    status = exporter->write(out, &own, err);
    if (status == HS_OK && ran_out_of_memory(out))
        status = hs_no_memory(err);
    for (size_t i = 0; i < out->count; i++)
        if (!out->files[i].binary)
            make_harmless(&out->files[i].text);
    if (status != HS_OK)
        hs_export_output_release(out);
    return status;
}
