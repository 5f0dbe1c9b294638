#include "show/cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NAME_BYTES 1024
#define PAIR_BYTES (2 * HS_SPLIT_TEXT + 64)

/* ---- a row per case ---- */

static const char *name_of(char text[NAME_BYTES], const struct hs_compare_case *one, bool predictor)
{
    bool other = predictor && one->predicted && one->predicted != one->measured;

    snprintf(text, NAME_BYTES, "%s%s%s", one->measured->name, other ? " by " : "",
             other ? one->predicted->name : "");
    return text;
}

static struct hs_value winner(const struct hs_compare_case *one)
{
    const struct hs_compare_score *score = &one->score;

    return one->count < 2 ? hs_value_text(NULL)
                          : hs_value_marked(score->found            ? "found"
                                            : score->found_in_noise ? "noise"
                                                                    : "no",
                                            score->predicted_ties > 1 ? " =" : NULL);
}

#define CHOICE(number) (one->count < 2 ? (double)NAN : (double)(number))
#define RULE(number)   (one->rule.missing ? (double)NAN : (double)(number))

/* clang-format off */
#define CASES(column)                                                                              \
    column(FILE_NAME, "file", "file", NULL, TEXT, ALWAYS,                                          \
           name_of((char[NAME_BYTES]){0}, one, predictors))                                        \
    column(NP, "np", "np", NULL, COUNT, ALWAYS, one->np)                                           \
    column(BYTES, "message_bytes", "size", NULL, BYTES, ALWAYS, one->message->message_bytes)       \
    column(PLANS, "plans", "plans", NULL, COUNT, ALWAYS, one->count)                               \
    column(MEAN, "mean_error", "mean", "%", PERCENT, ALWAYS, one->score.mean_error)                \
    column(WORST, "worst_error", "worst", "%", ERROR, ALWAYS, one->points[one->score.worst].error) \
    column(TAU, "tau", "tau", NULL, TAU, ALWAYS, hs_or_dash(one->score.tau))                       \
    column(WINNER, "winner", "winner", NULL, TEXT, ALWAYS, winner(one))                            \
    column(RANK, "winner_rank", "rank", NULL, COUNT, ALWAYS,                                       \
           CHOICE(noise ? one->score.noise_rank : one->score.winner_rank))                         \
    column(REGRET, "regret", "regret", "%", PERCENT2, ALWAYS, CHOICE(one->score.regret.value))     \
    column(KEPT, "kept", "kept", NULL, COUNT, ALWAYS, RULE(one->rule.kept))                        \
    column(RULE_REGRET, "rule_regret", "rule", "%", PERCENT2, ALWAYS,                              \
           RULE(one->rule.kept > 0 ? one->rule.fastest_regret.value : (double)NAN))
/* clang-format on */

enum { CASES(HS_COLUMN_ID) };
static const struct hs_column cases[] = {CASES(HS_COLUMN_ROW)};

void hs_cases_table(struct hs_table *table, const struct hs_comparison *comparison, bool noise,
                    bool predictors)
{
    HS_TABLE_INIT(table, "cases", cases);
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct hs_compare_case *one = &comparison->cases[i];

        hs_table_row(table);
        CASES(HS_COLUMN_PUT)
    }
}

/* ---- growth ---- */

static const char *lost(char text[PAIR_BYTES], const struct hs_compare_reach *reach,
                        const struct hs_compare_case *large)
{
    if (reach->fastest == HS_COMPARE_NONE)
        return "reaches none";
    if (reach->fastest == 0)
        return "nothing";
    snprintf(text, PAIR_BYTES, "%s %% (%s)%s", HS_AS_PERCENT(reach->regret.value, 2),
             HS_AS_PLAN(&large->points[reach->fastest].plan), reach->in_noise ? ", noise" : "");
    return text;
}

static const char *step(char text[PAIR_BYTES], const char *from, const char *to)
{
    snprintf(text, PAIR_BYTES, "%s -> %s", from, to);
    return text;
}

static const char *growth_name(const struct hs_compare_growth *growth)
{
    return growth->contains && growth->growth == HS_GROWTH_OTHER ? "several steps of the rule"
                                                                 : hs_growth_names[growth->growth];
}

static const char *number(char text[HS_FIGURE_TEXT], int64_t np)
{
    snprintf(text, HS_FIGURE_TEXT, "%" PRId64, np);
    return text;
}
#define AS_NUMBER(np) number((char[HS_FIGURE_TEXT]){0}, np)

/* clang-format off */
#define GROWTHS(column)                                                                            \
    column(OF_BYTES, "message_bytes", "size", NULL, BYTES, ALWAYS, large->message->message_bytes)  \
    column(COUNTS, "np", "processes", NULL, FIGURE, ALWAYS,                                        \
           step((char[PAIR_BYTES]){0}, AS_NUMBER(small->np), AS_NUMBER(large->np)))                \
    column(WINNERS, "winners", "winners", NULL, TEXT, ALWAYS,                                      \
           step((char[PAIR_BYTES]){0}, HS_AS_PLAN(&small->points[0].plan),                         \
                HS_AS_PLAN(&large->points[0].plan)))                                               \
    column(GROWTH, "growth", "growth", NULL, TEXT, ALWAYS, growth_name(growth))                    \
    column(ALONE, "lost_from_winner", "lost from the winner", NULL, TEXT, ALWAYS,                  \
           lost((char[PAIR_BYTES]){0}, &growth->alone, large))                                     \
    column(WIDE, "lost_from_best", "lost from the best", NULL, TEXT, ALWAYS,                       \
           hs_value_marked(lost((char[PAIR_BYTES]){0}, &growth->wide, large),                      \
                           growth->kept == small->count ? " !" : NULL))
/* clang-format on */

enum { GROWTHS(HS_COLUMN_ID) };
static const struct hs_column growths[] = {GROWTHS(HS_COLUMN_ROW)};

static void add_growth(struct hs_table *table, const struct hs_compare_growth *growth,
                       const struct hs_compare_case *small, const struct hs_compare_case *large)
{
    hs_table_row(table);
    GROWTHS(HS_COLUMN_PUT)
}

void hs_growths_print(struct hs_sheet *sheet, const struct hs_comparison *comparison)
{
    struct hs_table table;
    char heading[64];
    const struct hs_pick picks[] = {HS_PICK(OF_BYTES), HS_PICK(COUNTS), HS_PICK(WINNERS),
                                    HS_PICK(GROWTH),   HS_PICK(ALONE),  {WIDE, heading}};

    snprintf(heading, sizeof(heading), "lost from the best %zu", comparison->keep);
    HS_TABLE_INIT(&table, "growths", growths);
    table.picks = HS_PICKS(picks);
    for (size_t i = 0; i < comparison->growth_count; i++) {
        const struct hs_compare_growth *growth = &comparison->growths[i];
        const struct hs_compare_case *small = &comparison->cases[growth->small];
        const struct hs_compare_case *large = &comparison->cases[growth->large];

        add_growth(&table, growth, small, large);
    }
    hs_sheet_table(sheet, &table);
}
