#include "record/profile_call.h"

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

/* Groups that are a progression, as the axes of a mesh. */
static struct hs_mesh mesh_of(int64_t ranks, int64_t stride, int64_t size)
{
    struct hs_mesh mesh = {.count = 0};
    int64_t span = stride * size;

    if (size == ranks)
        return mesh;
    if (stride > 1)
        mesh.axes[mesh.count++] = (struct hs_axis){"inside", stride};
    mesh.over = 1U << mesh.count;
    mesh.axes[mesh.count++] = (struct hs_axis){"group", size};
    if (span > 0 && ranks > span)
        mesh.axes[mesh.count++] = (struct hs_axis){"outside", ranks / span};
    return mesh;
}

bool hs_profile_call_problem(struct hs_problem *problem, struct hs_mesh *mesh,
                             char why[HS_PROFILE_WHY], const struct hs_profile *profile,
                             const struct hs_profile_call *call)
{
    int64_t stride = llabs(call->group_stride), size = call->group_ranks, ranks = profile->ranks;

    *problem = (struct hs_problem){.bytes = hs_profile_call_bytes(call)};
    *mesh = (struct hs_mesh){.count = 0};
    why[0] = '\0';
    if (hs_collective_parse(&problem->collective, call->collective, NULL))
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

double hs_profile_call_sure(const struct hs_profile_call *call)
{
    double work = call->sampled_seconds - call->waited_seconds;

    return call->sampled_calls > 0 && call->skewed_seconds > 0 && work > 0
               ? fmax(0, 1 - call->skewed_seconds / work)
               : 1;
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

double hs_profile_call_waited(const struct hs_profile *profile, const struct hs_profile_call *call)
{
    return hs_profile_call_waiting(call) * hs_profile_call_spent(profile, call);
}

double hs_profile_call_bytes(const struct hs_profile_call *call)
{
    return call->bytes / (double)call->calls;
}

uint64_t hs_profile_class(double bytes)
{
    uint64_t class = 1;

    while ((double)class <= bytes / 2 && class < UINT64_MAX / 4)
        class *= 2;
    return bytes < 1 ? 0 : class;
}

/* ---- a job's problems ---- */

/* Of a kind of calls without a time of its own. */
#define USUAL_SECONDS_PER_BYTE 1e-9

static double seconds_per_byte(const struct hs_profile *profile)
{
    double seconds = 0, bytes = 0;

    for (size_t i = 0; i < profile->call_count; i++)
        if (!profile->calls[i].begun && profile->calls[i].bytes > 0) {
            seconds +=
                hs_profile_call_seconds(&profile->calls[i]) * (double)profile->calls[i].calls;
            bytes += profile->calls[i].bytes;
        }
    return seconds > 0 ? seconds / bytes : USUAL_SECONDS_PER_BYTE;
}

/* Into its place, joined with one that is there; where there is no room in place of the cheapest.
 */
static void add_size(struct hs_profile_load *load, uint64_t bytes, double cost)
{
    struct hs_profile_size *sizes = load->sizes;
    size_t at = 0, cheapest = 0;

    for (size_t i = 0; i < load->size_count; i++) {
        if (sizes[i].bytes == bytes) {
            sizes[i].cost += cost;
            return;
        }
        if (sizes[i].cost < sizes[cheapest].cost)
            cheapest = i;
    }
    if (load->size_count == HS_PROFILE_SIZES) {
        if (cost <= sizes[cheapest].cost)
            return;
        load->size_count--;
        memmove(&sizes[cheapest], &sizes[cheapest + 1],
                (load->size_count - cheapest) * sizeof(*sizes));
    }
    while (at < load->size_count && sizes[at].bytes < bytes)
        at++;
    memmove(&sizes[at + 1], &sizes[at], (load->size_count - at) * sizeof(*sizes));
    sizes[at] = (struct hs_profile_size){bytes, cost};
    load->size_count++;
}

static struct hs_profile_load *find_load(struct hs_profile_load *loads, size_t *count,
                                         const struct hs_problem *problem,
                                         const struct hs_mesh *mesh)
{
    for (size_t i = 0; i < *count; i++)
        if (loads[i].collective == problem->collective &&
            hs_group_equal(&loads[i].group, &problem->group))
            return &loads[i];
    loads[*count] = (struct hs_profile_load){
        .collective = problem->collective, .mesh = *mesh, .group = problem->group};
    return &loads[(*count)++];
}

static int compare_loads(const void *left, const void *right)
{
    const struct hs_profile_load *a = left, *b = right;

    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    return a->group.stride < b->group.stride ? -1 : 1;
}

enum hs_status hs_profile_loads(struct hs_profile_load **loads, size_t *count,
                                const struct hs_profile *profile, struct hs_error *err)
{
    double per_byte = seconds_per_byte(profile);

    *count = 0;
    *loads = calloc(profile->call_count + 1, sizeof(**loads));
    if (!*loads)
        return hs_no_memory(err);
    for (size_t i = 0; i < profile->call_count; i++) {
        const struct hs_profile_call *call = &profile->calls[i];
        double cost =
            hs_profile_call_count(profile, call) *
            (call->begun ? per_byte * hs_profile_call_bytes(call) : hs_profile_call_seconds(call));
        struct hs_problem problem;
        struct hs_mesh mesh;
        struct hs_profile_load *load;
        char why[HS_PROFILE_WHY];

        if (!hs_profile_call_problem(&problem, &mesh, why, profile, call))
            continue;
        load = find_load(*loads, count, &problem, &mesh);
        load->cost += cost;
        add_size(load, (uint64_t)fmax(1, round(problem.bytes)), cost);
    }
    if (*count > 0)
        qsort(*loads, *count, sizeof(**loads), compare_loads);
    return HS_OK;
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
    const struct hs_candidate *candidate = plan ? hs_result_candidate(message, plan) : NULL;

    return candidate && hs_measured_is_ok(candidate->measured)
               ? candidate->measured->median_seconds / library_seconds(message)
               : NAN;
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
    struct hs_measured_at at = {.library = between(&library, bytes),
                                .beyond = isnan(library.above)};

    if (at.beyond)
        at.library *= bytes / library.below_bytes;
    at.plan = at.library * between(&part, bytes);
    return at;
}

char *hs_profile_group_format(char text[HS_PROFILE_GROUP_TEXT], const struct hs_profile *profile,
                              const struct hs_profile_call *call)
{
    if (call->group_ranks == profile->ranks && call->group_stride == 1)
        snprintf(text, HS_PROFILE_GROUP_TEXT, "all %" PRId64, call->group_ranks);
    else if (call->group_stride == 0)
        snprintf(text, HS_PROFILE_GROUP_TEXT, "%" PRId64 " x %" PRId64 ", irregular", call->groups,
                 call->group_ranks);
    else if (call->group_stride == 1 || call->group_ranks == 1)
        snprintf(text, HS_PROFILE_GROUP_TEXT, "%" PRId64 " x %" PRId64, call->groups,
                 call->group_ranks);
    else
        snprintf(text, HS_PROFILE_GROUP_TEXT, "%" PRId64 " x %" PRId64 ", %" PRId64 " apart",
                 call->groups, call->group_ranks, call->group_stride);
    return text;
}
