#include "show/simulated_show.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/notes.h"
#include "record/result_gaps.h"
#include "show/candidates.h"

static double error_of(const struct hs_candidate *candidate)
{
    return candidate->predicted_seconds / candidate->measured->median_seconds - 1;
}

static void say_summary(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_candidate *predicted = &message->candidates[0];
    double sum = 0, worst = 0;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];

        sum += fabs(error_of(candidate));
        worst = fmax(worst, fabs(error_of(candidate)));
        if (candidate->predicted_seconds < predicted->predicted_seconds)
            predicted = candidate;
    }
    hs_sheet_say(sheet, "\nerror of the prediction: %s %% on average, %s %% at worst\n",
                 HS_AS_PERCENT(sum / (double)message->candidate_count, 2), HS_AS_PERCENT(worst, 2));
    if (message->candidate_count > 1)
        hs_sheet_say(sheet, "of these predict would take %s, %s %% slower than the best\n",
                     HS_AS_PLAN(&predicted->plan),
                     HS_AS_PERCENT(predicted->measured->median_seconds /
                                           message->candidates[0].measured->median_seconds -
                                       1,
                                   2));
}

static const char *simgrid_of(const struct hs_result *result)
{
    for (size_t i = 0; i < result->version_count; i++)
        if (strcmp(result->versions[i].name, "simgrid") == 0)
            return result->versions[i].text;
    return "";
}

static void show(struct hs_sheet *sheet, const struct hs_result *result, const char *label)
{
    const struct hs_result_message *message = &result->messages[0];
    struct hs_candidates_source of = {.result = result, .message = message};
    struct hs_problem problem = hs_result_problem(result, message);
    struct hs_text gaps = {0};
    struct hs_table table;

    hs_sheet_say(sheet, "%s: %" PRId64 " processes%s, %s per process%s, SimGrid %s\n\n", label,
                 result->np, hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &result->mesh),
                 HS_AS_BYTES(message->message_bytes),
                 hs_problem_aside((char[HS_PROBLEM_TEXT]){0}, &problem), simgrid_of(result));
    hs_candidates_table(&table, HS_OF_SIMULATE, &of);
    hs_sheet_table(sheet, &table);
    say_summary(sheet, message);
    hs_result_gaps_append(&gaps, result, message);
    hs_sheet_say(sheet, "%s", gaps.data ? gaps.data : "");
    hs_text_release(&gaps);
    if (result->extrapolated)
        hs_sheet_say(sheet, "* beyond the %" PRId64 " processes that the description covers\n",
                     hs_system_capacity(&result->system));
}

/* Where model and simulation mean different things. */
static void note_differences(struct hs_text *notes, const struct hs_result *result)
{
    const struct hs_result_message *message = &result->messages[0];
    const struct hs_system *system = &result->system;
    bool chunks = false;

    for (size_t i = 0; i < message->candidate_count; i++)
        chunks = chunks || message->candidates[i].plan.chunks > 1;
    if (system->fits.count > 0)
        hs_say_note(
            notes,
            "the simulated network has the figures of the levels; predictions are by the fits");
    if (chunks && system->launch_seconds > 0)
        hs_say_note(notes,
                    "a simulated rank launches one call after the other, and its other layers wait "
                    "meanwhile; the model lets launches of different layers overlap");
    for (size_t i = 0; i < system->level_count; i++)
        if (system->levels[i].fabric == HS_FABRIC_MESH && system->levels[i].arity > 2 &&
            system->levels[i].striped) {
            hs_say_note(
                notes,
                "%s is a striped mesh: a simulated ring uses one link of each child, the model "
                "counts all that its layer reaches; \"striped\": false is what is simulated",
                system->levels[i].name);
            return;
        }
}

static enum hs_status check_simulated(const struct hs_result *result, const char *label,
                                      struct hs_error *err)
{
    bool simulated = result->message_count == 1 && result->has_system && simgrid_of(result)[0];

    for (size_t i = 0; simulated && i < result->messages[0].candidate_count; i++)
        simulated = result->messages[0].candidates[i].measured &&
                    result->messages[0].candidates[i].measured->status == HS_MEASURE_OK;
    return simulated && result->messages[0].candidate_count > 0
               ? HS_OK
               : hs_fail(err, HS_INVALID, "%s: expected a result of simulate, with times", label);
}

enum hs_status hs_simulated_show(struct hs_sheet *sheet, struct hs_text *notes,
                                 const struct hs_result *result, const char *label,
                                 struct hs_error *err)
{
    enum hs_status status = check_simulated(result, label, err);

    if (status == HS_OK) {
        show(sheet, result, label);
        note_differences(notes, result);
    }
    return status == HS_OK ? hs_sheet_end(sheet, err) : status;
}
