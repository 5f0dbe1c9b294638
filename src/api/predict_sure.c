/* How sure an answer is: the plan that does best over the machines that fit the description, on how
 * many it wins, and what to measure first. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/predict.h"
#include "view/figures.h"

/* What a figure known would take off the expected regret, so that it is worth a line. */
#define WORTH 0.002
#define SEEN  0.0005 /* what is shown of a regret */
/* Times less bytes, from which on messages are measured: latency and bandwidth are told apart. */
#define FEWER ((uint64_t)8)
/* Stages of which each is tried as what to measure. */
#define STAGES_TRIED 512

/* "6.1 %", "21 %": a regret. */
#define AS_REGRET(regret) HS_AS_PERCENT(regret, (regret) < 0.0995 ? 1 : 0)

/* The fastest by the figures as they stand, where that is not the plan shown first: because that
 * one has fewer layers, or loses less. */
static void say_guess(const struct hs_predict *predict, const struct hs_predict_point *point,
                      int lead)
{
    const struct hs_regret *guess = &point->guess_regret;

    hs_sheet_say(predict->sheet, "%*s%s ", lead, "", HS_AS_PLAN(&point->guess.plan));
    if (guess->mean <= point->regret.mean)
        hs_sheet_say(predict->sheet, "has %d layers instead of %d\n", point->guess.plan.split.count,
                     point->found.plans[0].plan.split.count);
    else
        hs_sheet_say(predict->sheet, "wins on %.0f %%%s, on 95 %% it is at most %s %% slower\n",
                     100 * guess->share,
                     guess->share + point->regret.share > 1 ? " (within 1 % both win)" : "",
                     AS_REGRET(guess->worst));
}

/* "wins on 83 % of 200 machines that fit the description, on 95 % of them at most 6.0 % slower than
 * the best": wins where it is within 1 % of the best. */
void hs_predict_say_sure(const struct hs_predict *predict, const struct hs_predict_point *point,
                         const char *lead)
{
    const struct hs_regret *regret = &point->regret;

    if (!point->sure)
        return;
    hs_sheet_say(predict->sheet, "%swins on %.0f %% of %zu machines that fit the %s", lead,
                 100 * regret->share, predict->asked.machines->count,
                 hs_predict_is_calibrated(predict) ? "points" : "description");
    if (regret->worst >= SEEN)
        hs_sheet_say(predict->sheet, ", on 95 %% of them at most %s %% slower than the best",
                     AS_REGRET(regret->worst));
    hs_sheet_say(predict->sheet, "\n");
    if (hs_predict_is_surpassed(point))
        say_guess(predict, point, (int)strlen(lead));
}

/* ---- what to measure ------------------------------------------------------------------------- */

/* What a word for a shell may hold without quotes. */
#define PLAIN                                                                                      \
    "abcdefghijklmnopqrstuvwxyz"                                                                   \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"                                                                   \
    "0123456789_./+-"

/* The system as a word of a command, and a file that it is not in. */
struct command {
    const char *system, *quote, *output;
};

static struct command command_of(const struct hs_predict *predict)
{
    const char *system = predict->system;

    return (struct command){system, system[strspn(system, PLAIN)] ? "'" : "",
                            strcmp(system, "here.json") == 0 ? "here-2.json" : "here.json"};
}

#define WHOM_TEXT (2 * HS_MESH_TEXT + 32)

/* " --np 256", or " --mesh tp=8,dp=32 --over dp". */
static char *say_whom(char text[WHOM_TEXT], const struct hs_predict *predict,
                      const struct hs_problem *problem)
{
    const struct hs_mesh *mesh = &predict->settings->ask.mesh;

    if (mesh->count == 0)
        snprintf(text, WHOM_TEXT, " --np %" PRId64, problem->group.ranks);
    else
        snprintf(text, WHOM_TEXT, " --mesh %s --over %s",
                 hs_mesh_format((char[HS_MESH_TEXT]){0}, mesh),
                 hs_mesh_format_over((char[HS_MESH_TEXT]){0}, mesh));
    return text;
}

/* " --collective allgather --order in-place"; nothing for an AllReduce. */
static void say_call(const struct hs_predict *predict, const struct hs_problem *problem)
{
    if (problem->collective != HS_COLLECTIVE_ALLREDUCE)
        hs_sheet_say(predict->sheet, " --collective %s", hs_collective_names[problem->collective]);
    if (hs_collectives[problem->collective].ordered)
        hs_sheet_say(predict->sheet, " --order %s", hs_order_names[problem->order]);
}

/* "hiersearch predict here.json --before abci --np 256 --size 1MiB": this question again. */
static void say_again(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    const struct hs_problem *problem = &point->request.problem;
    struct command words = command_of(predict);

    hs_sheet_say(predict->sheet, "        hiersearch predict %s --before %s%s%s%s --size %s",
                 words.output, words.quote, words.system, words.quote,
                 say_whom((char[WHOM_TEXT]){0}, predict, problem), HS_AS_BYTES(point->bytes));
    say_call(predict, problem);
    hs_sheet_say(predict->sheet, "\n");
}

/* Whether it is about anything but an AllReduce of all processes, which other commands ask. */
static bool is_other(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    return predict->settings->ask.mesh.count > 0 ||
           point->request.problem.collective != HS_COLLECTIVE_ALLREDUCE;
}

/* "hiersearch fit '8xH100, 8xNDR400' one.txt -o here.json --for 256 --size 1MiB", whose answer is
 * this one again where that is about an AllReduce. */
static void say_fit(const struct hs_predict *predict, const struct hs_predict_point *point,
                    const char *files)
{
    struct command words = command_of(predict);

    hs_sheet_say(predict->sheet, "        hiersearch fit %s%s%s %s -o %s", words.quote,
                 words.system, words.quote, files, words.output);
    if (!is_other(predict, point))
        hs_sheet_say(predict->sheet, " --for %" PRId64 " --size %s",
                     point->request.problem.group.size, HS_AS_BYTES(point->bytes));
    hs_sheet_say(predict->sheet, "\n");
}

/* Two calls of a layer, one after the other, as NCCL's own tests run them; of its last one. */
static void say_nccl_tests(const struct hs_predict *predict, const struct hs_predict_point *point,
                           struct hs_stage_key key)
{
    double bytes = hs_problem_entering(&point->request.problem, key.layer);
    int64_t fit = predict->asked.system->nccl.gpus / key.layer.stride;
    int64_t of_node = fit < 1 ? 1 : fit < key.layer.size ? fit : key.layer.size;
    static const char *const tests[HS_PHASE_COUNT][2] = {
        [HS_REDUCE_SCATTER] = {"reduce_scatter"},
        [HS_ALLGATHER] = {"all_gather"},
        [HS_ALLREDUCE] = {"all_reduce"},
        [HS_EXCHANGE] = {"alltoall"},
        [HS_PAIR] = {"reduce_scatter", "all_gather"}};

    for (int i = 0; i < hs_phase_calls(key.phase); i++)
        hs_sheet_say(predict->sheet,
                     "        mpirun -np %" PRId64 " -N %" PRId64
                     " %s_perf -b %.0f -e %.0f -f 2 >%s\n",
                     key.layer.size, of_node, tests[key.phase][i], fmax(1, bytes / 8), bytes,
                     i == 0 ? "one.txt" : "two.txt");
    say_fit(predict, point, key.phase == HS_PAIR ? "one.txt two.txt" : "one.txt");
    if (is_other(predict, point)) /* a log says nothing of that */
        say_again(predict, point);
}

/* The keys of a stage, a pair's two. */
static void append_stages(struct hs_text *text, struct hs_stage_key key)
{
    bool is_pair = key.phase == HS_PAIR;

    key.phase = is_pair ? HS_REDUCE_SCATTER : key.phase;
    hs_text_append(text, "%s", hs_stage_key_format((char[HS_STAGE_KEY_TEXT]){0}, key));
    key.phase = HS_ALLGATHER;
    if (is_pair)
        hs_text_append(text, ",%s", hs_stage_key_format((char[HS_STAGE_KEY_TEXT]){0}, key));
}

static void say_calibrate(const struct hs_predict *predict, const struct hs_predict_point *point,
                          struct hs_stage_key key)
{
    bool by_host = key.algorithm != HS_RING || predict->asked.system->executor == HS_BY_HOST;
    struct command words = command_of(predict);
    struct hs_text stages = {0};

    append_stages(&stages, key);
    hs_sheet_say(predict->sheet,
                 "        mpiexec -n %" PRId64
                 " hiersearch calibrate %s%s%s --stages %s --size %s%s "
                 "-o %s\n",
                 key.layer.stride * key.layer.size, words.quote, words.system, words.quote,
                 stages.failed ? "" : stages.data, HS_AS_BYTES(point->bytes),
                 by_host ? " --backend host" : "", words.output);
    say_again(predict, point);
    hs_text_release(&stages);
}

/* "8x64 beside 512", or beside the library's own call, which is measured with every plan. */
static void say_plans(const struct hs_predict *predict, const struct hs_predict_point *point,
                      const struct hs_regret_proposal *proposal)
{
    const struct hs_plan *shown = &point->found.plans[0].plan, *rival = &proposal->rival;
    const struct hs_problem *problem = &point->request.problem;
    bool native = hs_system_is_nccl_native(predict->asked.system);
    bool by_host = !native && (hs_plan_has_letters(shown) || hs_plan_has_letters(rival));
    const struct hs_plan *first = native && hs_plan_is_flat(shown) ? rival : shown;
    bool alone = native && (hs_plan_is_flat(shown) || hs_plan_is_flat(rival));

    hs_sheet_say(predict->sheet, "to measure first: %s beside %s, which takes off %.2g %%\n",
                 HS_AS_PLAN(first), alone ? "the library's own call" : HS_AS_PLAN(rival),
                 100 * fmin(proposal->compared, point->regret.mean));
    hs_sheet_say(predict->sheet, "        mpiexec -n %" PRId64 " hiersearch measure",
                 problem->group.ranks);
    if (predict->settings->ask.mesh.count > 0)
        hs_sheet_say(predict->sheet, "%s", say_whom((char[WHOM_TEXT]){0}, predict, problem));
    hs_sheet_say(predict->sheet, " --plans %s%s%s --size ", HS_AS_PLAN(first), alone ? "" : ",",
                 alone ? "" : HS_AS_PLAN(rival));
    if (point->bytes % (FEWER * FEWER) == 0)
        hs_sheet_say(predict->sheet, "%s:", HS_AS_BYTES(point->bytes / FEWER));
    hs_sheet_say(predict->sheet, "%s", HS_AS_BYTES(point->bytes));
    say_call(predict, problem);
    hs_sheet_say(predict->sheet, "%s -o plan.json\n", by_host ? " --backend host" : "");
    say_fit(predict, point, "plan.json"); /* which says itself what it is about */
}

static void say_stage(const struct hs_predict *predict, const struct hs_predict_point *point,
                      const struct hs_regret_proposal *proposal)
{
    hs_sheet_say(predict->sheet, "%s: %s, which takes off %.2g %%\n",
                 proposal->whole ? "or by NCCL's own tests" : "to measure first",
                 hs_stage_key_format((char[HS_STAGE_KEY_TEXT]){0}, proposal->stage),
                 100 * fmin(proposal->measured, point->regret.mean));
    if (hs_system_is_nccl_native(predict->asked.system))
        say_nccl_tests(predict, point, proposal->stage);
    else
        say_calibrate(predict, point, proposal->stage);
}

/* Two plans beside each other, where that tells more; for people who have NCCL's tests alone, a
 * stage, too. */
static void say_proposal(const struct hs_predict *predict, const struct hs_predict_point *point,
                         const struct hs_regret_proposal *proposal)
{
    bool plans = proposal->whole && proposal->compared >= WORTH;
    bool native = hs_system_is_nccl_native(predict->asked.system);

    if (plans)
        say_plans(predict, point, proposal);
    if (proposal->measured >= WORTH && (native || !plans))
        say_stage(predict, point, proposal);
}

/* Nothing that is worth it, after another measurement. */
static enum hs_status say_enough(const struct hs_predict *predict,
                                 const struct hs_predict_point *point)
{
    if (predict->before && point->sure)
        hs_sheet_say(predict->sheet,
                     "\nnothing is worth measuring first: the expected regret is %.2g %%\n",
                     100 * point->regret.mean);
    return HS_OK;
}

static void say_what_decides(const struct hs_predict *predict, const struct hs_predict_point *point,
                             const struct hs_regret_proposal *proposal)
{
    struct hs_text name = {0};

    if (proposal->figure && proposal->known >= WORTH) {
        hs_machines_figure_text(&name, predict->asked.machines, proposal->figure);
        hs_sheet_say(predict->sheet,
                     "\nwhat decides: %s; known, it takes %.2g %% off the expected regret of "
                     "%.2g %%\n",
                     name.failed ? "" : name.data, 100 * fmin(proposal->known, point->regret.mean),
                     100 * point->regret.mean);
        hs_text_release(&name);
    } else
        hs_sheet_say(predict->sheet,
                     "\nwhat decides: no single figure; the expected regret is "
                     "%.2g %%\n",
                     100 * point->regret.mean);
}

static enum hs_status say_unknown_of(const struct hs_predict *predict,
                                     const struct hs_predict_point *point,
                                     struct hs_regret_table *table, struct hs_error *err)
{
    struct hs_regret_proposal proposal;
    enum hs_status status = hs_regret_propose(&proposal, table, &point->found.plans[0].plan, err);

    if (status || fmax(proposal.known, fmax(proposal.measured, proposal.compared)) < WORTH)
        return status ? status : say_enough(predict, point);
    say_what_decides(predict, point, &proposal);
    say_proposal(predict, point, &proposal);
    return HS_OK;
}

enum hs_status hs_predict_say_unknown(const struct hs_predict *predict,
                                      const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_machines machines;
    struct hs_regret_table table;
    enum hs_status status;

    if (!point->sure || point->regret.mean < WORTH || point->table.row_count > STAGES_TRIED)
        return say_enough(predict, point);
    status = hs_machines_init(&machines, predict->asked.system, HS_REGRET_ASKED, 1, err);
    if (status)
        return status;
    hs_machines_ask(&machines, hs_point_ranks_among(&point->request.problem));
    status = hs_regret_table_init(&table, &point->request, &machines, err);
    if (!status) {
        status = say_unknown_of(predict, point, &table, err);
        hs_regret_table_release(&table);
    }
    hs_machines_release(&machines);
    return status;
}
