/* What a race runs next, without MPI and without a clock: times are made up here. */
#include "runner/race.h"
#include "test.h"

/* A race of a baseline and plans of np = 8, whose runs take what `seconds` says. */
struct play {
    struct hs_race race;
    double seconds[8]; /* of one run of arm i */
    /* relative: samples lie evenly in seconds * (1 +- spread), in a mixed order */
    double spread[8];
    double elapsed;
    size_t samples[8], verified[8], prepared[8];
    size_t order[4000], steps; /* arms sampled, in order */
};

static void add(struct play *play, const char *text, double seconds, double spread)
{
    struct hs_plan plan;
    size_t index = play->race.count;

    play->seconds[index] = seconds;
    play->spread[index] = spread;
    if (text[0] >= '0' && text[0] <= '9') {
        assert_int_equal(hs_plan_parse(&plan, text, 8, NULL), HS_OK);
        assert_int_equal(hs_race_add(&play->race, &plan, NULL), HS_OK);
    } else {
        assert_int_equal(hs_race_add_baseline(&play->race, text, 3, NULL), HS_OK);
    }
}

static struct play begin(double budget_seconds)
{
    struct play play = {0};

    play.race.rules = (struct hs_race_rules){
        .precision = 0.02, .min_samples = 8, .max_samples = 100, .budget_seconds = budget_seconds};
    return play;
}

/* Seconds of the run that comes now. */
static double draw(const struct play *play, size_t i)
{
    double golden = 0.6180339887498949 * (double)play->samples[i];

    return play->seconds[i] * (1 + play->spread[i] * (2 * (golden - floor(golden)) - 1));
}

static void take(struct play *play, const struct hs_step *step, uint64_t wrong)
{
    size_t i = step->item;
    double seconds = step->timed ? 2 : draw(play, i);
    struct hs_step_outcome outcome = {.seconds = {&seconds, 1, 1},
                                      .stage_seconds = {1 + (double)i},
                                      .wrong_elements = wrong,
                                      .cost_seconds = seconds};

    play->prepared[i] += step->prepare;
    if (step->timed) {
        play->elapsed += play->seconds[i];
    } else {
        play->elapsed += seconds;
        play->samples[i]++;
        play->verified[i] += step->verify;
        play->order[play->steps++] = i;
        assert_true(play->steps < 4000);
    }
    assert_int_equal(hs_race_tell(&play->race, step, &outcome, NULL), HS_OK);
}

/* Until the end; `wrong` is the arm whose data is wrong, or 99. */
static void play_to_end(struct play *play, size_t wrong)
{
    for (;;) {
        struct hs_step step = hs_race_next(&play->race, play->elapsed);

        if (step.end)
            return;
        take(play, &step, step.verify && step.item == wrong ? 5 : 0);
    }
}

static void rounds_take_turns(void **state)
{
    struct play play = begin(1000);

    (void)state;
    add(&play, "library", 3, 0.3);
    add(&play, "8", 2, 0.3);
    add(&play, "2x4", 2, 0.3);
    play_to_end(&play, 99);
    for (size_t i = 0; i < 24; i++)
        assert_int_equal(play.order[i], i % 3);
    hs_race_release(&play.race);
}

static void prepared_once_verified_first_and_last(void **state)
{
    struct play play = begin(1000);

    (void)state;
    add(&play, "8", 2, 0);
    add(&play, "2x4", 2, 0);
    play_to_end(&play, 99);
    for (size_t i = 0; i < 2; i++) {
        const struct hs_arm *item = &play.race.items[i];

        assert_int_equal(play.prepared[i], 1);
        assert_int_equal(play.verified[i], 2);
        assert_int_equal(item->session.verified_at, item->seconds.count);
        assert_int_equal(item->ending, HS_ENDING_PRECISE);
        /* Eight equal samples are precise; the ninth closes. */
        assert_int_equal(item->seconds.count, 9);
    }
    hs_race_release(&play.race);
}

static void slow_plan_is_raced_out(void **state)
{
    struct play play = begin(100000);

    (void)state;
    add(&play, "library", 20, 0.3);
    add(&play, "8", 10, 0.3);
    add(&play, "2x4", 2, 0.3);
    play_to_end(&play, 99);
    assert_int_equal(play.race.items[1].ending, HS_ENDING_RACED);
    assert_int_equal(play.samples[1], 9);
    assert_int_equal(hs_race_dropped(&play.race), 1);
    /* A baseline is there to compare with, however slow. */
    assert_int_equal(play.race.items[0].ending, HS_ENDING_FULL);
    assert_int_equal(play.samples[0], 100);
    assert_ptr_equal(hs_race_best(&play.race), &play.race.items[2]);
    hs_race_release(&play.race);
}

static void overlapping_plans_stay(void **state)
{
    struct play play = begin(100000);

    (void)state;
    add(&play, "8", 2.1, 0.3);
    add(&play, "2x4", 2, 0.3);
    play_to_end(&play, 99);
    assert_int_equal(hs_race_dropped(&play.race), 0);
    assert_int_equal(play.race.items[0].ending, HS_ENDING_FULL);
    hs_race_release(&play.race);
}

static void budget_is_kept(void **state)
{
    struct play play = begin(60);

    (void)state;
    add(&play, "library", 1, 0.5);
    add(&play, "8", 1, 0.5);
    add(&play, "2x4", 1, 0.5);
    play_to_end(&play, 99);
    assert_true(play.elapsed <= 60);
    assert_true(play.elapsed >= 50);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(play.race.items[i].ending, HS_ENDING_SPENT);
        assert_int_equal(play.race.items[i].status, HS_MEASURE_OK);
    }
    hs_race_release(&play.race);
}

static void slow_one_does_not_eat_the_time(void **state)
{
    struct play play = begin(60);

    (void)state;
    add(&play, "library", 10, 0.5);
    add(&play, "8", 0.5, 0.5);
    add(&play, "2x4", 0.5, 0.5);
    play_to_end(&play, 99);
    assert_true(play.samples[0] <= 3);
    assert_true(play.samples[1] >= 30);
    assert_true(play.elapsed <= 61);
    hs_race_release(&play.race);
}

static void no_time_skips(void **state)
{
    struct play play = begin(5);

    (void)state;
    add(&play, "library", 6, 0);
    add(&play, "8", 6, 0);
    play_to_end(&play, 99);
    assert_int_equal(play.samples[0], 1);
    assert_int_equal(play.race.items[1].status, HS_MEASURE_SKIPPED);
    assert_has(play.race.items[1].reason, "time");
    hs_race_release(&play.race);
}

static void wrong_data_ends_it(void **state)
{
    struct play play = begin(1000);

    (void)state;
    add(&play, "8", 2, 0);
    add(&play, "2x4", 1, 0);
    play_to_end(&play, 1);
    assert_int_equal(play.race.items[1].status, HS_MEASURE_WRONG);
    assert_int_equal(play.race.items[1].wrong_elements, 5);
    assert_int_equal(play.samples[1], 1);
    assert_ptr_equal(hs_race_best(&play.race), &play.race.items[0]);
    hs_race_release(&play.race);
}

static void failing_plan_is_left_out(void **state)
{
    struct play play = begin(1000);

    (void)state;
    add(&play, "8", 2, 0);
    add(&play, "2x4", 1, 0);
    hs_race_fault(&play.race, 1, HS_MEASURE_FAILED, "no memory");
    play_to_end(&play, 99);
    assert_int_equal(play.samples[1], 0);
    assert_int_equal(play.samples[0], 9);
    assert_int_equal(hs_race_done(&play.race), 2);
    hs_race_release(&play.race);
}

static void layers_of_plans_only(void **state)
{
    struct play play = begin(1000);

    (void)state;
    play.race.rules.layer_runs = 3;
    add(&play, "library", 1, 0);
    add(&play, "8", 2, 0);
    add(&play, "2x4", 2, 0);
    play_to_end(&play, 99);
    assert_int_equal(play.race.items[0].layers.runs, 0);
    assert_int_equal(play.race.items[1].layers.runs, 3);
    assert_int_equal(play.race.items[2].layers.runs, 3);
    assert_near(hs_samples_median(&play.race.items[2].layers.stages[0].seconds), 3, 0);
    /* 2x4 has an allgather in its first layer, the flat split has none. */
    assert_int_equal(play.race.items[2].layers.count, 3);
    assert_int_equal(play.race.items[2].layers.stages[2].key.phase, HS_ALLGATHER);
    assert_int_equal(play.race.items[2].layers.stages[2].key.layer.size, 2);
    assert_near(hs_samples_median(&play.race.items[2].layers.stages[2].seconds), 0, 0);
    assert_int_equal(play.race.items[1].layers.count, 1);
    hs_race_release(&play.race);
}

static void one_sample_is_enough_when_asked(void **state)
{
    struct play play = begin(1000);

    (void)state;
    play.race.rules.min_samples = play.race.rules.max_samples = 1;
    add(&play, "8", 2, 0.3);
    play_to_end(&play, 99);
    assert_int_equal(play.samples[0], 1);
    assert_int_equal(play.verified[0], 1);
    hs_race_release(&play.race);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("arms are sampled in turn, one run each per round", rounds_take_turns),
    HS_TEST("each is prepared once, and verified at its first and last sample",
            prepared_once_verified_first_and_last),
    HS_TEST("a plan whose interval lies above the best's is dropped, a baseline is not",
            slow_plan_is_raced_out),
    HS_TEST("plans whose intervals overlap are not dropped", overlapping_plans_stay),
    HS_TEST("the budget is kept, and used", budget_is_kept),
    HS_TEST("a slow arm does not eat the time of the others", slow_one_does_not_eat_the_time),
    HS_TEST("who does not get a turn is skipped, with the reason", no_time_skips),
    HS_TEST("wrong data ends a plan, which is then never the best", wrong_data_ends_it),
    HS_TEST("a plan that failed is left out", failing_plan_is_left_out),
    HS_TEST("layer times are taken of plans, with one allgather less than layers",
            layers_of_plans_only),
    HS_TEST("one sample is enough where one is asked for", one_sample_is_enough_when_asked),
};

HS_TEST_MAIN(tests)
