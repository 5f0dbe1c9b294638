/*
 * What a calibration must show on published times: Table II of Ueno and Yokota, CCGRID 2019, each
 * split predicted from the layers of the nine others.
 */
#include "systems.h"

#include "base/statistics.h"
#include "estimate/calibration.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"

#define MIB 1048576.0

struct points {
    struct hs_fit_point items[4096];
    size_t count;
};

/* ---- Table II of Ueno and Yokota, CCGRID 2019: 128 MiB over 128 GPUs, bus bandwidth of each layer
 * in MB/s. ---- */

static const struct published {
    const char *split;
    double busbw[4];
} table2[] = {
    {"128", {11547.97}},
    {"4x32", {83446.91, 4348.85}},
    {"4x4x8", {85237.64, 4229.91, 4121.85}},
    {"4x8x4", {85956.47, 4648.48, 3766.94}},
    {"4x16x2", {81777.71, 4140.13, 2375.11}},
    {"4x4x4x2", {81196.07, 4188.34, 3417.55, 3285.54}},
    {"4x8x2x2", {83191.72, 4640.75, 2705.13, 3063.70}},
    {"8x16", {11343.85, 4463.43}},
    {"8x4x4", {11239.52, 4551.33, 4011.04}},
    {"8x4x2x2", {11362.74, 4366.68, 2978.18, 3195.68}},
};
#define SPLITS HS_COUNT(table2)

/* Adds the layers of one published split; returns its time, the sum over them. */
static double add_published(struct points *points, const struct published *row)
{
    struct hs_split split;
    struct hs_error err = {0};
    double sum = 0;

    assert_status_is(hs_split_parse(&split, row->split, 128, &err), HS_OK, &err);
    for (int i = 0; i < split.count; i++) {
        struct hs_layer layer = hs_split_layer(&split, i);
        double p = (double)layer.size, bytes = 128 * MIB / (double)layer.stride;
        double seconds = 2 * (p - 1) / p * bytes / (row->busbw[i] * 1e6);

        points->items[points->count++] = (struct hs_fit_point){
            .key = {i + 1 == split.count ? HS_ALLREDUCE : HS_PAIR, HS_RING, layer},
            .np = 128,
            .bytes = bytes,
            .seconds = seconds,
            .noise = NAN,
        };
        sum += seconds;
    }
    return sum;
}

/* Predicts row `left_out` from the layers of the others. */
static double predict_left_out(size_t left_out)
{
    static struct points points;
    struct hs_system system;
    struct hs_error err = {0};
    double seconds;

    points.count = 0;
    assert_status_is(hs_system_load(&system, "configs/abci.json", &err), HS_OK, &err);
    for (size_t i = 0; i < SPLITS; i++)
        if (i != left_out)
            add_published(&points, &table2[i]);
    assert_status_is(hs_calibrate(&system, points.items, points.count, NULL, NULL, &err), HS_OK,
                     &err);
    seconds = plan_seconds(&system, table2[left_out].split, 128 * MIB);
    hs_system_release(&system);
    return seconds;
}

static void published_splits_are_predicted_from_the_layers_of_the_others(void **state)
{
    static struct points unused;
    double measured[SPLITS], predicted[SPLITS], mean = 0, worst = 0;
    size_t winner = 0;

    (void)state;
    for (size_t i = 0; i < SPLITS; i++) {
        double error;

        unused.count = 0;
        measured[i] = add_published(&unused, &table2[i]);
        predicted[i] = predict_left_out(i);
        error = predicted[i] / measured[i] - 1;
        mean += fabs(error) / (double)SPLITS;
        worst = fmax(worst, fabs(error));
        if (predicted[i] < predicted[winner])
            winner = i;
        print_message("# %-8s measured %.2f ms, predicted %.2f ms, %+.1f %%\n", table2[i].split,
                      1e3 * measured[i], 1e3 * predicted[i], 100 * error);
    }
    print_message("# mean %.2f %%, worst %.2f %%, tau %.2f, winner %s\n", 100 * mean, 100 * worst,
                  hs_kendall_tau(measured, predicted, SPLITS), table2[winner].split);
    assert_true(mean <= 0.03);
    assert_true(worst <= 0.08);
    assert_true(hs_kendall_tau(measured, predicted, SPLITS) >= 0.8);
    assert_string_equal(table2[winner].split, "4x8x4");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("published splits are predicted from the layers of the others",
            published_splits_are_predicted_from_the_layers_of_the_others),
};
HS_TEST_MAIN(tests)
