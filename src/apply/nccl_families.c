/* nccl_families.c - see nccl_families.h. */
#include "apply/nccl_families.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/nccl_driver.h"
#include "apply/nccl_family.h"
#include "apply/nccl_machine.h"
#include "apply/nccl_pairs.h"
#include "apply/nccl_real.h"
#include "apply/nccl_steps.h"
#include "apply/nccl_verify.h"
#include "base/clock.h"
#include "base/launcher.h"

/* ---- splits ---- */

/*
 * What a communicator of the program's is split into, and what its ranks agree upon by that: those
 * of one mind split with one color, and find as many as they are themselves.
 *
 * Where nobody waits (blocking = 0) a split ends while the program asks how its communicator goes.
 * What takes several is begun anew whenever one has ended, and gets the results of those before
 * again: so it can be written as if it waited. It is the same on all ranks, and changes nothing
 * else until its last.
 */

/* The one that was made, or failed. */
static void record(struct hs_nccl_family *family, hs_nccl_result result)
{
    struct hs_nccl_splits *splits = &family->splits;
    int i = splits->count++;

    splits->waits = splits->given = false;
    splits->ended[i].comm = splits->made;
    splits->ended[i].size = 0;
    splits->ended[i].rank = -1;
    if (result != HS_NCCL_SUCCESS || !splits->made ||
        family->nccl.ncclCommCount(splits->made, &splits->ended[i].size) != HS_NCCL_SUCCESS ||
        family->nccl.ncclCommUserRank(splits->made, &splits->ended[i].rank) != HS_NCCL_SUCCESS)
        splits->ended[i].rank = -1;
}

/* This rank's in what is split off, of the size *size; -1: NCCL failed, which it has said itself,
 * or it is waited for. */
static int split(struct hs_nccl_family *family, int color, hs_nccl_comm *made, int *size)
{
    struct hs_nccl_splits *splits = &family->splits;
    hs_nccl_result result;

    *made = NULL;
    *size = 0;
    if (splits->waits || splits->at == HS_NCCL_SPLITS_MAX)
        return -1;
    if (splits->at == splits->count) {
        splits->made = NULL;
        result = family->nccl.ncclCommSplit(family->comm, color, family->rank, &splits->made, NULL);
        splits->waits = result == HS_NCCL_IN_PROGRESS;
        if (splits->waits)
            return -1;
        record(family, result);
    }
    *made = splits->ended[splits->at].comm;
    *size = splits->ended[splits->at].size;
    return splits->ended[splits->at++].rank;
}

/* Begins anew, where the program's communicator is ready. False: what was waited for is not. NCCL
 * says where the new one is when the program's is ready again; it may itself be later. */
static bool splits_again(struct hs_nccl_family *family)
{
    struct hs_nccl_splits *splits = &family->splits;
    hs_nccl_result state = HS_NCCL_SUCCESS;

    if (splits->waits) {
        splits->given = splits->made != NULL;
        if (splits->given &&
            family->nccl.ncclCommGetAsyncError(splits->made, &state) != HS_NCCL_SUCCESS)
            state = HS_NCCL_INVALID_USAGE;
        if (state == HS_NCCL_IN_PROGRESS)
            return false;
        record(family, state);
    }
    splits->at = 0;
    return true;
}

/* 0 is nobody's. */
static int color_of(uint64_t value)
{
    return (int)((value ^ value >> 32) & INT32_MAX) | 1;
}

static int look_for_color(struct hs_nccl_family *family, int color, int *size)
{
    hs_nccl_comm alike;
    int rank = split(family, color, &alike, size);

    if (!alike)
        return rank;
    family->nccl.ncclCommDestroy(alike);
    family->splits.ended[family->splits.at - 1].comm = NULL;
    return rank;
}

/* How many ranks have this in common, and which of them this one is; -1 as above. */
static int look_for_alike(struct hs_nccl_family *family, uint64_t value, int *size)
{
    return look_for_color(family, color_of(value), size);
}

/* Whether all ranks are able, and have the same value: the same on all of them. */
static bool agree(struct hs_nccl_family *family, bool able, uint64_t value)
{
    int size, rank = look_for_color(family, able ? color_of(value) : 0, &size);

    return able && rank >= 0 && size == family->size;
}

/* ---- what ranks tell each other ---- */

/*
 * Behind the making of a communicator that blocks, before the program has it: a few numbers of each
 * rank, by an AllGather on the communicator itself. Each rank gets to know all that is told, so
 * that all come to the same conclusion.
 *
 * That costs no communicator, where splitting by what ranks have in common costs one as large as
 * this; and connects its ring, which the program's first call does otherwise. The host waits for
 * the GPU, whose ranks all come to this next: kernels that are at work meanwhile have to end, or
 * leave room.
 */

enum { TOLD = 8 };

/* What one rank tells. */
struct told {
    uint64_t numbers[TOLD];
};

/* What the exchange goes by; freed by whoever has it, but for memory, whose end would wait for all
 * of the GPU. */
struct way {
    void *memory; /* of this rank, and behind it of all */
    hs_nccl_stream stream;
    void *event;
};

/* A rank that has no memory takes part all the same, with the host's. */
static bool open_way(struct way *way, struct hs_nccl_family *family)
{
    const size_t bytes = sizeof(struct told) * (size_t)(family->size + 1);

    if (!family->memory.told)
        family->memory.told = hs_nccl_memory_new(family->driver, bytes);
    if (!family->memory.told) {
        family->memory.told = hs_nccl_host_new(family->driver, bytes);
        family->memory.told_on_host = true;
    }
    way->memory = family->memory.told;
    way->event = hs_nccl_event_new(family->driver, false);
    way->stream = hs_nccl_stream_new(family->driver);
    return way->memory && way->event && way->stream;
}

static void close_way(const struct way *way, const struct hs_nccl_family *family)
{
    hs_nccl_event_free(family->driver, way->event);
    hs_nccl_stream_free(family->driver, way->stream);
}

/* False: a rank is gone. */
static bool wait_for(const struct hs_nccl_family *family, void *event)
{
    hs_nccl_result state = HS_NCCL_SUCCESS;

    while (!hs_nccl_event_passed(family->driver, event)) {
        if (family->nccl.ncclCommGetAsyncError(family->comm, &state) != HS_NCCL_SUCCESS ||
            (state != HS_NCCL_SUCCESS && state != HS_NCCL_IN_PROGRESS))
            return false;
        usleep(HS_NCCL_WAIT_MICROSECONDS);
    }
    return true;
}

static bool exchange(const struct way *way, const struct hs_nccl_family *family,
                     const struct told *mine, struct told *all)
{
    const struct hs_nccl_driver *driver = family->driver;
    char *from = way->memory, *to = from + sizeof(*mine);
    const struct hs_nccl_asked call = {
        HS_COLLECTIVE_ALLGATHER, from,         to,         TOLD, (hs_nccl_type)HS_NCCL_INT64,
        (hs_nccl_operation)-1,   family->comm, way->stream};
    const size_t bytes = sizeof(*all) * (size_t)family->size;

    return hs_nccl_copy(driver, from, mine, sizeof(*mine), way->stream) &&
           hs_nccl_call(&family->nccl, &call) == HS_NCCL_SUCCESS &&
           hs_nccl_copy(driver, all, to, bytes, way->stream) &&
           driver->event_record(way->event, way->stream) == 0 && wait_for(family, way->event);
}

/* What all ranks tell, [family->size]; the caller frees it. NULL: NCCL or CUDA failed, which the
 * communicator does not survive. */
static struct told *tell(struct hs_nccl_family *family, const struct told *mine)
{
    struct told *all = calloc((size_t)family->size, sizeof(*all));
    struct way way;

    if (!all)
        abort(); /* the others wait */
    if (!open_way(&way, family) || !exchange(&way, family, mine, all)) {
        free(all);
        all = NULL;
    }
    close_way(&way, family);
    return all;
}

static struct hs_nccl_family *aborted; /* whose memory is still there */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- what is called ---- */

static bool find_functions(struct hs_nccl_functions *nccl, const void *caller)
{
#define HS_ROW(name, parameters)                                                                   \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        hs_nccl_function *found = hs_nccl_real(text, caller);                                      \
                                                                                                   \
        memcpy(&nccl->name, &found, sizeof(found));                                                \
        if (!found)                                                                                \
            return false;                                                                          \
    }
    HS_NCCL_USED(HS_ROW)
#undef HS_ROW
    return true;
}

/* ---- groups and nodes ---- */

/* The lowest rank of the job in this rank's group; -1: it is none of these. Ranks of a communicator
 * of all are the job's, whoever started them. */
static int64_t base_of(const struct hs_nccl_family *family, const struct hs_group *group,
                       const struct hs_nccl_trial *trial)
{
    int rank = trial->self.rank;

    if (hs_group_is_world(group))
        return 0;
    if (rank < 0 || trial->self.ranks != group->ranks ||
        hs_group_place(group, rank) != family->rank)
        return -1;
    return hs_group_rank(group, rank, 0);
}

static size_t node_of(const struct hs_rules *rules, int64_t rank)
{
    size_t node = 0;

    for (size_t i = 0; i < rules->node_count; i++)
        for (int64_t k = 0; k < rules->nodes[i].count; k++, node++) {
            if (rank < rules->nodes[i].ranks)
                return node;
            rank -= rules->nodes[i].ranks;
        }
    return node;
}

/* Whether as many ranks as there should be are on this rank's machine, and as many of them before
 * it. Nodes are blocks of ranks in their order: where that is true of every rank, the first block
 * is whole, so the second is, and so on. */
static bool lies_well(struct hs_nccl_family *family, const struct hs_group *group, int64_t base,
                      const struct hs_rules *rules)
{
    int expected = 0, before = 0, size, rank;
    size_t mine;

    if (rules->node_count == 0)
        return true;
    rank = look_for_alike(family, hs_nccl_host(), &size);
    mine = node_of(rules, hs_group_rank(group, base, family->rank));
    for (int i = 0; i < family->size; i++) {
        bool beside = node_of(rules, hs_group_rank(group, base, i)) == mine;

        expected += beside;
        before += beside && i < family->rank;
    }
    return rank == before && size == expected;
}

/* ---- layers ---- */

/* Takes part on all ranks alike, also where it did not work on this one. */
static bool split_layer(struct hs_nccl_family *family, struct hs_layer layer)
{
    int64_t block = layer.stride * layer.size, rank = family->rank;
    struct hs_nccl_part *part = &family->parts[family->part_count];
    int size;

    if (hs_nccl_part_of(family, layer))
        return true;
    part->layer = layer;
    part->rank =
        split(family, (int)(rank / block * layer.stride + rank % layer.stride), &part->comm, &size);
    if (family->splits.waits)
        return false;
    family->part_count++;
    return part->rank == rank / layer.stride % layer.size && size == layer.size;
}

static bool split_layers(struct hs_nccl_family *family, const struct hs_group *group,
                         const struct hs_rules *rules)
{
    bool good = true;

    for (size_t i = 0; i < rules->count; i++) {
        const struct hs_rule *rule = &rules->rules[i];
        const struct hs_split *of = &rule->plan.split;

        if (!hs_nccl_runs(rule) || !hs_group_equal(&rule->group, group) ||
            family->part_count + of->count > HS_NCCL_PARTS_MAX)
            continue;
        for (int k = 0; k < of->count; k++)
            good = split_layer(family, hs_split_layer(of, k)) && good;
    }
    return good;
}

/* ---- memory ---- */

static size_t memory_wanted(const struct hs_nccl_family *family, const struct hs_group *group)
{
    const struct hs_rules *rules = family->trial.rules;
    uint64_t most = 0;

    for (size_t i = 0; i < rules->count; i++) {
        const struct hs_rule *rule = &rules->rules[i], *next = rule + 1;
        bool ends = i + 1 < rules->count && next->collective == rule->collective &&
                    hs_group_equal(&next->group, &rule->group);
        uint64_t bytes = family->trial.memory_bytes;

        if (!hs_nccl_takes_memory(rule) || !hs_nccl_runs(rule) ||
            !hs_group_equal(&rule->group, group))
            continue;
        if (ends && hs_nccl_memory_of(rule, next->from_bytes) < bytes)
            bytes = hs_nccl_memory_of(rule, next->from_bytes);
        most = bytes > most ? bytes : most;
    }
    return (size_t)most;
}

static void drop_event(struct hs_nccl_family *family)
{
    void *event = family->order.event;

    family->order.event = NULL;
    hs_nccl_event_free(family->driver, event);
}

static void drop_memory(struct hs_nccl_family *family)
{
    hs_nccl_memory_free(family->driver, family->memory.begin);
    family->memory.begin = NULL;
    family->memory.bytes = 0;
    hs_nccl_verify_free(family->memory.verify, family->memory.aborted_by != NULL);
    family->memory.verify = NULL;
    hs_nccl_pairs_free(family->memory.pairs, family->memory.aborted_by != NULL);
    family->memory.pairs = NULL;
    if (family->memory.told_on_host)
        hs_nccl_host_free(family->driver, family->memory.told);
    else
        hs_nccl_memory_free(family->driver, family->memory.told);
    family->memory.told = NULL;
}

void hs_nccl_family_destroy(struct hs_nccl_family *family)
{
    for (int i = 0; i < family->part_count; i++)
        if (family->parts[i].comm)
            family->nccl.ncclCommDestroy(family->parts[i].comm);
    family->part_count = 0;
    drop_event(family);
    drop_memory(family);
}

void hs_nccl_family_abort(struct hs_nccl_family *family, const void *thread)
{
    bool grouped = family->nccl.ncclGroupStart() == HS_NCCL_SUCCESS;

    for (int i = 0; i < family->part_count; i++)
        family->nccl.ncclCommAbort(family->parts[i].comm);
    if (family->splits.given)
        family->nccl.ncclCommAbort(family->splits.made);
    if (grouped)
        family->nccl.ncclGroupEnd();
    drop_event(family);
    if (!family->memory.begin && !family->memory.verify && !family->memory.pairs &&
        !family->memory.told)
        return;
    pthread_mutex_lock(&lock);
    family->memory.aborted_by = thread;
    family->next = aborted;
    aborted = family;
    pthread_mutex_unlock(&lock);
}

void hs_nccl_families_aborted(const void *thread)
{
    struct hs_nccl_family **at = &aborted, *mine = NULL, *family;

    pthread_mutex_lock(&lock);
    while ((family = *at)) {
        if (family->memory.aborted_by != thread) {
            at = &family->next;
            continue;
        }
        *at = family->next;
        family->next = mine;
        mine = family;
    }
    pthread_mutex_unlock(&lock);
    for (; mine; mine = mine->next)
        drop_memory(mine);
}

/* ---- making ---- */

/* From 2.22 on a group stops the kernels of all that are aborted in it before it frees any; before
 * it, a family that hangs could not be aborted. */
#define ABORTS_TOGETHER 22200
/* Before it RCCL may end the program in ncclCommSplit, unless MSCCL is off (CHANGELOG.md of RCCL:
 * "Known issues" of 2.22.3, "Resolved issues" of 2.26.6). */
#define RCCL_SPLITS 22606

/* Whether a communicator may be split, and given up: without asking other ranks, as that splits. */
static bool is_usable(hs_nccl_function *function, int version)
{
    const char *msccl = getenv("RCCL_MSCCL_ENABLE");
    static atomic_bool said;

    if (version < ABORTS_TOGETHER)
        return false;
    if (!hs_nccl_is_amd(function) || version >= RCCL_SPLITS || (msccl && strcmp(msccl, "0") == 0))
        return true;
    if (!atomic_exchange(&said, true) && hs_launcher_is_root())
        fprintf(stderr, "hiersearch run: no call goes by plan: RCCL before 2.26.6 may fail where "
                        "communicators are split, but with RCCL_MSCCL_ENABLE=0\n");
    return false;
}

/* The first rule of a group of this size, from there on. */
static const struct hs_group *candidate(const struct hs_rules *rules, size_t *at, int size)
{
    for (; *at < rules->count; ++*at) {
        const struct hs_rule *rule = &rules->rules[*at];
        bool known = false;

        for (size_t i = 0; i < *at; i++)
            known = known || (hs_nccl_runs(&rules->rules[i]) &&
                              hs_group_equal(&rules->rules[i].group, &rule->group));
        if (!known && hs_nccl_runs(rule) && rule->group.size == size)
            return &rules->rules[(*at)++].group;
    }
    return NULL;
}

/* What this rank has in common with others that have the same plans, belong to this group and are
 * able. 0 is nobody's. */
static uint64_t mind_of(const struct hs_nccl_family *family, const struct hs_group *group,
                        size_t at)
{
    const struct hs_nccl_trial *trial = &family->trial;
    bool able = family->driver && trial->able && family->order.event;
    int64_t base = base_of(family, group, trial);

    if (!able || base < 0 || (!trial->blocks && !family->steps))
        return 0;
    return (trial->settings + (uint64_t)base * 2654435761u + at) | 1;
}

static void say_no_group(const struct hs_nccl_family *family)
{
    if (family->rank == 0)
        fprintf(stderr, "hiersearch run: %d ranks of a communicator have no plans: %s\n",
                family->size,
                family->driver ? "they are no group of the plans, have not the same plans all, or "
                                 "not one GPU for each process"
                               : family->lacks);
}

static void say_no_place(const struct hs_nccl_family *family)
{
    if (family->rank == 0)
        fprintf(stderr,
                "hiersearch run: %d ranks of a communicator have no plans: they lie on nodes "
                "otherwise than those of the plans (run --elsewhere)\n",
                family->size);
}

static void say_no_parts(const struct hs_nccl_family *family)
{
    if (family->rank == 0)
        fprintf(stderr,
                "hiersearch run: %d ranks of a communicator have no plans: NCCL could not split "
                "it\n",
                family->size);
}

/* ---- where nobody waits: by splits ---- */

static void try_group(struct hs_nccl_family *family, const struct hs_group *group, int64_t base)
{
    const struct hs_nccl_trial *trial = &family->trial;
    bool lies = lies_well(family, group, base, trial->rules);
    bool good = split_layers(family, group, trial->rules);

    if (agree(family, lies && good, trial->settings)) {
        family->group = group;
        return;
    }
    if (family->splits.waits)
        return;
    hs_nccl_family_destroy(family);
    if (lies)
        say_no_parts(family);
    else
        say_no_place(family);
}

static void try_groups(struct hs_nccl_family *family)
{
    const struct hs_nccl_trial *trial = &family->trial;
    const struct hs_group *group;
    bool any = false;

    for (size_t at = 0; (group = candidate(trial->rules, &at, family->size)); any = true) {
        uint64_t mind = mind_of(family, group, at);

        if (agree(family, mind != 0, mind)) {
            try_group(family, group, base_of(family, group, trial));
            return;
        }
        if (family->splits.waits)
            return;
    }
    if (any)
        say_no_group(family);
}

/* ---- where the host waits: by what all tell ---- */

/* Of what a rank tells first, and behind the splits. */
enum { HOST, CLIQUE, MINDS, MINDS_MAX = TOLD - MINDS };
enum { HAS_PARTS, HAS_MEMORY, HAS_VERIFY, HAS_PAIRS };

static bool all_tell(const struct hs_nccl_family *family, const struct told *all, int which)
{
    for (int i = 0; i < family->size; i++)
        if (all[i].numbers[which] == 0 || all[i].numbers[which] != all[0].numbers[which])
            return false;
    return true;
}

/* Whether ranks that are together on a node of the rules tell the same number, HOST or CLIQUE, and
 * no others tell it: the same for all who ask. Nodes are blocks of ranks in their order. */
static bool all_lie_by(const struct hs_nccl_family *family, const struct hs_group *group,
                       const struct told *all, int which)
{
    const struct hs_rules *rules = family->trial.rules;
    int64_t base = base_of(family, group, &family->trial);
    size_t before = 0;

    for (int i = 0; i < family->size; i++) {
        size_t node = node_of(rules, hs_group_rank(group, base, i));
        bool begins = i == 0 || node != before;

        if (all[i].numbers[which] == 0 ||
            (!begins && all[i].numbers[which] != all[i - 1].numbers[which]))
            return false;
        for (int k = 0; k < i && begins; k++)
            if (all[k].numbers[which] == all[i].numbers[which])
                return false;
        before = node;
    }
    return true;
}

static bool all_lie_well(const struct hs_nccl_family *family, const struct hs_group *group,
                         const struct told *all)
{
    return family->trial.rules->node_count == 0 || all_lie_by(family, group, all, HOST) ||
           all_lie_by(family, group, all, CLIQUE);
}

/* What all have stays. */
static void keep_memory(struct hs_nccl_family *family, const struct told *all, size_t wanted)
{
    struct hs_nccl_memory *memory = &family->memory;

    memory->bytes = wanted;
    if (wanted > 0 && !all_tell(family, all, HAS_MEMORY)) {
        hs_nccl_memory_free(family->driver, memory->begin);
        memory->begin = NULL;
        memory->bytes = 0;
        if (family->rank == 0)
            fprintf(stderr,
                    "hiersearch run: %d ranks of a communicator have no plans of reduce-scatters, "
                    "nor of packed layout: not all of their GPUs have %zu bytes left\n",
                    family->size, wanted);
    }
    if (family->trial.verify > 0 && !all_tell(family, all, HAS_VERIFY)) {
        hs_nccl_verify_free(memory->verify, true);
        memory->verify = NULL;
        if (family->rank == 0)
            fprintf(stderr,
                    "hiersearch run: --verify: %d ranks of a communicator go by plan unverified: "
                    "not all have %zu bytes of a GPU left\n",
                    family->size, 2 * family->trial.verify_bytes);
    }
    if (family->trial.pairs && !all_tell(family, all, HAS_PAIRS)) {
        hs_nccl_pairs_free(memory->pairs, true);
        memory->pairs = NULL;
    }
}

static void make_parts(struct hs_nccl_family *family, const struct hs_group *group)
{
    const struct hs_nccl_trial *trial = &family->trial;
    struct hs_nccl_memory *memory = &family->memory;
    size_t wanted = memory_wanted(family, group);
    struct told mine = {{0}}, *all;

    mine.numbers[HAS_PARTS] = split_layers(family, group, trial->rules);
    memory->begin = wanted > 0 ? hs_nccl_memory_new(family->driver, wanted) : NULL;
    memory->verify =
        trial->verify > 0 ? hs_nccl_verify_new(family->driver, trial->verify_bytes) : NULL;
    memory->pairs = trial->pairs ? hs_nccl_pairs_new(family->driver) : NULL;
    mine.numbers[HAS_MEMORY] = memory->begin != NULL;
    mine.numbers[HAS_VERIFY] = memory->verify != NULL;
    mine.numbers[HAS_PAIRS] = memory->pairs != NULL;
    all = tell(family, &mine);
    if (all && all_tell(family, all, HAS_PARTS)) {
        family->group = group;
        keep_memory(family, all, wanted);
    } else {
        hs_nccl_family_destroy(family);
        say_no_parts(family);
    }
    free(all);
}

static void tell_groups(struct hs_nccl_family *family)
{
    const struct hs_group *groups[MINDS_MAX];
    struct told mine = {{[HOST] = hs_nccl_host(), [CLIQUE] = hs_nccl_clique()}}, *all;
    const struct hs_group *found = NULL;
    int count = 0;

    for (size_t at = 0; count < MINDS_MAX; count++) {
        groups[count] = candidate(family->trial.rules, &at, family->size);
        if (!groups[count])
            break;
        mine.numbers[MINDS + count] = mind_of(family, groups[count], at);
    }
    if (count > 0 && !family->driver)
        say_no_group(family);
    if (count == 0 || !family->driver || !(all = tell(family, &mine)))
        return;
    for (int i = 0; i < count && !found; i++)
        found = all_tell(family, all, MINDS + i) ? groups[i] : NULL;
    if (!found)
        say_no_group(family);
    else if (!all_lie_well(family, found, all))
        say_no_place(family);
    else
        make_parts(family, found);
    free(all);
}

/* ---- what it costs ---- */

static struct hs_nccl_cost cost;

struct hs_nccl_cost hs_nccl_families_cost(void)
{
    struct hs_nccl_cost all;

    pthread_mutex_lock(&lock);
    all = cost;
    pthread_mutex_unlock(&lock);
    return all;
}

static void add_cost(const struct hs_nccl_family *family, size_t left_before, double seconds)
{
    size_t left = left_before > 0 ? hs_nccl_memory_left(family->driver) : 0;

    pthread_mutex_lock(&lock);
    cost.families += family->group != NULL;
    cost.splits += (uint64_t)family->splits.count;
    cost.bytes += left > 0 && left < left_before ? left_before - left : 0;
    cost.seconds += seconds;
    pthread_mutex_unlock(&lock);
}

/* ---- making ---- */

static bool find_self(struct hs_nccl_family *family)
{
    return family->nccl.ncclCommCount(family->comm, &family->size) == HS_NCCL_SUCCESS &&
           family->nccl.ncclCommUserRank(family->comm, &family->rank) == HS_NCCL_SUCCESS;
}

static void drop_all(struct hs_nccl_family *family)
{
    if (family->splits.making || family->group)
        return;
    drop_event(family);
    drop_memory(family);
}

/* The host waits: of a communicator that has just been made. */
static void make_at_once(struct hs_nccl_family *family)
{
    const double began = hs_clock_seconds();
    size_t left = hs_nccl_memory_left(family->driver);

    family->splits.making = false;
    if (find_self(family))
        tell_groups(family);
    add_cost(family, left, hs_clock_seconds() - began);
    drop_all(family);
}

bool hs_nccl_family_go_on(struct hs_nccl_family *family)
{
    if (!splits_again(family))
        return false;
    family->part_count = 0;
    if (find_self(family))
        try_groups(family);
    family->splits.making = family->splits.waits;
    if (!family->splits.making)
        add_cost(family, 0, 0);
    drop_all(family);
    return !family->splits.making;
}

struct hs_nccl_family *hs_nccl_family_make(hs_nccl_comm comm, const struct hs_nccl_trial *trial)
{
    struct hs_nccl_family *family = calloc(1, sizeof(*family));
    int version = 0;

    if (!family)
        return NULL;
    family->comm = comm;
    family->trial = *trial;
    family->splits.making = true;
    family->steps = trial->blocks ? NULL : calloc(1, sizeof(*family->steps));
    pthread_mutex_init(&family->busy, NULL);
    if (!find_functions(&family->nccl, trial->caller) ||
        family->nccl.ncclGetVersion(&version) != HS_NCCL_SUCCESS ||
        !is_usable((hs_nccl_function *)family->nccl.ncclGetVersion, version)) {
        free(family->steps);
        free(family);
        return NULL;
    }
    family->driver =
        hs_nccl_driver_of((hs_nccl_function *)family->nccl.ncclGetVersion, &family->lacks);
    family->order.event = hs_nccl_event_new(family->driver, false);
    if (trial->blocks)
        make_at_once(family);
    hs_nccl_family_add(family);
    return family;
}
