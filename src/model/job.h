/*
 * job.h - what a job communicates in a step: messages, each along axes of its mesh, so many times.
 *
 * As text AXES:COLLECTIVE[:ORDER]:SIZE[*CALLS] with commas between, "tp:allreduce:64MiB*160,
 * dp:reduce-scatter:1GiB": the size per process, of the larger side (collective.h). Several axes of
 * one group have a '+' between, "tp+dp". In a file, messages may also stand on lines of their own,
 * and what follows a '#' is a comment. Beside collectives there is "sendrecv", a pipeline's: each
 * rank sends the size to the next one along the axis and receives as much from the one before.
 */
#ifndef HS_MODEL_JOB_H
#define HS_MODEL_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "model/mesh.h"
#include "model/problem.h"

#define HS_JOB_MESSAGES_MAX 64
#define HS_JOB_CALLS_MAX    1000000000

struct hs_job_message {
    unsigned over; /* bits: the axes that a group spans, as in struct hs_mesh */
    bool sends; /* sendrecv; its collective is an AllGather, of which it is one step of the ring */
    enum hs_collective collective;
    enum hs_layout layout;
    double bytes;  /* of one call, per process */
    int64_t calls; /* of a step, 1 or more */
};

struct hs_job {
    struct hs_mesh mesh; /* its axes in the order in which the job numbers its ranks */
    size_t count;
    struct hs_job_message messages[HS_JOB_MESSAGES_MAX];
};

/* Adds the messages that the text says, a file's or an option's. HS_INVALID, with the number of the
 * message: a part that is missing or unknown (with the nearest name), an order that the collective
 * has not, more than HS_JOB_MESSAGES_MAX messages, or none. */
enum hs_status hs_job_parse(struct hs_job *job, const char *text, struct hs_error *err);

/* "reduce-scatter", "sendrecv". A literal. */
const char *hs_job_message_name(const struct hs_job_message *message);

/* What one call of a message asks, where the mesh, axis by axis, lies on the machine in this order,
 * the innermost first: order[mesh.count] are the axes' numbers. Of a sendrecv it is the AllGather
 * of such blocks, whose steps are one each. HS_INVALID: more gaps than a group can have. */
enum hs_status hs_job_problem(struct hs_problem *problem, const struct hs_job *job, size_t message,
                              const int *order, struct hs_error *err);

/* By what the seconds of a message's problem are divided: the steps of a ring for a sendrecv, each
 * over the slowest of its links; else 1. */
double hs_job_message_steps(const struct hs_job_message *message, const struct hs_problem *problem);

#endif
