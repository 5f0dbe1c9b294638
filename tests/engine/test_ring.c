/*
 * The ring over messages that are played: all ranks in one process, in turns.
 *
 * A message moves when both sides have posted it and chance will have it, and neither side is done
 * before. What a rank receives into is spoiled from the moment it posts the receive, as MPI may do.
 */
#include "engine/executors.h"
#include "model/traffic.h"
#include "test.h"

#define RANKS_MAX    33
#define MESSAGES_MAX 65536

struct message {
    const char *from;
    char *to;
    size_t bytes;
    bool moved;
};

/* What each rank sends to the next, in order. */
static struct network {
    struct message *messages; /* [RANKS_MAX][MESSAGES_MAX] */
    int sent[RANKS_MAX], received[RANKS_MAX], moved[RANKS_MAX];
    unsigned random;
    int rank;       /* whose turn it is */
    int most, size; /* receives posted and not through */
    bool is_held;   /* nothing moves */
} net;

static struct message *message_of(int sender, int index)
{
    assert_true(index < MESSAGES_MAX);
    return &net.messages[sender * MESSAGES_MAX + index];
}

static int request_of(const MPI_Request *request)
{
    int number;

    memcpy(&number, request, sizeof(number));
    return number;
}

static void set_request(MPI_Request *request, int sender, int index)
{
    int number = sender * MESSAGES_MAX + index;

    memset(request, 0, sizeof(*request));
    memcpy(request, &number, sizeof(number));
}

void hs_transport_send(struct hs_transport *transport, const void *data, size_t bytes, int to,
                       int tag, MPI_Request *request)
{
    struct message *message = message_of(net.rank, net.sent[net.rank]);

    (void)transport, (void)tag;
    assert_int_equal(to, (net.rank + 1) % net.size);
    if (message->to)
        assert_int_equal(message->bytes, bytes);
    message->from = data;
    message->bytes = bytes;
    set_request(request, net.rank, net.sent[net.rank]++);
}

void hs_transport_receive(struct hs_transport *transport, void *data, size_t bytes, int from,
                          int tag, MPI_Request *request)
{
    struct message *message = message_of(from, net.received[from]);

    (void)transport, (void)tag;
    assert_int_equal(from, (net.rank + net.size - 1) % net.size);
    if (message->from)
        assert_int_equal(message->bytes, bytes);
    memset(data, 0xa5, bytes);
    message->to = data;
    message->bytes = bytes;
    set_request(request, from, net.received[from]++);
    if (net.received[from] - net.moved[from] > net.most)
        net.most = net.received[from] - net.moved[from];
}

/* One in three messages that could move does. */
void hs_transport_watch(struct hs_transport *transport, MPI_Request *request)
{
    (void)transport;
    (void)request;
}

bool hs_transport_test(struct hs_transport *transport, MPI_Request *request)
{
    int number = request_of(request), sender = number / MESSAGES_MAX;

    (void)transport;
    if (*request == MPI_REQUEST_NULL)
        return true;
    while (!net.is_held && net.moved[sender] < net.sent[sender] &&
           net.moved[sender] < net.received[sender] && rand_r(&net.random) % 3 == 0) {
        struct message *message = message_of(sender, net.moved[sender]++);

        memcpy(message->to, message->from, message->bytes);
        message->moved = true;
    }
    return net.messages[number].moved;
}

void hs_transport_note(struct hs_transport *transport, int code, const char *call)
{
    (void)transport, (void)code, (void)call;
}

void hs_transport_note_queue(struct hs_transport *transport, const struct hs_queue *queue)
{
    (void)transport, (void)queue;
}

void hs_transport_launch(struct hs_transport *transport)
{
    (void)transport;
}

/* One call on all ranks. */
struct play {
    int size;
    enum hs_phase phase;
    size_t count, segment_bytes, flight_bytes; /* flight_bytes 0: no end */
    int lanes;
    bool in_place, staged;
};

static struct hs_memory staged_memory(void)
{
    struct hs_memory memory = hs_memory_host;

    memory.direct = false;
    return memory;
}

static float part_of(int rank, size_t i)
{
    return (float)(((unsigned)rank * 7919u + (unsigned)i * 31u) % 1000u); /* sums are exact */
}

/* What element i of the message is afterwards. */
static float expected(const struct play *play, size_t i)
{
    float sum = 0;

    if (play->phase == HS_ALLGATHER)
        return part_of((int)(i / (play->count / (size_t)play->size)), i);
    for (int rank = 0; rank < play->size; rank++)
        sum += part_of(rank, i);
    return sum;
}

struct rank {
    void *machine;
    char *scratch;
    float *input, *output;
    bool done;
};

static void begin(struct rank *rank, int number, struct hs_transport *transport,
                  const struct play *play)
{
    struct hs_executor_options options = {.segment_bytes = play->segment_bytes,
                                          .flight_bytes =
                                              play->flight_bytes ? play->flight_bytes : SIZE_MAX,
                                          .lanes = play->lanes,
                                          .reduces = play->phase != HS_ALLGATHER};
    size_t block = play->count / (size_t)play->size;
    struct hs_executor_call call = {.phase = play->phase,
                                    .layer = {1, play->size},
                                    .rank = number,
                                    .count = play->count,
                                    .reduction = {HS_FLOAT32, HS_SUM, 0}};

    rank->done = false;
    rank->input = calloc(play->count + 1, sizeof(*rank->input));
    rank->output = play->in_place ? rank->input : calloc(play->count + 1, sizeof(*rank->output));
    for (size_t i = 0; i < play->count; i++)
        rank->input[i] = part_of(number, i);
    if (play->phase == HS_ALLGATHER && !play->in_place)
        memcpy(rank->output + block * (size_t)number, rank->input + block * (size_t)number,
               block * sizeof(*rank->input));
    rank->scratch = malloc(hs_executor_scratch_bytes(transport->memory, &options) + 1);
    options.scratch = rank->scratch;
    assert_int_equal(hs_executor_RING.make(&rank->machine, transport, &options, NULL), HS_OK);
    call.input = rank->input;
    call.output = rank->output;
    hs_executor_RING.start(rank->machine, &call);
}

static void check(const struct rank *rank, int number, const struct play *play)
{
    size_t block = play->count / (size_t)play->size, first = 0, end = play->count;

    if (play->phase == HS_REDUCE_SCATTER) {
        first = block * (size_t)number;
        end = first + block;
    }
    for (size_t i = first; i < end; i++)
        if (rank->output[i] != expected(play, i))
            fail_msg("size %d phase %d count %zu segment %zu lanes %d%s%s: rank %d element %zu",
                     play->size, play->phase, play->count, play->segment_bytes, play->lanes,
                     play->in_place ? " in place" : "", play->staged ? " staged" : "", number, i);
}

/* To the end, ranks in turns; a rank that moves nothing for long is stuck. Returns the most
 * receives that any rank had posted at once. */
static int play_it(const struct play *play)
{
    struct hs_memory staged = staged_memory();
    struct hs_transport transport = {.memory = play->staged ? &staged : &hs_memory_host};
    struct rank ranks[RANKS_MAX];
    int left = play->size;

    memset(net.messages, 0, (size_t)play->size * MESSAGES_MAX * sizeof(*net.messages));
    memset(net.sent, 0, sizeof(net.sent));
    memset(net.received, 0, sizeof(net.received));
    memset(net.moved, 0, sizeof(net.moved));
    net.most = 0;
    net.size = play->size;
    for (net.rank = 0; net.rank < play->size; net.rank++)
        begin(&ranks[net.rank], net.rank, &transport, play);
    for (int turn = 0; left > 0; turn++) {
        bool moved;

        if (turn > 2000000)
            fail_msg("size %d phase %d count %zu lanes %d: stuck", play->size, play->phase,
                     play->count, play->lanes);
        net.rank = rand_r(&net.random) % play->size;
        if (!ranks[net.rank].done && hs_executor_RING.progress(ranks[net.rank].machine, &moved)) {
            ranks[net.rank].done = true;
            left--;
        }
    }
    for (int rank = 0; rank < play->size; rank++) {
        check(&ranks[rank], rank, play);
        hs_executor_RING.release(ranks[rank].machine);
        free(ranks[rank].scratch);
        free(ranks[rank].input);
        if (!play->in_place)
            free(ranks[rank].output);
    }
    return net.most;
}

static int set_up(void **state)
{
    (void)state;
    net.messages = malloc(RANKS_MAX * MESSAGES_MAX * sizeof(*net.messages));
    net.random = 1;
    return net.messages ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(net.messages);
    return 0;
}

/* Blocks of less than a segment, of some, and of so many that the slots are short. */
static void every_size_is_right_however_late_messages_are(void **state)
{
    static const size_t per_rank[] = {1, 16, 200, 1500};

    (void)state;
    for (int size = 2; size <= RANKS_MAX; size++)
        for (int phase = HS_REDUCE_SCATTER; phase <= HS_ALLREDUCE; phase++)
            for (unsigned variant = 0; variant<16; variant += size> 9 ? 3 : 1) {
                struct play play = {.size = size,
                                    .phase = (enum hs_phase)phase,
                                    .count = per_rank[variant % 4] * (size_t)size +
                                             (phase == HS_ALLREDUCE ? variant : 0),
                                    .segment_bytes = variant % 4 == 3 ? 256 : 1024,
                                    .flight_bytes = variant % 3 == 1 ? 512 : 0,
                                    .lanes = 1 + (int)(variant + (unsigned)size) % 5,
                                    .in_place = variant & 4,
                                    .staged = variant & 8};

                play_it(&play);
            }
}

/* One lane: a step is a message. Blocks as long as a segment leave room for two slots alone. */
static void short_blocks_have_eight_steps_under_way_and_long_ones_one(void **state)
{
    struct play play = {
        .size = 12, .phase = HS_ALLREDUCE, .count = 12 * 16, .segment_bytes = 1024, .lanes = 1};

    (void)state;
    for (int staged = 0; staged < 2; staged++) {
        play.staged = staged;
        play.count = 12 * 16;
        assert_int_equal(play_it(&play), HS_RING_DEPTH);
        play.count = 12 * 256;
        assert_int_equal(play_it(&play), 1);
    }
}

/* Segments of 64 bytes, four to a block. */
static void no_more_is_under_way_than_flight_bytes_or_a_set_of_lanes(void **state)
{
    struct play play = {
        .size = 12, .phase = HS_ALLREDUCE, .count = 12 * 64, .segment_bytes = 64, .lanes = 4};
    const int plenty = play_it(&play);

    (void)state;
    assert_int_equal(plenty, 4);  /* the slots are for two sets of the longest segments */
    play.segment_bytes = 1 << 20; /* short ones: of 64 KiB at least, so a block is one */
    play.lanes = 1;
    assert_int_equal(play_it(&play), HS_RING_DEPTH);
    play.flight_bytes = 3 * 256;
    assert_int_equal(play_it(&play), 3);
    play.flight_bytes = 1;
    assert_int_equal(play_it(&play), 1);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("every size is right however late messages are",
            every_size_is_right_however_late_messages_are),
    HS_TEST("short blocks have eight steps under way and long ones one",
            short_blocks_have_eight_steps_under_way_and_long_ones_one),
    HS_TEST("no more is under way than asked for, or a set of lanes",
            no_more_is_under_way_than_flight_bytes_or_a_set_of_lanes),
};

int main(void)
{
    hs_tests_to_stdout();
    return cmocka_run_group_tests(tests, set_up, tear_down) == 0 ? 0 : 1;
}
