/*
 * mpi_profile.c - libhiersearch-mpi.so: stands between a program and its MPI library (the profiling
 * interface, MPI standard, chapter 15), counts the collectives that pass (counts.h), carries some
 * out by plan (mpi_plans.h), and hands each other one on as it is. `hiersearch profile` and
 * `hiersearch run` put it in front by LD_PRELOAD.
 *
 * It is compiled for one MPI library and says so, and ends the program, where another one is there:
 * handles of the two do not mean the same.
 *
 * Not seen: persistent and neighbourhood collectives, and those of sessions (MPI 4); a program
 * whose MPI_COMM_WORLD was spawned counts nothing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "apply/mpi_plans.h"
#include "apply/mpi_profile.h"
#include "apply/settings.h"
#include "base/launcher.h"
#include "model/traffic.h"

/* How a library that is not ours begins. */
#ifdef OPEN_MPI
#define OTHERS "libmpich."
#else
#define OTHERS "libopen-rte."
#endif

static struct hs_counts *counts; /* NULL: nothing is counted */
static char *folder;             /* where to, on all ranks alike; NULL: none is asked to count */
static bool several_threads;     /* call at once: `lock` is for them */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_mpi;   /* MPI_Init was called; Fortran's comes here by C's, too */
static uint64_t began; /* nanoseconds of the monotonic clock */
static int group_key = MPI_KEYVAL_INVALID;
static _Thread_local int depth; /* > 0: within a call that is counted */

static inline uint64_t nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- who calls ---- */

/* Its index in counts->groups plus 1, kept with the communicator; made at its first call, from what
 * is known here: no other rank has to take part. Inter-communicators have none. */
static int group_of(MPI_Comm comm)
{
    void *known = NULL;
    int found = 0, size = 0, inter = 0, *ranks;

    if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, group_key, &known, &found) != MPI_SUCCESS)
        return -1;
    if (found)
        return (int)(intptr_t)known - 1;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size);
    ranks = inter ? NULL : hs_world_ranks(comm, size);
    found = ranks ? hs_counts_group(counts, ranks, size) : -1;
    free(ranks);
    PMPI_Comm_set_attr(comm, group_key, (void *)(intptr_t)(found + 1));
    return found;
}

/* ---- what is called ---- */

struct hs_passing hs_enter(enum hs_counted_call which, bool begun)
{
    struct hs_passing passing = {
        .outermost = depth == 0, .counts = counts && depth == 0, .call = which, .begun = begun};

    depth++;
    if (passing.counts)
        passing.began_nanoseconds = nanoseconds_now();
    return passing;
}

/* Where calls like one before are counted, so that most are not described anew. Only of types that
 * MPI names, whose handles stay what they are. */
static struct known {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op operation;
    uint64_t what; /* elements, call, form */
    uint64_t bytes;
    struct hs_counts_row *row; /* NULL: none is known here */
} known_calls[256];

static inline uint64_t what_of(const struct hs_passing *passing, const struct hs_content *content)
{
    _Static_assert(HS_COUNTED_CALL_COUNT <= 64, "a call has 6 bits");
    return content->elements << 7 | (uint64_t)passing->call << 1 | passing->begun;
}

static inline struct known *place_of(const struct hs_content *content, uint64_t what)
{
    uint64_t hash = (uint64_t)(uintptr_t)content->comm + (uint64_t)(uintptr_t)content->type * 3 +
                    (uint64_t)(uintptr_t)content->operation * 5 + what;

    return &known_calls[hash * 0x9e3779b97f4a7c15u >> 56];
}

/* As MPI frees a communicator: another one may have its handle. */
static int forget_comm(MPI_Comm comm, int key, void *opaque, void *unused)
{
    (void)key, (void)opaque, (void)unused;
    if (several_threads)
        pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof(known_calls) / sizeof(known_calls[0]); i++)
        if (known_calls[i].comm == comm)
            known_calls[i].row = NULL;
    if (several_threads)
        pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

/* Ranks that a rank's message goes to: of an inter-communicator those of the other side. */
static uint64_t ranks_of(MPI_Comm comm)
{
    int size = 0, inter = 0;

    if (comm == MPI_COMM_NULL || !counts)
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return (uint64_t)size;
}

/* What it is, in the counts; and a known call from now on, where that may be. */
static struct hs_counts_row *find(struct hs_counted *ended, const struct hs_passing *passing,
                                  const struct hs_content *content)
{
    uint64_t what = what_of(passing, content);
    struct hs_counts_row *row;
    int bytes = 0;

    ended->call = passing->call;
    ended->begun = passing->begun;
    ended->type = hs_type_of(content->type);
    ended->operation = hs_operation_of(content->operation);
    if (content->type != MPI_DATATYPE_NULL)
        PMPI_Type_size(content->type, &bytes);
    ended->bytes = content->elements * (uint64_t)hs_larger(bytes, 0) *
                   (content->of_each ? ranks_of(content->comm) : 1);
    ended->group = group_of(content->comm);
    row = hs_counts_find(counts, ended);
    if (row && ended->type != HS_COUNTED_TYPE_OTHER)
        *place_of(content, what) = (struct known){content->comm, content->type, content->operation,
                                                  what,          ended->bytes,  row};
    return row;
}

static void count(const struct hs_passing *passing, const struct hs_content *content)
{
    uint64_t what = what_of(passing, content);
    const struct known *known = place_of(content, what);
    uint64_t now = nanoseconds_now();
    struct hs_counts_row *row = known->row;
    struct hs_counted ended;

    ended.nanoseconds = now - passing->began_nanoseconds;
    ended.since_nanoseconds = now - began;
    if (row && known->what == what && known->comm == content->comm &&
        known->type == content->type && known->operation == content->operation)
        ended.bytes = known->bytes;
    else
        row = find(&ended, passing, content);
    hs_counts_add(counts, row, &ended);
}

void hs_leave(const struct hs_passing *passing, const struct hs_content *content)
{
    depth--;
    if (!passing->counts)
        return;
    if (several_threads)
        pthread_mutex_lock(&lock);
    if (counts)
        count(passing, content);
    if (several_threads)
        pthread_mutex_unlock(&lock);
}

uint64_t hs_sum_of(struct hs_list list, MPI_Comm comm)
{
    uint64_t sum = 0, size = ranks_of(comm);

    for (uint64_t i = 0; list.counts && i < size; i++)
        sum += (uint64_t)hs_larger(hs_list_at(list, i), 0);
    return sum;
}

static MPI_Datatype type_at(struct hs_types types, uint64_t i)
{
    return types.fortran ? MPI_Type_f2c(((const MPI_Fint *)types.types)[i])
                         : ((const MPI_Datatype *)types.types)[i];
}

uint64_t hs_bytes_of(struct hs_list list, struct hs_types types, MPI_Comm comm)
{
    uint64_t sum = 0, size = ranks_of(comm);

    for (uint64_t i = 0; list.counts && types.types && i < size; i++) {
        MPI_Count count = hs_list_at(list, i);
        int bytes = 0;

        if (count <= 0) /* there may be no type then */
            continue;
        PMPI_Type_size(type_at(types, i), &bytes);
        sum += (uint64_t)count * (uint64_t)hs_larger(bytes, 0);
    }
    return sum;
}

bool hs_is_root(int root, MPI_Comm comm)
{
    int rank = -1;

    if (counts)
        PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

/* ---- begin and end ---- */

static int look_for_another(struct dl_phdr_info *object, size_t bytes, void *found)
{
    const char *name = strrchr(object->dlpi_name, '/');

    (void)bytes;
    name = name ? name + 1 : object->dlpi_name;
    if (strncmp(name, OTHERS, strlen(OTHERS)) != 0)
        return 0;
    *(const char **)found = object->dlpi_name;
    return 1;
}

void hs_check_library(void)
{
    const char *another = NULL;

    if (dl_iterate_phdr(look_for_another, &another) == 0)
        return;
    fprintf(stderr,
            "hiersearch: this program runs with %s, and libhiersearch-mpi.so was built "
            "for " HS_MPI_NAME ": give the one that was built for that library (--interposer)\n",
            another);
    _exit(2);
}

static void describe(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int written = 0;

    PMPI_Get_library_version(library, &written);
    library[strcspn(library, "\n")] = '\0';
    for (char *c = library; *c; c++)
        if (*c == '\t')
            *c = ' ';
    snprintf(counts->library, sizeof(counts->library), "%.*s", HS_COUNTS_TEXT - 1, library);
}

static void begin_counts(void)
{
    const char *asked = getenv(HS_PROFILE_FOLDER);
    int rank = 0, ranks = 0, level = MPI_THREAD_MULTIPLE;
    struct timespec now;
    uint64_t run;

    folder = asked && asked[0] ? strdup(asked) : NULL;
    if (!folder)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    clock_gettime(CLOCK_REALTIME, &now);
    run = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 16;
    PMPI_Bcast(&run, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    began = nanoseconds_now();
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_comm, &group_key, NULL);
    PMPI_Query_thread(&level);
    several_threads = level == MPI_THREAD_MULTIPLE;
    counts = hs_counts_create(folder, rank, ranks, run);
    if (counts)
        describe();
    else
        fprintf(stderr, "hiersearch profile: rank %d is not counted: %s: %s\n", rank, folder,
                strerror(errno));
}

void hs_begin(void)
{
    MPI_Comm parent = MPI_COMM_NULL;

    PMPI_Comm_get_parent(&parent);
    if (has_mpi || parent != MPI_COMM_NULL)
        return;
    has_mpi = true;
    begin_counts();
    depth++; /* what plans call is not the program's */
    hs_plans_begin();
    depth--;
}

void hs_merge(void)
{
    char *arguments[] = {
        "hiersearch", "profile", "--quiet", "--read", folder, "-o", getenv(HS_PROFILE_OUTPUT),
        NULL};
    char *program = getenv(HS_PROFILE_PROGRAM), *preloaded = getenv("LD_PRELOAD"), *kept;
    pid_t child;
    int error;

    if (!program || !arguments[6])
        return;
    kept = preloaded ? strdup(preloaded) : NULL;
    unsetenv("LD_PRELOAD");
    setenv(HS_PROFILE_ENDED, "1", 1);
    error = posix_spawn(&child, program, NULL, NULL, arguments, environ);
    unsetenv(HS_PROFILE_ENDED);
    if (kept)
        setenv("LD_PRELOAD", kept, 1);
    free(kept);
    if (error != 0)
        fprintf(stderr, "hiersearch profile: cannot run %s: %s; %s has the counts\n", program,
                strerror(error), arguments[4]);
    else
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
}

/* Perhaps within a handler of a signal that came while a call was counted. */
void hs_abort(void)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    if (counts)
        (void)hs_counts_write(counts);
    pthread_mutex_unlock(&lock);
}

/* Python has not come to MPI_Init: the wheel of mpi4py on PyPI takes MPICH by the name of its ABI
 * alone, which Debian's has not (mpi4py 4.1, _mpiabi.py). */
static void say_abi(void)
{
    static const char abi[] = "libmpi.so.12", own[] = "libmpich.so";
    void *library = dlopen(abi, RTLD_LAZY);
    Dl_info mpi;

    if (library) {
        dlclose(library);
        return;
    }
    if (dladdr(dlsym(RTLD_NEXT, "PMPI_Init"), &mpi) == 0 || !strstr(mpi.dli_fname, own))
        return;
    fprintf(
        stderr,
        "hiersearch: Python ended without MPI. If it uses mpi4py's wheel: that asks for MPICH as "
        "%s, which is not here: make it a link to %s in a folder of LD_LIBRARY_PATH and set "
        "MPI4PY_LIBMPI=%s, or install mpi4py for this MPI (MPICC=mpicc.mpich pip install "
        "--no-binary mpi4py mpi4py)\n",
        abi, mpi.dli_fname, abi);
}

/* At an exit without MPI_Finalize. */
__attribute__((destructor)) static void finish_early(void)
{
    const char *process = getenv(HS_PROCESS);

    hs_abort();
    if (!has_mpi && process && strtol(process, NULL, 10) == (long)getpid() &&
        strncmp(program_invocation_short_name, "python", 6) == 0 && hs_launcher_is_root())
        say_abi();
}

/* What the interposer in front of NCCL counted in this process is read with the rest. */
static void write_nccl(void)
{
    void (*write)(void);

    *(void **)&write = dlsym(RTLD_DEFAULT, HS_NCCL_WRITE);
    if (write)
        write();
}

bool hs_finish(void)
{
    struct {
        int error, rank;
    } mine = {0}, worst = {0};
    static bool ended;

    hs_plans_finish();
    if (!folder || ended) /* Fortran's call comes here by C's, too */
        return false;
    ended = true;
    write_nccl();
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine.rank);
    pthread_mutex_lock(&lock);
    if (counts) {
        counts->nanoseconds = nanoseconds_now() - began;
        counts->finished = 1;
        mine.error = hs_counts_end(counts);
        counts = NULL;
    }
    pthread_mutex_unlock(&lock);
    PMPI_Comm_free_keyval(&group_key);
    PMPI_Reduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
    if (mine.rank == 0 && worst.error != 0)
        fprintf(stderr,
                "hiersearch profile: there is no profile: rank %d, and perhaps others, could not "
                "write in %s: %s\n",
                worst.rank, folder, strerror(worst.error));
    return mine.rank == 0 && worst.error == 0;
}
