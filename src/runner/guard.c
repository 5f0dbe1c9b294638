/* guard.c - see guard.h. */
#include "runner/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

/* How often deadlines and the launcher are looked at. */
#define LOOK_NANOSECONDS 200000000L
/* How long the guard waits for the main thread to let go of the data, and for MPI_Abort to work. */
#define LOCK_SECONDS        3
#define LAST_RESORT_SECONDS 3
/* MPI_Finalize can hang (Debian's MPICH 4.0.2 over TCP does): everything is on disk by then. */
#define FINALIZE_SECONDS 5.0

struct hs_guard {
    pthread_t thread;
    sigset_t signals;
    pid_t launcher;
    pthread_mutex_t data;  /* what on_end reads */
    pthread_mutex_t state; /* everything below */
    bool stopping, serving, finishing;
    bool has_launcher; /* whose death ends the job */
    int rank, finish_status;
    void (*on_end)(void *context, const struct hs_guard_end *end);
    void *context;
    double deadline;              /* monotonic seconds; INFINITY: none */
    struct hs_guard_end expected; /* what, subject and limit of it */
};

/* ---- the end ------------------------------------------------------------------------------- */

static void *last_resort(void *exit_status)
{
    sleep(LAST_RESORT_SECONDS);
    _exit(*(const int *)exit_status);
}

/* MPI_Abort tells the launcher the exit status, which a mere exit does not; but it may hang. What
 * it has to say on top of what was said here is of no use to people. */
static _Noreturn void end_job(int exit_status)
{
    static int status_for_thread;
    pthread_t thread;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    /* Hydra takes a closed stream for a dead process: there is one more of each. */
    if (nowhere >= 0 && dup(STDOUT_FILENO) >= 0 && dup(STDERR_FILENO) >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    status_for_thread = exit_status;
    if (pthread_create(&thread, NULL, last_resort, &status_for_thread) == 0)
        MPI_Abort(MPI_COMM_WORLD, exit_status);
    _exit(exit_status);
}

/* The data's lock, or a few seconds: a disk that hangs must not keep the job alive. */
static bool lock_data_for_long(struct hs_guard *guard)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOCK_SECONDS;
    return pthread_mutex_timedlock(&guard->data, &until) == 0;
}

/* Returns where the main thread has written everything in the meantime. */
static void end_on_rank_0(struct hs_guard *guard, const struct hs_guard_end *end)
{
    bool finishing, locked = lock_data_for_long(guard);

    pthread_mutex_lock(&guard->state);
    finishing = guard->finishing;
    pthread_mutex_unlock(&guard->state);
    if (!finishing) {
        if (guard->on_end)
            guard->on_end(guard->context, end);
        if (guard->has_launcher)
            sleep(1); /* launchers drop what they have not forwarded yet when a rank aborts */
        end_job(end->exit_status);
    }
    if (locked)
        pthread_mutex_unlock(&guard->data);
}

static void end_with(struct hs_guard *guard, const struct hs_guard_end *end)
{
    struct timespec grace = {(time_t)HS_GUARD_GRACE_SECONDS, 0};

    if (guard->rank == 0) {
        end_on_rank_0(guard, end);
        return;
    }
    /* The deadline of a rank other than 0 has the grace in it already. */
    while (end->event != HS_GUARD_TIMEOUT && nanosleep(&grace, &grace) != 0 && errno == EINTR)
        ;
    _exit(end->exit_status);
}

/* ---- the thread ---------------------------------------------------------------------------- */

/* Whether the job has to end now. */
static bool look(struct hs_guard *guard, int signal_number, struct hs_guard_end *end)
{
    bool over = hs_clock_seconds() >= guard->deadline;

    *end = guard->expected;
    if (over && guard->finishing)
        _exit(guard->finish_status);
    if (signal_number > 0) {
        end->event = HS_GUARD_SIGNAL;
        end->signal = signal_number;
        end->exit_status = 128 + signal_number;
        return true;
    }
    end->exit_status = 1;
    end->event = over ? HS_GUARD_TIMEOUT : HS_GUARD_ORPHANED;
    return over || (guard->has_launcher && getppid() != guard->launcher);
}

static void *watch(void *opaque)
{
    struct hs_guard *guard = opaque;
    const struct timespec pause = {0, LOOK_NANOSECONDS};

    for (;;) {
        struct hs_guard_end end;
        int signal_number = sigtimedwait(&guard->signals, NULL, &pause);
        bool ends;

        pthread_mutex_lock(&guard->state);
        if (guard->stopping) {
            pthread_mutex_unlock(&guard->state);
            return NULL;
        }
        ends = look(guard, signal_number, &end);
        if (ends && guard->finishing)
            ends = false; /* everything is written: the end is near */
        else if (ends && !guard->serving)
            _exit(end.exit_status);
        pthread_mutex_unlock(&guard->state);
        if (ends)
            end_with(guard, &end);
    }
}

/* ---- for the program ----------------------------------------------------------------------- */

static void choose_signals(sigset_t *signals)
{
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};

    sigemptyset(signals);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        struct sigaction action;

        if (sigaction(wanted[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(signals, wanted[i]);
    }
}

char *hs_guard_end_format(char text[HS_GUARD_END_TEXT], const struct hs_guard_end *end)
{
    char limit[HS_UNIT_TEXT];

    switch (end->event) {
    case HS_GUARD_SIGNAL:
        snprintf(text, HS_GUARD_END_TEXT, "interrupted by SIG%s%s%s", sigabbrev_np(end->signal),
                 end->what[0] ? " while " : "", end->what);
        break;
    case HS_GUARD_TIMEOUT:
        snprintf(text, HS_GUARD_END_TEXT, "%s took more than %s and was abandoned", end->what,
                 hs_seconds_format(limit, end->limit_seconds));
        break;
    case HS_GUARD_ORPHANED:
        snprintf(text, HS_GUARD_END_TEXT, "the launcher has died%s%s",
                 end->what[0] ? " while " : "", end->what);
        break;
    }
    return text;
}

enum hs_status hs_guard_start(struct hs_guard **out, struct hs_error *err)
{
    struct hs_guard *guard = calloc(1, sizeof(*guard));
    int failure;

    *out = NULL;
    if (!guard)
        return hs_no_memory(err);
    guard->launcher = getppid();
    guard->deadline = INFINITY;
    guard->expected.subject = HS_GUARD_NOBODY;
    pthread_mutex_init(&guard->data, NULL);
    pthread_mutex_init(&guard->state, NULL);
    choose_signals(&guard->signals);
    pthread_sigmask(SIG_BLOCK, &guard->signals, NULL);
    failure = pthread_create(&guard->thread, NULL, watch, guard);
    if (failure) {
        free(guard);
        return hs_fail(err, HS_FAILED, "cannot start the guard thread: %s", strerror(failure));
    }
    *out = guard;
    return HS_OK;
}

void hs_guard_serve(struct hs_guard *guard, int rank, int np,
                    void (*on_end)(void *context, const struct hs_guard_end *end), void *context)
{
    pthread_mutex_lock(&guard->state);
    guard->rank = rank;
    guard->has_launcher = np > 1;
    guard->on_end = on_end;
    guard->context = context;
    guard->serving = true;
    pthread_mutex_unlock(&guard->state);
}

void hs_guard_expect(struct hs_guard *guard, const char *what, size_t subject, double seconds)
{
    pthread_mutex_lock(&guard->state);
    snprintf(guard->expected.what, sizeof(guard->expected.what), "%s", what);
    guard->expected.subject = subject;
    guard->expected.limit_seconds = seconds;
    guard->deadline = hs_clock_seconds() + seconds + (guard->rank ? HS_GUARD_GRACE_SECONDS : 0);
    pthread_mutex_unlock(&guard->state);
}

void hs_guard_lock(struct hs_guard *guard)
{
    pthread_mutex_lock(&guard->data);
}

void hs_guard_unlock(struct hs_guard *guard)
{
    pthread_mutex_unlock(&guard->data);
}

void hs_guard_finishing(struct hs_guard *guard, int exit_status)
{
    pthread_mutex_lock(&guard->state);
    guard->finishing = true;
    guard->finish_status = exit_status;
    guard->deadline = hs_clock_seconds() + FINALIZE_SECONDS;
    pthread_mutex_unlock(&guard->state);
}

void hs_guard_stop(struct hs_guard *guard)
{
    if (!guard)
        return;
    pthread_mutex_lock(&guard->state);
    guard->stopping = true;
    pthread_mutex_unlock(&guard->state);
    if (sigismember(&guard->signals, SIGTERM))
        pthread_kill(guard->thread, SIGTERM); /* only wakes it */
    pthread_join(guard->thread, NULL);
    pthread_mutex_destroy(&guard->data);
    pthread_mutex_destroy(&guard->state);
    free(guard);
}
