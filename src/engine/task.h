/*
 * task.h - what an engine is asked to do: a plan, one stage alone, or the library's default call.
 */
#ifndef HS_ENGINE_TASK_H
#define HS_ENGINE_TASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/reduce.h"
#include "model/problem.h"

/* Elements of a chunk are counted in int by MPI: more of them are cut into more chunks. */
#define HS_CHUNK_ELEMENTS_MAX ((size_t)1 << 30)

enum hs_task_kind {
    HS_TASK_PLAN,  /* a collective of all ranks, or of all groups of a mesh at once */
    HS_TASK_STAGE, /* all groups of a layer at once; an allgather of what lies in the output */
    HS_TASK_NATIVE /* the same by the library itself, one call of each group */
};

struct hs_task {
    enum hs_task_kind kind;
    struct hs_plan plan; /* of a native hs_plan_flat: its blocks lie in place */
    /* Of a plan and a native. A reduce-scatter leaves a rank's block at its place in the output,
     * where an allgather expects it: hs_task_block. */
    enum hs_collective collective;
    enum hs_layout layout;
    struct hs_group group; /* of a plan and a native; ranks 0: all of them */
    struct hs_stage_key stage;
    /* Its number among the engine's `natives` of the collective; or, from HS_NATIVES_MAX on, the
     * call by an algorithm of hs_mpi_own. */
    int native;
    /* Elements of the message per process; of a stage, those that enter its larger side. */
    size_t count;
};

#define HS_NATIVES_MAX 4  /* calls of a library for one collective, at most */
#define HS_CHOICE_TEXT 64 /* bytes enough for what a library took for a stage of a task */

/* A range of elements of the message. */
struct hs_block {
    size_t first, count;
};

static inline bool hs_task_is_forced(const struct hs_task *task)
{
    return task->kind == HS_TASK_NATIVE && task->native >= HS_NATIVES_MAX;
}

/* Whose call a plan or a native is, of np ranks in all. */
struct hs_group hs_task_group(const struct hs_task *task, int64_t np);
/* What a plan or a native is to do, in elements. */
struct hs_problem hs_task_problem(const struct hs_task *task);
/* Whether it is an all-to-all, or a layer's part of one. */
bool hs_task_exchanges(const struct hs_task *task);
bool hs_task_equal(const struct hs_task *a, const struct hs_task *b);

/* A task with its data. input and output have room for `room` elements, not less than
 * hs_task_padded; what lies behind `count` in the input is zeros, in the output is used up. */
struct hs_work {
    const struct hs_task *task;
    enum hs_datatype datatype;
    enum hs_operation operation;
    const void *input;
    void *output;
    size_t room;
    size_t line; /* elements that blocks are whole numbers of where they are long; >= 1 */
    bool timed;  /* plans: with the times of their stages */
};

/* What the elements that travel are a multiple of; `line` as in hs_work. Local. */
size_t hs_task_quantum(const struct hs_task *task, size_t line);
/* Elements that travel: the next multiple of that. */
size_t hs_task_padded(const struct hs_task *task, size_t line);
/* Which of the elements that travel are the block of rank `rank` (of all, not of its group): the
 * smaller side of a collective where a rank has one, hs_problem_block of as many equal ones as a
 * group has ranks; else all of them. Not of a stage. */
struct hs_block hs_task_block(const struct hs_task *task, size_t line, int64_t rank);
/* No task of np ranks and `count` elements has more than this. */
size_t hs_task_padded_most(size_t count, int64_t np, size_t line);
/* HS_INVALID: more than HS_CHUNK_ELEMENTS_MAX (stages.h) elements travel, and chunks would change
 * what the task does. Asks for kind, collective, group and count, of a stage its phase and layer.
 * Local. */
enum hs_status hs_task_check_count(const struct hs_task *task, size_t line, struct hs_error *err);
/* HS_INVALID where a plan or a stage is none of np processes, or has no room; where a plan does not
 * suit its collective, which in chunks none but an AllReduce's does; where hs_task_check_count
 * says so. Local. */
enum hs_status hs_work_check(const struct hs_work *work, int64_t np, struct hs_error *err);
/* The same for an engine of a library's calls: HS_INVALID where algorithms are named, too. */
enum hs_status hs_work_check_library(const struct hs_work *work, int64_t np, struct hs_error *err);

#endif
