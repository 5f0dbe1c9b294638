/*
 * axes.h - where the axes of a job's mesh lie on a machine: the order of axes, from the inside out,
 * by which its messages take least, each by its best plan.
 *
 * Another order moves the paths of the axes' groups in the divisor lattice of all ranks. An axis
 * may also be cut, a part of it inside of another axis and the rest outside. The stages of a
 * message along one axis depend on that axis' ranks inside and on the ranks of all axes inside, so
 * orders with cuts are the paths of one lattice, whose nodes say how much of each axis lies inside,
 * and the best is a shortest path: exact, for plans in one chunk. An edge is a part of an axis, its
 * weight what the axis' messages take there, each by its own shortest path through the part.
 *
 * Messages one after the other: what overlaps, and what computing hides, is not in it.
 */
#ifndef HS_SEARCH_AXES_H
#define HS_SEARCH_AXES_H

#include <stdint.h>

#include "model/job.h"
#include "search/search.h"

/* Parts of axes, the innermost first. No two neighbours are of the same axis. */
struct hs_axes_layout {
    int count;
    struct {
        int axis; /* of the job's mesh */
        int64_t size;
    } parts[HS_LAYERS_MAX];
};
#define HS_AXES_LAYOUT_TEXT 256
/* "tp=8 pp=4 dp=16". Returns `text`. */
char *hs_axes_layout_format(char text[HS_AXES_LAYOUT_TEXT], const struct hs_axes_layout *layout,
                            const struct hs_mesh *mesh);
/* The axes in the order in which the job has them, those of one rank left out. */
struct hs_axes_layout hs_axes_layout_of(const struct hs_mesh *mesh);
/* At which place of the machine, counted from the inside out, the job's rank lies: rank r has along
 * each axis of its mesh the digit that hs_mesh says, the part of an axis that lies inside its lower
 * digits. */
int64_t hs_axes_layout_rank(const struct hs_axes_layout *layout, const struct hs_mesh *mesh,
                            int64_t rank);

/* One call of a message along axes that lie at some place: groups are all that matters. */
struct hs_axes_call {
    size_t message;
    struct hs_problem problem;
    struct hs_plan plan; /* its best */
    double seconds;
};

/* An order of whole axes. */
struct hs_axes_order {
    struct hs_axes_layout layout;
    double seconds;                      /* of all messages with their calls */
    uint32_t calls[HS_JOB_MESSAGES_MAX]; /* of each message, in the result's list */
};

struct hs_axes_result {
    struct hs_axes_order *orders; /* [count] owned, best first; of equals as given first */
    size_t count;
    struct hs_axes_call *calls; /* [call_count] owned */
    size_t call_count, call_capacity;
    uint64_t weighed; /* placements, those with cut axes among them (saturating) */
    /* The best where axes may be cut; count 0: not looked for, since a message goes along several
     * axes or is a sendrecv, or there are more than HS_AXES_NODES_MAX nodes. */
    struct hs_axes_layout cut;
    double cut_seconds;
};

#define HS_AXES_NODES_MAX 20000

/* For the request's system and algorithms; its problem is not looked at. HS_INVALID as hs_search;
 * HS_MEMORY. */
enum hs_status hs_axes_search(struct hs_axes_result *out, const struct hs_search_request *request,
                              const struct hs_job *job, struct hs_error *err);
/* The same of the order in which the job has its axes alone: one order, no cuts. */
enum hs_status hs_axes_search_given(struct hs_axes_result *out,
                                    const struct hs_search_request *request,
                                    const struct hs_job *job, struct hs_error *err);
void hs_axes_result_release(struct hs_axes_result *result);

/* What a step's communication takes at least and at most where messages along different axes travel
 * at the same time, those along the same ones after each other: no less than those of one axis, nor
 * than the bytes of all keep a level's busiest link busy; no more than all one after the other. */
struct hs_axes_overlap {
    double least_seconds, most_seconds;
    int pace; /* the level, or the GPUs' processors (price.h), that sets the least; -1: one axis */
};
struct hs_axes_overlap hs_axes_overlap_of(const struct hs_axes_order *order,
                                          const struct hs_axes_result *result,
                                          const struct hs_job *job, const struct hs_system *system);

/* The order in which the job has its axes; NULL: none. */
const struct hs_axes_order *hs_axes_given(const struct hs_axes_result *result,
                                          const struct hs_job *job);

#endif
