/*
 * nccl_profile.c - libhiersearch-nccl.so: stands between a program and NCCL by LD_PRELOAD, counts
 * the collectives and messages that pass (counts.h) and hands each on as it is. All else of NCCL is
 * left alone: a name that is not defined here is the library's own, as without this one.
 * tests/apply/nccl_symbols.txt says of each name of NCCL which it is.
 *
 * A call begins what a GPU does later: its time here is the host's, in beginning it. How long the
 * GPU takes is not known. What a CUDA graph captures is called, and counted, once.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apply/counts.h"
#include "apply/nccl_abi.h"
#include "apply/nccl_handles.h"
#include "apply/settings.h"
#include "base/launcher.h"

#define HS_PUBLIC __attribute__((visibility("default")))

static struct hs_counts *_Atomic counts; /* NULL: nothing is counted */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec began;
/* > 0: within a call that is wrapped: NCCL calls some of its own functions by name. */
static _Thread_local int depth;

/* ---- the library's functions ---- */

typedef void function(void);

static bool is_ours(const void *symbol)
{
    Dl_info theirs, ours;

    return dladdr(symbol, &theirs) && dladdr(&counts, &ours) && theirs.dli_fbase == ours.dli_fbase;
}

/* What `name` means to the object that has this address: what it is linked with, and so on. A
 * library that a program loads for itself alone, as Python does, is in nobody else's scope. */
static void *find_by_caller(const char *name, const void *caller)
{
    struct link_map *map = NULL;
    Dl_info about;
    void *object, *symbol;

    if (!dladdr1(caller, &about, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name[0])
        return NULL;
    object = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!object)
        return NULL;
    symbol = dlsym(object, name);
    dlclose(object);
    return symbol && !is_ours(symbol) ? symbol : NULL;
}

static int look_for(struct dl_phdr_info *object, size_t bytes, void *found)
{
    void **of = found; /* the name that is looked for; then what has it */
    void *library;

    (void)bytes;
    if (!strstr(object->dlpi_name, "libnccl.so"))
        return 0;
    library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    of[1] = library ? dlsym(library, of[0]) : NULL;
    if (library)
        dlclose(library);
    return of[1] != NULL;
}

/* As the dynamic linker binds a caller's name, but for what is in front of us. A call may have a
 * pointer of ours from elsewhere: then it is any NCCL that is loaded. */
static void *find(const char *name, const void *caller)
{
    void *found[2] = {(void *)(uintptr_t)name, dlsym(RTLD_NEXT, name)};
    Dl_info about;

    if (!found[1])
        found[1] = find_by_caller(name, caller);
    if (!found[1])
        dl_iterate_phdr(look_for, found);
    if (found[1] && dladdr(found[1], &about))
        dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD); /* stays: what is known stays true */
    return found[1];
}

/* By name and by the place of the call: programs may have several NCCLs. */
static function *real(const char *name, const void *caller)
{
    enum { PLACES = 64 };
    static _Thread_local struct {
        const char *name;
        const void *caller;
        function *known;
    } places[PLACES];
    size_t at = ((uintptr_t)caller ^ (uintptr_t)name >> 3) % PLACES;

    if (places[at].name != name || places[at].caller != caller || !places[at].known) {
        void *found = find(name, caller);

        places[at].name = name;
        places[at].caller = caller;
        memcpy(&places[at].known, &found, sizeof(found));
        if (!found)
            fprintf(stderr, "hiersearch profile: %s: no NCCL that is loaded has it\n", name);
    }
    return places[at].known;
}

#define ROW(name, parameters) static const char text_##name[] = #name;
HS_NCCL_ASKED(ROW)
#undef ROW
#define ASK(name, caller, parameters, ...)                                                         \
    {                                                                                              \
        hs_nccl_result(*asked) parameters =                                                        \
            (hs_nccl_result(*) parameters)real(text_##name, caller);                               \
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

/* 22809: 2.28.9. To 2.8 the first number stood before three digits. */
static void describe_library(struct hs_counts *created, int version)
{
    int first = version < 10000 ? 1000 : 10000;

    snprintf(created->library, sizeof(created->library), "NCCL %d.%d.%d", version / first,
             version % first / 100, version % 100);
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
            describe_library(created, version);
        counts = created;
    }
    tried = true;
    pthread_mutex_unlock(&lock);
}

/* At exit; a process that was killed has all but this. */
__attribute__((destructor)) static void finish(void)
{
    struct hs_counts *mine = counts;

    if (!mine || mine->pid != (int32_t)getpid())
        return;
    mine->nanoseconds = nanoseconds_since_begin();
    mine->finished = 1;
}

/* ---- calls ---- */

struct passing {
    function *real;
    struct hs_nccl_group of; /* group -1: it is not counted */
    bool counts;
    uint64_t began_nanoseconds;
};

static struct passing enter(const char *name, hs_nccl_comm comm, const void *caller)
{
    struct passing passing = {
        .real = real(name, caller), .of = {-1, 0}, .counts = counts && depth == 0};

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

/* Parameters and arguments come in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define CALL(name, parameters, arguments, id, of_each, operation_of)                               \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        struct passing passing = enter(text, comm, __builtin_return_address(0));                   \
        const struct content content = {HS_COUNTED_NCCL_##id, count, of_each, (int)type,           \
                                        (int)(operation_of)};                                      \
        hs_nccl_result result = HS_NCCL_INVALID_USAGE;                                             \
                                                                                                   \
        if (passing.real)                                                                          \
            result = ((hs_nccl_result(*) parameters)passing.real)arguments;                        \
        leave(&passing, result, &content);                                                         \
        return result;                                                                             \
    }
HS_NCCL_CALLS(CALL)

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

#define MAKER(name, parameters, arguments, places, number, of)                                     \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        const void *caller = __builtin_return_address(0);                                          \
        function *passed = real(text, caller);                                                     \
        hs_nccl_result result = HS_NCCL_INVALID_USAGE;                                             \
        struct making making = {.count = 0};                                                       \
        uint64_t made_of = 0;                                                                      \
                                                                                                   \
        if (depth++ == 0) {                                                                        \
            begin(caller);                                                                         \
            made_of = of;                                                                          \
            making = look_before(places, number);                                                  \
        }                                                                                          \
        if (passed)                                                                                \
            result = ((hs_nccl_result(*) parameters)passed)arguments;                              \
        if (--depth == 0)                                                                          \
            look_after(&making, result, made_of);                                                  \
        return result;                                                                             \
    }
HS_NCCL_MAKERS(MAKER)

#define ENDER(name, parameters, arguments)                                                         \
    HS_PUBLIC hs_nccl_result name parameters;                                                      \
    HS_PUBLIC hs_nccl_result name parameters                                                       \
    {                                                                                              \
        static const char text[] = #name;                                                          \
        function *passed = real(text, __builtin_return_address(0));                                \
                                                                                                   \
        if (!passed)                                                                               \
            return HS_NCCL_INVALID_USAGE;                                                          \
        hs_nccl_ended(comm);                                                                       \
        return ((hs_nccl_result(*) parameters)passed)arguments;                                    \
    }
HS_NCCL_ENDERS(ENDER)
/* NOLINTEND(bugprone-macro-parentheses) */
