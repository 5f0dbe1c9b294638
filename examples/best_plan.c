/*
 * The best plan of an AllReduce on a machine, and what it takes.
 *
 *     cc best_plan.c $(pkg-config --cflags --libs hiersearch) -o best_plan
 *     ./best_plan abci 128 64MiB
 */
#include <hiersearch.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct hiersearch_error *error = hiersearch_error_new();
    struct hiersearch_system *system = NULL;
    struct hiersearch_question *question = NULL;
    struct hiersearch_result *result = NULL;
    char *plan = NULL;
    double seconds;
    int failed = argc != 4 || hiersearch_system_find(&system, argv[1], error) ||
                 hiersearch_question_new(&question, "predict", error) ||
                 hiersearch_question_set(question, "np", argv[2], error) ||
                 hiersearch_question_set(question, "size", argv[3], error) ||
                 hiersearch_predict(&result, system, question, error) ||
                 hiersearch_result_best(&plan, NULL, &seconds, result, 0, error);

    if (failed)
        fprintf(stderr, "best_plan: %s\n",
                argc == 4 ? hiersearch_error_text(error) : "SYSTEM NP SIZE");
    else
        printf("%s takes %.1f us\n", plan, 1e6 * seconds);
    hiersearch_text_free(plan);
    hiersearch_result_free(result);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
    hiersearch_error_free(error);
    return failed;
}
