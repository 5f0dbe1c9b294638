/* What is asked, and the walk over what is to be shown. */
#include "answer/predict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer/jobs.h"
#include "base/notes.h"

/* Forms of tables of other programs. */
const char *const *hs_predict_form_words(void)
{
    static const char *const words[] = {"nccl-tests", NULL};

    return words;
}

/* Whether the result file, not the table, is what JSON is printed of. */
static bool prints_result(const struct hs_predict_settings *settings)
{
    return hs_print_format(&settings->print) == HS_FORMAT_JSON && !settings->as;
}

/* ---- what is asked --------------------------------------------------------------------------- */

static enum hs_status check_settings(const struct hs_predict_settings *settings,
                                     struct hs_error *err)
{
    bool over_np = settings->ask.np.first != settings->ask.np.last;
    bool over_bytes = settings->ask.bytes.first != settings->ask.bytes.last;

    if (settings->as && (settings->explain || over_np))
        return hs_fail(err, HS_INVALID, "--as: expected one process count, and not --explain");
    if (settings->explain && (over_np || over_bytes))
        return hs_fail(err, HS_INVALID,
                       "--explain: expected one process count and one size, found a sweep of --%s",
                       over_np ? "np" : "size");
    if (settings->before && (over_np || over_bytes || settings->explain || settings->as))
        return hs_fail(err, HS_INVALID,
                       "--before: expected one process count and one size, and neither --explain "
                       "nor --as");
    if (settings->explain && prints_result(settings))
        return hs_fail(
            err, HS_INVALID,
            "--explain: not together with --json, which holds every layer's cost already");
    if (settings->output && over_np)
        return hs_fail(err, HS_INVALID,
                       "--output: a result file is about one process count; run once per --np, or "
                       "use --json, which prints one document per line");
    return HS_OK;
}

/* A chunked plan is compared with plans of as many chunks, too, unless --chunks says otherwise. */
static enum hs_status take_chunks_of_plan(struct hs_predict_settings *settings,
                                          struct hs_error *err)
{
    struct hs_group group = hs_mesh_group(&settings->ask.mesh, (int64_t)settings->ask.np.first);
    struct hs_plan plan;
    enum hs_status status;

    if (!settings->explain || strcmp(settings->explain, "best") == 0)
        return HS_OK;
    status = hs_plan_parse(&plan, settings->explain, group.size, err);
    if (status != HS_OK)
        return err ? hs_error_prefix(err, status, "--explain") : status;
    if (plan.chunks > 1 && settings->ask.chunks.count == 0)
        settings->ask.chunks = (struct hs_count_list){.count = 2, .values = {1, plan.chunks}};
    return HS_OK;
}

/* The profile, which has the number of ranks. */
static enum hs_status take_profile(struct hs_predict_settings *settings, struct hs_profile *profile,
                                   struct hs_error *err)
{
    enum hs_status status;

    if (!settings->profile)
        return HS_OK;
    status = hs_job_check_profile(
        &settings->ask, settings->explain || settings->before || settings->output || settings->as,
        err);
    if (status == HS_OK)
        status = hs_inputs_profile(profile, settings->profile, err);
    settings->ask.np =
        (struct hs_range){.first = (uint64_t)profile->ranks, .last = (uint64_t)profile->ranks};
    return status;
}

enum hs_status hs_predict_take(struct hs_predict_settings *settings, struct hs_profile *profile,
                               struct hs_error *err)
{
    enum hs_status status = take_profile(settings, profile, err);

    if (status == HS_OK && settings->ask.bytes.first == 0 && settings->as)
        status = hs_bytes_range_parse(&settings->ask.bytes, HS_SIZES_OF_NCCL_TESTS, err);
    if (status == HS_OK)
        status = hs_question_take(&settings->ask, err);
    if (status == HS_OK)
        status = check_settings(settings, err);
    return status == HS_OK ? take_chunks_of_plan(settings, err) : status;
}

/* ---- one collective -------------------------------------------------------------------------- */

static enum hs_status finish_result(const struct hs_predict *predict, struct hs_result *result,
                                    struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    bool json = prints_result(settings);
    enum hs_status status = HS_OK;

    if (json && settings->ask.np.first != settings->ask.np.last)
        status = hs_result_print_line(predict->out, result, err);
    else if (json)
        status = hs_result_print(predict->out, result, err);
    if (status == HS_OK && settings->output)
        status = hs_result_save(result, settings->output, err);
    return status;
}

/* What is shown of one point is a result, except for a sweep. */
static bool wants_result(const struct hs_predict *predict, const struct hs_predict_sweep *sweep)
{
    bool shows_one = !hs_predict_is_swept(sweep, predict) && !predict->settings->explain;

    return prints_result(predict->settings) || predict->settings->output || shows_one;
}

/* Who is shown points. */
struct visitor {
    const struct hs_predict *predict;
    struct hs_predict_sweep *sweep;
};

static enum hs_status show_point(void *of_walk, struct hs_predict_point *point,
                                 const struct hs_result *result, struct hs_error *err)
{
    struct visitor *visitor = of_walk;
    const struct hs_predict *predict = visitor->predict;

    if (prints_result(predict->settings))
        return HS_OK;
    if (predict->settings->explain)
        return hs_predict_explain(predict, point, err);
    if (!hs_predict_is_swept(visitor->sweep, predict))
        return hs_predict_show(predict, point, result, err);
    return hs_predict_sweep_add(visitor->sweep, predict, point, err);
}

static enum hs_status walk_np(struct hs_walk *walk, const struct hs_predict *predict, int64_t np,
                              struct hs_error *err)
{
    struct hs_result result;
    enum hs_status status = hs_walk_sizes(&result, walk, np, err);

    if (status == HS_OK && result.message_count > 0)
        status = finish_result(predict, &result, err);
    hs_result_release(&result);
    return status;
}

static enum hs_status walk(const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_range *np = &predict->settings->ask.np;
    bool json = prints_result(predict->settings);
    struct hs_predict_sweep sweep;
    struct visitor visitor = {.predict = predict, .sweep = &sweep};
    struct hs_walk walk = {.asked = &predict->asked,
                           .command = predict->command,
                           .notes = predict->notes,
                           .visit = show_point,
                           .visitor = &visitor};
    enum hs_status status = HS_OK;

    hs_predict_sweep_init(&sweep, predict);
    walk.wants_results = wants_result(predict, &sweep);
    for (uint64_t p = np->first; p != 0 && status == HS_OK; p = hs_range_next(np, p))
        status = walk_np(&walk, predict, (int64_t)p, err);
    if (status == HS_OK && !json && hs_predict_is_swept(&sweep, predict))
        hs_predict_sweep_print(&sweep, predict);
    hs_table_release(&sweep.lines);
    if (status == HS_OK && !json)
        status = hs_sheet_end(predict->sheet, err);
    if (status == HS_OK)
        hs_predict_warn_of_extrapolation(predict);
    return status;
}

enum hs_status hs_predict_answer(struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    struct hs_sheet sheet;
    enum hs_status status = hs_asked_check(&predict->asked, err);

    hs_sheet_begin(&sheet, predict->out, &settings->print, predict->terminal);
    predict->sheet = &sheet;
    if (status == HS_OK)
        status = predict->profile ? hs_predict_profile(predict, err) : walk(predict, err);
    hs_text_release(&sheet.lines);
    predict->sheet = NULL;
    return status;
}
