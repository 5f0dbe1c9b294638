/*
 * nccl_profile.c - libhiersearch-nccl.so: stands between a program and NCCL by LD_PRELOAD, counts
 * the collectives and messages that pass (counts.h), and hands each on as it is, or carries it out
 * by plan (nccl_plans.h). All else of NCCL is left alone: a name that is not defined here is the
 * library's own, as without this one. tests/apply/nccl_symbols.txt says of each name of NCCL which
 * it is.
 *
 * A call begins what a GPU does later: its time here is the host's, in beginning it. How long the
 * GPU takes is not known. What a CUDA graph captures is called, and counted, once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apply/nccl_abi.h"
#include "apply/nccl_driver.h"
#include "apply/nccl_handles.h"
#include "apply/nccl_plans.h"
#include "apply/nccl_real.h"
#include "apply/settings.h"
#include "base/launcher.h"
#include "record/counts.h"

#define HS_PUBLIC __attribute__((visibility("default")))

static struct hs_counts *_Atomic counts; /* NULL: nothing is counted */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec began;
/* > 0: within a call that is wrapped: NCCL calls some of its own functions by name. */
static _Thread_local int depth;

/* ---- what is asked beside ---- */

#define ROW(name, parameters) static const char text_##name[] = #name;
HS_NCCL_ASKED(ROW)
#undef ROW
#define ASK(name, caller, parameters, ...)                                                         \
    {                                                                                              \
        hs_nccl_result(*asked) parameters =                                                        \
            (hs_nccl_result(*) parameters)hs_nccl_real(text_##name, caller);                       \
        if (!asked || asked(__VA_ARGS__) != HS_NCCL_SUCCESS)                                       \
            return false;                                                                          \
    }

static bool ask_rank(struct hs_nccl_said *said, hs_nccl_comm comm, const void *caller)
{
    ASK(ncclCommCount, caller, (hs_nccl_comm, int *), comm, &said->size)
    ASK(ncclCommUserRank, caller, (hs_nccl_comm, int *), comm, &said->rank)
    return true;
}

static bool ask_device(struct hs_nccl_said *said, hs_nccl_comm comm, const void *caller)
{
    ASK(ncclCommCuDevice, caller, (hs_nccl_comm, int *), comm, &said->device)
    return true;
}

static bool ask_version(int *version, const void *caller)
{
    ASK(ncclGetVersion, caller, (int *), version)
    return true;
}

static bool ask(struct hs_nccl_said *said, hs_nccl_comm comm, const void *caller)
{
    if (!ask_rank(said, comm, caller))
        return false;
    if (!ask_device(said, comm, caller))
        said->device = -1;
    return true;
}

/* ---- begin and end ---- */

static uint64_t nanoseconds_since_begin(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(now.tv_sec - began.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
           (uint64_t)began.tv_nsec;
}

/* 22809: 2.28.9. To 2.8 the first number stood before three digits. RCCL's are those of the NCCL
 * that it is made from. */
static void describe_library(struct hs_counts *created, int version, const void *caller)
{
    int first = version < 10000 ? 1000 : 10000;
    bool amd = hs_nccl_is_amd(hs_nccl_real(text_ncclGetVersion, caller));

    snprintf(created->library, sizeof(created->library), "%s %d.%d.%d", amd ? "RCCL" : "NCCL",
             version / first, version % first / 100, version % 100);
}

static void begin(const void *caller)
{
    const char *folder = getenv(HS_PROFILE_FOLDER);
    static bool tried;
    int rank, ranks, version = 0;
    struct hs_counts *created;

    pthread_mutex_lock(&lock);
    if (!tried && folder && folder[0]) {
        hs_launcher_rank(&rank, &ranks);
        clock_gettime(CLOCK_MONOTONIC, &began);
        created = hs_counts_create_nccl(folder, rank, ranks);
        if (!created)
            fprintf(stderr, "hiersearch profile: process %ld is not counted: %s: %s\n",
                    (long)getpid(), folder, strerror(errno));
        else if (ask_version(&version, caller))
            describe_library(created, version, caller);
        counts = created;
    }
    tried = true;
    pthread_mutex_unlock(&lock);
}

HS_PUBLIC void hs_nccl_write(void);
HS_PUBLIC void hs_nccl_write(void)
{
    pthread_mutex_lock(&lock);
    if (counts)
        (void)hs_counts_write(counts);
    pthread_mutex_unlock(&lock);
}

/* At exit; threads may still call. */
__attribute__((destructor)) static void finish(void)
{
    struct hs_counts *mine = counts;
    int error;

    hs_nccl_plans_finish();
    if (!mine || mine->pid != (int32_t)getpid())
        return;
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    mine->nanoseconds = nanoseconds_since_begin();
    mine->finished = 1;
    error = hs_counts_write(mine);
    pthread_mutex_unlock(&lock);
    if (error != 0)
        fprintf(stderr, "hiersearch profile: process %ld is not counted to its end: %s: %s\n",
                (long)getpid(), hs_counts_file(mine), strerror(error));
}

/* ---- calls ---- */

struct passing {
    hs_nccl_function *real;
    struct hs_nccl_group of; /* group -1: it is not counted */
    bool outermost, counts;
    uint64_t began_nanoseconds;
};

static struct passing enter(const char *name, hs_nccl_comm comm, const void *caller)
{
    struct passing passing = {.real = hs_nccl_real(name, caller),
                              .of = {-1, 0},
                              .outermost = depth == 0,
                              .counts = counts && depth == 0};

    depth++;
    if (!passing.counts)
        return passing;
    passing.of = hs_nccl_group_of(counts, comm, ask, caller);
    passing.began_nanoseconds = nanoseconds_since_begin();
    return passing;
}

struct content {
    enum hs_counted_call call;
    uint64_t elements;
    bool of_each; /* so many of each rank */
    int type, operation;
};

static struct hs_counted describe(const struct content *content, int ranks)
{
#define ROW(name, type, bytes) {HS_COUNTED_TYPE_##type, bytes},
    static const struct {
        enum hs_counted_type type;
        uint64_t bytes;
    } types[] = {HS_NCCL_TYPES(ROW)};
#undef ROW
#define ROW(name, operation) HS_COUNTED_OPERATION_##operation,
    static const enum hs_counted_operation operations[] = {HS_NCCL_OPERATIONS(ROW)};
#undef ROW
    const size_t type = (size_t)content->type, operation = (size_t)content->operation;
    bool known = type < sizeof(types) / sizeof(types[0]);
    struct hs_counted counted = {.call = content->call,
                                 .begun = true,
                                 .type = known ? types[type].type : HS_COUNTED_TYPE_OTHER};

    counted.bytes = content->elements * (known ? types[type].bytes : 1) *
                    (content->of_each ? (uint64_t)ranks : 1);
    counted.operation = content->operation < 0 ? HS_COUNTED_OPERATION_NONE
                        : operation < sizeof(operations) / sizeof(operations[0])
                            ? operations[operation]
                            : HS_COUNTED_OPERATION_USER;
    return counted;
}

/* A call that failed is told by NCCL, as ever, and not counted. */
static void leave(const struct passing *passing, hs_nccl_result result,
                  const struct content *content)
{
    struct hs_counted counted;

    depth--;
    if (!passing->counts || (result != HS_NCCL_SUCCESS && result != HS_NCCL_IN_PROGRESS))
        return;
    counted = describe(content, passing->of.size);
    counted.group = passing->of.group;
    counted.since_nanoseconds = nanoseconds_since_begin();
    counted.nanoseconds = counted.since_nanoseconds - passing->began_nanoseconds;
    pthread_mutex_lock(&lock);
    hs_counts_add(counts, hs_counts_find(counts, &counted), &counted);
    pthread_mutex_unlock(&lock);
}

/* Of all ranks of the communicator; of no rank where it is not counted. */
static uint64_t sum_of(const size_t *counts_of, const struct passing *passing)
{
    uint64_t sum = 0;

    for (int i = 0; counts_of && i < passing->of.size; i++)
        sum += counts_of[i];
    return sum;
}

/* Parameters and arguments come in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define CALL(name, parameters, arguments, id, of_each, operation_of, elements, carries)            \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        struct passing passing = enter(text, comm, __builtin_return_address(0));                   \
        const struct content content = {HS_COUNTED_NCCL_##id, elements, of_each, (int)type,        \
                                        (int)(operation_of)};                                      \
        hs_nccl_result result = HS_NCCL_INVALID_USAGE;                                             \
                                                                                                   \
        if (passing.real && !(passing.outermost && (carries))) {                                   \
            result = ((hs_nccl_result(*) parameters)passing.real)arguments;                        \
            if (passing.outermost)                                                                 \
                hs_nccl_plans_passed(comm, stream, result);                                        \
        }                                                                                          \
        leave(&passing, result, &content);                                                         \
        return result;                                                                             \
    }
#define PASSED(name, parameters, arguments, id, of_each, operation_of)                             \
    CALL(name, parameters, arguments, id, of_each, operation_of, count,                            \
         hs_nccl_plans_pass(comm, stream, &result))
#define VARYING(name, parameters, arguments, id, of_each, operation_of)                            \
    CALL(name, parameters, arguments, id, of_each, operation_of, sum_of(received, &passing),       \
         hs_nccl_plans_pass(comm, stream, &result))
#define PLANNED(name, parameters, arguments, id, of_each, operation_of)                            \
    CALL(name, parameters, arguments, id, of_each, operation_of, count,                            \
         hs_nccl_plans_try(&(struct hs_nccl_asked){HS_COLLECTIVE_##id, from, to, count, type,      \
                                                   (hs_nccl_operation)(operation_of), comm,        \
                                                   stream},                                        \
                           &result))
HS_NCCL_PLANNED(PLANNED)
HS_NCCL_PASSED(PASSED)
HS_NCCL_CONFIGURED(PASSED)

#define ONE_SIDED(name, parameters, arguments)                                                     \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        hs_nccl_function *passed = hs_nccl_real(text, __builtin_return_address(0));                \
        hs_nccl_result result = HS_NCCL_INVALID_USAGE;                                             \
        bool outermost = depth++ == 0;                                                             \
                                                                                                   \
        if (passed && !(outermost && hs_nccl_plans_pass(comm, stream, &result))) {                 \
            result = ((hs_nccl_result(*) parameters)passed)arguments;                              \
            if (outermost)                                                                         \
                hs_nccl_plans_passed(comm, stream, result);                                        \
        }                                                                                          \
        depth--;                                                                                   \
        return result;                                                                             \
    }
HS_NCCL_ONE_SIDED(ONE_SIDED)
HS_NCCL_PASSED_RCCL(PASSED)
HS_NCCL_VARYING(VARYING)

/* ---- communicators ---- */

enum { SEVERAL = 64 }; /* GPUs of one process */

/* Where they will be, and what is there before. */
struct making {
    hs_nccl_comm *places, before[SEVERAL];
    int count;
};

static struct making look_before(hs_nccl_comm *places, int count)
{
    struct making making = {.places = places, .count = count < SEVERAL ? count : SEVERAL};

    for (int i = 0; places && i < making.count; i++)
        making.before[i] = places[i];
    return making;
}

static void look_after(const struct making *making, hs_nccl_result result, uint64_t made_of)
{
    if (result == HS_NCCL_SUCCESS || result == HS_NCCL_IN_PROGRESS)
        for (int i = 0; i < making->count; i++)
            hs_nccl_made(&making->places[i], making->before[i], made_of);
}

static struct hs_nccl_making plan_making(bool each, const hs_nccl_config *config,
                                         hs_nccl_comm parent)
{
    struct hs_nccl_making planned = {.each = each, .config = config, .parent = parent};

    hs_launcher_rank(&planned.rank, &planned.ranks);
    return planned;
}

#define MAKER(name, parameters, arguments, places, number, of, tried)                              \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        const void *caller = __builtin_return_address(0);                                          \
        hs_nccl_function *passed = hs_nccl_real(text, caller);                                     \
        hs_nccl_result result = HS_NCCL_INVALID_USAGE;                                             \
        struct making making = {.count = 0};                                                       \
        uint64_t made_of = 0;                                                                      \
        struct hs_nccl_making planned = {.each = false};                                           \
                                                                                                   \
        if (depth++ == 0) {                                                                        \
            begin(caller);                                                                         \
            made_of = of;                                                                          \
            making = look_before(places, number);                                                  \
            planned = plan_making tried;                                                           \
            planned.place = places;                                                                \
            planned.made_of = made_of;                                                             \
            planned.caller = caller;                                                               \
            hs_nccl_plans_make(&planned);                                                          \
        }                                                                                          \
        if (passed)                                                                                \
            result = ((hs_nccl_result(*) parameters)passed)arguments;                              \
        if (depth == 1) {                                                                          \
            look_after(&making, result, made_of);                                                  \
            result = hs_nccl_plans_made(&planned, result);                                         \
        }                                                                                          \
        depth--;                                                                                   \
        return result;                                                                             \
    }
HS_NCCL_MAKERS(MAKER)

#define IS_END(way) (HS_NCCL_##way == HS_NCCL_DESTROY || HS_NCCL_##way == HS_NCCL_ABORT)
#define ENDER(name, parameters, arguments, way)                                                    \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        hs_nccl_function *passed = hs_nccl_real(text, __builtin_return_address(0));                \
        struct hs_nccl_ending ending = {.family = NULL};                                           \
        hs_nccl_result result;                                                                     \
                                                                                                   \
        if (!passed)                                                                               \
            return HS_NCCL_INVALID_USAGE;                                                          \
        if (IS_END(way))                                                                           \
            hs_nccl_ended(comm);                                                                   \
        if (depth++ == 0)                                                                          \
            ending = hs_nccl_plans_end(comm, HS_NCCL_##way);                                       \
        result = ((hs_nccl_result(*) parameters)passed)arguments;                                  \
        result = hs_nccl_plans_ended(&ending, result, STATE_##way);                                \
        depth--;                                                                                   \
        return result;                                                                             \
    }
#define STATE_DESTROY  NULL
#define STATE_ABORT    NULL
#define STATE_FINALIZE NULL
#define STATE_REVOKE   NULL
#define STATE_ASK      state
HS_NCCL_ENDERS(ENDER)

/* What is done before and behind a call that the program makes itself, not NCCL. */
#define AROUND(name, parameters, arguments, before, behind)                                        \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        hs_nccl_function *passed = hs_nccl_real(text, __builtin_return_address(0));                \
        hs_nccl_result result;                                                                     \
                                                                                                   \
        if (!passed)                                                                               \
            return HS_NCCL_INVALID_USAGE;                                                          \
        if (depth++ == 0)                                                                          \
            before;                                                                                \
        result = ((hs_nccl_result(*) parameters)passed)arguments;                                  \
        if (depth == 1) {                                                                          \
            behind;                                                                                \
        }                                                                                          \
        depth--;                                                                                   \
        return result;                                                                             \
    }

#define GROUP(name, parameters, arguments, call)                                                   \
    AROUND(name, parameters, arguments, hs_nccl_plans_group(HS_NCCL_##call),                       \
           result = hs_nccl_plans_grouped(HS_NCCL_##call, result))
HS_NCCL_GROUPS(GROUP)

#define WINDOW(name, parameters, arguments, change)                                                \
    AROUND(name, parameters, arguments, hs_nccl_plans_act(),                                       \
           if (result == HS_NCCL_SUCCESS || result == HS_NCCL_IN_PROGRESS)                         \
               hs_nccl_plans_windows(comm, change))
HS_NCCL_WINDOWS(WINDOW)

/* The same of each part of the communicator. */
#define SUSPENDER(name, parameters, arguments)                                                     \
    AROUND(name, parameters, arguments, hs_nccl_plans_act(), hs_nccl_comm whole = comm;            \
           for (int i = 0; result == HS_NCCL_SUCCESS && (comm = hs_nccl_plans_part(whole, i));     \
                i++) result = ((hs_nccl_result(*) parameters)passed)arguments)
HS_NCCL_SUSPENDERS(SUSPENDER)
/* NOLINTEND(bugprone-macro-parentheses) */
