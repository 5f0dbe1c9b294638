/*
 * One-line systems, plans, meshes, rules, and the messages of a job: what is accepted formats to
 * text that reads back as the same value; what is accepted can be priced without trouble.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../problem_world.h"
#include "library/price_plan.h"
#include "model/job.h"
#include "model/rules.h"
#include "system/system.h"

static void check(int holds)
{
    if (!holds)
        abort();
}

static void check_plan(const char *text)
{
    struct hs_plan plan, back;
    struct hs_error err;
    char formatted[HS_SPLIT_TEXT];

    if (hs_plan_parse(&plan, text, 0, &err)) {
        check(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
        return;
    }
    hs_plan_format(formatted, &plan);
    check(hs_plan_parse(&back, formatted, 0, &err) == HS_OK && hs_plan_compare(&plan, &back) == 0);
}

/* Prices a split that misaligned, nests and leaves a remainder on whatever machine came in. */
static void check_prices(const struct hs_system *system)
{
    static const char *const plans[] = {"1", "6x4x2", "2x3x8/4", "720720", "4x8x2"};

    for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
        struct hs_plan plan;
        struct hs_problem problem;
        struct hs_plan_cost cost;

        check(hs_plan_parse(&plan, plans[i], 0, NULL) == HS_OK);
        problem = problem_world(hs_split_product(&plan.split), 1e6);
        if (system->parts && problem.group.ranks > hs_system_capacity(system))
            continue; /* a node without NICs: the search refuses it */
        cost = hs_plan_cost(system, &problem, &plan);
        check(cost.seconds >= 0);
    }
}

static void check_system(const char *text)
{
    struct hs_system system, back;
    struct hs_text formatted = {0}, again = {0};
    struct hs_error err;

    if (hs_system_parse(&system, text, &err)) {
        check(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
        return;
    }
    hs_system_format(&formatted, &system);
    check(hs_system_parse(&back, formatted.data, &err) == HS_OK);
    hs_system_format(&again, &back);
    check(strcmp(formatted.data, again.data) == 0);
    check_prices(&system);
    hs_text_release(&formatted);
    hs_text_release(&again);
    hs_system_release(&system);
    hs_system_release(&back);
}

static void check_mesh(const char *text)
{
    struct hs_mesh mesh, back;
    struct hs_error err;
    char formatted[HS_MESH_TEXT];

    if (hs_mesh_parse(&mesh, text, &err)) {
        check(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
        return;
    }
    hs_mesh_format(formatted, &mesh);
    check(hs_mesh_parse(&back, formatted, &err) == HS_OK && hs_mesh_equal(&mesh, &back));
}

/* Of a mesh with neighbours that can be joined, and a gap. */
static void check_job(const char *text)
{
    static const int order[] = {2, 0, 1};
    struct hs_job job = {.count = 0};
    struct hs_error err;

    check(hs_mesh_parse(&job.mesh, "tp=8,pp=3,dp=64", NULL) == HS_OK);
    if (hs_job_parse(&job, text, &err)) {
        check(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
        return;
    }
    check(job.count >= 1 && job.count <= HS_JOB_MESSAGES_MAX);
    for (size_t m = 0; m < job.count; m++) {
        struct hs_problem problem;

        check(job.messages[m].calls >= 1 && job.messages[m].bytes >= 1);
        check(hs_job_problem(&problem, &job, m, order, NULL) == HS_OK);
        check(hs_group_check(&problem.group, NULL) == HS_OK && problem.group.size > 1);
    }
}

/* Written as the same lines. */
static void check_trees(const struct hs_forests *forests, const struct hs_forests *back)
{
    struct hs_text here = {0}, there = {0};

    hs_forests_append(&here, forests);
    hs_forests_append(&there, back);
    check(here.length == there.length && (here.length == 0 || strcmp(here.data, there.data) == 0));
    hs_text_release(&here);
    hs_text_release(&there);
}

/* Rules of plans: what is read is written, and read again as the same. */
static void check_rules(const char *text)
{
    struct hs_rules rules, back;
    struct hs_text written = {0};
    struct hs_error err;

    if (hs_rules_parse(&rules, text, &err)) {
        check(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
        return;
    }
    hs_text_append(&written, "ranks %lld\n", (long long)rules.ranks);
    hs_forests_append(&written, &rules.forests);
    for (size_t i = 0; i < rules.count; i++)
        hs_rule_append(&written, &rules.rules[i]);
    check(hs_rules_parse(&back, written.data, &err) == HS_OK && back.count == rules.count);
    for (size_t i = 0; i < rules.count; i++)
        check(hs_plan_compare(&back.rules[i].plan, &rules.rules[i].plan) == 0);
    check_trees(&rules.forests, &back.forests);
    hs_text_release(&written);
    hs_rules_release(&rules);
    hs_rules_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte chooses the target. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;

    if (size == 0 || size > 4096)
        return 0;
    text = malloc(size);
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (data[0] == 'p')
        check_plan(text);
    else if (data[0] == 'm')
        check_mesh(text);
    else if (data[0] == 'j')
        check_job(text);
    else if (data[0] == 'r')
        check_rules(text);
    else
        check_system(text);
    free(text);
    return 0;
}
