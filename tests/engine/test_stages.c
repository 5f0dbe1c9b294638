/* Where blocks lie: equal, in order, and on whole lines of a GPU's memory where that costs little.
 */
#include "../test.h"

#include "engine/stages.h"

#define RANKS 24
#define BYTES ((size_t)64 << 20)
#define WIDTH 2 /* bfloat16 */
#define LINE  (128 / WIDTH)

static struct hs_task task_of(const char *text, size_t count)
{
    struct hs_task task = {.kind = HS_TASK_PLAN, .count = count};
    struct hs_error err;

    assert_int_equal(hs_plan_parse(&task.plan, text, RANKS, &err), HS_OK);
    return task;
}

/* Pointers of all ranks' calls that do not lie on a line; all blocks have the size that they say.
 */
static int misaligned(const char *text, size_t count)
{
    struct hs_task task = task_of(text, count);
    struct hs_work work = {.task = &task, .line = LINE};
    struct hs_stages stages;
    int found = 0;

    for (int rank = 0; rank < RANKS; rank++) {
        hs_stages_init(&stages, &work, rank);
        for (int chunk = 0; chunk < stages.chunks; chunk++)
            for (int layer = 0; layer < stages.layers; layer++)
                found += hs_stages_block(&stages, layer, chunk).first * WIDTH % 128 != 0;
    }
    return found;
}

/* 64 MiB of bfloat16 among 24 ranks: without alignment 16 to 128 pointers lie off 16 bytes. */
static void blocks_lie_on_lines(void **state)
{
    static const char *const plans[] = {"24", "24/3", "3x8", "6x4", "12x2", "3x8/4", "2x3x4/5"};

    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
        assert_int_equal(misaligned(plans[i], BYTES / WIDTH), 0);
}

static void padding_stays_small(void **state)
{
    (void)state;
    for (size_t count = 1; count < (size_t)1 << 22; count = count * 3 / 2 + 1) {
        struct hs_task task = task_of("2x3x4/2", count);
        size_t padded = hs_task_padded(&task, LINE);

        assert_true(padded >= count && padded % 6 == 0);
        assert_true(padded < count + 6 || padded - count <= count / 16);
        assert_true(padded <= hs_task_padded_most(count, RANKS, LINE));
    }
}

/* 5 and 8 elements on 2 x 12 ranks: there is no room for lines, so as little as ever travels. */
static void short_messages_are_not_padded_to_lines(void **state)
{
    struct hs_task odd = task_of("2x12", 5), even = task_of("2x12", 8), flat = task_of("24", 5),
                   halves = task_of("24hr", 5);

    (void)state;
    assert_int_equal(hs_task_padded(&odd, LINE), 6);
    assert_int_equal(hs_task_padded(&even, LINE), 8);
    assert_int_equal(hs_task_padded(&flat, LINE), 5);
    assert_int_equal(hs_task_padded(&halves, LINE), 24); /* equal blocks on the last layer, too */
}

/* Chunks meet, and cover what travels. */
static void chunks_cover_the_message(void **state)
{
    struct hs_task task = task_of("3x8/7", 1000003);
    struct hs_work work = {.task = &task, .line = LINE};
    struct hs_stages stages;
    size_t at = 0;

    (void)state;
    hs_stages_init(&stages, &work, 5);
    for (int chunk = 0; chunk < stages.chunks; chunk++) {
        struct hs_block block = hs_stages_block(&stages, 0, chunk);

        assert_int_equal(block.first, at);
        at += block.count;
    }
    assert_int_equal(at, stages.padded);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("calls begin on whole lines of memory", blocks_lie_on_lines),
    HS_TEST("padding is below the product of the layers or a 16th of the message",
            padding_stays_small),
    HS_TEST("short messages are not padded to lines", short_messages_are_not_padded_to_lines),
    HS_TEST("chunks cover the message", chunks_cover_the_message),
};
HS_TEST_MAIN(tests)
