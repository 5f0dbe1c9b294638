#include "graphs.h"
#include "systems.h"

#include "links/messages.h"
#include "model/traffic.h"

#define LATENCY 5e-6
#define RATE    10e9

/* A level of links, each as late. */
static struct hs_level level_of(struct hs_links links)
{
    return (struct hs_level){.fabric = HS_FABRIC_LINKS,
                             .arity = links.units,
                             .latency_seconds = LATENCY,
                             .links = links};
}

static double played(const struct hs_play *play)
{
    struct hs_played played;

    assert_int_equal(hs_play(&played, play, NULL), HS_OK);
    assert_true(played.latency_seconds + played.moving_seconds <= played.seconds * (1 + 1e-9));
    return played.seconds;
}

/* ---- messages by themselves: links 0 and 1, ways over one of them or both ---- */

static const int link_numbers[] = {0, 1};
static const struct hs_play_way ways[] = {{link_numbers, 1, LATENCY, 0},
                                          {link_numbers + 1, 1, LATENCY, 0},
                                          {link_numbers, 2, 2 * LATENCY, 0}};
static const double two_rates[] = {RATE, RATE / 4};

static struct hs_play_message sent(int from, int to, int way, double bytes)
{
    return (struct hs_play_message){.from = from,
                                    .to = to,
                                    .way = way,
                                    .sent_behind = -1,
                                    .posted_behind = -1,
                                    .used_behind = -1,
                                    .bytes = bytes};
}

static double seconds_of(const struct hs_play_message *messages, size_t count)
{
    return played(&(struct hs_play){.ways_each = 1,
                                    .messages = messages,
                                    .count = count,
                                    .ways = ways,
                                    .way_count = HS_COUNT(ways),
                                    .rates = two_rates,
                                    .link_count = HS_COUNT(two_rates),
                                    .units = 4});
}

static void one_message_takes_its_latency_and_its_bytes(void **state)
{
    struct hs_play_message one = sent(0, 1, 0, 1e6);

    (void)state;
    assert_near(seconds_of(&one, 1), LATENCY + 1e6 / RATE, 1e-12);
}

/* The bytes of one move while the other's latency runs. */
static void messages_to_one_unit_follow_each_other(void **state)
{
    struct hs_play_message two[] = {sent(0, 1, 0, 1e6), sent(0, 1, 0, 2e6)};

    (void)state;
    assert_near(seconds_of(two, 2), LATENCY + 3e6 / RATE, 1e-12);
}

static void what_is_handed_on_waits_for_what_comes(void **state)
{
    struct hs_play_message two[] = {sent(0, 1, 0, 1e6), sent(1, 2, 1, 1e6)};

    (void)state;
    two[1].sent_behind = 0;
    assert_near(seconds_of(two, 2), 2 * LATENCY + 1e6 / RATE + 4e6 / RATE, 1e-12);
}

/* Three over the wide link, one of them on over the narrow one, of which it gets all: the other two
 * share what it leaves. */
static void links_are_shared_fairly(void **state)
{
    struct hs_play_message three[] = {sent(0, 1, 0, 3e6), sent(2, 1, 0, 3e6), sent(3, 1, 2, 2e6)};

    (void)state;
    three[1].uses = 1;
    three[2].uses = 2;
    assert_near(seconds_of(three, 3), 2 * LATENCY + 8e6 / RATE, 1e-12);
    three[2].bytes = 0.5e6; /* through after 2e6 / RATE, when each of the others has 2.25e6 left */
    assert_near(seconds_of(three, 3), LATENCY + 2e6 / RATE + 4.5e6 / RATE, 1e-12);
}

static void short_messages_leave_apart(void **state)
{
    struct hs_play_message many[5];

    (void)state;
    for (int i = 0; i < 5; i++)
        many[i] = sent(0, i % 3 + 1, 0, 8);
    assert_near(seconds_of(many, 5), 4 * HS_MESSAGE_SECONDS + 8 / RATE + LATENCY, 1e-9);
}

/* A receive is posted when what lies there has left, and nothing moves before. */
static void nothing_moves_that_is_not_expected(void **state)
{
    struct hs_play_message two[] = {sent(1, 2, 1, 1e6), sent(0, 1, 0, 1e6)};

    (void)state;
    two[1].posted_behind = 0;
    assert_near(seconds_of(two, 2), 4e6 / RATE + 1e6 / RATE + LATENCY, 1e-12);
    two[1].posted_behind = -1;
    assert_near(seconds_of(two, 2), 4e6 / RATE + LATENCY, 1e-12);
}

/* What is expected once a second message has left waits for the first one, too, which is longer. */
static void what_has_left_is_counted_in_order(void **state)
{
    struct hs_play_message three[] = {sent(1, 2, 0, 40e6), sent(1, 3, 1, 1e6), sent(0, 1, 1, 1e6)};

    (void)state;
    three[2].posted_behind = 1;
    assert_near(seconds_of(three, 3), 40e6 / RATE + 4e6 / RATE + LATENCY, 1e-12);
}

/* So many are under way that the next waits for the first to leave, though it has another way. */
static void windows_are_full(void **state)
{
    struct hs_play_message many[HS_WINDOW_MAX + 1];

    (void)state;
    for (int i = 0; i < HS_WINDOW_MAX; i++)
        many[i] = sent(0, 1, 0, 1e6);
    many[HS_WINDOW_MAX] = sent(0, 2, 1, 100e6);
    assert_near(seconds_of(many, HS_WINDOW_MAX + 1), 1e6 / RATE + 400e6 / RATE + LATENCY, 1e-12);
}

/* Over a link each, in flows of their own; over one link they share it; on one way one waits. */
static void two_ways_from_one_to_another_move_at_once(void **state)
{
    static const struct hs_play_way apart[] = {{link_numbers, 1, LATENCY, 0},
                                               {link_numbers + 1, 1, LATENCY, 1}};
    struct hs_play_message two[] = {sent(0, 1, 0, 4e6), sent(0, 1, 1, 1e6)};
    struct hs_play play = {.ways_each = 2,
                           .messages = two,
                           .count = 2,
                           .ways = apart,
                           .way_count = 2,
                           .rates = two_rates,
                           .link_count = 2,
                           .units = 2};

    (void)state;
    two[0].sends = two[0].uses = 0;
    two[1].sends = two[1].uses = 2;
    assert_near(played(&play), HS_MESSAGE_SECONDS + 4e6 / RATE + LATENCY, 1e-9);
    two[1].way = 0;
    two[1].bytes = 4e6;
    assert_near(played(&play), 8e6 / RATE + LATENCY, 1e-9);
}

/* ---- algorithms, whose times are known where every two units have a link ---- */

typedef enum hs_status make_function(struct hs_messages *, const struct hs_level *, enum hs_phase,
                                     double, struct hs_error *);

static double algorithm_seconds(make_function *make, int units, enum hs_phase phase, double bytes)
{
    struct hs_level level = level_of(mesh(units, RATE));
    struct hs_messages messages;
    double seconds;

    assert_int_equal(make(&messages, &level, phase, bytes, NULL), HS_OK);
    seconds = played(&messages.play);
    hs_messages_release(&messages);
    hs_links_release(&level.links);
    return seconds;
}

/* p - 1 messages leave apart; all wait for all between the phases. */
static void direct_exchange_sends_one_block_to_each(void **state)
{
    (void)state;
    for (int p = 2; p <= 9; p++) {
        double block = 1e6, once = (p - 2) * HS_MESSAGE_SECONDS + LATENCY + block / RATE;

        assert_near(algorithm_seconds(hs_messages_of_direct, p, HS_ALLGATHER, p * block), once,
                    1e-9);
        assert_near(algorithm_seconds(hs_messages_of_direct, p, HS_REDUCE_SCATTER, p * block), once,
                    1e-9);
        assert_near(algorithm_seconds(hs_messages_of_direct, p, HS_ALLREDUCE, p * block), 2 * once,
                    1e-9);
    }
}

/* Step k has p / 2^(k + 1) blocks for a unit of its own: packed, each waits for the one before. */
static void halving_takes_a_latency_a_step(void **state)
{
    (void)state;
    for (int p = 4, steps = 2; p <= 16; p *= 2, steps++) {
        double block = 8192, once = steps * LATENCY + (p - 1) * block / RATE;

        assert_near(algorithm_seconds(hs_messages_of_halving, p, HS_ALLGATHER, p * block), once,
                    1e-9);
        assert_near(algorithm_seconds(hs_messages_of_halving, p, HS_REDUCE_SCATTER, p * block),
                    once, 1e-9);
        assert_near(algorithm_seconds(hs_messages_of_halving, p, HS_ALLREDUCE, p * block), 2 * once,
                    1e-9);
    }
}

/* A ring both ways: every unit sends n / (2 p) each way, p - 1 times, in so many segments that a
 * segment's time and the latency are passed once a hop. */
static void rings_go_around(void **state)
{
    struct hs_links links = graph_of(5, 0);
    struct hs_level level;
    struct hs_packing packing;
    double bytes = 50e6;

    (void)state;
    for (int u = 0; u < 5; u++)
        join(&links, u, (u + 1) % 5, 1, RATE);
    level = level_of(links);
    assert_int_equal(hs_packing_make_rings(&packing, &links, HS_ALLGATHER, NULL), HS_OK);
    assert_int_equal(packing.count, 10);
    for (int segments = 1; segments <= 16; segments *= 4) {
        struct hs_messages messages;
        double part = bytes / 10;

        assert_int_equal(hs_messages_of_trees(&messages, &level, &packing, bytes, segments, NULL),
                         HS_OK);
        assert_int_equal(messages.play.count, 10 * 4 * segments);
        assert_true(played(&messages.play) >= 4 * part / RATE + LATENCY &&
                    played(&messages.play) <=
                        4 * part / RATE + 4 * LATENCY + 3 * part / segments / RATE);
        hs_messages_release(&messages);
    }
    hs_packing_release(&packing);
    hs_links_release(&links);
}

/* What each link carries are the packing's loads, whatever the order; and nothing takes less. */
static void all_that_is_packed_is_sent(void **state)
{
    static const enum hs_phase phases[] = {HS_REDUCE_SCATTER, HS_ALLGATHER, HS_ALLREDUCE};
    struct hs_level level = level_of(dgx1(true));
    double loads[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
    double carried[HS_LINKS_VERTICES * HS_LINKS_VERTICES];

    (void)state;
    for (int p = 0; p < 3; p++) {
        struct hs_packing packing;
        struct hs_messages messages;

        assert_int_equal(hs_packing_make(&packing, &level.links, phases[p], NULL), HS_OK);
        assert_int_equal(hs_messages_of_trees(&messages, &level, &packing, 1e8, 7, NULL), HS_OK);
        hs_packing_loads(loads, &packing, &level.links);
        memset(carried, 0, sizeof(carried));
        for (size_t m = 0; m < messages.play.count; m++) {
            const struct hs_play_message *message = &messages.messages[m];
            const struct hs_play_way *way = &messages.ways[message->way];

            assert_true(message->sent_behind < (int)m && message->used_behind < (int)m);
            for (int l = 0; l < way->count; l++)
                carried[way->links[l]] += message->bytes;
        }
        for (int l = 0; l < 64; l++)
            assert_near(1 + carried[l], 1 + 1e8 * loads[l], 1e-9);
        assert_true(played(&messages.play) >= packing.seconds_per_byte * 1e8);
        hs_messages_release(&messages);
        hs_packing_release(&packing);
    }
    hs_links_release(&level.links);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a message takes its latency and its bytes",
            one_message_takes_its_latency_and_its_bytes),
    HS_TEST("messages to one unit follow each other", messages_to_one_unit_follow_each_other),
    HS_TEST("what is handed on waits for what comes", what_is_handed_on_waits_for_what_comes),
    HS_TEST("links are shared fairly", links_are_shared_fairly),
    HS_TEST("short messages leave apart", short_messages_leave_apart),
    HS_TEST("nothing moves that is not expected", nothing_moves_that_is_not_expected),
    HS_TEST("what has left is counted in order", what_has_left_is_counted_in_order),
    HS_TEST("windows are full", windows_are_full),
    HS_TEST("two ways from one to another move at once", two_ways_from_one_to_another_move_at_once),
    HS_TEST("direct exchange sends one block to each", direct_exchange_sends_one_block_to_each),
    HS_TEST("halving takes a latency a step", halving_takes_a_latency_a_step),
    HS_TEST("rings go around", rings_go_around),
    HS_TEST("all that is packed is sent", all_that_is_packed_is_sent),
};
HS_TEST_MAIN(tests)
