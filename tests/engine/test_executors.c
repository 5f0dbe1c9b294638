/*
 * test_executors.c - every algorithm among ranks that are all in this process, one step of a
 * random one after the other.
 *
 * The transport is this file's. It moves a message at some random moment after both sides know of
 * it, or takes it from the sender at once, and fills the buffer of a posted receive with rubbish
 * until then. The memory is the host's, and one that works later than it is told to, as a GPU does,
 * whose messages must be in scratch memory, or need not. So what is read too early, written too
 * early, or depends on timing comes out.
 */
#include <malloc.h>

#include "test.h"

#include "engine/executors.h"
#include "engine/layer_comms.h"
#include "links/packing.h"

#include "order_reference.h"

#define RANKS_MAX    33
#define MESSAGES_MAX 262144
#define WORK_MAX     16384
#define TAG          5

/* ---- chance ---- */

static uint64_t chance_state;

static unsigned chance(unsigned sides)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (unsigned)(chance_state >> 33) % sides;
}

/* ---- the transport ---- */

struct message {
    int from, to;
    size_t bytes;
    const char *source; /* NULL: not sent yet */
    char *target;       /* NULL: not posted yet */
    char *taken;        /* a copy made when it was sent; else NULL */
    bool moved;
    int next; /* between the same ranks, as a number; 0: none yet */
};

static struct message messages[MESSAGES_MAX];
static int message_count,
    messages_left; /* left: -1: no end; else the transport fails behind them */

struct rank {
    struct hs_transport transport;
    void *machine;
    char *input, *output, *scratch;
    bool through;
};

static struct rank ranks[RANKS_MAX];
static size_t scratch_bytes;

static int rank_of(const struct hs_transport *transport)
{
    return (int)((const struct rank *)(const void *)transport - ranks);
}

/* Staged memory is for queues alone. */
static void check_buffer(const struct hs_transport *transport, const char *data, size_t bytes)
{
    const struct rank *rank = &ranks[rank_of(transport)];

    if (!transport->memory->direct)
        assert_true(data >= rank->scratch && data + bytes <= rank->scratch + scratch_bytes);
}

static bool fails(struct hs_transport *transport)
{
    if (transport->status == HS_OK && messages_left == 0)
        transport->status = hs_fail(&transport->error, HS_FAILED, "the wire is cut");
    return transport->status != HS_OK;
}

/* Between two ranks: the next that is sent, and that is received, the newest; 0: none. */
static struct {
    int unsent, unposted, last;
} pairs[RANKS_MAX][RANKS_MAX];

static void forget_messages(void)
{
    memset(pairs, 0, sizeof(pairs));
    message_count = 1;
}

static struct message *add_message(int from, int to)
{
    int number = message_count++;

    assert_true(number < MESSAGES_MAX);
    messages[number] = (struct message){.from = from, .to = to};
    if (pairs[from][to].last > 0)
        messages[pairs[from][to].last].next = number;
    pairs[from][to].last = number;
    if (messages_left > 0)
        messages_left--;
    return &messages[number];
}

/* The oldest message that the other side alone knows of, or a new one. */
static struct message *match(int from, int to, bool sends)
{
    int *mine = sends ? &pairs[from][to].unsent : &pairs[from][to].unposted;
    int *theirs = sends ? &pairs[from][to].unposted : &pairs[from][to].unsent;
    struct message *message;

    if (*mine == 0) {
        message = add_message(from, to);
        if (*theirs == 0)
            *theirs = (int)(message - messages);
        return message;
    }
    message = &messages[*mine];
    *mine = message->next;
    return message;
}

/* A request is the number of its message, twice, and one where it is the sender's. */
static MPI_Request request_of(const struct message *message, bool sends)
{
    return (MPI_Request)(intptr_t)(2 * (message - messages) + sends);
}

void hs_transport_send(struct hs_transport *transport, const void *data, size_t bytes, int to,
                       int tag, MPI_Request *request)
{
    struct message *message;

    *request = MPI_REQUEST_NULL;
    if (fails(transport))
        return;
    assert_int_equal(tag, TAG);
    check_buffer(transport, data, bytes);
    message = match(rank_of(transport), to, true);
    assert_true(bytes > 0 && (!message->target || message->bytes == bytes));
    message->bytes = bytes;
    message->source = data;
    if (chance(3) == 0) {
        message->taken = malloc(bytes);
        assert_non_null(message->taken);
        memcpy(message->taken, data, bytes);
    }
    *request = request_of(message, true);
}

void hs_transport_receive(struct hs_transport *transport, void *data, size_t bytes, int from,
                          int tag, MPI_Request *request)
{
    struct message *message;

    *request = MPI_REQUEST_NULL;
    if (fails(transport))
        return;
    assert_int_equal(tag, TAG);
    check_buffer(transport, data, bytes);
    message = match(from, rank_of(transport), false);
    assert_true(bytes > 0 && (!message->source || message->bytes == bytes));
    message->bytes = bytes;
    message->target = data;
    memset(data, 0x5a, bytes);
    *request = request_of(message, false);
}

void hs_transport_watch(struct hs_transport *transport, MPI_Request *request)
{
    (void)transport;
    (void)request;
}

bool hs_transport_test(struct hs_transport *transport, MPI_Request *request)
{
    struct message *message;
    bool sends;

    if (fails(transport) || *request == MPI_REQUEST_NULL)
        return true;
    message = &messages[(intptr_t)*request / 2];
    sends = (intptr_t)*request % 2;
    if (!message->moved && message->source && message->target && chance(2) == 0) {
        memcpy(message->target, message->taken ? message->taken : message->source, message->bytes);
        free(message->taken);
        message->taken = NULL;
        message->moved = true;
    }
    if (!message->moved && !(sends && message->taken))
        return false;
    *request = MPI_REQUEST_NULL;
    return true;
}

/* The library's own collectives are not here: every other algorithm is (tests/runner). */
void hs_transport_note(struct hs_transport *transport, int code, const char *call)
{
    (void)transport, (void)code, (void)call;
}

void hs_transport_note_queue(struct hs_transport *transport, const struct hs_queue *queue)
{
    (void)transport, (void)queue;
}

/* ---- memory that works later ---- */

struct work {
    char *to;
    const char *a, *b; /* b NULL: a copy */
    size_t count;      /* elements, or bytes of a copy */
    struct hs_reduction reduction;
    int mark; /* -1: none */
};

struct hs_queue {
    struct work work[WORK_MAX];
    int put, done;
    int marks[2 * HS_LANES_MAX]; /* work put before it, not done */
};

static enum hs_status queue_new(struct hs_queue **out, int marks, struct hs_error *err)
{
    assert_true(marks <= 2 * HS_LANES_MAX);
    *out = calloc(1, sizeof(**out));
    return *out ? HS_OK : hs_no_memory(err);
}

static void queue_free(struct hs_queue *queue)
{
    free(queue);
}

static void put(struct hs_queue *queue, struct work work)
{
    assert_true(queue->put - queue->done < WORK_MAX);
    queue->work[queue->put++ % WORK_MAX] = work;
}

static void do_next(struct hs_queue *queue)
{
    const struct work *work = &queue->work[queue->done++ % WORK_MAX];

    if (work->b)
        hs_reduce(work->to, work->a, work->b, work->count, work->reduction);
    else
        memcpy(work->to, work->a, work->count);
}

static void copy(struct hs_queue *queue, void *to, const void *from, size_t bytes)
{
    put(queue, (struct work){.to = to, .a = from, .count = bytes});
}

static void reduce(struct hs_queue *queue, void *dst, const void *a, const void *b, size_t count,
                   struct hs_reduction reduction)
{
    put(queue, (struct work){dst, a, b, count, reduction, -1});
}

static void mark(struct hs_queue *queue, int number)
{
    queue->marks[number] = queue->put;
}

static bool passed(struct hs_queue *queue, int number)
{
    if (queue->done < queue->put && chance(2) == 0)
        do_next(queue);
    return queue->done >= queue->marks[number];
}

static void wait(struct hs_queue *queue)
{
    while (queue->done < queue->put)
        do_next(queue);
}

static struct hs_memory late_memory(bool direct)
{
    struct hs_memory memory = hs_memory_host;

    memory.direct = direct;
    memory.queue_new = queue_new;
    memory.queue_free = queue_free;
    memory.copy = copy;
    memory.reduce = reduce;
    memory.mark = mark;
    memory.passed = passed;
    memory.wait = wait;
    return memory;
}

/* ---- a job ---- */

struct job {
    enum hs_algorithm algorithm;
    enum hs_phase phase;
    int size; /* of the only group, at stride 1; or with `stride`, of `stride` groups */
    int stride;
    size_t count;
    struct hs_reduction reduction;
    bool in_place;
    const struct hs_memory *memory;
    size_t segment_bytes;
    int lanes;
    int messages_left; /* 0: without end */
};

static const struct job usual = {.stride = 1,
                                 .reduction = {HS_FLOAT32, HS_SUM, 0},
                                 .memory = &hs_memory_host,
                                 .segment_bytes = 256,
                                 .lanes = 3};

static size_t width_of(const struct job *job)
{
    return hs_datatype_bytes(job->reduction.datatype);
}

/* Elements that lie together in what each place of an exchange gives to another: all of them, a
 * few, or most. */
static size_t run_of(const struct job *job)
{
    size_t share = job->count / (size_t)job->size, factor = 2;

    while (factor < share && share % factor)
        factor++;
    return job->size % 3 == 0 || share < 2 ? share : job->size % 3 == 1 ? factor : share / factor;
}

static struct hs_layer layer_of(const struct job *job)
{
    return (struct hs_layer){job->stride, job->size};
}

static const struct hs_executor *executor_of(const struct job *job)
{
    return hs_executor_of((struct hs_stage_key){job->phase, job->algorithm, layer_of(job)});
}

/* Part of rank r: small whole numbers, which every type holds. */
static double part_of(int r, size_t i)
{
    return (double)((r * 7 + (int)(i % 1009) * 3) % 5) - 1;
}

/* What it has of an exchange: few are alike, and bfloat16 holds them. */
static double element_of(const struct job *job, int r, size_t i)
{
    return job->phase == HS_EXCHANGE ? (double)((r * 37 + (int)(i % 1009) * 11) % 241)
                                     : part_of(r, i);
}

static void put_value(char *to, enum hs_datatype datatype, double value)
{
    const float narrow = (float)value;
    uint32_t bits;
    uint16_t half;

    memcpy(&bits, &narrow, sizeof(bits));
    switch (datatype) {
    case HS_FLOAT64:
        memcpy(to, &value, sizeof(value));
        return;
    case HS_FLOAT32:
        memcpy(to, &narrow, sizeof(narrow));
        return;
    case HS_FLOAT16: /* whole numbers of few bits, by their exponent and mantissa */
        half = (uint16_t)((bits >> 16 & 0x8000) |
                          (value == 0 ? 0 : ((bits >> 13 & 0x3ffff) - (112u << 10)) & 0x7fff));
        memcpy(to, &half, sizeof(half));
        return;
    case HS_BFLOAT16:
    case HS_DATATYPE_COUNT:
        break;
    }
    half = (uint16_t)(bits >> 16);
    memcpy(to, &half, sizeof(half));
}

/* Whose block element i of a buffer is in. */
static int place_at(const struct job *job, size_t i)
{
    return (int)(i / (job->count / (size_t)job->size));
}

/* ---- trees ---- */

/* A random tree of `size` places as `parents` (packing.h), by a chance of its own: every rank asks
 * for the same. */
static void grow_tree(int *parents, int size, int root, uint64_t *seed)
{
    int order[RANKS_MAX];

    for (int i = 0; i < size; i++)
        order[i] = i;
    order[0] = root;
    order[root] = 0;
    for (int i = 1; i < size; i++) {
        int other, kept = order[i];

        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        other = i + (int)(*seed >> 33) % (size - i);
        order[i] = order[other];
        order[other] = kept;
        parents[order[i]] = order[(*seed >> 20) % (uint64_t)i];
    }
    parents[root] = -1;
}

/* One to three trees of each root; of an allreduce as many of any roots. Some have nothing. */
static const struct hs_packing *packing_of(const struct job *job)
{
    static struct hs_tree trees[3 * RANKS_MAX];
    static struct hs_packing packings[RANKS_MAX + 1][HS_PAIR];
    struct hs_packing *packing = &packings[job->size][job->phase];
    uint64_t seed = (uint64_t)job->size * 31 + (uint64_t)job->phase;
    bool all = job->phase == HS_ALLREDUCE;
    size_t each = 1 + (size_t)job->size % 3;

    if (packing->count > 0)
        return packing;
    packing->phase = job->phase;
    packing->units = job->size;
    packing->seconds_per_byte = 1e-6; /* slow: as many segments as fit */
    for (size_t i = 0; i < (all ? each : each * (size_t)job->size); i++) {
        struct hs_tree *tree = &trees[i];

        tree->root = all ? (int)(i * 5) % job->size : (int)(i / each);
        tree->share = each == 1 ? 1 : i % each == 0 ? 0.25 : 0.75 / (double)(each - 1);
        grow_tree(tree->up, job->size, tree->root, &seed);
        grow_tree(tree->down, job->size, tree->root, &seed);
        packing->count++;
    }
    packing->trees = malloc(packing->count * sizeof(trees[0]));
    assert_non_null(packing->trees);
    memcpy(packing->trees, trees, packing->count * sizeof(trees[0]));
    return packing;
}

static struct hs_executor_call call_of(const struct job *job, int r)
{
    return (struct hs_executor_call){
        .phase = job->phase,
        .layer = {job->stride, job->size},
        .rank = r,
        .tag = TAG,
        .input = ranks[r].input,
        .output = ranks[r].output,
        .count = job->count,
        .run = run_of(job),
        .packing = hs_algorithms[job->algorithm]->on_links ? packing_of(job) : NULL,
        .reduction = job->reduction};
}

/* An allgather finds its own block in the output, of everything else there is rubbish. */
static void fill(const struct job *job, int r)
{
    size_t width = width_of(job), bytes = job->count * width;
    struct rank *rank = &ranks[r];
    int own = hs_layer_place((struct hs_layer){job->stride, job->size}, r);

    rank->input = malloc(bytes + 1);
    rank->output = job->in_place ? rank->input : malloc(bytes + 1);
    assert_true(rank->input && rank->output);
    memset(rank->output, 0xa5, bytes);
    for (size_t i = 0; i < job->count; i++)
        put_value(rank->input + i * width, job->reduction.datatype, element_of(job, r, i));
    for (size_t i = 0; i < job->count && job->phase == HS_ALLGATHER; i++) {
        if (place_at(job, i) != own)
            memset(rank->output + i * width, 0xa5, width);
        else
            put_value(rank->output + i * width, job->reduction.datatype, element_of(job, r, i));
    }
}

static void set_up(const struct job *job)
{
    struct hs_executor_options options = {job->segment_bytes, job->lanes, SIZE_MAX,
                                          job->phase != HS_ALLGATHER, NULL};
    struct hs_error err;

    forget_messages();
    messages_left = job->messages_left > 0 ? job->messages_left : -1;
    scratch_bytes = hs_executor_scratch_bytes(job->memory, &options);
    for (int r = 0; r < job->size * job->stride; r++) {
        ranks[r] = (struct rank){.transport.memory = job->memory};
        fill(job, r);
        options.scratch = ranks[r].scratch = malloc(scratch_bytes);
        assert_non_null(options.scratch);
        assert_int_equal(
            executor_of(job)->make(&ranks[r].machine, &ranks[r].transport, &options, &err), HS_OK);
    }
}

static void clear(const struct job *job)
{
    for (int r = 0; r < job->size * job->stride; r++) {
        executor_of(job)->release(ranks[r].machine);
        if (!job->in_place)
            free(ranks[r].output);
        free(ranks[r].input);
        free(ranks[r].scratch);
    }
    for (int i = 1; i < message_count; i++)
        free(messages[i].taken);
}

/* Random ranks get their turns until all are through. False: nothing moves any more. */
static bool drive(const struct job *job)
{
    const struct hs_executor *executor = executor_of(job);
    int np = job->size * job->stride, left = np, idle = 0;
    bool moved;

    for (int r = 0; r < np; r++) {
        struct hs_executor_call call = call_of(job, r);

        executor->start(ranks[r].machine, &call);
        ranks[r].through = false;
    }
    while (left > 0 && idle < 20000 * np) {
        struct rank *rank = &ranks[chance((unsigned)np)];

        moved = false;
        if (!rank->through && executor->progress(rank->machine, &moved)) {
            rank->through = true;
            left--;
        }
        idle = moved ? 0 : idle + 1;
    }
    return left == 0;
}

static int first_of_group(const struct job *job, int r)
{
    return hs_layer_rank((struct hs_layer){job->stride, job->size}, r, 0);
}

/* Runs of place 0, of place 1, to the last, and again: what the place that element i of rank r's
 * output is of had there, in the runs for r's place. */
static double exchanged(const struct job *job, int r, size_t i)
{
    size_t run = run_of(job), size = (size_t)job->size, from = i / run % size;
    size_t own = (size_t)hs_layer_place(layer_of(job), r);

    return element_of(job, hs_layer_rank(layer_of(job), r, (int)from), i - from * run + own * run);
}

/* What element i of the outputs in rank r's group has to be, where the parts are whole numbers; of
 * an exchange rank r's own. */
static double expected(const struct job *job, int r, size_t i)
{
    double sum = job->reduction.operation == HS_MAX ? -100 : 0;
    int first = first_of_group(job, r);

    if (job->phase == HS_ALLGATHER)
        return part_of(first + place_at(job, i) * job->stride, i);
    if (job->phase == HS_EXCHANGE)
        return exchanged(job, r, i);
    for (int k = 0; k < job->size; k++) {
        double part = part_of(first + k * job->stride, i);

        sum = job->reduction.operation != HS_MAX ? sum + part : part > sum ? part : sum;
    }
    return job->reduction.divisor > 0 ? sum / (double)job->reduction.divisor : sum;
}

/* Of rank r's output, what the phase leaves there; its bytes, from *first on. */
static size_t result_of(const struct job *job, int r, size_t *first)
{
    size_t bytes = job->count * width_of(job), block = bytes / (size_t)job->size;

    *first = 0;
    if (job->phase != HS_REDUCE_SCATTER)
        return bytes;
    *first = (size_t)hs_layer_place((struct hs_layer){job->stride, job->size}, r) * block;
    return block;
}

static void check_rank(const struct job *job, int r, const char *want, char *own)
{
    size_t width = width_of(job), first, bytes = result_of(job, r, &first);

    if (memcmp(want + first, ranks[r].output + first, bytes) != 0)
        fail_msg("%s of %d by %s, %zu elements: rank %d has a wrong result",
                 hs_phase_names[job->phase], job->size, hs_algorithm_names[job->algorithm],
                 job->count, r);
    if (job->in_place)
        return;
    for (size_t i = 0; i < job->count; i++)
        put_value(own + i * width, job->reduction.datatype, element_of(job, r, i));
    if (memcmp(own, ranks[r].input, job->count * width) != 0)
        fail_msg("%s of %d by %s changed its input", hs_phase_names[job->phase], job->size,
                 hs_algorithm_names[job->algorithm]);
}

/* Every element of every run that is to be, and all between them as it was. */
static void check_results(const struct job *job)
{
    size_t width = width_of(job);
    char *want = malloc(job->count * width + 1), *own = malloc(job->count * width + 1);

    assert_true(want && own);
    /* Of a group all ranks are to have the same, but of an exchange. */
    for (int first = 0; first < job->stride; first++)
        for (int r = first; r < job->size * job->stride; r += job->stride) {
            for (size_t i = 0; i < job->count && (r == first || job->phase == HS_EXCHANGE); i++)
                put_value(want + i * width, job->reduction.datatype, expected(job, r, i));
            check_rank(job, r, want, own);
        }
    free(want);
    free(own);
}

static void check_job(const struct job *job)
{
    set_up(job);
    if (!drive(job))
        fail_msg("%s of %d by %s, %zu elements: stands still", hs_phase_names[job->phase],
                 job->size, hs_algorithm_names[job->algorithm], job->count);
    check_results(job);
    clear(job);
}

/* All algorithms, phases, ways to give the buffers, and counts: from a few blocks of nothing to
 * several segments of every block. */
static void check_size(struct job job, const size_t *counts, size_t how_many)
{
    for (int a = 0; a < HS_NATIVE; a++)
        for (int phase = 0; phase < HS_PAIR; phase++) {
            job.algorithm = (enum hs_algorithm)a;
            job.phase = (enum hs_phase)phase;
            if (!hs_stage_possible(
                    (struct hs_stage_key){job.phase, job.algorithm, {job.stride, job.size}}))
                continue;
            for (size_t i = 0; i < 2 * how_many; i++) {
                job.in_place = i % 2 && phase != HS_EXCHANGE;
                job.count = phase == HS_ALLREDUCE
                                ? counts[i / 2]
                                : counts[i / 2] / (size_t)job.size * (size_t)job.size;
                check_job(&job);
            }
        }
}

/* All sizes below twice `few`, where that is asked for below `few`, and those about 32. */
static void check_all_sizes(struct job job, int few)
{
    chance_state = 88172645463325252u;
    for (job.size = 1; job.size <= RANKS_MAX; job.size++) {
        const size_t size = (size_t)job.size;
        const size_t counts[] = {0, 1, size - 1, 1009, 150 * size + 7};

        if (job.size >= (hs_tests_quick() ? few : 2 * few - 1) && job.size < 31)
            continue;
        check_size(job, counts, sizeof(counts) / sizeof(counts[0]));
    }
}

static void is_right_in_host_memory(void **state)
{
    (void)state;
    check_all_sizes(usual, 31);
}

static void check_late_memory(bool direct)
{
    struct hs_memory memory = late_memory(direct);
    struct job job = usual;

    job.memory = &memory;
    check_all_sizes(job, 9);
}

static void is_right_in_late_memory(void **state)
{
    (void)state;
    check_late_memory(true);
}

static void is_right_through_staging(void **state)
{
    (void)state;
    check_late_memory(false);
}

/* Blocks are packed where slots are large, and cut where they are small. */
static void is_right_with_any_slots(void **state)
{
    static const size_t segments[] = {64, 128, 1024, 65536};
    static const size_t counts[] = {5, 5000};
    struct hs_memory staged = late_memory(false);
    struct job job = usual;

    (void)state;
    chance_state = 1;
    for (int size = 2; size <= 19; size += size > 8 ? 5 : 1)
        for (int i = 0; i < 8; i++) {
            job.memory = i % 2 ? &staged : &hs_memory_host;
            job.size = size;
            job.segment_bytes = segments[i / 2];
            job.lanes = 1 + (i + size) % 4;
            check_size(job, counts, size < 8 ? 2 : 1);
        }
}

static void every_type_and_operation_is_right(void **state)
{
    static const size_t counts[] = {1009};
    struct job job = usual;

    (void)state;
    chance_state = 2;
    for (int type = 0; type < HS_DATATYPE_COUNT; type++)
        for (int operation = 0; operation < HS_OPERATION_COUNT; operation++)
            for (job.size = 3; job.size <= 9; job.size++) {
                job.reduction =
                    (struct hs_reduction){(enum hs_datatype)type, (enum hs_operation)operation, 0};
                check_size(job, counts, 1);
            }
}

/* Sums of 8 or 4 small whole numbers divide without a rest in every type. */
static void averages_divide_once(void **state)
{
    static const size_t counts[] = {3, 1009};
    struct job job = usual;

    (void)state;
    chance_state = 3;
    job.phase = HS_ALLREDUCE;
    for (int type = 0; type < HS_DATATYPE_COUNT; type++)
        for (int a = 0; a < HS_NATIVE; a++)
            for (int i = 0; i < 4; i++) {
                job.algorithm = (enum hs_algorithm)a;
                job.size = i < 2 ? 4 : 8;
                job.count = counts[i % 2];
                job.reduction = (struct hs_reduction){(enum hs_datatype)type, HS_AVERAGE, job.size};
                check_job(&job);
            }
}

/* The second half's machines take the place of the first's, and find the outputs as these left
 * them. */
static void gather_by(struct job *job, enum hs_algorithm algorithm)
{
    struct hs_executor_options options = {job->segment_bytes, job->lanes, SIZE_MAX, false, NULL};
    struct hs_error err;

    for (int r = 0; r < job->size; r++) {
        executor_of(job)->release(ranks[r].machine);
        options.scratch = ranks[r].scratch;
        assert_int_equal(
            hs_executors[algorithm]->make(&ranks[r].machine, &ranks[r].transport, &options, &err),
            HS_OK);
    }
    forget_messages();
    job->algorithm = algorithm;
    job->phase = HS_ALLGATHER;
}

/* As a layer with two letters has it, in every size, where sums are divided, too. */
static void check_halves(struct job job, enum hs_algorithm gathering)
{
    job.phase = HS_REDUCE_SCATTER;
    set_up(&job);
    if (!drive(&job))
        fail_msg("reduce-scatter of %d stands still", job.size);
    gather_by(&job, gathering);
    if (!drive(&job))
        fail_msg("allgather of %d stands still", job.size);
    job.phase = HS_ALLREDUCE;
    check_results(&job);
    clear(&job);
}

static void two_algorithms_make_an_allreduce(void **state)
{
    struct job job = usual;

    (void)state;
    chance_state = 10;
    for (job.size = 2; job.size <= RANKS_MAX; job.size++)
        for (int pair = 0; pair < HS_NATIVE * HS_NATIVE; pair++) {
            struct hs_layer layer = {1, job.size};
            struct hs_stage_key out = {HS_REDUCE_SCATTER, (enum hs_algorithm)(pair / HS_NATIVE),
                                       layer};
            struct hs_stage_key in = {HS_ALLGATHER, (enum hs_algorithm)(pair % HS_NATIVE), layer};

            if (!hs_stage_possible(out) || !hs_stage_possible(in))
                continue;
            job.algorithm = out.algorithm;
            job.count = (size_t)job.size * (pair % 2 ? 61 : 3);
            job.in_place = pair % 2;
            job.reduction = (struct hs_reduction){HS_FLOAT64, HS_AVERAGE,
                                                  (job.size & (job.size - 1)) == 0 ? job.size : 0};
            check_halves(job, in.algorithm);
        }
}

static void groups_of_a_layer_do_not_meet(void **state)
{
    static const size_t counts[] = {1, 1009};
    struct job job = usual;

    (void)state;
    chance_state = 4;
    for (job.size = 2; job.size <= 9; job.size += 1)
        for (job.stride = 2; job.stride * job.size <= RANKS_MAX && job.stride < 5; job.stride++)
            check_size(job, counts, 2);
}

/* An allreduce by one algorithm, or by the reduce-scatter of one and the allgather of another, of
 * parts that differ much in magnitude. */
static void run_parts(struct job job, enum hs_algorithm gathering, uint64_t seed)
{
    bool halves = gathering != job.algorithm;

    job.phase = halves ? HS_REDUCE_SCATTER : HS_ALLREDUCE;
    chance_state = seed;
    set_up(&job);
    for (int r = 0; r < job.size; r++)
        for (size_t i = 0; i < job.count; i++)
            order_put(ranks[r].input + i * width_of(&job), job.reduction.datatype,
                      order_part(job.reduction.datatype, r, i));
    assert_true(drive(&job));
    if (!halves)
        return;
    gather_by(&job, gathering);
    assert_true(drive(&job));
}

/* Twice, with other timing: on all ranks the bits of the order that is said. */
static void check_bits(const struct job *job, enum hs_algorithm gathering)
{
    enum hs_datatype datatype = job->reduction.datatype;
    size_t width = width_of(job), bytes = job->count * width;
    struct hs_plan plan = {.split = hs_split_flat(job->size), .chunks = 1};
    struct job last = *job; /* whose machines there are in the end */
    char *want = malloc(bytes);

    assert_non_null(want);
    plan.algorithms[0][0] = (unsigned char)job->algorithm;
    for (size_t i = 0; i < job->count; i++)
        order_put(want + i * width, datatype,
                  order_of_plan(&plan, datatype, job->reduction.operation, job->count, i));
    for (uint64_t seed = 5; seed < 100000; seed += 77772) {
        run_parts(*job, gathering, seed);
        for (int r = 0; r < job->size; r++)
            if (memcmp(want, ranks[r].output, bytes) != 0)
                fail_msg("%s of %s of %d by %s and %s: rank %d has other bits",
                         hs_operation_names[job->reduction.operation], hs_datatype_names[datatype],
                         job->size, hs_algorithm_names[job->algorithm],
                         hs_algorithm_names[gathering], r);
        last.algorithm = gathering;
        clear(&last);
    }
    free(want);
}

/* A rank is a whole run behind the others by chance: drive gives turns at random. */
static void bits_do_not_depend_on_timing(void **state)
{
    struct job job = usual;

    (void)state;
    for (job.size = 2; job.size <= 16; job.size++)
        for (int i = 0; i < HS_DATATYPE_COUNT * HS_NATIVE * HS_NATIVE; i++) {
            enum hs_algorithm gathering = (enum hs_algorithm)(i / HS_NATIVE % HS_NATIVE);

            job.algorithm = (enum hs_algorithm)(i % HS_NATIVE);
            job.reduction.datatype = (enum hs_datatype)(i / HS_NATIVE / HS_NATIVE);
            job.reduction.operation = (enum hs_operation)((i + job.size) % HS_OPERATION_COUNT);
            job.reduction.divisor = job.reduction.operation == HS_AVERAGE ? job.size : 0;
            job.count = (size_t)job.size * 144; /* whole blocks, of several segments */
            if (!hs_algorithms[job.algorithm]->on_links && !hs_algorithms[gathering]->on_links &&
                (gathering == job.algorithm || (job.algorithm != HS_TREE && gathering != HS_TREE)))
                check_bits(&job, gathering);
        }
}

/* What a forest's ranks have is in an order that its trees say, and no time. */
static void forests_have_the_same_bits(void **state)
{
    struct job job = usual;

    (void)state;
    job.algorithm = HS_FOREST;
    for (job.size = 2; job.size <= 16; job.size++)
        for (int type = 0; type < HS_DATATYPE_COUNT; type++) {
            size_t bytes;
            char *first;

            job.count = (size_t)job.size * 144;
            job.reduction.datatype = (enum hs_datatype)type;
            bytes = job.count * width_of(&job);
            first = malloc(bytes);
            assert_non_null(first);
            for (uint64_t seed = 5; seed < 300000; seed += 77772) {
                run_parts(job, HS_FOREST, seed);
                if (seed == 5)
                    memcpy(first, ranks[0].output, bytes);
                for (int r = 0; r < job.size; r++)
                    assert_memory_equal(first, ranks[r].output, bytes);
                job.phase = HS_ALLREDUCE;
                clear(&job);
            }
            free(first);
        }
}

static void a_machine_is_used_again(void **state)
{
    struct job job = usual;

    (void)state;
    chance_state = 6;
    job.phase = HS_ALLREDUCE;
    job.size = 6;
    for (int a = 0; a < HS_NATIVE; a++) {
        job.algorithm = (enum hs_algorithm)a;
        job.count = 1009;
        set_up(&job);
        assert_true(drive(&job));
        forget_messages();
        job.count = 13;
        assert_true(drive(&job));
        check_results(&job);
        job.count = 1009;
        clear(&job);
    }
}

static void a_failed_transport_comes_out(void **state)
{
    struct job job = usual;

    (void)state;
    chance_state = 7;
    job.phase = HS_ALLREDUCE;
    job.size = 5;
    job.count = 1009;
    for (int a = 0; a < HS_NATIVE; a++)
        for (job.messages_left = 1; job.messages_left < 20; job.messages_left += 3) {
            job.algorithm = (enum hs_algorithm)a;
            set_up(&job);
            assert_true(drive(&job));
            assert_int_equal(ranks[0].transport.status, HS_FAILED);
            clear(&job);
        }
}

/* Messages that left a rank, all of them and those to the rank `to`. */
static size_t sent_by(int from, int to, size_t *bytes)
{
    size_t count = 0;

    *bytes = 0;
    for (int i = 1; i < message_count; i++)
        if (messages[i].from == from && (to < 0 || messages[i].to == to)) {
            *bytes += messages[i].bytes;
            count++;
        }
    return count;
}

/* With a segment for each: blocks of 1 KiB, of which halving packs all of a step. */
static void traffic_is_as_promised(void **state)
{
    struct job job = usual;
    size_t bytes;

    (void)state;
    chance_state = 8;
    job.segment_bytes = 65536;
    job.phase = HS_REDUCE_SCATTER;
    for (job.size = 2; job.size <= RANKS_MAX; job.size++) {
        int steps = 0, p = job.size;

        while (1 << steps < p)
            steps++;
        job.count = (size_t)p * 256;
        job.algorithm = HS_HALVING;
        set_up(&job);
        assert_true(drive(&job));
        assert_int_equal(sent_by(p - 1, -1, &bytes), steps);
        assert_int_equal(bytes, (p - 1) * 1024);
        for (int k = 0; k < steps; k++) {
            int to = (p & (p - 1)) == 0 ? (p - 1) ^ 1 << k : p - 1 - (1 << k);

            sent_by(p - 1, to, &bytes);
            assert_int_equal(bytes, (p - 1 + (1 << k)) / (1 << (k + 1)) * 1024);
        }
        clear(&job);
        job.algorithm = HS_DIRECT;
        set_up(&job);
        assert_true(drive(&job));
        for (int to = 0; to < p - 1; to++)
            assert_int_equal(sent_by(p - 1, to, &bytes) * 10000 + bytes, 10000 + 1024);
        clear(&job);
    }
}

/* By hand: 8 places are 0 - 4 - {2, 6} - {1, 3, 5, 7}; of 6, place 5 hangs on 4. */
static void trees_are_in_order(void **state)
{
    static const int parents8[] = {-1, 2, 4, 2, 0, 6, 4, 6}, parents6[] = {-1, 2, 4, 2, 0, 4};
    struct job job = usual;
    size_t bytes;

    (void)state;
    chance_state = 9;
    job.algorithm = HS_TREE;
    job.phase = HS_ALLREDUCE;
    job.count = 256;
    job.segment_bytes = 65536;
    for (job.size = 6; job.size <= 8; job.size += 2) {
        set_up(&job);
        assert_true(drive(&job));
        for (int r = 1; r < job.size; r++) {
            int parent = job.size == 8 ? parents8[r] : parents6[r];

            assert_int_equal(sent_by(r, parent, &bytes), 1);
            assert_int_equal(bytes, 1024);
            assert_int_equal(sent_by(parent, r, &bytes), 1);
        }
        assert_int_equal(message_count - 1, 2 * (job.size - 1));
        clear(&job);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("every phase by every algorithm is right for 1 to 33 ranks", is_right_in_host_memory),
    HS_TEST("every phase is right in memory that works later", is_right_in_late_memory),
    HS_TEST("every phase is right through staging memory", is_right_through_staging),
    HS_TEST("every phase is right with slots of any size", is_right_with_any_slots),
    HS_TEST("every type and operation is right", every_type_and_operation_is_right),
    HS_TEST("an average is divided once", averages_divide_once),
    HS_TEST("a reduce-scatter and an allgather by any two algorithms make an allreduce",
            two_algorithms_make_an_allreduce),
    HS_TEST("groups of a layer do not meet", groups_of_a_layer_do_not_meet),
    HS_TEST("results are the same bits on all ranks and whatever the timing",
            bits_do_not_depend_on_timing),
    HS_TEST("a forest's results are the same bits whatever the timing", forests_have_the_same_bits),
    HS_TEST("a machine is used again", a_machine_is_used_again),
    HS_TEST("a failed transport comes out", a_failed_transport_comes_out),
    HS_TEST("halving and direct exchange send as many bytes as far as they say",
            traffic_is_as_promised),
    HS_TEST("a tree is in order", trees_are_in_order),
};

int main(void)
{
    /* Jobs ask for the same memory some 100,000 times: the heap keeps it. */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    return hs_run_tests(tests);
}
