/* nccl_plans.c - see nccl_plans.h: which calls go by plan, and how. */
#include "apply/nccl_plans.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/nccl_families.h"
#include "apply/nccl_handles.h"
#include "apply/nccl_pairs.h"
#include "apply/nccl_real.h"
#include "apply/nccl_verify.h"
#include "apply/reasons.h"
#include "apply/settings.h"
#include "base/clock.h"
#include "base/launcher.h"
#include "base/text.h"
#include "base/units.h"

#define VERIFY_BYTES ((uint64_t)32 << 20)
#define MEMORY_BYTES ((uint64_t)64 << 20)

/* What the environment says. */
struct settings {
    uint64_t hash; /* of all of them, and the rules */
    uint64_t verify, verify_bytes, memory_bytes;
    bool reproducible; /* no call goes by the library to compare */
};

static struct {
    bool tried, on;
    struct hs_rules rules;
    struct settings settings;
    double began;      /* when plans were on */
    uint64_t *made_of; /* [made_count] what this process's communicators were made of */
    size_t made_count;
    int rank, size; /* of this process in its largest communicator; or in the job: */
    int job_rank;
    pid_t process; /* not one that it forked */
    pthread_mutex_t lock;
    atomic_uint_fast64_t planned, left_out, passed[HS_REASON_COUNT];
} plans = {.rank = -1, .job_rank = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* The group that a thread has open. */
static _Thread_local struct {
    int depth;
    uint64_t acts; /* in it */
    bool has_call, has_made;
    struct hs_nccl_asked call;  /* the only act, put off; it has a rule */
    struct hs_nccl_making made; /* the only act */
} group;

/* ---- begin ---- */

/* A number of the environment, or else this one. */
static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text && text[0] ? strtoull(text, NULL, 10) : otherwise;
}

static void read_rules(void)
{
    const char *text = getenv(HS_RUN_NCCL_PLANS), *same = getenv(HS_RUN_REPRODUCIBLE);
    const char *connections = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    struct hs_error err;

    if (!text || !text[0])
        return;
    if (hs_rules_parse(&plans.rules, text, &err) != HS_OK) {
        fprintf(stderr, "hiersearch run: " HS_RUN_NCCL_PLANS ": %s\n", err.message);
        return;
    }
    plans.settings.verify = number_of(HS_RUN_VERIFY, 0);
    plans.settings.verify_bytes = number_of(HS_RUN_VERIFY_BYTES, VERIFY_BYTES);
    plans.settings.memory_bytes = number_of(HS_RUN_NCCL_MEMORY, MEMORY_BYTES);
    plans.settings.reproducible = same && same[0] == '1';
    plans.settings.hash = hs_nccl_hash(text, strlen(text)) + plans.settings.verify * 1000003u +
                          plans.settings.memory_bytes * 3000017u + 2 * plans.settings.verify_bytes +
                          plans.settings.reproducible;
    plans.began = hs_clock_seconds();
    plans.process = getpid();
    plans.on = true;
    if (connections && strcmp(connections, "1") == 0 && hs_launcher_is_root())
        fprintf(stderr,
                "hiersearch run: warning: CUDA_DEVICE_MAX_CONNECTIONS=1: the steps of a plan "
                "wait in the one queue of a GPU, and so do kernels behind them\n");
}

/* ---- which way a call goes ---- */

/* Whether any result is about its collective. */
static bool is_about(enum hs_collective collective)
{
    for (size_t i = 0; i < plans.rules.count; i++)
        if (plans.rules.rules[i].collective == collective)
            return true;
    return false;
}

static hs_nccl_result carry(struct hs_nccl_family *family, const struct hs_rule *rule,
                            const struct hs_nccl_asked *asked)
{
    enum hs_nccl_went went;
    hs_nccl_result result;

    pthread_mutex_lock(&family->busy);
    result = hs_nccl_pairs_carry(family, rule, asked, plans.settings.verify, &went);
    pthread_mutex_unlock(&family->busy);
    plans.planned += went == HS_NCCL_PLANNED;
    plans.left_out += went == HS_NCCL_LEFT_OUT;
    plans.passed[HS_REASON_LOST] += went == HS_NCCL_LOST;
    return result;
}

static hs_nccl_result carry_call(const struct hs_nccl_asked *asked)
{
    struct hs_nccl_family *family = hs_nccl_family_find(asked->comm);
    enum hs_reason why;
    const struct hs_rule *rule = hs_nccl_decide(&plans.rules, family, asked, &why);

    return rule ? carry(family, rule, asked) : HS_NCCL_INVALID_USAGE; /* aborted meanwhile */
}

/* ---- groups ---- */

static void touch(hs_nccl_comm comm, hs_nccl_stream stream)
{
    struct hs_nccl_family *family = hs_nccl_family_find(comm);

    if (family && family->group)
        hs_nccl_order_touch(family, stream, &group);
}

/* What was put off goes to the library, in its place; an error of it is NCCL's group's. */
void hs_nccl_plans_act(void)
{
    struct hs_nccl_asked call = group.call;
    struct hs_nccl_family *family;

    if (!plans.on || group.depth == 0)
        return;
    group.acts++;
    group.has_made = false;
    if (!group.has_call)
        return;
    group.has_call = false;
    plans.passed[HS_REASON_GROUPED]++;
    family = hs_nccl_family_find(call.comm);
    if (!family)
        return;
    touch(call.comm, call.stream);
    hs_nccl_call(&family->nccl, &call);
}

void hs_nccl_plans_group(enum hs_nccl_group_call call)
{
    if (call == HS_NCCL_SIMULATE)
        hs_nccl_plans_act();
}

static void adopt(const struct hs_nccl_making *making);

/* The outermost group has ended, well. */
static hs_nccl_result end_group(void)
{
    hs_nccl_result result = HS_NCCL_SUCCESS;

    if (group.has_call)
        result = carry_call(&group.call);
    if (group.has_made)
        adopt(&group.made);
    return result;
}

hs_nccl_result hs_nccl_plans_grouped(enum hs_nccl_group_call call, hs_nccl_result result)
{
    if (!plans.on)
        return result;
    if (call == HS_NCCL_START) {
        if (result == HS_NCCL_SUCCESS && group.depth++ == 0) {
            group.acts = 0;
            group.has_call = group.has_made = false;
        }
        return result;
    }
    if (group.depth == 0 || --group.depth > 0)
        return result;
    hs_nccl_families_aborted(&group);
    if (result == HS_NCCL_SUCCESS || result == HS_NCCL_IN_PROGRESS)
        hs_nccl_order_group(&group, result);
    return result == HS_NCCL_SUCCESS ? end_group() : result;
}

/* ---- calls ---- */

/* Whether a call of a communicator that nobody waits for is under way. A program asks how it ended
 * before it makes another: NCCL refuses that, too. */
static bool is_busy(struct hs_nccl_family *family, hs_nccl_result *result)
{
    bool busy;

    if (!family || family->trial.blocks)
        return false;
    pthread_mutex_lock(&family->busy);
    busy = family->splits.making || (family->steps && family->steps->count > 0);
    pthread_mutex_unlock(&family->busy);
    if (busy)
        *result = HS_NCCL_INVALID_ARGUMENT;
    return busy;
}

bool hs_nccl_plans_try(const struct hs_nccl_asked *asked, hs_nccl_result *result)
{
    enum hs_reason why;
    const struct hs_rule *rule;
    struct hs_nccl_family *family;

    if (!plans.on || !is_about(asked->collective))
        return hs_nccl_plans_pass(asked->comm, asked->stream, result);
    family = hs_nccl_family_find(asked->comm);
    if (is_busy(family, result))
        return true;
    rule = hs_nccl_decide(&plans.rules, family, asked, &why);
    hs_nccl_plans_act();
    if (rule && group.depth > 0 && group.acts == 1) {
        group.call = *asked;
        group.has_call = true;
        *result = HS_NCCL_SUCCESS;
        return true;
    }
    if (rule && group.depth == 0) {
        *result = carry(family, rule, asked);
        return true;
    }
    plans.passed[rule ? HS_REASON_GROUPED : why]++;
    if (group.depth > 0)
        touch(asked->comm, asked->stream);
    else if (family)
        hs_nccl_order_before(family, asked->stream);
    return false;
}

bool hs_nccl_plans_pass(hs_nccl_comm comm, hs_nccl_stream stream, hs_nccl_result *result)
{
    struct hs_nccl_family *family;

    if (!plans.on)
        return false;
    family = hs_nccl_family_find(comm);
    if (is_busy(family, result))
        return true;
    hs_nccl_plans_act();
    if (group.depth > 0)
        touch(comm, stream);
    else if (family)
        hs_nccl_order_before(family, stream);
    return false;
}

void hs_nccl_plans_passed(hs_nccl_comm comm, hs_nccl_stream stream, hs_nccl_result result)
{
    struct hs_nccl_family *family;

    if (plans.on && group.depth == 0 && (family = hs_nccl_family_find(comm)))
        hs_nccl_order_after(family, stream, result);
}

/* ---- communicators ---- */

static bool blocks(const struct hs_nccl_making *making)
{
    const struct hs_nccl_config_head *head = (const void *)making->config;
    const char *all = getenv("NCCL_COMM_BLOCKING");
    struct hs_nccl_family *parent = making->parent ? hs_nccl_family_find(making->parent) : NULL;

    return !(head && head->blocking == 0) && !(all && strcmp(all, "0") == 0) &&
           !(!head && parent && !parent->trial.blocks);
}

/* Of what does not block: one that is known at once, and not made of another, whose end would have
 * to wait for it; where nothing is to be verified, which nobody waits for. */
static bool is_tried(const struct hs_nccl_making *making)
{
    if (!making->each || !making->place)
        return false;
    return making->blocks ? !making->parent || hs_nccl_family_find(making->parent)
                          : !making->parent && group.depth == 0 && plans.settings.verify == 0;
}

void hs_nccl_plans_make(struct hs_nccl_making *making)
{
    uint64_t *grown;

    pthread_mutex_lock(&plans.lock);
    if (!plans.tried)
        read_rules();
    plans.tried = true;
    if (plans.on) {
        if (making->ranks > 0)
            plans.job_rank = making->rank;
        /* Before it is made: as soon as it is, all of its ranks in this process are here. */
        grown = realloc(plans.made_of, (plans.made_count + 1) * sizeof(*grown));
        if (grown) {
            plans.made_of = grown;
            grown[plans.made_count++] = making->made_of;
        } else {
            making->made_of = 0;
        }
    }
    pthread_mutex_unlock(&plans.lock);
    if (!plans.on)
        return;
    hs_nccl_plans_act();
    making->blocks = blocks(making);
    making->tried = is_tried(making);
}

/* Of this process no other rank. */
static bool is_alone(uint64_t made_of)
{
    size_t ranks = 0;

    pthread_mutex_lock(&plans.lock);
    for (size_t i = 0; i < plans.made_count; i++)
        ranks += plans.made_of[i] == made_of;
    pthread_mutex_unlock(&plans.lock);
    return made_of != 0 && ranks == 1;
}

/* Which rank this is, where nobody else says so. */
static void note(const struct hs_nccl_family *family)
{
    pthread_mutex_lock(&plans.lock);
    if (family->size > plans.size) {
        plans.size = family->size;
        plans.rank = family->rank;
    }
    pthread_mutex_unlock(&plans.lock);
}

static void adopt(const struct hs_nccl_making *making)
{
    struct hs_nccl_trial trial = {.rules = &plans.rules,
                                  .settings = plans.settings.hash,
                                  .self = {making->rank, making->ranks},
                                  .verify = plans.settings.verify,
                                  .verify_bytes = plans.settings.verify_bytes,
                                  .memory_bytes = plans.settings.memory_bytes,
                                  .pairs = making->blocks && !plans.settings.reproducible &&
                                           plans.settings.verify != 1,
                                  .able = is_alone(making->made_of),
                                  .blocks = making->blocks,
                                  .caller = making->caller};
    struct hs_nccl_family *family =
        *making->place ? hs_nccl_family_make(*making->place, &trial) : NULL;

    if (family && !family->splits.making)
        note(family);
}

/* A rank that finds it ready at once has to ask all the same, as others may not. */
hs_nccl_result hs_nccl_plans_made(const struct hs_nccl_making *making, hs_nccl_result result)
{
    bool made = result == HS_NCCL_SUCCESS || (!making->blocks && result == HS_NCCL_IN_PROGRESS);

    if (!plans.on || !making->tried || !made)
        return result;
    if (group.depth == 0) {
        adopt(making);
        return making->blocks ? result : HS_NCCL_IN_PROGRESS;
    }
    if (group.acts == 1) {
        group.made = *making;
        group.has_made = true;
    }
    return result;
}

void hs_nccl_plans_windows(hs_nccl_comm comm, int more)
{
    struct hs_nccl_family *family = plans.on ? hs_nccl_family_find(comm) : NULL;

    if (family)
        family->windows += more;
}

hs_nccl_comm hs_nccl_plans_part(hs_nccl_comm comm, int i)
{
    struct hs_nccl_family *family = plans.on ? hs_nccl_family_find(comm) : NULL;

    return family && i < family->part_count ? family->parts[i].comm : NULL;
}

static void abort_family(struct hs_nccl_family *family)
{
    hs_nccl_family_abort(family, &group);
    if (group.depth == 0)
        hs_nccl_families_aborted(&group);
}

void hs_nccl_plans_shrink(hs_nccl_comm comm, int flags)
{
    struct hs_nccl_family *family = NULL;

    if (plans.on && flags & HS_NCCL_SHRINK_ABORT)
        family = hs_nccl_family_forget(comm);
    if (family)
        abort_family(family);
}

struct hs_nccl_ending hs_nccl_plans_end(hs_nccl_comm comm, enum hs_nccl_way way)
{
    struct hs_nccl_ending ending = {.way = way};
    struct hs_nccl_family *family;

    if (!plans.on)
        return ending;
    if (way != HS_NCCL_ASK)
        hs_nccl_plans_act();
    family = way == HS_NCCL_ASK || way == HS_NCCL_FINALIZE ? hs_nccl_family_find(comm)
                                                           : hs_nccl_family_forget(comm);
    if (!family || (family->part_count == 0 && !family->splits.making))
        return ending;
    ending.family = family;
    switch (way) {
    case HS_NCCL_DESTROY:
        hs_nccl_family_destroy(family);
        break;
    case HS_NCCL_FINALIZE:
        for (int i = 0; i < family->part_count; i++)
            family->nccl.ncclCommFinalize(family->parts[i].comm);
        break;
    case HS_NCCL_REVOKE:
        abort_family(family);
        break;
    case HS_NCCL_ABORT:
        ending.grouped = family->nccl.ncclGroupStart() == HS_NCCL_SUCCESS;
        break;
    case HS_NCCL_ASK:
        break;
    }
    return ending;
}

/* The program's communicator is ready: what nobody waits for goes on, but not in a group, whose
 * call it would become. */
static hs_nccl_result go_on(struct hs_nccl_family *family)
{
    hs_nccl_result state = HS_NCCL_IN_PROGRESS;

    if (pthread_mutex_trylock(&family->busy) != 0)
        return state;
    if (!family->splits.making && (!family->steps || family->steps->count == 0))
        state = HS_NCCL_SUCCESS;
    else if (group.depth == 0 && family->splits.making)
        state = hs_nccl_family_go_on(family) ? HS_NCCL_SUCCESS : HS_NCCL_IN_PROGRESS;
    else if (group.depth == 0)
        state = hs_nccl_carry_on(family);
    if (state == HS_NCCL_SUCCESS) {
        note(family);
        hs_nccl_order_settle(family);
    }
    pthread_mutex_unlock(&family->busy);
    return state;
}

hs_nccl_result hs_nccl_plans_ended(const struct hs_nccl_ending *ending, hs_nccl_result result,
                                   hs_nccl_result *state)
{
    struct hs_nccl_family *family = ending->family;
    hs_nccl_result of_part = HS_NCCL_SUCCESS, ended;

    if (!family)
        return result;
    if (ending->way == HS_NCCL_ABORT) {
        hs_nccl_family_abort(family, &group);
        ended = ending->grouped ? family->nccl.ncclGroupEnd() : HS_NCCL_SUCCESS;
        if (group.depth == 0)
            hs_nccl_families_aborted(&group);
        return result == HS_NCCL_SUCCESS ? ended : result;
    }
    if (ending->way != HS_NCCL_ASK || result != HS_NCCL_SUCCESS || family->ended)
        return result;
    if (*state == HS_NCCL_SUCCESS && !family->trial.blocks)
        *state = go_on(family);
    for (int i = 0; i < family->part_count && *state == HS_NCCL_SUCCESS; i++)
        if (family->nccl.ncclCommGetAsyncError(family->parts[i].comm, &of_part) == HS_NCCL_SUCCESS)
            *state = of_part;
    return result;
}

/* ---- end ---- */

/* Communicators are not seen of a framework that links NCCL statically, or finds its functions by a
 * handle of its own. */
static void say_unseen(void)
{
    const char *text = getenv(HS_RUN_NCCL_PLANS);
    int rank, ranks;

    if (text && text[0] && hs_launcher_rank(&rank, &ranks) && rank == 0 &&
        hs_nccl_loaded("ncclGetVersion"))
        fputs("hiersearch run: rank 0 has loaded NCCL, and no communicator of it was seen: no call "
              "went by plan\n",
              stderr);
}

static void append_saving(struct hs_text *text)
{
    const struct hs_saving saving = hs_nccl_saving();
    const struct hs_saved saved = hs_saving_figures(&saving);
    char seconds[HS_UNIT_TEXT];

    if (saving.pairs > 0 && saved.with > 0) {
        hs_text_append(text, "; about %s in plans", hs_seconds_format(seconds, saved.with));
        hs_saved_append(text, &saved, hs_clock_seconds() - plans.began);
    } else if (plans.planned > 0) {
        hs_text_append(text, "; saving not known: %s",
                       plans.settings.reproducible ? "--reproducible leaves no call to compare"
                                                   : "no pair of calls was timed (those in "
                                                     "graphs and of nonblocking communicators "
                                                     "have none)");
    }
}

static void append_cost(struct hs_text *text)
{
    const struct hs_nccl_cost cost = hs_nccl_families_cost();
    char seconds[HS_UNIT_TEXT];

    if (cost.families == 0)
        return;
    hs_text_append(text, "; %" PRIu64 " communicator%s with plans cost %" PRIu64 " splits",
                   cost.families, cost.families == 1 ? "" : "s", cost.splits);
    if (cost.bytes > 0)
        hs_text_append(text, ", %.1f MiB", (double)cost.bytes / 1048576);
    if (cost.seconds > 0)
        hs_text_append(text, ", %s", hs_seconds_format(seconds, cost.seconds));
}

void hs_nccl_plans_finish(void)
{
    const struct hs_nccl_verified verified = hs_nccl_verified();
    double passed[HS_REASON_COUNT];
    struct hs_text text = {0};
    int rank = plans.job_rank >= 0 ? plans.job_rank : plans.rank;

    if (!plans.tried)
        say_unseen();
    if (!plans.on || rank > 0 || plans.process != getpid())
        return;
    hs_text_append(&text, "hiersearch run: %s had %" PRIu64 " of NCCL's calls by plan",
                   rank == 0 ? "rank 0" : "a process", (uint64_t)plans.planned);
    for (int i = 0; i < HS_REASON_COUNT; i++)
        passed[i] = (double)plans.passed[i];
    if (plans.left_out > 0)
        hs_text_append(&text, ", %" PRIu64 " by NCCL for comparison", (uint64_t)plans.left_out);
    hs_reasons_append(&text, passed);
    if (plans.settings.verify > 0)
        hs_text_append(
            &text, "; %" PRIu64 " compared with NCCL's default call, %" PRIu64 " of them differ",
            verified.compared, verified.different);
    append_saving(&text);
    append_cost(&text);
    fprintf(stderr, "%s\n", text.data ? text.data : "hiersearch run: out of memory");
    hs_text_release(&text);
}
