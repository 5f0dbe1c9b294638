/* nccl_family.c - see nccl_family.h. */
#include "apply/nccl_family.h"

#include "apply/nccl_driver.h"

static struct hs_nccl_family *families;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- what there is of it ---- */

bool hs_nccl_runs(const struct hs_rule *rule)
{
    bool one_way = rule->collective == HS_COLLECTIVE_REDUCE_SCATTER ||
                   rule->collective == HS_COLLECTIVE_ALLGATHER;

    return (one_way || rule->collective == HS_COLLECTIVE_ALLREDUCE) &&
           (rule->layout == HS_NATURAL || (one_way && rule->layout == HS_PACKED)) &&
           rule->plan.split.count > 1 && rule->plan.chunks == 1 &&
           !hs_plan_has_letters(&rule->plan);
}

bool hs_nccl_takes_memory(const struct hs_rule *rule)
{
    return rule->collective == HS_COLLECTIVE_REDUCE_SCATTER || rule->layout == HS_PACKED;
}

uint64_t hs_nccl_memory_of(const struct hs_rule *rule, uint64_t bytes)
{
    const struct hs_split *split = &rule->plan.split;

    return rule->layout == HS_PACKED ? bytes : bytes / (uint64_t)split->sizes[split->count - 1];
}

bool hs_nccl_has_memory(const struct hs_nccl_family *family, const struct hs_rule *rule,
                        uint64_t bytes)
{
    size_t least = (size_t)family->size * HS_NCCL_LINE; /* of a piece */

    return hs_nccl_memory_of(rule, bytes) <= family->memory.bytes ||
           (rule->layout == HS_PACKED && least <= family->memory.bytes);
}

const struct hs_nccl_part *hs_nccl_part_of(const struct hs_nccl_family *family,
                                           struct hs_layer layer)
{
    for (int i = 0; i < family->part_count; i++)
        if (hs_layer_equal(family->parts[i].layer, layer))
            return &family->parts[i];
    return NULL;
}

/* ---- those that are known ---- */

void hs_nccl_family_add(struct hs_nccl_family *family)
{
    pthread_mutex_lock(&lock);
    family->next = families;
    families = family;
    pthread_mutex_unlock(&lock);
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
