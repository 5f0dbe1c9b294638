/* nccl_families.c - see nccl_families.h. */
#include "apply/nccl_families.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/nccl_driver.h"
#include "apply/nccl_handles.h"
#include "apply/nccl_real.h"
#include "apply/nccl_verify.h"
#include "base/launcher.h"

static struct hs_nccl_family *families;
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

bool hs_nccl_runs(const struct hs_rule *rule)
{
    return (rule->collective == HS_COLLECTIVE_ALLREDUCE ||
            rule->collective == HS_COLLECTIVE_REDUCE_SCATTER ||
            rule->collective == HS_COLLECTIVE_ALLGATHER) &&
           rule->layout == HS_NATURAL && rule->plan.split.count > 1 && rule->plan.chunks == 1 &&
           !hs_plan_has_letters(&rule->plan);
}

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

/* This machine, as NCCL tells machines apart. */
static uint64_t hash_of_host(void)
{
    const char *given = getenv("NCCL_HOSTID");
    char name[256] = "";
    ssize_t length = -1;
    int fd = given ? -1 : open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        length = read(fd, name, sizeof(name) - 1);
        close(fd);
    }
    if (!given && length <= 0)
        gethostname(name, sizeof(name) - 1);
    return hs_nccl_hash(given ? given : name, strlen(given ? given : name));
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
    rank = hs_nccl_look_for_alike(family, hash_of_host(), &size);
    mine = node_of(rules, hs_group_rank(group, base, family->rank));
    for (int i = 0; i < family->size; i++) {
        bool beside = node_of(rules, hs_group_rank(group, base, i)) == mine;

        expected += beside;
        before += beside && i < family->rank;
    }
    return rank == before && size == expected;
}

/* ---- layers ---- */

const struct hs_nccl_part *hs_nccl_part_of(const struct hs_nccl_family *family,
                                           struct hs_layer layer)
{
    for (int i = 0; i < family->part_count; i++)
        if (hs_layer_equal(family->parts[i].layer, layer))
            return &family->parts[i];
    return NULL;
}

/* Takes part on all ranks alike, also where it did not work on this one. */
static bool split_layer(struct hs_nccl_family *family, struct hs_layer layer)
{
    int64_t block = layer.stride * layer.size, rank = family->rank;
    struct hs_nccl_part *part = &family->parts[family->part_count];
    int size;

    if (hs_nccl_part_of(family, layer))
        return true;
    part->layer = layer;
    part->rank = hs_nccl_split(family, (int)(rank / block * layer.stride + rank % layer.stride),
                               &part->comm, &size);
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

/* Of a plan, for messages of so many bytes: what leaves its outermost layer. */
static uint64_t memory_of(const struct hs_plan *plan, uint64_t bytes)
{
    return bytes / (uint64_t)plan->split.sizes[plan->split.count - 1];
}

static size_t memory_wanted(const struct hs_rules *rules, const struct hs_group *group)
{
    uint64_t most = 0;

    for (size_t i = 0; i < rules->count; i++) {
        const struct hs_rule *rule = &rules->rules[i], *next = rule + 1;
        bool ends = i + 1 < rules->count && next->collective == rule->collective &&
                    hs_group_equal(&next->group, &rule->group);
        uint64_t bytes = HS_NCCL_MEMORY_MAX;

        if (rule->collective != HS_COLLECTIVE_REDUCE_SCATTER || !hs_nccl_runs(rule) ||
            !hs_group_equal(&rule->group, group))
            continue;
        if (ends && memory_of(&rule->plan, next->from_bytes) < bytes)
            bytes = memory_of(&rule->plan, next->from_bytes);
        most = bytes > most ? bytes : most;
    }
    return (size_t)most;
}

bool hs_nccl_has_memory(const struct hs_nccl_family *family, const struct hs_plan *plan,
                        uint64_t bytes)
{
    return memory_of(plan, bytes) <= family->memory.bytes;
}

/* All ranks have it, or none. */
static void take_memory(struct hs_nccl_family *family)
{
    const struct hs_nccl_trial *trial = &family->trial;
    size_t wanted = memory_wanted(trial->rules, family->group);

    if (wanted == 0 || !trial->blocks)
        return;
    family->memory.begin = hs_nccl_memory_new(family->driver, wanted);
    if (hs_nccl_agree(family, family->memory.begin != NULL, trial->settings)) {
        family->memory.bytes = wanted;
        return;
    }
    hs_nccl_memory_free(family->driver, family->memory.begin);
    family->memory.begin = NULL;
    if (family->rank == 0)
        fprintf(stderr,
                "hiersearch run: %d ranks of a communicator have no plans of reduce-scatters: not "
                "all of their GPUs have %zu bytes left\n",
                family->size, wanted);
}

static void take_verify(struct hs_nccl_family *family)
{
    if (family->trial.verify == 0)
        return;
    family->memory.verify = hs_nccl_verify_new(family->driver, family->trial.verify_bytes);
    if (hs_nccl_agree(family, family->memory.verify != NULL, family->trial.settings))
        return;
    hs_nccl_verify_free(family->memory.verify, true);
    family->memory.verify = NULL;
    if (family->rank == 0)
        fprintf(stderr,
                "hiersearch run: --verify: %d ranks of a communicator go by plan unverified: not "
                "all have %zu bytes of a GPU left\n",
                family->size, 2 * family->trial.verify_bytes);
}

static void drop_event(struct hs_nccl_family *family)
{
    void *event = family->order.event;

    family->order.event = NULL;
    if (event)
        family->driver->event_destroy(event);
}

static void drop_memory(struct hs_nccl_family *family)
{
    hs_nccl_memory_free(family->driver, family->memory.begin);
    family->memory.begin = NULL;
    family->memory.bytes = 0;
    hs_nccl_verify_free(family->memory.verify, family->memory.aborted_by != NULL);
    family->memory.verify = NULL;
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
    if (!family->memory.begin && !family->memory.verify)
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

static void try_group(struct hs_nccl_family *family, const struct hs_group *group, int64_t base)
{
    const struct hs_nccl_trial *trial = &family->trial;
    bool lies = lies_well(family, group, base, trial->rules);
    bool good = split_layers(family, group, trial->rules) && family->order.event;

    if (hs_nccl_agree(family, lies && good, trial->settings)) {
        family->group = group;
        take_memory(family);
        take_verify(family);
        return;
    }
    if (family->splits.waits)
        return;
    hs_nccl_family_destroy(family);
    if (family->rank == 0)
        fprintf(stderr,
                "hiersearch run: %d ranks of a communicator have no plans: they lie on nodes "
                "otherwise than those of the plans (run --elsewhere), or could not be split\n",
                family->size);
}

static void try_groups(struct hs_nccl_family *family)
{
    const struct hs_nccl_trial *trial = &family->trial;
    const struct hs_group *group;
    bool able = family->driver && trial->able && (trial->blocks || family->steps), any = false;

    for (size_t at = 0; (group = candidate(trial->rules, &at, family->size)); any = true) {
        int64_t base = base_of(family, group, trial);

        if (hs_nccl_agree(family, able && base >= 0,
                          trial->settings + (uint64_t)base * 2654435761u + at)) {
            try_group(family, group, base);
            return;
        }
        if (family->splits.waits)
            return;
    }
    if (any && family->rank == 0)
        fprintf(stderr, "hiersearch run: %d ranks of a communicator have no plans: %s\n",
                family->size,
                family->driver ? "they are no group of the plans, have not the same plans all, or "
                                 "not one GPU for each process"
                               : family->lacks);
}

bool hs_nccl_family_go_on(struct hs_nccl_family *family)
{
    if (!hs_nccl_splits_again(family))
        return false;
    family->part_count = 0;
    if (family->nccl.ncclCommCount(family->comm, &family->size) == HS_NCCL_SUCCESS &&
        family->nccl.ncclCommUserRank(family->comm, &family->rank) == HS_NCCL_SUCCESS)
        try_groups(family);
    family->splits.making = family->splits.waits;
    if (!family->splits.making && !family->group)
        drop_event(family);
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
    family->order.event = hs_nccl_event_new(family->driver);
    if (trial->blocks)
        hs_nccl_family_go_on(family);
    pthread_mutex_lock(&lock);
    family->next = families;
    families = family;
    pthread_mutex_unlock(&lock);
    return family;
}

struct hs_nccl_family *hs_nccl_family_find(hs_nccl_comm comm)
{
    struct hs_nccl_family *family;

    pthread_mutex_lock(&lock);
    for (family = families; family && family->comm != comm;)
        family = family->next;
    pthread_mutex_unlock(&lock);
    return family;
}

struct hs_nccl_family *hs_nccl_family_forget(hs_nccl_comm comm)
{
    struct hs_nccl_family **at = &families, *family;

    pthread_mutex_lock(&lock);
    while (*at && (*at)->comm != comm)
        at = &(*at)->next;
    family = *at;
    if (family) {
        *at = family->next;
        family->ended = true;
    }
    pthread_mutex_unlock(&lock);
    return family;
}

/* ---- order ---- */

/* Memory is not left to the handle of a stream, which may be another one's meanwhile. */
void hs_nccl_order_before(struct hs_nccl_family *family, hs_nccl_stream stream)
{
    bool same = family->order.stream == stream && !family->memory.begin && !family->memory.verify;

    if (family->group && family->order.event && family->order.issued && !same &&
        !hs_nccl_captures(family->driver, stream))
        family->driver->stream_wait(stream, family->order.event, 0);
}

static void record(struct hs_nccl_family *family, hs_nccl_stream stream)
{
    if (!family->group || !family->order.event || hs_nccl_captures(family->driver, stream) ||
        family->driver->event_record(family->order.event, stream) != 0)
        return;
    family->order.stream = stream;
    family->order.issued = true;
}

void hs_nccl_order_after(struct hs_nccl_family *family, hs_nccl_stream stream,
                         hs_nccl_result result)
{
    family->order.late = result == HS_NCCL_IN_PROGRESS;
    family->order.late_stream = stream;
    if (!family->order.late)
        record(family, stream);
}

void hs_nccl_order_settle(struct hs_nccl_family *family)
{
    if (family->order.late)
        record(family, family->order.late_stream);
    family->order.late = false;
}

void hs_nccl_order_touch(struct hs_nccl_family *family, hs_nccl_stream stream, const void *thread)
{
    hs_nccl_order_before(family, stream);
    family->order.touched = thread;
    family->order.touched_stream = stream;
}

void hs_nccl_order_group(const void *thread, hs_nccl_result result)
{
    pthread_mutex_lock(&lock);
    for (struct hs_nccl_family *family = families; family; family = family->next)
        if (family->order.touched == thread) {
            family->order.touched = NULL;
            hs_nccl_order_after(family, family->order.touched_stream, result);
        }
    pthread_mutex_unlock(&lock);
}
