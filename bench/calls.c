/*
 * Predictions per second through the library: one handle of the system and one question, whose size
 * changes from call to call.
 *
 * usage: calls SYSTEM NP SECONDS [OPTION VALUE]...     prints calls per second
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hiersearch.h"

static struct hiersearch_error *error;

static void need(enum hiersearch_status status)
{
    if (status == HIERSEARCH_OK)
        return;
    fprintf(stderr, "calls: %s\n", hiersearch_error_text(error));
    exit(1);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    struct hiersearch_system *system;
    struct hiersearch_question *question;
    double began, seconds = argc > 3 ? atof(argv[3]) : 0;
    long calls = 0;

    if (argc < 4 || argc % 2 || !(error = hiersearch_error_new()))
        return 2;
    need(hiersearch_system_find(&system, argv[1], error));
    need(hiersearch_question_new(&question, "predict", error));
    need(hiersearch_question_set(question, "np", argv[2], error));
    for (int i = 4; i < argc; i += 2)
        need(hiersearch_question_set(question, argv[i], argv[i + 1], error));
    began = now();
    do {
        struct hiersearch_result *result;
        char size[32];

        snprintf(size, sizeof(size), "%ldKiB", 64 + calls % 1000);
        need(hiersearch_question_set(question, "size", size, error));
        need(hiersearch_predict(&result, system, question, error));
        hiersearch_result_free(result);
        calls++;
    } while (now() - began < seconds);
    printf("%.0f\n", (double)calls / (now() - began));
    hiersearch_question_free(question);
    hiersearch_system_free(system);
    hiersearch_error_free(error);
    return 0;
}
