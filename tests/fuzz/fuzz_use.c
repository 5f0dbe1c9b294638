/*
 * Whatever is read as a result, a system or a journal can be used: predicted from, calibrated with,
 * plotted, exported in every format, reported and resumed. Nothing of that is worse than a refusal
 * in one line, what is written is fit for any terminal, and a prediction reads back.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../problem_world.h"
#include "base/utf8.h"
#include "estimate/calibration.h"
#include "estimate/system_file.h"
#include "export/export.h"
#include "plot/page.h"
#include "record/points.h"
#include "runner/journal.h"
#include "search/search.h"

#define NP_MAX 4096 /* larger machines are predicted with so many processes: searches stay short */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *invariant)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", invariant);
        abort();
    }
}

static void check_text(const struct hs_text *text)
{
    size_t length;

    for (size_t i = 0; i < text->length; i += length) {
        bool fit = hs_utf8_is_harmless(&length, text->data + i, text->length - i);

        require(fit || text->data[i] == '\n' || text->data[i] == '\t',
                "what is written obeys no terminal's letters");
    }
}

static void check_refusal(enum hs_status status, const struct hs_error *err)
{
    require(status == err->status, "the status is the error's");
    require(err->message[0] != '\0' && !strchr(err->message, '\n'), "a refusal is one line");
}

/* ---- what is made of a result ---- */

static void plot(const struct hs_plot_job *job)
{
    for (size_t i = 0; hs_plot_kinds[i]; i++) {
        struct hs_error err = {HS_OK, ""};
        struct hs_text tsv = {0};
        enum hs_status status = hs_plot_write(&tsv, hs_plot_kinds[i], job, &err);

        if (status == HS_OK)
            check_text(&tsv);
        else
            check_refusal(status, &err);
        hs_text_release(&tsv);
    }
}

static void export(const struct hs_result *result, size_t message)
{
    struct hs_export_job job = {
        .result = result, .result_name = "fuzz", .made_by = "fuzz", .message = message};

    for (size_t i = 0; hs_exporters[i]; i++) {
        struct hs_error err = {HS_OK, ""};
        struct hs_export_output output = {0};
        enum hs_status status = hs_export(&output, hs_exporters[i], &job, &err);

        if (status != HS_OK)
            check_refusal(status, &err);
        for (size_t f = 0; f < output.count; f++)
            if (!output.files[f].binary)
                check_text(&output.files[f].text);
        hs_export_output_release(&output);
    }
}

static void report(const struct hs_plot_job *job)
{
    struct hs_page page = {.job = job, .made_by = "fuzz", .missing = "no pictures"};
    struct hs_error err = {HS_OK, ""};
    struct hs_text html = {0};
    enum hs_status status = hs_page_write(&html, &page, &err);

    if (status == HS_OK)
        check_text(&html);
    else
        check_refusal(status, &err);
    hs_text_release(&html);
}

/* ---- what is made of a system ---- */

/* As `hiersearch predict` makes it. */
static void check_prediction(const struct hs_system *system,
                             const struct hs_search_request *request,
                             const struct hs_search_result *found)
{
    struct hs_result result = {.np = request->problem.group.size, .complete = true}, again;
    struct hs_result_message *message = hs_result_add_message(&result);
    struct hs_error err = {HS_OK, ""};
    struct hs_text text = {0};

    require(message != NULL, "there is memory");
    result.command = hs_strdup("fuzz");
    result.created = hs_strdup("2026-01-01T00:00:00Z");
    result.has_system = hs_system_copy(&result.system, system, &err) == HS_OK;
    message->message_bytes = (uint64_t)request->problem.bytes;
    message->datatype = HS_FLOAT32;
    message->operation = HS_SUM;
    message->strategy = hs_strdup("lattice");
    message->splits = found->splits;
    message->looked_at = found->looked_at;
    message->flat_seconds = found->flat_seconds;
    message->best = found->plans[0].plan;
    for (size_t i = 0; i < found->count; i++)
        require(hs_result_add_prediction(message, system, &request->problem, &found->plans[i].plan,
                                         &err) == HS_OK,
                "what was found can be kept");
    require(hs_result_print(&text, &result, &err) == HS_OK, "a prediction can be written");
    check_text(&text);
    if (hs_result_parse(&again, "again", text.data, text.length, &err) != HS_OK)
        fprintf(stderr, "%s\n", err.message);
    require(err.status == HS_OK, "a prediction reads back");
    hs_result_release(&again);
    hs_result_release(&result);
    hs_text_release(&text);
}

static void predict(const struct hs_system *system, int64_t np)
{
    static const int chunks[] = {1, 4};
    struct hs_search_request request = {.system = system,
                                        .problem = problem_world(np, 1 << 20),
                                        .chunks = chunks,
                                        .chunk_count = 2,
                                        .top = 3};

    for (const struct hs_search_strategy *s = hs_search_strategies; s->name; s++) {
        struct hs_error err = {HS_OK, ""};
        struct hs_search_result found;
        enum hs_status status = hs_search(&found, s, &request, &err);

        if (status == HS_OK)
            check_prediction(system, &request, &found);
        else
            check_refusal(status, &err);
        hs_search_result_release(&found);
    }
}

static void use_system(const struct hs_system *system)
{
    int64_t capacity = hs_system_capacity(system);

    predict(system, capacity < NP_MAX ? capacity : NP_MAX);
}

static void calibrate(const struct hs_result *result)
{
    const struct hs_calibration_options options = {.source = "fuzz"};
    struct hs_error err = {HS_OK, ""};
    struct hs_point_list points = {0};
    struct hs_text notes = {0};
    struct hs_system system;
    enum hs_status status;

    require(hs_result_points(&points, result, &err) == HS_OK, "points are taken");
    require(hs_system_copy(&system, &result->system, &err) == HS_OK, "a system is copied");
    status = hs_calibrate(&system, points.items, points.count, &options, &notes, &err);
    if (status == HS_OK)
        predict(&system, result->np < NP_MAX ? result->np : NP_MAX);
    else
        check_refusal(status, &err);
    hs_text_release(&notes);
    hs_system_release(&system);
    hs_point_list_release(&points);
}

static void use_result(const struct hs_result *result)
{
    struct hs_named_result input = {"fuzz", result};
    struct hs_plot_job job = {.inputs = &input, .input_count = 1};

    plot(&job);
    report(&job);
    export(result, 0);
    if (result->has_system) {
        use_system(&result->system);
        calibrate(result);
    }
}

/* ---- journals ---- */

static void add(struct hs_contest *contest, const char *text)
{
    struct hs_plan plan;

    require(hs_plan_parse(&plan, text, 8, NULL) == HS_OK &&
                hs_contest_add(contest, &plan, NULL) == HS_OK,
            "a plan can be measured");
}

static void resume(const struct hs_journal *journal)
{
    struct hs_contest contest = {.rules = {0.05, 5, 100, 2, 1}};
    struct hs_error err = {HS_OK, ""};
    struct hs_journal_layer *layers;
    size_t count;
    enum hs_status status = hs_journal_layers(&layers, &count, journal, 1024, 8, &err);

    if (status != HS_OK)
        check_refusal(status, &err);
    else
        hs_journal_layers_release(layers, count);
    add(&contest, "2x4");
    add(&contest, "8");
    err = (struct hs_error){HS_OK, ""};
    status = hs_journal_restore(journal, &contest, 1024, true, &err);
    if (status != HS_OK)
        check_refusal(status, &err);
    (void)hs_contest_next(&contest, 1);
    hs_contest_release(&contest);
}

static void use_journal(const uint8_t *data, size_t size)
{
    struct hs_journal journal = {.path = "fuzz", .old = malloc(size + 1), .old_length = size};

    require(journal.old != NULL, "there is memory");
    memcpy(journal.old, data, size);
    journal.old[size] = '\0';
    hs_journal_mend(&journal);
    resume(&journal);
    free(journal.old);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_result result;
    struct hs_system system;

    if (hs_result_parse(&result, "fuzz", (const char *)data, size, &err) == HS_OK) {
        use_result(&result);
        hs_result_release(&result);
    }
    if (hs_fields_parse(&hs_system_fields, &system, "fuzz", (const char *)data, size, &err) ==
        HS_OK) {
        use_system(&system);
        hs_system_release(&system);
    }
    if (size > 0)
        use_journal(data, size);
    return 0;
}

/* ---- mutations ---- */

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* What figures and texts become, so that more is read than bytes at random leave readable. */
/* clang-format off */
static const char *const figures[] = {
    "0", "1", "2", "3", "7", "64", "256", "4096", "65536", "720720", "1073741824", "2095133040",
    "2147483647", "9007199254740991", "-1", "0.5", "1e-3", "1e-6", "1e-9", "1e-30", "5e-324", "1e9",
    "1e30", "1e308", "61", "true", "null"};
static const char *const texts[] = {
    "\\u202e", "\\u009b", "\\u007f", "\\u001b[2J", "\\u2028", "\\n", "\\t", "\\\"", "]]>", "-->",
    "</svg>", "$(x)", "%s", "'", "#", "\xc3\xa9", "\xf0\x9f\x98\x80"};
/* clang-format on */

/* How many figures, or letters of texts, there are; the one that is `chosen` goes to *at. */
static size_t find_token(const char **at, size_t *length, const char *text, bool in_text,
                         size_t chosen)
{
    size_t count = 0;

    for (bool quoted = false; *text; text++) {
        size_t token = strspn(text, "0123456789.e+-");

        quoted = quoted != (*text == '"');
        if (quoted == in_text && (in_text || token > 0)) {
            if (count++ == chosen) {
                *at = text + in_text;
                *length = in_text ? 0 : token;
            }
            text += in_text || token == 0 ? 0 : token - 1;
        }
    }
    return count;
}

/* Puts another figure in the place of one, or a few letters into a text. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    bool in_text = seed % 3 == 0;
    const char *at = NULL,
               *instead = in_text ? texts[seed / 8 % (sizeof(texts) / sizeof(*texts))]
                                  : figures[seed / 8 % (sizeof(figures) / sizeof(*figures))];
    size_t length = 0, added = strlen(instead), tokens;
    char *text;

    if (seed % 8 == 0 || memchr(data, 0, size) || size == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    text = malloc(size + 1);
    require(text != NULL, "there is memory");
    memcpy(text, data, size);
    text[size] = '\0';
    tokens = find_token(&at, &length, text, in_text, SIZE_MAX);
    if (tokens > 0)
        find_token(&at, &length, text, in_text, seed / 1024 % tokens);
    if (at && size - length + added <= max_size) {
        size_t before = (size_t)(at - text), behind = size - before - length;

        memcpy(data + before, instead, added);
        memcpy(data + before + added, at + length, behind);
        size = before + added + behind;
    }
    free(text);
    return size;
}
#endif
