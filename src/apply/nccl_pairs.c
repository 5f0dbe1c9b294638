/* nccl_pairs.c - see nccl_pairs.h. */
#include "apply/nccl_pairs.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "apply/nccl_driver.h"
#include "apply/nccl_verify.h"

/* Kernels behind which a stream's queue is full for sure. */
#define QUEUE_KERNELS 1024

/* Calls that are alike. */
struct use {
    const struct hs_rule *rule; /* borrowed */
    uint64_t bytes;
    hs_nccl_type type;
    hs_nccl_operation operation;
    uint64_t number;  /* of them */
    uint64_t planned; /* of these by plan */
    bool loses;
    struct hs_pairs pairs; /* that this rank has timed; in so many the plan lost */
    uint64_t lost;
};

/* A pair under way: events around its first call and its second. */
struct timing {
    struct use *use; /* NULL: none */
    bool plan_first, full;
    void *events[4];
};
enum { TIMINGS = 32 };

/* What ranks add up of a use; seconds in nanoseconds, so that sums are the same everywhere. */
enum { PAIRS, LOST, WITH, WITHOUT, FIGURES };
#define TABLE_BYTES ((size_t)HS_NCCL_USES_MAX * FIGURES * sizeof(int64_t))

struct hs_nccl_pairs {
    const struct hs_nccl_driver *driver;
    struct use uses[HS_NCCL_USES_MAX];
    int use_count;
    struct timing timings[TIMINGS];
    int full;         /* of them, not looked at yet */
    uint64_t kernels; /* of calls that have a number, at least */
    struct {
        void *device;  /* of the GPU */
        int64_t *host; /* what goes there, and behind it what comes */
        void *event;
        bool under_way;
        int use_count;
        uint64_t due; /* of `kernels` */
    } sums;
    struct hs_nccl_pairs *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hs_nccl_pairs *all;
static struct hs_saving ended;

/* ---- begin and end ---- */

struct hs_nccl_pairs *hs_nccl_pairs_new(const struct hs_nccl_driver *driver)
{
    struct hs_nccl_pairs *pairs = calloc(1, sizeof(*pairs));

    if (!pairs)
        return NULL;
    pairs->driver = driver;
    pairs->sums.device = hs_nccl_memory_new(driver, TABLE_BYTES);
    pairs->sums.host = hs_nccl_host_new(driver, 2 * TABLE_BYTES);
    pairs->sums.event = hs_nccl_event_new(driver, false);
    pthread_mutex_lock(&lock);
    pairs->next = all;
    all = pairs;
    pthread_mutex_unlock(&lock);
    if (pairs->sums.device && pairs->sums.host && pairs->sums.event)
        return pairs;
    hs_nccl_pairs_free(pairs, true);
    return NULL;
}

static void add_uses(struct hs_saving *sum, const struct hs_nccl_pairs *pairs)
{
    for (int i = 0; i < pairs->use_count; i++)
        hs_saving_add_calls(sum, &pairs->uses[i].pairs, pairs->uses[i].planned);
}

struct hs_saving hs_nccl_saving(void)
{
    struct hs_saving sum;

    pthread_mutex_lock(&lock);
    sum = ended;
    for (const struct hs_nccl_pairs *at = all; at; at = at->next)
        add_uses(&sum, at);
    pthread_mutex_unlock(&lock);
    return sum;
}

/* What has passed of the pairs under way. */
static void look(struct hs_nccl_pairs *pairs)
{
    for (int i = 0; i < TIMINGS && pairs->full > 0; i++) {
        struct timing *timing = &pairs->timings[i];
        double first, second, with, without;

        if (!timing->use || !timing->full ||
            !hs_nccl_event_passed(pairs->driver, timing->events[3]))
            continue;
        if (hs_nccl_event_seconds(pairs->driver, &first, timing->events[0], timing->events[1]) &&
            hs_nccl_event_seconds(pairs->driver, &second, timing->events[2], timing->events[3])) {
            with = timing->plan_first ? first : second;
            without = timing->plan_first ? second : first;
            hs_pairs_add(&timing->use->pairs, with, without);
            timing->use->lost += with > without;
        }
        timing->use = NULL;
        timing->full = false;
        pairs->full--;
    }
}

void hs_nccl_pairs_free(struct hs_nccl_pairs *pairs, bool aborted)
{
    struct hs_nccl_pairs **at = &all;

    if (!pairs)
        return;
    hs_nccl_memory_free(pairs->driver, pairs->sums.device);
    hs_nccl_host_free(pairs->driver, pairs->sums.host);
    if (!aborted)
        look(pairs);
    hs_nccl_event_free(pairs->driver, pairs->sums.event);
    for (int i = 0; i < TIMINGS; i++)
        for (int k = 0; k < 4; k++)
            hs_nccl_event_free(pairs->driver, pairs->timings[i].events[k]);
    pthread_mutex_lock(&lock);
    while (*at != pairs)
        at = &(*at)->next;
    *at = pairs->next;
    add_uses(&ended, pairs);
    pthread_mutex_unlock(&lock);
    free(pairs);
}

/* ---- timing ---- */

/* NULL: there is no more room, on all ranks alike. */
static struct use *use_of(struct hs_nccl_pairs *pairs, const struct hs_rule *rule,
                          const struct hs_nccl_asked *asked, uint64_t bytes)
{
    struct use *use = pairs->uses;

    for (; use < pairs->uses + pairs->use_count; use++)
        if (use->rule == rule && use->bytes == bytes && use->type == asked->type &&
            use->operation == asked->operation)
            return use;
    if (pairs->use_count == HS_NCCL_USES_MAX)
        return NULL;
    pairs->use_count++;
    use->rule = rule;
    use->bytes = bytes;
    use->type = asked->type;
    use->operation = asked->operation;
    return use;
}

/* Where the first of a pair, or its second, is timed; NULL: it is not. */
static struct timing *timing_of(struct hs_nccl_pairs *pairs, struct use *use, bool second)
{
    struct timing *idle = NULL;

    for (int i = 0; i < TIMINGS; i++) {
        struct timing *timing = &pairs->timings[i];

        if (timing->use == use && !timing->full)
            return timing;
        if (!timing->use && !idle)
            idle = timing;
    }
    return second ? NULL : idle;
}

static bool record(const struct hs_nccl_driver *driver, void **event, hs_nccl_stream stream)
{
    if (!*event)
        *event = hs_nccl_event_new(driver, true);
    return *event && driver->event_record(*event, stream) == 0;
}

/* Before the call (0) or behind it (1). */
static struct timing *mark(const struct hs_nccl_family *family, struct timing *timing, bool second,
                           int behind, hs_nccl_stream stream)
{
    if (timing && !record(family->driver, &timing->events[2 * second + behind], stream)) {
        timing->use = NULL;
        return NULL;
    }
    return timing;
}

static hs_nccl_result carry_in_pair(struct hs_nccl_family *family, struct use *use,
                                    const struct hs_nccl_asked *asked, uint64_t number)
{
    const bool second = number % 2 == 1, left_out = hs_pairs_leave_out(number);
    struct timing *timing;
    hs_nccl_result result;

    timing = timing_of(family->memory.pairs, use, second);
    if (timing && !second) {
        timing->use = use;
        timing->plan_first = !left_out;
    }
    hs_nccl_order_before(family, asked->stream);
    timing = mark(family, timing, second, 0, asked->stream);
    result =
        left_out ? hs_nccl_call(&family->nccl, asked) : hs_nccl_carry(family, use->rule, asked);
    timing = mark(family, timing, second, 1, asked->stream);
    if (timing && second) {
        timing->full = true;
        family->memory.pairs->full++;
    }
    hs_nccl_order_after(family, asked->stream, result);
    return result;
}

/* ---- a plan that loses ---- */

static bool sums_are_due(uint64_t number)
{
    uint64_t third = number / 3;

    if (number > 3072)
        return number % 4096 == 3072;
    return number >= 96 && number % 3 == 0 && (third & (third - 1)) == 0;
}

/* On all ranks, whatever one of them cannot do. */
static hs_nccl_result add_up(struct hs_nccl_family *family, hs_nccl_stream stream)
{
    const struct hs_nccl_driver *driver = family->driver;
    struct hs_nccl_pairs *pairs = family->memory.pairs;
    const size_t count = (size_t)pairs->use_count * FIGURES, bytes = count * sizeof(int64_t);
    const struct hs_nccl_asked sum = {HS_COLLECTIVE_ALLREDUCE,
                                      pairs->sums.device,
                                      pairs->sums.device,
                                      count,
                                      (hs_nccl_type)HS_NCCL_INT64,
                                      (hs_nccl_operation)HS_NCCL_SUM,
                                      family->comm,
                                      stream};
    int64_t *from = pairs->sums.host, *to = from + count;
    hs_nccl_result result;
    bool good;

    look(pairs);
    for (int i = 0; i < pairs->use_count; i++) {
        const struct use *use = &pairs->uses[i];

        from[i * FIGURES + PAIRS] = (int64_t)use->pairs.count;
        from[i * FIGURES + LOST] = (int64_t)use->lost;
        from[i * FIGURES + WITH] = (int64_t)(1e9 * use->pairs.with);
        from[i * FIGURES + WITHOUT] = (int64_t)(1e9 * use->pairs.without);
    }
    hs_nccl_order_before(family, stream);
    good = hs_nccl_copy(driver, sum.to, from, bytes, stream);
    result = hs_nccl_call(&family->nccl, &sum);
    if (result != HS_NCCL_SUCCESS)
        return result;
    good = hs_nccl_copy(driver, to, sum.to, bytes, stream) && good;
    good = driver->event_record(pairs->sums.event, stream) == 0 && good;
    hs_nccl_order_after(family, stream, result);
    pairs->sums.under_way = true;
    pairs->sums.use_count = pairs->use_count;
    pairs->sums.due = pairs->kernels + QUEUE_KERNELS;
    return good ? result : (hs_nccl_result)HS_NCCL_CUDA_ERROR;
}

/* All ranks have the same sums. False: the communicator ended meanwhile. */
static bool judge(struct hs_nccl_family *family)
{
    struct hs_nccl_pairs *pairs = family->memory.pairs;
    const int64_t *sums = pairs->sums.host + (size_t)pairs->sums.use_count * FIGURES;
    const double ranks = family->size;

    while (!hs_nccl_event_passed(pairs->driver, pairs->sums.event)) {
        if (family->ended)
            return false;
        usleep(HS_NCCL_WAIT_MICROSECONDS);
    }
    pairs->sums.under_way = false;
    for (int i = 0; i < pairs->sums.use_count; i++, sums += FIGURES)
        pairs->uses[i].loses =
            pairs->uses[i].loses ||
            hs_pairs_lose((double)sums[PAIRS] / ranks, (double)sums[LOST] / ranks,
                          (double)sums[WITH], (double)sums[WITHOUT]);
    return true;
}

/* ---- calls ---- */

static hs_nccl_result carry_by_library(struct hs_nccl_family *family,
                                       const struct hs_nccl_asked *asked)
{
    hs_nccl_result result;

    hs_nccl_order_before(family, asked->stream);
    result = hs_nccl_call(&family->nccl, asked);
    hs_nccl_order_after(family, asked->stream, result);
    return result;
}

hs_nccl_result hs_nccl_pairs_carry(struct hs_nccl_family *family, const struct hs_rule *rule,
                                   const struct hs_nccl_asked *asked, uint64_t verify,
                                   enum hs_nccl_went *went)
{
    struct hs_nccl_pairs *pairs = family->memory.pairs;
    const bool counts = pairs && !hs_nccl_captures(family->driver, asked->stream);
    struct use *use = pairs ? use_of(pairs, rule, asked, hs_nccl_bytes(asked, family->size)) : NULL;
    hs_nccl_result result;
    uint64_t number;

    *went = HS_NCCL_PLANNED;
    if (counts && pairs->sums.under_way && pairs->kernels >= pairs->sums.due && !judge(family))
        return HS_NCCL_INVALID_USAGE;
    if (use && use->loses) {
        *went = HS_NCCL_LOST;
        return carry_by_library(family, asked);
    }
    if (!use || !counts)
        return hs_nccl_verify_carry(family, rule, asked, verify);
    look(pairs);
    number = use->number++;
    if (hs_pairs_leave_out(number))
        *went = HS_NCCL_LEFT_OUT;
    else
        use->planned++;
    result = hs_pairs_have(number) ? carry_in_pair(family, use, asked, number)
                                   : hs_nccl_verify_carry(family, rule, asked, verify);
    pairs->kernels += *went == HS_NCCL_LEFT_OUT ? 1 : (uint64_t)rule->plan.split.count;
    if (result == HS_NCCL_SUCCESS && sums_are_due(number) && !pairs->sums.under_way)
        result = add_up(family, asked->stream);
    return result;
}
