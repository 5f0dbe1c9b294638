/* mpi_plans.c - see mpi_plans.h: which calls go by plan, and what came of it. */
#include "apply/mpi_plans.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/pairs.h"
#include "apply/reasons.h"
#include "apply/settings.h"
#include "base/clock.h"
#include "base/units.h"
#include "model/traffic.h"

/* Communicators with plans that a rank is in, at most: each takes communicators of the library's,
 * which has no more than some thousand for all. Their number stands in HS_REASONS, too. */
#define PARTIES_MAX 256

/* What came of a rule on a communicator; the same numbers on all its ranks, but for the seconds. */
struct hs_use {
    bool off;        /* its result was wrong once */
    bool loses;      /* against the library, in most pairs and in all together */
    uint64_t number; /* of calls that it is for */
    uint64_t planned, checked, wrong;
    double planned_seconds; /* in `planned` */
    struct hs_pairs pairs;
    double first;  /* of the first of the pair that is under way */
    uint64_t lost; /* of the pairs, by the sums of all ranks, as the next */
    double all_with, all_without;
};

/* Of all rules and communicators that were freed. */
struct hs_uses {
    uint64_t planned, checked, wrong, pairs;
    double planned_seconds;
    struct hs_saving saving;
};

struct timed {
    double calls, seconds;
};

static struct {
    bool on;
    struct hs_rules rules;
    int64_t verify;    /* every so many calls; 0: none */
    bool reproducible; /* none goes by the library where there is a plan */
    double began;      /* when plans were on */
    int key;
    struct hs_idle idle;
    struct hs_memory memory;
    MPI_Comm self; /* this rank alone; errors are returned */
    bool alone;    /* no thread calls while another one does: communicators share room */
    pthread_mutex_t lock;
    struct hs_party *parties; /* that are open */
    int party_count;
    struct hs_uses ended;
    atomic_uint_fast64_t passed[HS_REASON_COUNT];
} plans = {.key = MPI_KEYVAL_INVALID, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct timed *timed; /* [plans.rules.time_count] the library's calls of pairs */

static struct {
    struct hs_scratch scratch;
    struct hs_room room;
} shared;
static struct hs_party nobody; /* of communicators without rules */

/* ---- communicators ---- */

static void add_use(struct hs_uses *sum, const struct hs_use *use)
{
    sum->planned += use->planned;
    sum->checked += use->checked;
    sum->wrong += use->wrong;
    sum->pairs += use->pairs.count;
    sum->planned_seconds += use->planned_seconds;
    hs_saving_add(&sum->saving, &use->pairs, use->planned_seconds);
}

static void add_uses(const struct hs_party *party)
{
    for (size_t i = 0; i < plans.rules.count; i++)
        add_use(&plans.ended, &party->uses[i]);
}

static void free_party(struct hs_party *party)
{
    if (!party)
        return;
    free(party->own.data);
    free(party->uses);
    free(party);
}

/* Down to what those that are left have in it: they will not ask again. */
static void shrink_room(void)
{
    struct hs_room less = {.bytes = 0};

    for (const struct hs_party *at = plans.parties; at; at = at->next)
        if (at->room == &shared.room && at->bytes > less.bytes)
            less.bytes = at->bytes;
    if (less.bytes == shared.room.bytes)
        return;
    if (less.bytes > 0 && !(less.data = malloc(HS_BUFFERS * less.bytes)))
        return;
    free(shared.room.data);
    shared.room = less;
}

/* As the program frees its communicator: by all its ranks. */
static int forget_party(MPI_Comm comm, int key, void *opaque, void *unused)
{
    struct hs_party *party = opaque, **at = &plans.parties;

    (void)comm, (void)key, (void)unused;
    if (party == &nobody)
        return MPI_SUCCESS;
    if (party->engine) {
        pthread_mutex_lock(&plans.lock);
        add_uses(party);
        while (*at != party)
            at = &(*at)->next;
        *at = party->next;
        plans.party_count--;
        shrink_room();
        pthread_mutex_unlock(&plans.lock);
        hs_backend_host.engine->close(party->engine);
        if (plans.alone && !plans.parties)
            hs_scratch_release(&shared.scratch, &plans.memory);
    }
    free_party(party);
    return MPI_SUCCESS;
}

/* Whether all ranks have it. */
static bool all_have(MPI_Comm comm, bool mine)
{
    struct hs_idle idle = plans.idle;
    int here = mine, all = 0;
    MPI_Request request;

    return PMPI_Iallreduce(&here, &all, 1, MPI_INT, MPI_LAND, comm, &request) == MPI_SUCCESS &&
           hs_idle_wait(&idle, &request, NULL) == HS_OK && all;
}

static bool has_native(const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        for (int way = 0; way < 2; way++)
            if (hs_plan_algorithm(plan, i, way) == HS_NATIVE)
                return true;
    return false;
}

/* Communicators of layers that go by the library's own calls: of all plans, now. */
static bool prepare_natives(struct hs_party *party)
{
    const struct hs_group *group = party->group;

    for (size_t i = 0; i < plans.rules.count; i++) {
        const struct hs_rule *rule = &plans.rules.rules[i];
        struct hs_task task = {.kind = HS_TASK_PLAN,
                               .plan = rule->plan,
                               .collective = rule->collective,
                               .layout = rule->layout,
                               .count = (size_t)(group->size * rule->plan.chunks)};
        struct hs_work work = {.task = &task, .datatype = HS_FLOAT32, .line = 1};

        if (!hs_group_equal(&rule->group, group) || !has_native(&rule->plan))
            continue;
        work.room = hs_task_padded(&task, work.line);
        if (hs_backend_host.engine->prepare(party->engine, &work, NULL) != HS_OK)
            return false;
    }
    return true;
}

/* Opened on a communicator of ours: the program's attributes are not copied, and nothing of it is
 * used later. */
static bool open_engine(struct hs_party *party, MPI_Comm comm)
{
    /* Neighbours of the communicator are those of the job. */
    bool has_trees = plans.rules.forests.units > 0 && party->group->stride == 1;
    struct hs_engine_config config = {.comm_is_own = true,
                                      .memory = &plans.memory,
                                      .scratch = plans.alone ? &shared.scratch : NULL,
                                      .forests = has_trees ? &plans.rules.forests : NULL};
    MPI_Group members;

    PMPI_Comm_group(comm, &members);
    if (PMPI_Comm_create(comm, members, &config.comm) != MPI_SUCCESS)
        config.comm = MPI_COMM_NULL;
    PMPI_Group_free(&members);
    if (config.comm == MPI_COMM_NULL)
        return false;
    return hs_backend_host.open(&party->engine, &config, NULL) == HS_OK;
}

/* What is kept with a communicator, from its first call on, which all its ranks make. */
static struct hs_party *party_of(MPI_Comm comm)
{
    struct hs_party *party;
    void *known;
    int found = 0, inter = 0, *ranks = NULL;

    PMPI_Comm_get_attr(comm, plans.key, &known, &found);
    if (found)
        return known;
    PMPI_Comm_test_inter(comm, &inter);
    party = inter ? NULL : calloc(1, sizeof(*party));
    if (party) {
        PMPI_Comm_size(comm, &party->size);
        PMPI_Comm_rank(comm, &party->rank);
        party->uses = calloc(plans.rules.count, sizeof(*party->uses));
        party->idle = plans.idle;
        party->room = plans.alone ? &shared.room : &party->own;
        ranks = hs_world_ranks(comm, party->size);
    }
    if (!inter && all_have(comm, party && party->uses && ranks) && party && ranks)
        party->group = hs_rules_group(&plans.rules, ranks, party->size);
    free(ranks);
    if (!party || !party->group) {
        free_party(party);
        party = &nobody;
    }
    PMPI_Comm_set_attr(comm, plans.key, party);
    return party;
}

/* Behind the first call for which there is a rule: whether it has an engine, on all ranks alike. */
static bool is_open(struct hs_party *party, MPI_Comm comm, enum hs_reason *why)
{
    if (party->engine)
        return true;
    *why = HS_REASON_LIMIT;
    if (party->off)
        return false;
    party->off = true;
    if (!all_have(comm, plans.party_count < PARTIES_MAX))
        return false;
    *why = HS_REASON_FAILED;
    if (!open_engine(party, comm))
        return false;
    if (!prepare_natives(party)) {
        hs_backend_host.engine->close(party->engine);
        party->engine = NULL;
        return false;
    }
    pthread_mutex_lock(&plans.lock);
    party->next = plans.parties;
    plans.parties = party;
    plans.party_count++;
    pthread_mutex_unlock(&plans.lock);
    return true;
}

/* ---- which way a call goes ---- */

/* Elements of types that MPI names, which it adds by itself. */
static bool describe_reduction(struct hs_message *message, const struct hs_asked *asked)
{
    enum hs_counted_type type = hs_type_of(asked->taken);
    enum hs_counted_operation operation = hs_operation_of(asked->operation);
    bool is_float = type == HS_COUNTED_TYPE_FLOAT32 || type == HS_COUNTED_TYPE_FLOAT64;
    int width;

    if (type == HS_COUNTED_TYPE_OTHER || type == HS_COUNTED_TYPE_NONE ||
        type == HS_COUNTED_TYPE_BYTE || operation == HS_COUNTED_OPERATION_NONE ||
        operation == HS_COUNTED_OPERATION_LOCATION || operation == HS_COUNTED_OPERATION_USER)
        return false;
    if (is_float &&
        (operation == HS_COUNTED_OPERATION_LOGICAL || operation == HS_COUNTED_OPERATION_BITS))
        return false; /* the library says that there is no such thing */
    PMPI_Type_size(asked->taken, &width);
    *message = (struct hs_message){.width = (size_t)width,
                                   .reduces = true,
                                   .floats = is_float,
                                   .ours = is_float && operation == HS_COUNTED_OPERATION_SUM,
                                   .type = asked->taken,
                                   .operation = asked->operation};
    return width == 2 || width == 4 || width == 8;
}

/* Bytes of a block decide, whatever they are of. */
static bool describe_moves(struct hs_message *message, const struct hs_asked *asked)
{
    int width;
    size_t block;

    if (asked->taken == MPI_DATATYPE_NULL ||
        (asked->from != MPI_IN_PLACE && (asked->given == MPI_DATATYPE_NULL || asked->give < 0)))
        return false;
    PMPI_Type_size(asked->taken, &width);
    block = (size_t)hs_larger(width, 0) * (size_t)asked->take;
    *message = (struct hs_message){.width = block % 8 == 0 ? 8 : block % 4 == 0 ? 4 : 2};
    return block % 2 == 0;
}

/* What the ranks have in common, or why there is none. */
static bool describe(struct hs_message *message, struct hs_asked *asked,
                     const struct hs_party *party, enum hs_reason *why)
{
    bool reduces = asked->collective == HS_COLLECTIVE_ALLREDUCE ||
                   asked->collective == HS_COLLECTIVE_REDUCE_SCATTER;
    int width;

    if (asked->takes.counts)
        asked->take = hs_list_at(asked->takes, 0);
    for (int i = 1; asked->takes.counts && i < party->size; i++)
        if (hs_list_at(asked->takes, (uint64_t)i) != asked->take) {
            *why = HS_REASON_UNEVEN;
            return false;
        }
    *why = HS_REASON_SIZE;
    if (asked->take <= 0)
        return false;
    *why = HS_REASON_TYPE;
    if (!(reduces ? describe_reduction : describe_moves)(message, asked))
        return false;
    PMPI_Type_size(asked->taken, &width);
    message->bytes = (size_t)width * (size_t)asked->take *
                     (asked->collective == HS_COLLECTIVE_ALLREDUCE ? 1 : (size_t)party->size);
    *why = HS_REASON_SIZE; /* MPI counts what travels by an int */
    return (size_t)width * (size_t)asked->take / message->width <= INT32_MAX;
}

/* The rule for it, or why there is none. This is where it is decided. */
static const struct hs_rule *decide(struct hs_message *message, struct hs_asked *asked,
                                    const struct hs_party *party, enum hs_reason *why)
{
    const struct hs_rule *rule;

    *why = HS_REASON_GROUP;
    if (!party->group || !hs_rules_know(&plans.rules, asked->collective, party->group) ||
        !describe(message, asked, party, why))
        return NULL;
    rule = hs_rules_find(&plans.rules, asked->collective, party->group, message->bytes);
    if (!rule) {
        *why = HS_REASON_SIZE;
    } else if (party->uses[rule - plans.rules.rules].off) {
        *why = HS_REASON_WRONG;
        rule = NULL;
    } else if (party->uses[rule - plans.rules.rules].loses) {
        *why = HS_REASON_LOST;
        rule = NULL;
    } else if (message->reduces && !message->ours && has_native(&rule->plan)) {
        *why = HS_REASON_TYPE;
        rule = NULL;
    }
    return rule;
}

static bool is_left_out(uint64_t number)
{
    return !plans.reproducible && hs_pairs_leave_out(number);
}

/* All ranks get the same sums, so that they go on one way. By a blocking call: in Open MPI 4.1.4 an
 * Iallreduce here fails where one of the program's own is under way in this communicator. */
static void judge(struct hs_use *use, double with, double without, MPI_Comm comm)
{
    double mine[2] = {with, without}, all[2] = {0, 0};

    if (PMPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, comm) != MPI_SUCCESS)
        return;
    use->lost += all[0] > all[1];
    use->all_with += all[0];
    use->all_without += all[1];
    use->loses =
        hs_pairs_lose((double)use->pairs.count, (double)use->lost, use->all_with, use->all_without);
}

static void note_pair(struct hs_use *use, uint64_t number, double seconds, MPI_Comm comm)
{
    bool second_is_left_out = is_left_out(number);
    double with = second_is_left_out ? use->first : seconds;
    double without = second_is_left_out ? seconds : use->first;

    if (number % 2 == 0) {
        use->first = seconds;
        return;
    }
    hs_pairs_add(&use->pairs, with, without);
    judge(use, with, without, comm);
}

static void note_time(const struct hs_rule *rule, uint64_t bytes, double seconds)
{
    const struct hs_rule_time *time =
        hs_rules_time(&plans.rules, rule->collective, &rule->group, bytes);

    if (!time || !timed)
        return;
    pthread_mutex_lock(&plans.lock);
    timed[time - plans.rules.times].calls++;
    timed[time - plans.rules.times].seconds += seconds;
    pthread_mutex_unlock(&plans.lock);
}

/* Errors of a rank's own buffers, of which a plan knows nothing: what the library says of the same
 * call on this rank alone. */
static bool is_refused(const struct hs_asked *asked, int *status)
{
    struct hs_asked alone = *asked;
    bool is_same = asked->from == asked->to && asked->from != MPI_BOTTOM;

    if (!is_same && asked->to != MPI_IN_PLACE)
        return false;
    alone.comm = plans.self;
    *status = hs_ask_library(&alone);
    if (*status != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(asked->comm, *status);
    return *status != MPI_SUCCESS;
}

/* A call for which there is a rule, on its way. */
static bool carry(struct hs_party *party, struct hs_asked *asked, const struct hs_message *message,
                  const struct hs_rule *rule, int *status)
{
    struct hs_use *use = &party->uses[rule - plans.rules.rules];
    uint64_t number = use->number++;
    bool checks = plans.verify > 0 && number % (uint64_t)plans.verify == 0, differs = false;
    bool paired = !plans.reproducible && plans.verify != 1 && hs_pairs_have(number);
    double began = hs_clock_seconds(), seconds;
    enum hs_status carried = HS_OK;
    struct hs_error err;

    if (is_left_out(number)) {
        *status = hs_ask_library(asked);
    } else {
        carried = hs_carry(party, asked, message, rule, checks ? &differs : NULL, &err);
        *status = MPI_SUCCESS;
    }
    seconds = hs_clock_seconds() - began;
    if (carried == HS_FAILED) {
        fprintf(stderr, "hiersearch run: %s\n", err.message);
        *status = MPI_ERR_OTHER;
        PMPI_Comm_call_errhandler(asked->comm, MPI_ERR_OTHER);
        return true;
    }
    if (carried != HS_OK) {
        plans.passed[HS_REASON_FAILED]++;
        return false;
    }
    if (paired)
        note_pair(use, number, seconds, asked->comm);
    if (is_left_out(number))
        note_time(rule, message->bytes, seconds);
    use->checked += checks && !is_left_out(number);
    use->wrong += differs;
    use->off = use->off || differs;
    if (!is_left_out(number)) {
        use->planned++;
        use->planned_seconds += seconds;
    }
    return true;
}

bool hs_plans_try(const struct hs_asked *asked, int *status)
{
    struct hs_asked own = *asked;
    const struct hs_rule *rule;
    struct hs_message message;
    enum hs_reason why;
    struct hs_party *party;

    if (!plans.on || own.comm == MPI_COMM_NULL)
        return false;
    party = party_of(own.comm);
    rule = decide(&message, &own, party, &why);
    if (rule && is_open(party, own.comm, &why))
        return is_refused(&own, status) || carry(party, &own, &message, rule, status);
    plans.passed[why]++;
    return false;
}

/* ---- begin ---- */

/* How many ranks lie together on a node, in their order. Collective. */
static int64_t *find_nodes(size_t *count, int rank, int ranks)
{
    int *first = malloc((size_t)ranks * sizeof(*first)), mine = rank;
    int64_t *together = calloc((size_t)ranks, sizeof(*together));
    MPI_Comm node;

    *count = 0;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    PMPI_Bcast(&mine, 1, MPI_INT, 0, node);
    PMPI_Comm_free(&node);
    if (!all_have(MPI_COMM_WORLD, first && together) || !first || !together) {
        free(first);
        free(together);
        return NULL;
    }
    PMPI_Allgather(&mine, 1, MPI_INT, first, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        *count += i == 0 || first[i] != first[i - 1];
        together[*count - 1]++;
    }
    free(first);
    return together;
}

/* HS_INVALID: they are of another job, or of another machine. */
static enum hs_status check_job(int rank, int ranks, struct hs_error *err)
{
    struct hs_text wanted = {0}, found = {0};
    enum hs_status status = HS_OK;
    int64_t *nodes;
    size_t count;

    if (plans.rules.ranks != ranks)
        return hs_fail(err, HS_INVALID, "the plans are for %" PRId64 " processes, the job has %d",
                       plans.rules.ranks, ranks);
    nodes = find_nodes(&count, rank, ranks);
    if (!nodes)
        return hs_no_memory(err);
    if (!hs_rules_fit_nodes(&plans.rules, nodes, count)) {
        for (size_t i = 0; i < plans.rules.node_count; i++)
            hs_text_append(&wanted, " %" PRId64 "x%" PRId64, plans.rules.nodes[i].count,
                           plans.rules.nodes[i].ranks);
        hs_rules_nodes_append(&found, nodes, count);
        status = hs_fail(err, HS_INVALID,
                         "the plans are for ranks that lie, in their order, on nodes%s; these lie "
                         "on %.*s (nodes x ranks): launch them so, measure again, or run "
                         "--elsewhere",
                         wanted.data, (int)strcspn(found.data, "\n"), found.data);
    }
    hs_text_release(&wanted);
    hs_text_release(&found);
    free(nodes);
    return status;
}

/* What rank 0 has in its environment, on all ranks; NULL: nothing. */
static char *settings_of_rank_0(int rank)
{
    const char *text = rank == 0 ? getenv(HS_RUN_PLANS) : NULL;
    const char *verify = rank == 0 ? getenv(HS_RUN_VERIFY) : NULL;
    const char *reproducible = rank == 0 ? getenv(HS_RUN_REPRODUCIBLE) : NULL;
    int64_t head[3] = {text ? (int64_t)strlen(text) + 1 : 0, verify ? strtoll(verify, NULL, 10) : 0,
                       reproducible && reproducible[0] == '1'};
    char *copy;

    PMPI_Bcast(head, 3, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (head[0] <= 1 || head[0] > INT32_MAX)
        return NULL;
    plans.verify = head[1];
    plans.reproducible = head[2] != 0;
    copy = malloc((size_t)head[0]);
    if (!all_have(MPI_COMM_WORLD, copy != NULL) || !copy) {
        free(copy);
        return NULL;
    }
    if (text)
        memcpy(copy, text, (size_t)head[0]);
    PMPI_Bcast(copy, (int)head[0], MPI_CHAR, 0, MPI_COMM_WORLD);
    return copy;
}

void hs_plans_begin(void)
{
    int rank, ranks, level = MPI_THREAD_MULTIPLE;
    struct hs_error err;
    enum hs_status status;
    char *text;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    text = settings_of_rank_0(rank);
    if (!text)
        return;
    status = hs_rules_parse(&plans.rules, text, &err);
    free(text);
    if (status == HS_OK)
        status = check_job(rank, ranks, &err);
    if (status != HS_OK) { /* the same on all ranks */
        if (rank == 0)
            fprintf(stderr, "hiersearch run: %s\n", err.message);
        PMPI_Finalize();
        _exit(hs_status_exit(status));
    }
    PMPI_Comm_dup(MPI_COMM_SELF, &plans.self);
    PMPI_Comm_set_errhandler(plans.self, MPI_ERRORS_RETURN);
    timed = calloc(plans.rules.time_count + 1, sizeof(*timed));
    plans.memory = hs_carry_memory();
    hs_idle_init(&plans.idle, MPI_COMM_WORLD, NULL);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_party, &plans.key, NULL);
    PMPI_Query_thread(&level);
    plans.alone = level != MPI_THREAD_MULTIPLE;
    plans.began = hs_clock_seconds();
    plans.on = true;
}

/* ---- end ---- */

enum {
    PLANNED,
    PAIRS,
    CHECKED,
    WRONG,
    SECONDS,
    WITH,
    WITHOUT,
    ERROR, /* of the saving, as the next: pairs.h */
    FREEDOM,
    LASTED,
    PASSED,
    FIGURES = PASSED + HS_REASON_COUNT
};

/* Means of the ranks. */
static void say(const double *figures)
{
    const struct hs_saved saved = {figures[PAIRS], figures[WITH], figures[WITHOUT], figures[ERROR],
                                   figures[FREEDOM]};
    char planned[HS_UNIT_TEXT];
    struct hs_text text = {0};

    hs_text_append(&text, "hiersearch run: per rank: %.0f calls used a plan", figures[PLANNED]);
    if (figures[PAIRS] > 0)
        hs_text_append(&text, ", %.0f used MPI for comparison", figures[PAIRS]);
    hs_reasons_append(&text, figures + PASSED);
    if (figures[PLANNED] > 0)
        hs_text_append(&text, "; %s in plans", hs_seconds_format(planned, figures[SECONDS]));
    if (figures[PAIRS] > 0 && figures[WITH] > 0)
        hs_saved_append(&text, &saved, figures[LASTED]);
    if (figures[CHECKED] > 0)
        hs_text_append(&text, "; %.0f checked, %.0f wrong", figures[CHECKED], figures[WRONG]);
    fprintf(stderr, "%s\n", text.data ? text.data : "hiersearch run: out of memory");
    hs_text_release(&text);
}

/* Calls of the library that are needed to say how fast it is. */
#define CALLS_TO_JUDGE 4

/* The largest message whose calls were timed, or the one that is furthest above what is expected.
 * `seconds` are the means of the rank that waited least for others. */
static void say_times(const double *seconds)
{
    const struct hs_rule_time *worst = NULL;
    double above = 1;
    bool is_low = false;

    for (size_t i = 0; i < plans.rules.time_count; i++) {
        const struct hs_rule_time *time = &plans.rules.times[i];

        if (!isfinite(seconds[i]))
            continue;
        if (seconds[i] > above * time->high_seconds) {
            above = seconds[i] / time->high_seconds;
            worst = time;
            is_low = true;
        } else if (!is_low && (!worst || time->bytes >= worst->bytes)) {
            worst = time;
        }
    }
    if (!worst)
        return;
    fprintf(stderr, "hiersearch run: MPI's default %s of %s takes %s, expected %s to %s: %s\n",
            hs_collectives[worst->collective].written, HS_AS_BYTES(worst->bytes),
            HS_AS_TIME(seconds[worst - plans.rules.times]), HS_AS_TIME(worst->low_seconds),
            HS_AS_TIME(worst->high_seconds),
            is_low ? "slow, or ranks come late; `hiersearch measure` tells which"
                   : "as fast as expected");
}

/* Collective. */
static void end_times(int rank)
{
    size_t count = plans.rules.time_count;
    double *seconds = malloc((2 * count + 1) * sizeof(*seconds));

    if (!all_have(MPI_COMM_WORLD, seconds && timed) || !seconds) {
        free(seconds);
        return;
    }
    for (size_t i = 0; i < count; i++)
        seconds[i] =
            timed[i].calls >= CALLS_TO_JUDGE ? timed[i].seconds / timed[i].calls : INFINITY;
    PMPI_Reduce(seconds, seconds + count, (int)count, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0)
        say_times(seconds + count);
    free(seconds);
}

void hs_plans_finish(void)
{
    const struct hs_uses *ended = &plans.ended;
    struct hs_saved saved;
    double mine[FIGURES], sum[FIGURES];
    int rank, ranks;

    if (!plans.on)
        return;
    plans.on = false;
    for (const struct hs_party *party = plans.parties; party; party = party->next)
        add_uses(party);
    PMPI_Comm_free(&plans.self);
    mine[PLANNED] = (double)ended->planned;
    mine[PAIRS] = (double)ended->pairs;
    mine[CHECKED] = (double)ended->checked;
    mine[WRONG] = (double)ended->wrong;
    mine[SECONDS] = ended->planned_seconds;
    saved = hs_saving_figures(&ended->saving);
    mine[WITH] = saved.with;
    mine[WITHOUT] = saved.without;
    mine[ERROR] = saved.error;
    mine[FREEDOM] = saved.freedom;
    mine[LASTED] = hs_clock_seconds() - plans.began;
    for (int i = 0; i < HS_REASON_COUNT; i++)
        mine[PASSED + i] = (double)plans.passed[i];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Reduce(mine, sum, FIGURES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < FIGURES && rank == 0; i++)
        sum[i] /= ranks;
    if (rank == 0)
        say(sum);
    end_times(rank);
}
