/*
 * Threads that use the library at the same time, each with handles of its own: what each gets is
 * what one thread alone gets. For ThreadSanitizer, too.
 *
 * usage: threads LOG [THREADS [ROUNDS]]     prints TAP; LOG is one of nccl-tests
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "hiersearch.h"

#define TEXTS       64
#define THREADS_MAX 64
/* A stack as a caller's runtime may have it; sanitizers make frames larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_BYTES ((size_t)8 << 20)
#else
#define STACK_BYTES ((size_t)256 << 10)
#endif

struct job {
    pthread_t thread;
    const char *log;
    int rounds;
    char *texts[TEXTS]; /* what was got, in order */
    size_t count;
    struct hiersearch_error *error;
};

static void need(struct job *job, enum hiersearch_status status)
{
    if (status == HIERSEARCH_OK)
        return;
    printf("Bail out! %s\n", hiersearch_error_text(job->error));
    exit(1);
}

/* Without the time of the call. */
static void keep(struct job *job, char *text)
{
    char *dated = strstr(text, "\"created\"");

    if (dated)
        memset(dated, ' ', strcspn(dated, "\n"));
    if (job->count < TEXTS)
        job->texts[job->count++] = text;
    else
        hiersearch_text_free(text);
}

/* Numbers of a plot, and what is said of the page. */
static void show(struct job *job, const char *json)
{
    struct hiersearch_inputs *inputs;
    struct hiersearch_question *question;
    char *text;

    need(job, hiersearch_inputs_new(&inputs, job->error));
    need(job, hiersearch_inputs_add_text(inputs, "a result", json, job->error));
    need(job, hiersearch_question_new(&question, "plot", job->error));
    need(job, hiersearch_question_set(question, "kind", "layers", job->error));
    need(job, hiersearch_question_set(question, "csv", "true", job->error));
    need(job, answered(&text, NULL, &(struct asked){.question = question, .inputs = inputs},
                       job->error));
    keep(job, text);
    need(job,
         answered(&text, NULL, &(struct asked){.kind = "report", .inputs = inputs}, job->error));
    hiersearch_text_free(text); /* says when the result was made */
    hiersearch_question_free(question);
    hiersearch_inputs_free(inputs);
}

static void export(struct job *job, const char *json, const char *to)
{
    struct hiersearch_inputs *inputs;
    struct hiersearch_question *question;
    struct hiersearch_exports *exports;

    need(job, hiersearch_inputs_new(&inputs, job->error));
    need(job, hiersearch_inputs_add_text(inputs, "a result", json, job->error));
    need(job, hiersearch_question_new(&question, "export", job->error));
    need(job, hiersearch_question_set(question, "to", to, job->error));
    need(job, hiersearch_export(&exports, inputs, question, job->error));
    hiersearch_exports_free(exports);
    hiersearch_question_free(question);
    hiersearch_inputs_free(inputs);
}

/* And exports what it got to a format, unless that is NULL. */
static void ask(struct job *job, const char *kind, struct hiersearch_system *system, const char *to,
                const char *const *options)
{
    struct hiersearch_question *question;
    char *json;

    need(job, hiersearch_question_new(&question, kind, job->error));
    for (; *options; options += 2)
        need(job, hiersearch_question_set(question, options[0], options[1], job->error));
    need(job, answered(&json, NULL,
                       &(struct asked){.question = question, .system = system, .format = "json"},
                       job->error));
    if (to) {
        export(job, json, to);
        show(job, json);
    }
    keep(job, json);
    hiersearch_question_free(question);
}

static void predict(struct job *job, struct hiersearch_system *system, const char *to,
                    const char *const *options)
{
    ask(job, "predict", system, to, options);
}

/* What the command prints of a question of a kind. */
static void print(struct job *job, const char *kind, struct hiersearch_system *system,
                  const char *const *options)
{
    struct hiersearch_question *question;
    char *text;

    need(job, hiersearch_question_new(&question, kind, job->error));
    for (; *options; options += 2)
        need(job, hiersearch_question_set(question, options[0], options[1], job->error));
    need(job, answered(&text, NULL, &(struct asked){.question = question, .system = system},
                       job->error));
    keep(job, text);
    hiersearch_question_free(question);
}

/* A node whose GPUs single links join: linear programs. */
static void pack(struct job *job)
{
    struct hiersearch_system *system;

    need(job, hiersearch_system_find(&system, "dgx1-v100", job->error));
    predict(job, system, NULL,
            (const char *const[]){"gpus", "0-4", "samples", "0", "algorithms", "all", NULL});
    print(job, "predict", system,
          (const char *const[]){"np", "3", "samples", "0", "size", "1MiB", NULL});
    print(job, "systems", system, (const char *const[]){NULL});
    hiersearch_system_free(system);
}

/* The files of a simulation. */
static void simulate(struct job *job, const struct hiersearch_system *system)
{
    struct hiersearch_question *question;
    struct hiersearch_exports *files;

    need(job, hiersearch_question_new(&question, "simulate", job->error));
    need(job, hiersearch_question_set(question, "np", "16", job->error));
    need(job, hiersearch_simulation(&files, system, question, job->error));
    hiersearch_exports_free(files);
    hiersearch_question_free(question);
}

static void calibrate(struct job *job, const struct hiersearch_system *system)
{
    struct hiersearch_question *question;
    struct hiersearch_system *fitted;
    struct hiersearch_inputs *inputs;
    char *json;

    need(job, hiersearch_inputs_new(&inputs, job->error));
    need(job, hiersearch_inputs_add_file(inputs, job->log, job->error));
    need(job, hiersearch_question_new(&question, "fit", job->error));
    need(job, hiersearch_question_set(question, "force", "true", job->error));
    need(job, hiersearch_fit(&fitted, system, inputs, question, job->error));
    hiersearch_question_free(question);
    need(job, hiersearch_system_json(&json, fitted, job->error));
    keep(job, json);
    need(job, answered(&json, NULL,
                       &(struct asked){
                           .kind = "check", .system = fitted, .inputs = inputs, .format = "json"},
                       job->error));
    keep(job, json);
    hiersearch_system_free(fitted);
    hiersearch_inputs_free(inputs);
}

static void one_round(struct job *job)
{
    static const char *const machines[] = {"8xH100, 8xNDR400", "node:8@200GB/s~2us,ib@25GB/s~9us",
                                           "node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich"};
    struct hiersearch_system *system;
    char *json;

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        need(job, hiersearch_system_find(&system, machines[i], job->error));
        predict(job, system, "rules", (const char *const[]){"np", "64", "size", "1MiB:4MiB", NULL});
        predict(job, system, NULL,
                (const char *const[]){"mesh", "tp=8,dp=8", "group", "dp", "collective",
                                      "reduce-scatter", "samples", "20", NULL});
        ask(job, "place", system, NULL,
            (const char *const[]){"mesh", "tp=4,dp=4", "messages",
                                  "tp:allreduce:1MiB*8,dp:reduce-scatter:64MiB", NULL});
        ask(job, "shard", system, NULL,
            (const char *const[]){"np", "16", "parameters", "1B", NULL});
        predict(job, system, NULL,
                (const char *const[]){"profile", "tests/golden/profile/job.json", NULL});
        print(job, "predict", system,
              (const char *const[]){"np", "16", "explain", "best", "samples", "10", NULL});
        simulate(job, system);
        if (i == 0)
            calibrate(job, system);
        need(job,
             answered(&json, NULL,
                      &(struct asked){
                          .kind = "systems", .flag = "check", .system = system, .format = "json"},
                      job->error));
        keep(job, json);
        hiersearch_system_free(system);
        hiersearch_system_find(&system, "a@b", job->error); /* an error of its own */
    }
    pack(job);
    print(job, "systems", NULL, (const char *const[]){"here", "true", NULL});
    print(job, "systems", NULL, (const char *const[]){"check", "true", NULL});
    print(job, "export", NULL, (const char *const[]){"list", "true", NULL});
    need(job, hiersearch_options_json(&json, "export", job->error));
    keep(job, json);
    need(job, answered(&json, NULL,
                       &(struct asked){.kind = "systems", .flag = "parts", .format = "json"},
                       job->error));
    keep(job, json);
    need(job,
         answered(&json, NULL, &(struct asked){.kind = "systems", .format = "json"}, job->error));
    keep(job, json);
}

static void *work(void *of_job)
{
    struct job *job = of_job;

    job->error = hiersearch_error_new();
    for (int i = 0; i < job->rounds; i++)
        one_round(job);
    hiersearch_error_free(job->error);
    return NULL;
}

static void release(struct job *job)
{
    for (size_t i = 0; i < job->count; i++)
        hiersearch_text_free(job->texts[i]);
}

int main(int argc, char **argv)
{
    static struct job jobs[THREADS_MAX];
    int threads = argc > 2 ? atoi(argv[2]) : 8, rounds = argc > 3 ? atoi(argv[3]) : 2;
    struct job alone = {.log = argv[1], .rounds = 1};
    pthread_attr_t small;
    size_t same = 0, texts = 0;

    if (argc < 2 || threads < 1 || threads > THREADS_MAX)
        return 2;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    for (int t = 0; t < threads; t++) {
        jobs[t].log = argv[1];
        jobs[t].rounds = rounds;
        if (pthread_create(&jobs[t].thread, &small, work, &jobs[t]))
            return 1;
    }
    pthread_attr_destroy(&small);
    for (int t = 0; t < threads; t++)
        pthread_join(jobs[t].thread, NULL);
    work(&alone); /* behind them: what is made when it is first asked for, they made */
    for (int t = 0; t < threads; t++) {
        for (size_t i = 0; i < jobs[t].count; i++, texts++)
            same += strcmp(jobs[t].texts[i], alone.texts[i % alone.count]) == 0;
        release(&jobs[t]);
    }
    printf("%s 1 - %zu documents of %d threads are those of one thread alone\n1..1\n",
           same == texts && alone.count > 0 ? "ok" : "not ok", texts, threads);
    release(&alone);
    return same == texts ? 0 : 1;
}
