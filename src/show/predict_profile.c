/* What the best plans gain a job, of which a profile says what it called: by the model of a system,
 * or by what results measured. */
#include <inttypes.h>
#include <math.h>

#include "show/predict.h"
#include "show/profiles.h"

/* The library's times by two sources are said to differ from so many times on. */
#define ALIKE 1.5

/* ---- what both say --------------------------------------------------------------------------- */

/* Sums of the job's mean rank, in seconds. */
struct sums {
    double spent, waited;     /* measured, of calls that are not only begun */
    double working, compared; /* of the rows with a gain: measured without waiting, and by what
                                     plans are compared with */
    double gain, least;       /* with the skew between ranks, and where that stays as it is */
    size_t gained, begun, by_profile;
};

static struct sums sum_up(const struct hs_profile_gain *gains, size_t count)
{
    struct sums sums = {.gained = 0};

    for (size_t i = 0; i < count; i++) {
        const struct hs_profile_gain *gain = &gains[i];
        double waited = hs_profile_call_waited(gain->profile, gain->call);
        double seconds = hs_profile_gain_seconds(gain);
        double calls = hs_profile_call_count(gain->profile, gain->call);

        if (!gain->call->begun) {
            sums.spent += hs_profile_call_spent(gain->profile, gain->call);
            sums.waited += isnan(waited) ? 0 : waited;
        }
        if (isnan(seconds))
            continue;
        sums.gain += seconds;
        sums.least += hs_profile_gain_least(gain);
        sums.gained++;
        sums.begun += gain->call->begun;
        sums.by_profile += gain->by == hs_gain_by_profile;
        if (!gain->call->begun && !isnan(gain->library_seconds) &&
            !(gain->by == hs_gain_by_result && isnan(gain->compared_seconds))) {
            sums.working += calls * hs_profile_call_seconds(gain->call);
            sums.compared += calls * (isnan(gain->compared_seconds) ? gain->library_seconds
                                                                    : gain->compared_seconds);
        }
    }
    return sums;
}

static void say_title(struct hs_sheet *sheet, const char *by, const struct hs_profile *profile)
{
    hs_sheet_say(sheet, "%s: %s, %" PRId64 " processes, %zu kind%s of calls\n", by,
                 profile->command, profile->ranks, profile->call_count,
                 HS_PLURAL(profile->call_count));
}

/* Both times of a gain, where they are from. */
static const char *source_of(const struct sums *sums, const struct hs_profile_gain *gains)
{
    if (gains[0].by == hs_gain_by_result)
        return "the library as the job had it, without waiting, and plans by what was measured of "
               "both";
    if (sums->by_profile == 0)
        return "plans and library by the model";
    return sums->by_profile < sums->gained
               ? "plans by the model, and library where it has a price there; else as the profile "
                 "measured it, without waiting"
               : "plans by the model, library as the profile measured it, without waiting: of "
                 "use where SYSTEM is what it ran on";
}

static void say_sums(struct hs_sheet *sheet, const struct hs_profile *profile,
                     const struct hs_profile_gain *gains)
{
    struct sums sums = sum_up(gains, profile->call_count);

    if (sums.least < sums.gain)
        hs_sheet_stress(sheet, "gain  %s to %s a rank", HS_AS_TIME(sums.least),
                        HS_AS_TIME(sums.gain));
    else
        hs_sheet_stress(sheet, "gain  %s a rank", HS_AS_TIME(sums.gain));
    if (sums.spent > 0)
        hs_sheet_say(sheet, " of %s in collectives, %s of it waiting for the last rank",
                     HS_AS_TIME(sums.spent), HS_AS_TIME(sums.waited));
    hs_sheet_say(sheet, "; communication time only, what computing hides of it is not known\n");
    hs_sheet_say(sheet, "      of %zu of %zu kinds of calls, %s\n", sums.gained,
                 profile->call_count, source_of(&sums, gains));
    if (sums.by_profile < sums.gained && sums.working > 0)
        hs_sheet_say(sheet,
                     "      the library's own calls take %s there, %s by the profile, without the "
                     "waiting that it knows%s\n",
                     HS_AS_TIME(sums.compared), HS_AS_TIME(sums.working),
                     fabs(log(sums.compared / sums.working)) > log(ALIKE)
                         ? ": it did not run like this"
                         : "");
    hs_sheet_say(sheet, "\n");
}

static enum hs_status show(struct hs_sheet *sheet, const char *by, const struct hs_gains *gains,
                           struct hs_error *err)
{
    say_title(sheet, by, gains->profile);
    if (gains->count > 0)
        say_sums(sheet, gains->profile, gains->gains);
    hs_gains_show(sheet, gains);
    return hs_sheet_end(sheet, err);
}

enum hs_status hs_predict_profile(const struct hs_predict *predict, struct hs_error *err)
{
    struct hs_gains gains;
    enum hs_status status = hs_gains_by_model(&gains, &predict->asked, predict->profile, err);

    if (status == HS_OK) {
        status = show(predict->sheet, predict->asked.label, &gains, err);
        hs_asked_say_beyond(predict->notes, &predict->asked);
    }
    hs_gains_release(&gains);
    return status;
}

enum hs_status hs_predict_by_results(const struct hs_predict *predict,
                                     const struct hs_inputs *inputs, const struct hs_print *print,
                                     struct hs_error *err)
{
    struct hs_gains gains = {.count = 0};
    struct hs_sheet sheet;
    enum hs_status status = hs_gains_by_results(&gains, inputs, predict->profile, err);

    hs_sheet_begin(&sheet, predict->out, print, predict->terminal);
    if (status == HS_OK)
        status = show(&sheet, inputs->inputs[0].name, &gains, err);
    hs_gains_release(&gains);
    return status;
}
