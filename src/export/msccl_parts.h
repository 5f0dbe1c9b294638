/*
 * msccl_parts.h - what msccl.c is made of: a process's program (msccl_program.c), and what trees on
 * single links do in it (msccl_forest.c). Internal to src/export.
 */
#ifndef HS_EXPORT_MSCCL_PARTS_H
#define HS_EXPORT_MSCCL_PARTS_H

#include "export/export.h"

/* Limits of the runtimes (src/include/msccl.h, src/graph/xml.h; RCCL's msccl_struct.h,
 * msccl_parser.h). */
#define HS_MSCCL_STEPS      256  /* of one thread block */
#define HS_MSCCL_RCCL_STEPS 64   /* in some versions of RCCL */
#define HS_MSCCL_COUNT      71   /* chunks in one transfer */
#define HS_MSCCL_GPUS       1024 /* children of one XML node: the parser writes beyond its array */

/* Chunks of a message, at most: a tree passes in so many parts, which are transfers. */
#define HS_MSCCL_TREE_PARTS 64
#define HS_MSCCL_CHUNKS     4096
_Static_assert(HS_MSCCL_CHUNKS <= HS_MSCCL_TREE_PARTS * HS_MSCCL_COUNT, "a part is a transfer");

/* Chunks [first, end). */
struct hs_msccl_chunks {
    int64_t first, end;
};

/* ---- a program ---- */

/* A step of a thread block. */
struct hs_msccl_point {
    int64_t block, step;
};
/* None; those of the program's gate. */
#define HS_MSCCL_NOTHING ((struct hs_msccl_point){-1, -1})
#define HS_MSCCL_GATE    ((struct hs_msccl_point){-2, -1})

struct hs_msccl_step {
    const char *type;
    struct hs_msccl_chunks chunks; /* of a "nop", which only waits: [-1, -1) */
    struct hs_msccl_point wait;    /* for what */
    bool awaited;
};

struct hs_msccl_block {
    int64_t send, receive; /* -1: none */
    int channel, layer;
    int entered; /* the last stage that waited in it for what came before, from 1 on */
    struct hs_msccl_step *steps; /* [count] owned */
    size_t count, capacity;
};

struct hs_msccl_program {
    struct hs_msccl_block *blocks; /* [count] owned */
    size_t count, capacity;
    int layer, stage;                           /* that are being made; stages from 1 on */
    struct hs_msccl_point gate[HS_LINKS_UNITS]; /* what the stage before ends with, if several */
    int gate_count;
    struct hs_error *err; /* where memory runs out */
    enum hs_status status;
};

/* The thread block of a connection, made where there is none. -1: no memory. */
int64_t hs_msccl_block_of(struct hs_msccl_program *program, int64_t send, int64_t receive,
                          int channel);
/* Appends a step and says where it is; behind as many that only wait as it takes to wait for all of
 * the gate. A thread block does its steps in order anyway. */
struct hs_msccl_point hs_msccl_put(struct hs_msccl_program *program, int64_t block,
                                   const char *type, struct hs_msccl_chunks chunks,
                                   struct hs_msccl_point wait);

/* ---- trees ---- */

/* Those of one way of the plan's first layer, in chunks. {0}: it goes by none. */
struct hs_msccl_forest {
    struct hs_packing packing; /* shares as the chunks have them */
    double *shares;            /* [packing.count] owned: as packed */
    /* [packing.count] owned: of the root's block, of an allreduce's of the message */
    struct hs_msccl_chunks *parts;
    int64_t width; /* chunks of a block, or of the message, for each of the plan's */
};

/* {0}: the plan goes by none. */
struct hs_msccl_forests {
    struct hs_msccl_forest of[2]; /* an allgather's the second, else the first */
    int64_t multiple;             /* chunks of the message for each process, >= 1 */
    int64_t segments;             /* that a tree's part passes in, at most, >= 1 */
};

/* What programs are made of. */
struct hs_msccl_task {
    struct hs_problem problem;
    const struct hs_plan *plan;
    struct hs_msccl_forests forests;
};

/* Packs trees where the plan goes by some (hs_export_pack). HS_FAILED: the solver gave up.
 * HS_MEMORY. */
enum hs_status hs_msccl_forests_make(struct hs_msccl_task *task, struct hs_export_output *out,
                                     const struct hs_export_job *job, struct hs_error *err);
/* Cuts a message into at most so many chunks, as few as keep the trees' shares: no link has 1 %
 * more to carry, or as little more as can be; a number that divides the message where that of
 * processes does. *more is what the busiest link carries over what it would by the shares as
 * packed; 1 where there are no trees. HS_MEMORY. */
enum hs_status hs_msccl_forests_cut(double *more, struct hs_msccl_task *task,
                                    const struct hs_system *system, int64_t most,
                                    struct hs_error *err);
void hs_msccl_forests_release(struct hs_msccl_forests *forests);
/* How many segments the message of so many bytes should pass in, a power of two. */
int64_t hs_msccl_segments(const struct hs_msccl_task *task);

/* One layer as a process sees it. */
struct hs_msccl_view {
    struct hs_layer layer;
    int64_t rank, position; /* position: in the layer's ring */
    int64_t base;           /* first chunk of what the process holds when the layer begins */
    int64_t width;          /* chunks of a block */
    int64_t parts;          /* transfers of a block */
    bool last;              /* of the plan, and both ways by the same algorithm */
};

/* The process at place `place` of the group. */
int64_t hs_msccl_process_at(const struct hs_msccl_view *view, int64_t place);
/* A phase over trees, behind `entry`; returns what it ends with: HS_MSCCL_GATE. */
struct hs_msccl_point hs_msccl_by_forest(struct hs_msccl_program *program,
                                         const struct hs_msccl_view *view,
                                         const struct hs_msccl_forest *forest, int64_t segments,
                                         int channel, struct hs_msccl_point entry);

/* ---- the whole ---- */

/* What process `rank` does; the caller releases it, also behind a failure (program->status). */
void hs_msccl_program_make(struct hs_msccl_program *program, const struct hs_msccl_task *task,
                           int64_t rank, struct hs_error *err);
void hs_msccl_program_release(struct hs_msccl_program *program);

#endif
