#include "result/profile_call.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked ---- */

/* MPI_Allgatherv, MPI_Ialltoallw: each rank's block has a size of its own. */
static bool is_uneven(const struct hs_profile_call *call)
{
    size_t length = strlen(call->call);

    return length > 0 && strchr("vw", call->call[length - 1]);
}

static bool is_collective(enum hs_collective *out, const char *text)
{
    for (int i = 0; i < HS_COLLECTIVE_COUNT; i++)
        if (strcmp(text, hs_collective_names[i]) == 0) {
            *out = (enum hs_collective)i;
            return true;
        }
    return false;
}

/* Groups that are a progression, as the axes of a mesh. */
static struct hs_mesh mesh_of(int64_t ranks, int64_t stride, int64_t size)
{
    struct hs_mesh mesh = {.count = 0};

    if (size == ranks)
        return mesh;
    if (stride > 1)
        mesh.axes[mesh.count++] = (struct hs_axis){"inside", stride};
    mesh.over = 1U << mesh.count;
    mesh.axes[mesh.count++] = (struct hs_axis){"group", size};
    if (ranks > stride * size)
        mesh.axes[mesh.count++] = (struct hs_axis){"outside", ranks / (stride * size)};
    return mesh;
}

bool hs_profile_call_problem(struct hs_problem *problem, struct hs_mesh *mesh,
                             char why[HS_PROFILE_WHY], const struct hs_profile *profile,
                             const struct hs_profile_call *call)
{
    int64_t stride = llabs(call->group_stride), size = call->group_ranks, ranks = profile->ranks;

    *problem = (struct hs_problem){.bytes = call->bytes / (double)call->calls};
    *mesh = (struct hs_mesh){.count = 0};
    why[0] = '\0';
    if (!is_collective(&problem->collective, call->collective))
        snprintf(why, HS_PROFILE_WHY, "nothing here plans a %.40s", call->collective);
    else if (is_uneven(call))
        snprintf(why, HS_PROFILE_WHY, "blocks of different sizes");
    else if (size < 2)
        snprintf(why, HS_PROFILE_WHY, "one rank");
    else if (!(problem->bytes > 0))
        snprintf(why, HS_PROFILE_WHY, "no bytes");
    else if (stride == 0)
        snprintf(why, HS_PROFILE_WHY, "its ranks are no progression");
    else if (size > ranks / stride || ranks % (stride * size) != 0)
        snprintf(why, HS_PROFILE_WHY, "such groups do not divide %" PRId64 " ranks", ranks);
    if (why[0])
        return false;
    *mesh = mesh_of(ranks, stride, size);
    problem->group = hs_mesh_group(mesh, ranks);
    return true;
}

/* ---- what it took ---- */

double hs_profile_call_waiting(const struct hs_profile_call *call)
{
    return call->sampled_calls > 0 && call->sampled_seconds > 0
               ? call->waited_seconds / call->sampled_seconds
               : (double)NAN;
}

double hs_profile_call_seconds(const struct hs_profile_call *call)
{
    double waiting = hs_profile_call_waiting(call);

    if (call->begun)
        return NAN;
    return call->seconds / (double)call->calls * (1 - (isnan(waiting) ? 0 : waiting));
}

double hs_profile_call_count(const struct hs_profile *profile, const struct hs_profile_call *call)
{
    return (double)call->calls / (double)profile->ranks;
}

double hs_profile_call_spent(const struct hs_profile *profile, const struct hs_profile_call *call)
{
    return call->seconds / (double)profile->ranks;
}

/* ---- what results measured ---- */

static double library_seconds(const struct hs_result_message *message)
{
    double least = NAN;

    for (size_t i = 0; i < message->baseline_count; i++)
        if (hs_measured_is_ok(&message->baselines[i].measured))
            least = fmin(least, message->baselines[i].measured.median_seconds);
    return least;
}

/* Of the plan over the library's own; NaN where one of them was not measured. */
static double part_of_library(const struct hs_result_message *message, const struct hs_plan *plan)
{
    for (size_t i = 0; plan && i < message->candidate_count; i++)
        if (hs_plan_compare(&message->candidates[i].plan, plan) == 0 &&
            hs_measured_is_ok(message->candidates[i].measured))
            return message->candidates[i].measured->median_seconds / library_seconds(message);
    return NAN;
}

/* The nearest message on each side that has a value: of the library, or of the plan's part. */
struct sides {
    double below_bytes, below, above_bytes, above; /* NaN: there is none */
};

static struct sides look(const struct hs_result *result, const struct hs_plan *plan, double bytes)
{
    struct sides sides = {NAN, NAN, NAN, NAN};

    for (size_t i = 0; i < result->message_count; i++) {
        const struct hs_result_message *message = &result->messages[i];
        double size = (double)message->message_bytes;
        double value = plan ? part_of_library(message, plan) : library_seconds(message);

        if (isnan(value))
            continue;
        if (size <= bytes && !(size <= sides.below_bytes)) {
            sides.below_bytes = size;
            sides.below = value;
        }
        if (size >= bytes && !(size >= sides.above_bytes)) {
            sides.above_bytes = size;
            sides.above = value;
        }
    }
    return sides;
}

static double between(const struct sides *sides, double bytes)
{
    double part;

    if (isnan(sides->below) || isnan(sides->above) || sides->below_bytes == sides->above_bytes)
        return isnan(sides->below) ? sides->above : sides->below;
    part = log(bytes / sides->below_bytes) / log(sides->above_bytes / sides->below_bytes);
    return sides->below * pow(sides->above / sides->below, part);
}

struct hs_measured_at hs_result_measured_at(const struct hs_result *result,
                                            const struct hs_plan *plan, double bytes)
{
    struct sides library = look(result, NULL, bytes), part = look(result, plan, bytes);
    struct hs_measured_at at = {.library = between(&library, bytes)};

    if (isnan(library.above))
        at.library *= bytes / library.below_bytes;
    at.plan = at.library * between(&part, bytes);
    return at;
}
