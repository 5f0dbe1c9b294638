/*
 * packing.h - the copy of a packed reduce-scatter or allgather (model/collective.h): a reversed one
 * runs on a message whose blocks lie by hs_problem_block, so that rank r ends with block r.
 *
 * What is put on the queue is waited for. Local.
 */
#ifndef HS_ENGINE_PACKING_H
#define HS_ENGINE_PACKING_H

#include "engine/memory.h"
#include "engine/task.h"

/* A plan of several layers whose order is packed. */
bool hs_task_packs(const struct hs_task *task);
/* Whether it needs another message's room on the way: what is gathered; a reduce-scatter has its
 * output. */
bool hs_task_packs_elsewhere(const struct hs_task *task);

/* Block r of `from` to hs_problem_block of r in `to`, for all r of a group; `back` the other way.
 * Both are messages of hs_task_padded elements that do not overlap. */
struct hs_pack {
    const struct hs_memory *memory;
    struct hs_queue *queue;
    int64_t rank;        /* of all, this process */
    struct hs_work work; /* as it was asked for */
};
void hs_packing_copy(const struct hs_pack *packing, char *to, const char *from, bool back);

/* Before packed work runs: what runs in the place of it. `spare`: that other message, or NULL. */
struct hs_work hs_packing_begin(const struct hs_pack *packing, void *spare);
/* Behind it: has the output as it was asked for. `run` is what begin returned. */
void hs_packing_end(const struct hs_pack *packing, const struct hs_work *run);

#endif
