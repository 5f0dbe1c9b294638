#include "apply/pairs.h"

#include <math.h>

#include "base/units.h"

bool hs_pairs_have(uint64_t number)
{
    uint64_t pair = number / 2;

    if (number < 10)
        return number >= 2;
    return pair >= 16 && (pair < 2048 ? (pair & (pair - 1)) == 0 : pair % 2048 == 0);
}

bool hs_pairs_leave_out(uint64_t number)
{
    return hs_pairs_have(number) && ((number ^ number >> 1) & 1);
}

/* Three of four pairs lost, and more than this together. */
#define LOSS 1.05

bool hs_pairs_lose(double pairs, double lost, double with, double without)
{
    return pairs >= HS_PAIRS_TO_JUDGE && 4 * lost >= 3 * pairs && with > LOSS * without;
}

void hs_pairs_add(struct hs_pairs *pairs, double with, double without)
{
    pairs->count++;
    pairs->with += with;
    pairs->without += without;
    pairs->squares[0] += with * with;
    pairs->squares[1] += with * without;
    pairs->squares[2] += without * without;
}

static void add(struct hs_saving *sum, const struct hs_pairs *pairs, double with, double without,
                double variance)
{
    sum->pairs += pairs->count;
    sum->with += with;
    sum->without += without;
    sum->variance += variance;
    if (pairs->count > 1)
        sum->spread += variance * variance / (double)(pairs->count - 1);
}

/* By the spread of the pairs around their ratio r = without / with:
 * n / (n - 1) sum (without_i - r with_i)^2 / with^2, of a ratio of two sums (Cochran, Sampling
 * Techniques, eq. 6.13); of one pair infinite. */
void hs_saving_add(struct hs_saving *sum, const struct hs_pairs *pairs, double seconds)
{
    double count = (double)pairs->count, ratio, around, variance = INFINITY;

    if (pairs->count == 0 || !(pairs->with > 0))
        return;
    ratio = pairs->without / pairs->with;
    around = pairs->squares[2] - 2 * ratio * pairs->squares[1] + ratio * ratio * pairs->squares[0];
    if (pairs->count > 1)
        variance =
            seconds * seconds * count / (count - 1) * fmax(0, around) / (pairs->with * pairs->with);
    add(sum, pairs, seconds, seconds * ratio, variance);
}

/* By the spread of the pairs' differences around their mean. */
void hs_saving_add_calls(struct hs_saving *sum, const struct hs_pairs *pairs, uint64_t calls)
{
    double count = (double)pairs->count, all = (double)calls, mean, around, variance = INFINITY;

    if (pairs->count == 0)
        return;
    mean = (pairs->without - pairs->with) / count;
    around = pairs->squares[2] - 2 * pairs->squares[1] + pairs->squares[0] - count * mean * mean;
    if (pairs->count > 1)
        variance = all * all * fmax(0, around) / (count - 1) / count;
    add(sum, pairs, all * pairs->with / count, all * pairs->without / count, variance);
}

/* Of a sum of independent variances (Welch 1947, Satterthwaite 1946). */
struct hs_saved hs_saving_figures(const struct hs_saving *saving)
{
    struct hs_saved saved = {.pairs = (double)saving->pairs,
                             .with = saving->with,
                             .without = saving->without,
                             .error = sqrt(saving->variance),
                             .freedom = saving->pairs > 1 ? (double)(saving->pairs - 1) : 1};

    if (saving->spread > 0 && isfinite(saving->variance))
        saved.freedom = saving->variance * saving->variance / saving->spread;
    return saved;
}

/* Standard deviations on either side of which 90 % lie: Student's t, by a table, and from 5 on by
 * Fisher's expansion around the normal quantile (Abramowitz and Stegun, 26.7.5). */
static double half_of_90(double freedom)
{
    static const double few[] = {6.314, 2.920, 2.353, 2.132};
    const double z = 1.6449, z3 = z * z * z;

    if (!(freedom >= 2))
        return few[0];
    if (freedom < 5)
        return few[(int)freedom - 1];
    return z + (z3 + z) / (4 * freedom) +
           (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

void hs_saved_append(struct hs_text *text, const struct hs_saved *saved, double most)
{
    char what[3][HS_UNIT_TEXT];
    double more = saved->without - saved->with, half = 0;
    double ends[3];

    if (saved->error > 0)
        half = half_of_90(saved->freedom) * saved->error;
    ends[0] = fabs(more);
    ends[1] = fabs(more) - half;
    ends[2] = fabs(more) + half;
    if (!(ends[1] > 0)) {
        hs_text_append(text, ", no estimated saving or loss beyond chance");
    } else {
        for (int i = 0; i < 3; i++)
            hs_seconds_format(what[i], fmin(ends[i], most));
        hs_text_append(text, ", estimated %s %s (90 %% interval %s to %s)",
                       more >= 0 ? "saving" : "loss", what[0], what[1], what[2]);
    }
    hs_text_append(text, " (ratio %.2f from %.0f paired calls)", saved->without / saved->with,
                   saved->pairs);
}
