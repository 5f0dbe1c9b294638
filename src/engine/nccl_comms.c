/* nccl_comms.c - see nccl_comms.h. */
#include "engine/nccl_comms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/float16.h"
#include "engine/layer_comms.h"
#include "engine/mpi_status.h"

/* How many looks at a call in progress go by between two looks at the clock. */
#define LOOKS_PER_CLOCK 64
/* The first NCCL that takes the aborts of a group together. */
#define VERSION_WITH_GROUP_ABORT 22200

/* ---- waiting ---- */

enum hs_status hs_nccl_wait(struct hs_nccl_comms *comms, ncclComm_t comm, ncclResult_t result,
                            const char *call, struct hs_error *err)
{
    double begin = comms->blocking ? 0 : MPI_Wtime();
    enum hs_status status = hs_nccl_status(comms->api, result, call, err);
    comms->failed = comms->failed || status != HS_OK;
    if (status != HS_OK || comms->blocking)
        return status;

    ncclResult_t state = ncclInProgress;
    for (unsigned look = 1;; look++) {
        status = hs_nccl_status(comms->api, comms->api->CommGetAsyncError(comm, &state), call, err);
        if (status == HS_OK)
            status = hs_nccl_status(comms->api, state, call, err);
        comms->failed = comms->failed || status != HS_OK;
        if (status != HS_OK || state == ncclSuccess)
            return status;
        if (look % LOOKS_PER_CLOCK == 0 && MPI_Wtime() - begin > comms->timeout_seconds) {
            comms->timed_out = true;
            return hs_fail(err, HS_FAILED, "%s: no end after %g s", call, comms->timeout_seconds);
        }
        hs_idle_looked(comms->idle, false);
    }
}

static enum hs_status state_of(const struct hs_nccl_comms *comms, ncclComm_t comm,
                               struct hs_error *err)
{
    ncclResult_t state = ncclSuccess;
    ncclResult_t result = comms->api->CommGetAsyncError(comm, &state);
    enum hs_status status = hs_nccl_status(comms->api, result, "ncclCommGetAsyncError", err);
    return status != HS_OK ? status
                           : hs_nccl_status(comms->api, state, "a communicator's state", err);
}

enum hs_status hs_nccl_comms_state(const struct hs_nccl_comms *comms, struct hs_error *err)
{
    enum hs_status status = state_of(comms, comms->root, err);
    for (const struct hs_nccl_comm *at = comms->first; at != NULL && status == HS_OK; at = at->next)
        status = state_of(comms, at->comm, err);
    return status;
}

/* ---- making ---- */

static ncclConfig_t config_of(const struct hs_nccl_comms *comms, enum hs_nccl_kind kind)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = comms->blocking;
#ifdef NCCL_CTA_POLICY_ZERO
    if (kind == HS_NCCL_WINDOWED_ZERO_CTA)
        config.CTAPolicy = NCCL_CTA_POLICY_ZERO;
#else
    (void)kind;
#endif
    return config;
}

static enum hs_status share_id(const struct hs_nccl_comms *comms, const ncclUniqueId *mine,
                               ncclUniqueId *all, struct hs_error *err)
{
    int bytes = (int)sizeof(*mine);
    MPI_Request request;
    enum hs_status status = HS_MPI(
        MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comms->world, &request), err);

    return status == HS_OK ? hs_idle_wait(comms->idle, &request, err) : status;
}

/* A communicator for the ranks with place 0 .. size - 1 of this rank's group, from an id that its
 * place 0 makes: how all ranks' is made, and how layers' are where NCCL has no ncclCommSplit. The
 * ids of all groups travel together. */
static enum hs_status make_from_id(ncclComm_t *out, struct hs_nccl_comms *comms,
                                   const struct hs_group *group, enum hs_nccl_kind kind,
                                   struct hs_error *err)
{
    const struct hs_nccl_api *api = comms->api;
    int place = (int)hs_group_place(group, comms->rank);
    ncclConfig_t config = config_of(comms, kind);
    ncclUniqueId id = {{0}}, *ids = calloc((size_t)comms->np, sizeof *ids);
    enum hs_status status = HS_OK;

    *out = NULL;
    if (ids == NULL)
        status = hs_no_memory(err);
    else if (place == 0)
        status = hs_nccl_status(api, api->GetUniqueId(&id), "ncclGetUniqueId", err);
    status = hs_agree(comms->world, comms->idle, status, err);
    if (status == HS_OK && ids != NULL)
        status = share_id(comms, &id, ids, err);
    if (status == HS_OK && ids != NULL) {
        id = ids[hs_group_rank(group, comms->rank, 0)];
        ncclResult_t result = api->CommInitRankConfig(out, (int)group->size, id, place, &config);
        status = hs_nccl_wait(comms, *out, result, "ncclCommInitRankConfig", err);
    }
    free(ids);
    return status;
}

/* *out is NULL until the split is through, so its parent is asked (NCCL user guide, fault
 * tolerance). */
static enum hs_status make_by_split(ncclComm_t *out, struct hs_nccl_comms *comms,
                                    const struct hs_group *group, enum hs_nccl_kind kind,
                                    struct hs_error *err)
{
    ncclConfig_t config = config_of(comms, kind);
    int color = (int)hs_group_rank(group, comms->rank, 0);
    int place = (int)hs_group_place(group, comms->rank);
    *out = NULL;
    ncclResult_t result = comms->api->CommSplit(comms->root, color, place, out, &config);
    enum hs_status status = hs_nccl_wait(comms, comms->root, result, "ncclCommSplit", err);
    if (status != HS_OK)
        return status;
    return hs_nccl_wait(comms, *out, ncclSuccess, "ncclCommSplit", err);
}

/* ---- registration ---- */

static bool has_windows(enum hs_nccl_kind kind)
{
    return kind == HS_NCCL_WINDOWED || kind == HS_NCCL_WINDOWED_ZERO_CTA;
}

static bool can_register(const struct hs_nccl_comms *comms, enum hs_nccl_kind kind)
{
    if (has_windows(kind))
        return hs_nccl_api_windows(comms->api);
    return comms->registers && comms->api->CommRegister && comms->api->CommDeregister;
}

/* A failed communicator is none, or in an unknown state. */
static void deregister_buffers(struct hs_nccl_comms *comms, struct hs_nccl_comm *item)
{
    for (int i = 0; i < 2; i++) {
        if (item->registered[i] && item->comm)
            comms->api->CommDeregister(item->comm, item->registered[i]);
        if (item->windows[i] && item->comm)
            comms->api->CommWindowDeregister(item->comm, item->windows[i]);
        item->registered[i] = NULL;
        item->windows[i] = NULL;
    }
}

static enum hs_status register_one(struct hs_nccl_comms *comms, struct hs_nccl_comm *item, int i,
                                   struct hs_error *err)
{
    const struct hs_nccl_api *api = comms->api;
    const struct hs_nccl_buffer *buffer = &comms->buffers[i];
    ncclResult_t result;

    if (!has_windows(item->kind))
        return hs_nccl_status(
            api,
            api->CommRegister(item->comm, buffer->address, buffer->bytes, &item->registered[i]),
            "ncclCommRegister", err);
    result = api->CommWindowRegister(item->comm, buffer->address, buffer->bytes, &item->windows[i],
                                     NCCL_WIN_COLL_SYMMETRIC);
    if (hs_nccl_status(api, result, "ncclCommWindowRegister", err) != HS_OK) {
        comms->failed = comms->failed || state_of(comms, item->comm, err) != HS_OK;
        return HS_FAILED;
    }
    if (hs_nccl_wait(comms, item->comm, result, "ncclCommWindowRegister", err) != HS_OK)
        return HS_FAILED;
    return item->windows[i] ? HS_OK : hs_fail(err, HS_FAILED, "there is no window");
}

/* Collective. Where a buffer cannot be registered NCCL copies, as it does without: that is no
 * failure, but a window that does not come to be in time is one. All ranks register or none, as
 * NCCL asks (user guide, "User Buffer Registration"), and all go on to the second window or none,
 * because each waits for the others there. */
static enum hs_status register_buffers(struct hs_nccl_comms *comms, struct hs_nccl_comm *item,
                                       struct hs_error *err)
{
    enum hs_status status = HS_OK;
    bool broken;

    if (!can_register(comms, item->kind))
        return HS_OK;
    for (int i = 0; i < 2 && status == HS_OK; i++) {
        if (comms->buffers[i].bytes > 0)
            status = register_one(comms, item, i, err);
        if (status != HS_OK)
            item->registered[i] = NULL;
        status = hs_agree(comms->world, comms->idle, status, err);
    }
    broken = comms->timed_out || comms->failed;
    if (status != HS_OK && !broken)
        deregister_buffers(comms, item);
    return hs_agree(comms->world, comms->idle, broken ? HS_FAILED : HS_OK, err);
}

enum hs_status hs_nccl_comms_register(struct hs_nccl_comms *comms,
                                      const struct hs_nccl_buffer buffers[2], struct hs_error *err)
{
    enum hs_status status = HS_OK;
    bool same = true;

    for (int i = 0; i < 2; i++)
        same = same && comms->buffers[i].address == buffers[i].address &&
               comms->buffers[i].bytes == buffers[i].bytes;
    if (same)
        return HS_OK;
    for (struct hs_nccl_comm *at = comms->first; at != NULL; at = at->next)
        deregister_buffers(comms, at);
    memcpy(comms->buffers, buffers, sizeof(comms->buffers));
    for (struct hs_nccl_comm *at = comms->first; at != NULL && status == HS_OK; at = at->next)
        if (!at->failed)
            status = register_buffers(comms, at, err);
    return status;
}

/* NCCL_ALGO in the environment of this process; NULL: not set. The old value is copied to *old. */
static enum hs_status set_algorithm(const char *value, char **old, struct hs_error *err)
{
    const char *now = getenv("NCCL_ALGO");
    if (old != NULL) {
        *old = now == NULL ? NULL : strdup(now);
        if (now != NULL && *old == NULL)
            return hs_no_memory(err);
    }
    if (value == NULL)
        unsetenv("NCCL_ALGO");
    else if (setenv("NCCL_ALGO", value, 1) != 0)
        return hs_no_memory(err);
    return HS_OK;
}

ncclDataType_t hs_nccl_datatype(enum hs_datatype datatype)
{
    switch (datatype) {
    case HS_FLOAT32:
        return ncclFloat32;
    case HS_FLOAT64:
        return ncclFloat64;
    case HS_FLOAT16:
        return ncclFloat16;
    case HS_BFLOAT16:
        return ncclBfloat16;
    default: /* priced alone */
        break;
    }
    abort();
}

/* 1/np, exact where np is a power of two, for each data type. */
static enum hs_status make_means(struct hs_nccl_comms *comms, struct hs_nccl_comm *item,
                                 struct hs_error *err)
{
    float part = 1.0f / (float)comms->np;
    double part64 = 1.0 / comms->np;
    uint16_t part16 = hs_float_to_float16(part), bpart16 = hs_float_to_bfloat16(part);
    void *const scalars[HS_DATATYPE_COUNT] = {[HS_FLOAT32] = &part,
                                              [HS_FLOAT64] = &part64,
                                              [HS_FLOAT16] = &part16,
                                              [HS_BFLOAT16] = &bpart16};
    enum hs_status status = HS_OK;

    for (int d = 0; d < HS_DATATYPE_COUNT && status == HS_OK; d++)
        status =
            hs_nccl_status(comms->api,
                           comms->api->RedOpCreatePreMulSum(&item->mean[d], scalars[d],
                                                            hs_nccl_datatype((enum hs_datatype)d),
                                                            ncclScalarHostImmediate, item->comm),
                           "ncclRedOpCreatePreMulSum", err);
    return status;
}

static enum hs_status make(struct hs_nccl_comms *comms, struct hs_nccl_comm *item,
                           struct hs_error *err)
{
    char *algorithm = NULL;
    enum hs_status status = HS_OK;
    if (item->kind == HS_NCCL_PINNED)
        status = set_algorithm("Ring", &algorithm, err);
    status = hs_agree(comms->world, comms->idle, status, err);
    hs_nccl_record_into(&item->record);
    if (status == HS_OK && comms->api->CommSplit != NULL)
        status = make_by_split(&item->comm, comms, &item->group, item->kind, err);
    else if (status == HS_OK)
        status = make_from_id(&item->comm, comms, &item->group, item->kind, err);
    hs_nccl_record_into(NULL);
    if (item->kind == HS_NCCL_PINNED)
        set_algorithm(algorithm, NULL, NULL);
    free(algorithm);
    if (status == HS_OK && item->kind != HS_NCCL_PLAIN && item->layer.stride == 1 &&
        item->layer.size < comms->np)
        status = make_means(comms, item, err);
    status = hs_agree(comms->world, comms->idle, status, err);
    return status == HS_OK ? register_buffers(comms, item, err) : status;
}

static enum hs_status make_root(struct hs_nccl_comms *comms, struct hs_error *err)
{
    struct hs_group world = hs_group_world(comms->np);
    enum hs_status status;

    hs_nccl_record_into(&comms->record);
    status = make_from_id(&comms->root, comms, &world, HS_NCCL_PLAIN, err);
    hs_nccl_record_into(NULL);
    return hs_agree(comms->world, comms->idle, status, err);
}

enum hs_status hs_nccl_comms_init(struct hs_nccl_comms *comms, struct hs_error *err)
{
    const char *blocking = getenv("HIERSEARCH_NCCL_BLOCKING");
    comms->blocking = blocking == NULL || strcmp(blocking, "0") != 0;
    comms->timed_out = comms->failed = false;
    comms->root = NULL;
    comms->first = NULL;
    enum hs_status status = make_root(comms, err);
    if (status != HS_OK)
        hs_nccl_comms_release(comms, true);
    return status;
}

static struct hs_group group_of(const struct hs_nccl_comms *comms, struct hs_layer layer)
{
    return (struct hs_group){.ranks = comms->np, .stride = layer.stride, .size = layer.size};
}

const struct hs_nccl_comm *hs_nccl_comms_find(const struct hs_nccl_comms *comms,
                                              struct hs_layer layer, enum hs_nccl_kind kind)
{
    struct hs_group group = group_of(comms, layer);

    return hs_nccl_comms_find_group(comms, &group, kind);
}

const struct hs_nccl_comm *hs_nccl_comms_find_group(const struct hs_nccl_comms *comms,
                                                    const struct hs_group *group,
                                                    enum hs_nccl_kind kind)
{
    for (const struct hs_nccl_comm *at = comms->first; at != NULL; at = at->next)
        if (hs_group_equal(&at->group, group) && at->kind == kind)
            return at;
    return NULL;
}

enum hs_status hs_nccl_comms_get(const struct hs_nccl_comm **out, struct hs_nccl_comms *comms,
                                 struct hs_layer layer, enum hs_nccl_kind kind,
                                 struct hs_error *err)
{
    struct hs_group group = group_of(comms, layer);

    return hs_nccl_comms_get_group(out, comms, &group, kind, err);
}

enum hs_status hs_nccl_comms_get_group(const struct hs_nccl_comm **out, struct hs_nccl_comms *comms,
                                       const struct hs_group *group, enum hs_nccl_kind kind,
                                       struct hs_error *err)
{
    *out = hs_nccl_comms_find_group(comms, group, kind);
    if (*out != NULL)
        return HS_OK;
    struct hs_nccl_comm *item = calloc(1, sizeof *item), **end = &comms->first;
    enum hs_status status = item != NULL ? HS_OK : hs_no_memory(err);
    status = hs_agree(comms->world, comms->idle, status, err);
    if (status != HS_OK || item == NULL) {
        free(item);
        return status;
    }
    item->layer = (struct hs_layer){group->stride, group->size};
    item->group = *group;
    item->kind = kind;
    while (*end != NULL)
        end = &(*end)->next;
    *end = item; /* also where making it fails: aborting must find it */
    *out = item;
    status = make(comms, item, err);
    item->failed = status != HS_OK;
    return status;
}

void hs_nccl_comms_choice(char text[HS_CHOICE_TEXT], struct hs_nccl_comms *comms,
                          const struct hs_nccl_comm *comm, enum hs_phase phase)
{
    struct hs_nccl_record *record = &comms->record;
    int64_t size = comm ? comm->layer.size : comms->np;

    for (struct hs_nccl_comm *at = comms->first; at; at = at->next)
        if (at == comm)
            record = &at->record;
    hs_nccl_record_take(text, record, phase);
    if (size == 1)
        text[0] = '\0';
}

/* ---- ending ---- */

/* One abort. Before NCCL took them together each has a thread, which may wait for the others. */
struct stop {
    const struct hs_nccl_comms *comms;
    ncclComm_t comm;
    pthread_t thread;
    struct stop *next; /* begun before */
};

static void *abort_one(void *stop)
{
    const struct stop *one = stop;

    (void)one->comms->api->CommAbort(one->comm);
    return NULL;
}

/* *comm is NULL afterwards. Where there is no thread to be had the caller waits itself. */
static void begin_abort(const struct hs_nccl_comms *comms, ncclComm_t *comm, struct stop **begun)
{
    struct stop *one = NULL;

    if (*comm == NULL)
        return;
    if (comms->api->version < VERSION_WITH_GROUP_ABORT)
        one = malloc(sizeof(*one));
    if (one)
        *one = (struct stop){.comms = comms, .comm = *comm, .next = *begun};
    if (one && pthread_create(&one->thread, NULL, abort_one, one) == 0) {
        *begun = one;
    } else {
        (void)comms->api->CommAbort(*comm);
        free(one);
    }
    *comm = NULL;
}

static void join_aborts(struct stop *begun)
{
    while (begun) {
        struct stop *one = begun;

        begun = one->next;
        (void)pthread_join(one->thread, NULL);
        free(one);
    }
}

/* Parents first, then children, as NCCL asks. What they leave is not looked at: they are gone. */
void hs_nccl_comms_abort(struct hs_nccl_comms *comms)
{
    struct stop *begun = NULL;

    (void)comms->api->GroupStart();
    begin_abort(comms, &comms->root, &begun);
    for (struct hs_nccl_comm *at = comms->first; at != NULL; at = at->next) {
        begin_abort(comms, &at->comm, &begun);
        memset(at->registered, 0, sizeof at->registered);
        memset(at->windows, 0, sizeof(at->windows));
    }
    (void)comms->api->GroupEnd();
    join_aborts(begun);
}

static bool end_one(struct hs_nccl_comms *comms, ncclComm_t *comm)
{
    ncclResult_t result;

    if (*comm == NULL)
        return true;
    result = comms->api->CommFinalize(*comm);
    if (hs_nccl_wait(comms, *comm, result, "ncclCommFinalize", NULL) != HS_OK)
        return false;
    (void)comms->api->CommDestroy(*comm);
    *comm = NULL;
    return true;
}

/* Where one does not end in time it and all that are left are aborted. */
static void end_all(struct hs_nccl_comms *comms)
{
    bool ended = true;

    for (struct hs_nccl_comm *at = comms->first; at != NULL && ended; at = at->next) {
        deregister_buffers(comms, at);
        ended = end_one(comms, &at->comm);
    }
    if (!ended || !end_one(comms, &comms->root))
        hs_nccl_comms_abort(comms);
}

static void forget_failed(struct hs_nccl_comms *comms)
{
    for (struct hs_nccl_comm **at = &comms->first; *at != NULL;) {
        struct hs_nccl_comm *item = *at;
        if (item->failed) {
            *at = item->next;
            free(item);
        } else
            at = &item->next;
    }
}

enum hs_status hs_nccl_comms_renew(struct hs_nccl_comms *comms, struct hs_error *err)
{
    hs_nccl_comms_abort(comms);
    forget_failed(comms);
    comms->timed_out = comms->failed = false;
    enum hs_status status = make_root(comms, err);
    for (struct hs_nccl_comm *at = comms->first; at != NULL && status == HS_OK; at = at->next)
        status = make(comms, at, err);
    return status;
}

void hs_nccl_comms_release(struct hs_nccl_comms *comms, bool abort)
{
    if (abort)
        hs_nccl_comms_abort(comms);
    else
        end_all(comms);
    while (comms->first != NULL) {
        struct hs_nccl_comm *item = comms->first;
        comms->first = item->next;
        free(item);
    }
}
