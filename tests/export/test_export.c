/* The table of exporters, what all of them share, and the shape of what each makes. What the files
 * mean is checked by msccl_check.py, astra_check.py and test_simgrid.sh. */
#include "export_results.h"

#include <cjson/cJSON.h>

#include "export/export.h"

static const char system_text[] = "nvlink:4@150GB/s~200us,rack:8@25GB/s~200us,spine@96GB/s~200us";

/* The text of the format's file number `file`; released by the caller with the output. */
static const char *export_text(struct hs_export_output *output, const struct hs_result *result,
                               const char *format, size_t file)
{
    struct hs_export_job job = job_of(result);
    const struct hs_exporter *exporter;
    struct hs_error err;

    assert_status_is(hs_exporter_find(&exporter, format, &err), HS_OK, &err);
    assert_status_is(hs_export(output, exporter, &job, &err), HS_OK, &err);
    assert_true(output->count > file);
    return output->files[file].text.data;
}

/* The export fails with this in its message, and leaves nothing. */
static void assert_refused(const struct hs_export_job *job, const char *format, const char *part)
{
    struct hs_export_output output;
    const struct hs_exporter *exporter;
    struct hs_error err;

    assert_status_is(hs_exporter_find(&exporter, format, &err), HS_OK, &err);
    assert_int_equal(hs_export(&output, exporter, job, &err), HS_INVALID);
    assert_has(err.message, part);
    assert_int_equal(output.count, 0);
    assert_null(output.files);
    assert_null(output.notes.data);
}

static void assert_plan_refused(const char *plan, const char *system, const char *format,
                                const char *part)
{
    struct hs_result result = result_with(plan, system);
    struct hs_export_job job = job_of(&result);

    assert_refused(&job, format, part);
    hs_result_release(&result);
}

/* ---- the table ---- */

static void table_is_sorted_and_complete(void **state)
{
    (void)state;
    for (size_t i = 0; hs_exporters[i]; i++) {
        assert_true(i == 0 || strcmp(hs_exporters[i - 1]->name, hs_exporters[i]->name) < 0);
        assert_non_null(hs_exporters[i]->library);
        assert_non_null(hs_exporters[i]->versions);
        assert_non_null(hs_exporters[i]->summary);
        assert_non_null(hs_exporters[i]->write);
    }
}

/* What each format can say besides AllReduces; all else must be refused, whatever comes to be. */
static bool may_say(const char *name, enum hs_collective collective, enum hs_layout layout)
{
    bool ordered =
        collective == HS_COLLECTIVE_REDUCE_SCATTER || collective == HS_COLLECTIVE_ALLGATHER;
    static const char *const by_layers[] = {"nccl-tuner", "ompi-tuned", "colors", "pytorch"};

    if (collective == HS_COLLECTIVE_ALLREDUCE || strcmp(name, "simgrid") == 0)
        return true;
    for (size_t i = 0; i < sizeof(by_layers) / sizeof(*by_layers); i++)
        if (strcmp(name, by_layers[i]) == 0)
            return (ordered && (layout <= HS_REVERSED || i == 3)) ||
                   (i >= 2 && collective == HS_COLLECTIVE_ALLTOALL);
    if (strcmp(name, "inductor") == 0)
        return collective == HS_COLLECTIVE_ALLTOALL || (ordered && layout != HS_REVERSED);
    if (strcmp(name, "ompi-tuned-json") == 0)
        return collective == HS_COLLECTIVE_ALLGATHER && layout <= HS_REVERSED;
    if (strcmp(name, "rules") == 0 && collective == HS_COLLECTIVE_ALLTOALL)
        return true;
    if (strcmp(name, "rules") == 0) /* what programs' own calls leave */
        return ordered && layout != HS_REVERSED;
    return strcmp(name, "msccl") == 0 && ordered && layout == HS_NATURAL;
}

static void check_collective(const struct hs_result *result, const struct hs_exporter *exporter)
{
    const char *name = hs_collective_names[result->collective];
    struct hs_export_job job = job_of(result);
    struct hs_export_output output;
    struct hs_error err;

    if (may_say(exporter->name, result->collective, result->layout)) {
        assert_status_is(hs_export(&output, exporter, &job, &err), HS_OK, &err);
        hs_export_output_release(&output);
        return;
    }
    assert_refused(&job, exporter->name, " cannot say: export it to ");
    assert_refused(&job, exporter->name, exporter->name);
    assert_refused(&job, exporter->name, name);
    assert_refused(&job, exporter->name, "simgrid (the machine)");
}

static void other_collectives_are_refused_by_name(void **state)
{
    struct hs_result result = result_with("4x8x2", system_text);

    (void)state;
    for (size_t i = 0; hs_exporters[i]; i++)
        for (int c = 0; c < HS_COLLECTIVE_COUNT; c++)
            for (int order = 0; order < HS_LAYOUT_COUNT; order++) {
                result.collective = (enum hs_collective)c;
                result.layout = hs_collectives[c].ordered ? (enum hs_layout)order : HS_NATURAL;
                check_collective(&result, hs_exporters[i]);
            }
    hs_result_release(&result);
}

static void the_refusal_names_who_can(void **state)
{
    struct hs_result result = result_with("4x8x2", system_text);
    struct hs_export_job job = job_of(&result);

    (void)state;
    result.collective = HS_COLLECTIVE_REDUCE_SCATTER;
    result.layout = HS_REVERSED;
    assert_refused(&job, "msccl",
                   "here.json: is about reduce-scatter with reversed layout, which msccl cannot "
                   "say: export it "
                   "to colors, nccl-tuner, ompi-tuned, pytorch or simgrid (the machine)");
    result.layout = HS_NATURAL;
    assert_refused(&job, "ompi-tuned-json",
                   "colors, msccl, nccl-tuner, ompi-tuned, pytorch, rules or ");
    hs_result_release(&result);
}

/* ---- groups of a mesh ---- */

static int number_at(const cJSON *list, int64_t index)
{
    return cJSON_GetArrayItem(list, (int)index)->valueint;
}

static struct hs_mesh mesh_over(const char *axes, const char *over)
{
    struct hs_mesh mesh;
    struct hs_error err;

    assert_status_is(hs_mesh_parse(&mesh, axes, &err), HS_OK, &err);
    assert_status_is(hs_mesh_parse_over(&mesh, over, &err), HS_OK, &err);
    return mesh;
}

/* A result of so many processes in all, whose plan is of the groups. */
static struct hs_result result_of_groups(const char *plan, const char *axes, const char *over)
{
    struct hs_result result = result_with(plan, "node:4@100GB/s~1us,ib@12GB/s~3us");

    result.mesh = mesh_over(axes, over);
    result.np = hs_mesh_ranks(&result.mesh);
    return result;
}

/* What holds for a whole job says nothing of groups; groups over all axes of a mesh are one. */
static void what_holds_for_whole_jobs_refuses_groups(void **state)
{
    static const char *const whole[] = {"mpich", "nccl-env", "ompi-han", "ucc"};
    struct hs_result result = result_of_groups("4x2", "tp=2,dp=8", "dp");
    struct hs_result all = result_of_groups("4x4", "tp=2,dp=8", "tp,dp");
    struct hs_export_job job = job_of(&result);
    size_t refused = 0;

    (void)state;
    for (size_t i = 0; hs_exporters[i]; i++) {
        const char *name = hs_exporters[i]->name;
        struct hs_export_output output;
        char part[96];

        export_text(&output, &all, name, 0);
        hs_export_output_release(&output);
        if (refused < HS_COUNT(whole) && strcmp(name, whole[refused]) == 0) {
            refused++;
            snprintf(
                part, sizeof(part),
                "is about groups of 8 over dp of tp=2,dp=8, and %s holds for whole jobs: ", name);
            assert_refused(&job, name, part);
            assert_refused(&job, name, "export it to astra-sim, colors, jax, msccl, nccl-tuner, ");
        } else {
            export_text(&output, &result, name, 0);
            hs_export_output_release(&output);
        }
    }
    assert_int_equal(refused, HS_COUNT(whole));
    result.collective = HS_COLLECTIVE_REDUCE_SCATTER;
    result.layout = HS_REVERSED;
    assert_refused(&job, "mpich",
                   "colors, nccl-tuner, ompi-tuned, pytorch or simgrid (the machine)");
    hs_result_release(&all);
    hs_result_release(&result);
}

/* Over tp and dp of tp=4,pp=2,dp=3, in layers 2x2x3: two ranks are together in a layer where all
 * digits of theirs but the layer's are equal; the digits of a rank are tp % 2, tp / 2, pp, dp. */
static void groups_have_colors_of_their_own(void **state)
{
    static const int64_t digits[4] = {2, 2, 2, 3};
    static const int of_layer[3] = {0, 1, 3};
    struct hs_result result = result_of_groups("2x2x3", "tp=4,pp=2,dp=3", "tp,dp");
    struct hs_export_output output;
    const cJSON *layers, *group;
    cJSON *root;

    (void)state;
    result.collective = HS_COLLECTIVE_REDUCE_SCATTER;
    result.layout = HS_REVERSED;
    root = cJSON_Parse(export_text(&output, &result, "colors", 0));
    layers = cJSON_GetObjectItem(root, "layers");
    group = cJSON_GetObjectItem(root, "group");
    for (int64_t a = 0; a < 24; a++) {
        int64_t tp = a % 4, dp = a / 8;

        for (int64_t b = 0; b < 24; b++) {
            int64_t rest[2] = {a, b}, differ[4];

            for (int d = 0; d < 4; d++) {
                differ[d] = rest[0] % digits[d] != rest[1] % digits[d];
                rest[0] /= digits[d];
                rest[1] /= digits[d];
            }
            for (int i = 0; i < 3; i++) {
                const cJSON *layer = cJSON_GetArrayItem(layers, i);
                const cJSON *colors = cJSON_GetObjectItem(layer, "colors");
                int64_t others =
                    differ[0] + differ[1] + differ[2] + differ[3] - differ[of_layer[i]];

                assert_int_equal(number_at(colors, a) == number_at(colors, b), others == 0);
            }
            assert_int_equal(number_at(cJSON_GetObjectItem(group, "colors"), a) ==
                                 number_at(cJSON_GetObjectItem(group, "colors"), b),
                             !differ[2]);
        }
        assert_int_equal(number_at(cJSON_GetObjectItem(group, "keys"), a), tp + 4 * dp);
        assert_int_equal(number_at(cJSON_GetObjectItem(root, "blocks"), a),
                         tp % 2 * 6 + tp / 2 * 3 + dp);
    }
    assert_string_equal(cJSON_GetObjectItem(group, "axes")->valuestring, "tp,dp");
    cJSON_Delete(root);
    hs_export_output_release(&output);
    hs_result_release(&result);
}

/* MSCCL counts ranks in the communicator: the groups' program is that of as many processes. */
static void a_group_has_the_program_of_a_world_of_its_size(void **state)
{
    struct hs_result group = result_of_groups("4x2", "tp=2,dp=8", "dp");
    struct hs_result world = result_with("4x2", NULL);
    struct hs_export_output of_group, of_world;
    const char *text = export_text(&of_group, &group, "msccl", 0);
    const char *other = export_text(&of_world, &world, "msccl", 0);

    (void)state;
    assert_has(text, "ngpus=\"8\"");
    assert_string_equal(strstr(text, "<gpu"), strstr(other, "<gpu"));
    assert_has(of_group.notes.data, "msccl goes by the size of a communicator: others as large as "
                                    "a group get the same, wherever their ranks lie\n");
    hs_export_output_release(&of_group);
    hs_export_output_release(&of_world);
    hs_result_release(&group);
    hs_result_release(&world);
}

/* By hand, 2x4 over dp on nodes of 4: ranks 0 and 2 are within a node; 0, 4, 8 and 12 are in four,
 * each of which shares its 12 GB/s among the rings of its 4 ranks: 3 GB/s, in ASTRA-sim's unit of
 * 2^30. */
static void layers_of_groups_lie_where_their_ranks_do(void **state)
{
    struct hs_result result = result_of_groups("2x4", "tp=2,dp=8", "dp");
    struct hs_export_output output;
    const char *text;

    (void)state;
    result.placement.nodes = calloc(4, sizeof(*result.placement.nodes));
    result.placement.node_count = 4;
    for (int i = 0; i < 4; i++)
        result.placement.nodes[i] = (struct hs_placed_node){.host = hs_strdup("n"), .ranks = 4};
    text = export_text(&output, &result, "nccl-tuner", 0);
    assert_has(text, "# layer of 2 ranks at stride 2\n");
    assert_has(text, "# layer of 4 ranks at stride 4\n");
    assert_has(text, ",simple,0,1,2,-1,-1\n");
    assert_has(text, ",simple,0,4,4,-1,-1\n");
    assert_has(output.notes.data, "as large as a layer get the same, wherever their ranks lie; "
                                  "here those over tp\n");
    hs_export_output_release(&output);
    text = export_text(&output, &result, "astra-sim", 0);
    assert_has(text, "npus_count: [ 2, 4 ]\nbandwidth: [ 93.1322574615478");
    assert_true(fabs(atof(strchr(strstr(text, "bandwidth:"), ',') + 1) - 3e9 / 1073741824) < 1e-9);
    assert_int_equal(output.count, 3 + 8);
    hs_export_output_release(&output);
    hs_result_release(&result);
}

static void plans_that_the_collective_has_not_are_refused(void **state)
{
    struct hs_result result = result_with("4x8x2", system_text);
    struct hs_export_job job = job_of(&result);
    struct hs_plan chunks = plan_of("4x8x2/2"), tree = plan_of("4x8x2t");

    (void)state;
    result.collective = HS_COLLECTIVE_ALLGATHER;
    job.plan = &chunks;
    assert_refused(&job, "pytorch", "plan 4x8x2/2: no chunks of AllGather");
    job.plan = &tree;
    assert_refused(&job, "msccl", "plan 4x8x2t: layer 3: no allgather by tree");
    hs_result_release(&result);
}

static void unknown_format_names_the_nearest(void **state)
{
    const struct hs_exporter *exporter;
    struct hs_error err;

    (void)state;
    assert_int_equal(hs_exporter_find(&exporter, "simgird", &err), HS_INVALID);
    assert_has(err.message, "did you mean \"simgrid\"?");
}

/* ---- bad results and plans ---- */

static void results_without_anything_are_refused(void **state)
{
    struct hs_result one = result_with("2", NULL), empty = make_result(8, NULL);
    struct hs_result bestless = make_result(8, NULL);
    struct hs_export_job job;

    (void)state;
    one.np = 1;
    job = job_of(&one);
    assert_refused(&job, "colors", "one process");
    job = job_of(&empty);
    assert_refused(&job, "colors", "no message size");
    add_message(&bestless, MIB);
    job = job_of(&bestless);
    assert_refused(&job, "msccl", "no best plan for 1MiB");
    hs_result_release(&one);
    hs_result_release(&empty);
    hs_result_release(&bestless);
}

static void foreign_plan_is_refused(void **state)
{
    struct hs_result result = result_with("4x2", NULL);
    struct hs_export_job job = job_of(&result);
    struct hs_plan plan = plan_of("4x8");

    (void)state;
    job.plan = &plan;
    assert_refused(&job, "colors", "plan 4x8 is for 32 processes, here.json for 8");
    hs_result_release(&result);
}

static void sizes_that_do_not_ascend_are_refused(void **state)
{
    struct hs_result result = result_with("4x2", NULL);
    struct hs_export_job job;

    (void)state;
    add_message(&result, MIB);
    job = job_of(&result);
    assert_refused(&job, "colors", "results[1]: expected message sizes that ascend");
    hs_result_release(&result);
}

static void simulators_need_a_system(void **state)
{
    (void)state;
    assert_plan_refused("4x2", NULL, "simgrid", "here.json: no system in it");
    assert_plan_refused("4x2", NULL, "astra-sim", "here.json: no system in it");
}

static void msccl_says_which_limit_is_hit(void **state)
{
    (void)state;
    assert_plan_refused("2x256", NULL, "msccl", "layer 2 of 2x256 (size 256) takes 511 steps");
    assert_plan_refused("4x256", NULL, "msccl", "takes 511 steps");
    assert_plan_refused("129", NULL, "msccl", "takes 257 steps");
    assert_plan_refused("2x1024", NULL, "msccl", "2048 processes, MSCCL reads at most 1024");
}

static void msccl_reaches_its_limits(void **state)
{
    static const char *const plans[] = {"128", "8x128", "4x16x16", "2x2x2x2x2x2x2x2x2x2"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(plans); i++) {
        struct hs_result result = result_with(plans[i], NULL);
        struct hs_export_output output;

        assert_has(export_text(&output, &result, "msccl", 0), "</algo>");
        hs_export_output_release(&output);
        hs_result_release(&result);
    }
}

/* ---- chunks ---- */

static void chunks_are_dropped_with_a_note(void **state)
{
    struct hs_result result = result_with("4x8x2/8", system_text);
    struct hs_export_output output;
    const char *text = export_text(&output, &result, "msccl", 0);

    (void)state;
    assert_has(output.notes.data,
               "msccl has no chunks: plan 4x8x2/8 is exported as 4x8x2, predicted ");
    assert_has(text, "plan 4x8x2 ");
    hs_export_output_release(&output);
    text = export_text(&output, &result, "colors", 0);
    assert_null(strstr(output.notes.data, "chunks"));
    assert_has(text, "\"chunks\": 8");
    hs_export_output_release(&output);
    hs_result_release(&result);
}

/* ---- the comment ---- */

static void comment_says_where_it_is_from(void **state)
{
    struct hs_result result = result_with("4x8x2", system_text);
    struct hs_export_job job = job_of(&result);
    struct hs_text text = {0};

    (void)state;
    job.result_name = "a--b\n-->.json";
    hs_export_header(&text, &job, &hs_exporter_msccl, &hs_export_comment_xml, "first\n\nlast");
    assert_string_equal(
        text.data,
        "<!--\n"
        "  made by hiersearch 9 from a- -b?- ->.json: 64 processes on text, predicted\n"
        "  plan 4x8x2 (layer sizes, innermost first) for messages of 64MiB\n"
        "  for MSCCL and RCCL (NCCL 2.12 with msccl, RCCL with MSCCL): the plan as an "
        "MSCCL program in XML, one thread block per layer\n"
        "  affects calls of its collective and sizes in every communicator of ngpus ranks; "
        "NCCL_ALGO also keeps all others from NVLS and CollNet\n"
        "\n  first\n\n  last\n-->\n");
    hs_text_release(&text);
    hs_result_release(&result);
}

static void every_first_file_begins_with_its_origin(void **state)
{
    struct hs_result result = result_with("4x8x2", system_text);

    (void)state;
    for (size_t i = 0; hs_exporters[i]; i++) {
        struct hs_export_output output;
        bool said = false;

        export_text(&output, &result, hs_exporters[i]->name, 0);
        for (size_t f = 0; f < output.count; f++)
            said = said || strstr(output.files[f].text.data, "made by hiersearch 9 from here.json");
        assert_true(said);
        hs_export_output_release(&output);
    }
    hs_result_release(&result);
}

/* ---- orders and groups ---- */

/* Two ranks are in one group of a layer if they differ by less than a block and by whole strides.
 */
static void check_layer(const cJSON *layer, int64_t np, int64_t stride, int64_t size)
{
    const cJSON *colors = cJSON_GetObjectItem(layer, "colors");
    const cJSON *keys = cJSON_GetObjectItem(layer, "keys");
    const cJSON *groups = cJSON_GetObjectItem(layer, "groups");

    assert_int_equal(cJSON_GetObjectItem(layer, "stride")->valueint, stride);
    assert_int_equal(cJSON_GetObjectItem(layer, "size")->valueint, size);
    assert_int_equal(cJSON_GetArraySize(colors), np);
    assert_int_equal(cJSON_GetArraySize(groups), np / size);
    for (int64_t a = 0; a < np; a++) {
        const cJSON *group = cJSON_GetArrayItem(groups, number_at(colors, a));

        assert_int_equal(number_at(group, number_at(keys, a)), a);
        for (int64_t b = 0; b < np; b++) {
            bool together = a / (stride * size) == b / (stride * size) && (a - b) % stride == 0;

            assert_int_equal(number_at(colors, a) == number_at(colors, b), together);
        }
    }
}

static void colors_are_the_groups_of_each_layer(void **state)
{
    static const int64_t sizes[] = {4, 8, 2};
    struct hs_result result = result_with("4x8x2", NULL);
    struct hs_export_output output;
    cJSON *root = cJSON_Parse(export_text(&output, &result, "colors", 0));
    const cJSON *layers = cJSON_GetObjectItem(root, "layers");
    int64_t stride = 1;

    (void)state;
    assert_int_equal(cJSON_GetArraySize(layers), 3);
    for (int i = 0; i < 3; i++) {
        check_layer(cJSON_GetArrayItem(layers, i), 64, stride, sizes[i]);
        stride *= sizes[i];
    }
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "phases")), 5);
    cJSON_Delete(root);
    hs_export_output_release(&output);
    hs_result_release(&result);
}

/* By hand, of 4x8x2: phase, layer, parts of the message, of what each layer has one phase of. */
static void assert_phases(enum hs_collective collective, enum hs_layout layout, const int *layers,
                          const int *parts)
{
    struct hs_result result = result_with("4x8x2", NULL);
    struct hs_export_output output;
    const cJSON *phases, *blocks;
    cJSON *root;

    result.collective = collective;
    result.layout = layout;
    root = cJSON_Parse(export_text(&output, &result, "colors", 0));
    phases = cJSON_GetObjectItem(root, "phases");
    blocks = cJSON_GetObjectItem(root, "blocks");
    assert_int_equal(cJSON_GetArraySize(phases), 3);
    for (int i = 0; i < 3; i++) {
        const cJSON *phase = cJSON_GetArrayItem(phases, i);

        assert_string_equal(cJSON_GetObjectItem(phase, "phase")->valuestring,
                            collective == HS_COLLECTIVE_ALLTOALL ? "exchange"
                                                                 : hs_collective_names[collective]);
        assert_int_equal(cJSON_GetObjectItem(phase, "layer")->valueint, layers[i]);
        assert_int_equal(cJSON_GetObjectItem(phase, "parts")->valueint, parts[i]);
    }
    assert_int_equal(cJSON_GetArraySize(blocks), collective == HS_COLLECTIVE_ALLTOALL ? 0 : 64);
    for (int64_t rank = 0; rank < cJSON_GetArraySize(blocks); rank++)
        assert_int_equal(number_at(blocks, rank),
                         layout == HS_NATURAL ? rank
                                              : rank % 4 * 16 + rank / 4 % 8 * 2 + rank / 32);
    cJSON_Delete(root);
    hs_export_output_release(&output);
    hs_result_release(&result);
}

static void colors_say_the_order_of_layers_and_blocks(void **state)
{
    static const int inside[] = {0, 1, 2}, outside[] = {2, 1, 0};

    (void)state;
    assert_phases(HS_COLLECTIVE_REDUCE_SCATTER, HS_REVERSED, inside, (int[]){1, 4, 32});
    assert_phases(HS_COLLECTIVE_ALLGATHER, HS_REVERSED, outside, (int[]){32, 4, 1});
    assert_phases(HS_COLLECTIVE_REDUCE_SCATTER, HS_NATURAL, outside, (int[]){1, 2, 16});
    assert_phases(HS_COLLECTIVE_ALLGATHER, HS_NATURAL, inside, (int[]){16, 2, 1});
    assert_phases(HS_COLLECTIVE_ALLTOALL, HS_NATURAL, inside, (int[]){1, 1, 1});
}

static void colors_of_many_processes_are_formulas(void **state)
{
    struct hs_result result = result_with("4x8x3125", NULL);
    struct hs_export_output output;
    const char *text = export_text(&output, &result, "colors", 0);

    (void)state;
    assert_true(strlen(text) < 4096);
    assert_null(strstr(text, "colors\":"));
    assert_has(text, "\"size\": 3125");
    assert_has(text, "\"color\": \"rank / (stride * size) * stride + rank % stride\"");
    hs_export_output_release(&output);
    hs_result_release(&result);
}

/* ---- message sizes ---- */

/* Three sizes: 2x4 is the best of the middle one only. At 1500 and at 2500 bytes two plans take
 * equally long; below 1000 the library chooses. */
static void msccl_rule_ends_where_plans_cross(void **state)
{
    struct hs_result result = make_result(8, NULL);
    struct hs_export_job job;
    struct hs_export_output output;
    struct hs_error err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        add_message(&result, 1000 * (i + 1));
        add(&result, "4x2", NAN, i == 0 ? 1e-3 : 3e-3);
        add(&result, "2x4", NAN, 2e-3);
        add(&result, "8", NAN, i == 2 ? 1e-3 : 3e-3);
    }
    rank_all(&result);
    job = job_of(&result);
    job.message = 1;
    assert_status_is(hs_export(&output, &hs_exporter_msccl, &job, &err), HS_OK, &err);
    assert_has(output.files[0].text.data, "minBytes=\"1500\" maxBytes=\"2499\"");
    hs_export_output_release(&output);
    job.message = 0;
    assert_status_is(hs_export(&output, &hs_exporter_msccl, &job, &err), HS_OK, &err);
    assert_has(output.files[0].text.data, "minBytes=\"1000\" maxBytes=\"1499\"");
    hs_export_output_release(&output);
    hs_result_release(&result);
}

/* ---- the library's default call ---- */

/* Of the last message; the plan was measured at 11.5 ms. */
static struct hs_result result_with_library(const char *system, double library_seconds)
{
    struct hs_result result = make_result(64, system);
    struct hs_baseline_result *baseline;

    add_message(&result, MIB);
    add(&result, "4x8x2", NAN, 11.5e-3);
    add(&result, "4x16", NAN, 12e-3);
    rank_all(&result);
    baseline = hs_result_add_baseline(&result.messages[0], "MPI_Allreduce", false);
    baseline->measured.status = HS_MEASURE_OK;
    baseline->measured.median_seconds = library_seconds;
    return result;
}

static const char faster[] = "MPI_Allreduce is 11.5 times faster than the plan at 1MiB (measured): "
                             "keep the library's default";

/* They would have no way to leave the library alone. */
static bool refuses(const struct hs_exporter *exporter)
{
    return exporter == &hs_exporter_ompi_han || exporter == &hs_exporter_nccl_tuner;
}

/* SimGrid's first file has no comments. */
static void every_format_says_that_the_library_is_faster(void **state)
{
    struct hs_result result = result_with_library(system_text, 1e-3);

    (void)state;
    for (size_t i = 0; hs_exporters[i]; i++) {
        struct hs_export_output output;
        bool said = false;

        if (refuses(hs_exporters[i]) || hs_exporter_is_of_times(hs_exporters[i]))
            continue;
        export_text(&output, &result, hs_exporters[i]->name, 0);
        for (size_t f = 0; f < output.count; f++)
            said = said || strstr(output.files[f].text.data, faster);
        assert_true(said);
        assert_has(output.notes.data, faster);
        hs_export_output_release(&output);
    }
    hs_result_release(&result);
}

static void inductor_has_the_time_of_the_library_or_of_the_plan_that_is_named(void **state)
{
    struct hs_result result = result_with_library(system_text, 1.25e-3);
    struct hs_plan plan = plan_of("4x16");
    struct hs_export_job job = job_of(&result);
    struct hs_export_output output;
    struct hs_error err;

    (void)state;
    result.backend = hs_strdup("mpi");
    assert_has(export_text(&output, &result, "inductor", 0),
               "(\"allreduce\", 64, 4): (  # bytes, seconds\n        (1048576, 0.00125),\n    ),");
    assert_has(output.files[0].text.data, "RANKS_PER_NODE: Optional[int] = 4 ");
    hs_export_output_release(&output);
    job.plan = &plan;
    assert_status_is(hs_export(&output, &hs_exporter_inductor, &job, &err), HS_OK, &err);
    assert_has(output.files[0].text.data, "        (1048576, 0.012),\n    ),");
    hs_export_output_release(&output);
    plan = plan_of("2x32");
    assert_refused(&job, "inductor", "no time of the plan in it");
    hs_result_release(&result);
}

/* Measured with too small a budget for a slow library. */
static void a_library_that_was_not_timed_is_left_alone(void **state)
{
    static const char untimed[] = "MPI_Allreduce was not timed at 1MiB, so nothing says that a "
                                  "plan is faster: give measure a larger --budget";
    static const char *const own[][2] = {{"mpich", "# no variable"},
                                         {"nccl-env", "# no variable"},
                                         {"ompi-tuned", "\n0 # collectives\n"},
                                         {"pytorch", "(\n    Rule(None, (64,), 1),"}};
    struct hs_result result = result_with_library(system_text, NAN);
    struct hs_export_job job = job_of(&result);
    struct hs_export_output output;

    (void)state;
    result.messages[0].baselines[0].measured.status = HS_MEASURE_SKIPPED;
    for (size_t i = 0; i < HS_COUNT(own); i++) {
        assert_has(export_text(&output, &result, own[i][0], 0), own[i][1]);
        assert_has(output.files[0].text.data, untimed);
        assert_has(output.notes.data, untimed);
        hs_export_output_release(&output);
    }
    assert_refused(&job, "ompi-han", "MPI_Allreduce was not timed at 1MiB");
    assert_refused(&job, "nccl-tuner", "keep the library's default");
    hs_result_release(&result);
}

static void no_format_says_it_of_a_split_that_is_faster(void **state)
{
    struct hs_result result = result_with_library(system_text, 12.5e-3);

    (void)state;
    for (size_t i = 0; hs_exporters[i]; i++) {
        struct hs_export_output output;

        export_text(&output, &result, hs_exporters[i]->name, 0);
        for (size_t f = 0; f < output.count; f++)
            assert_null(strstr(output.files[f].text.data, "keep the library's default"));
        assert_true(!output.notes.data || !strstr(output.notes.data, "keep the library's default"));
        hs_export_output_release(&output);
    }
    hs_result_release(&result);
}

/* Eight samples whose interval reaches so far to both sides. */
static void give_interval(struct hs_measured *measured, double width)
{
    measured->status = HS_MEASURE_OK;
    measured->samples_seconds = calloc(8, sizeof(double));
    measured->sample_count = 8;
    measured->ci95_low_seconds = measured->median_seconds - width;
    measured->ci95_high_seconds = measured->median_seconds + width;
}

/* The plans, measured at 11.5 and 12 ms, and their certificate. */
static void assert_doubt(double width, bool certain, const char *sentence)
{
    struct hs_result result = result_with_library(system_text, 12.5e-3);
    struct hs_result_message *message = &result.messages[0];

    for (size_t i = 0; i < message->candidate_count; i++)
        give_interval(message->candidates[i].measured, width);
    give_interval(&message->baselines[0].measured, width);
    message->certificate = calloc(1, sizeof(*message->certificate));
    *message->certificate = (struct hs_certificate){
        .winner = message->best, .again = true, .certain = certain, .within = 0.25};
    for (size_t i = 0; hs_exporters[i]; i++) {
        struct hs_export_output output;
        bool said = false;

        export_text(&output, &result, hs_exporters[i]->name, 0);
        for (size_t f = 0; f < output.count; f++)
            said = said || strstr(output.files[f].text.data, sentence);
        assert_true(certain || hs_exporter_is_of_times(hs_exporters[i]) ? !said : said);
        if (said)
            assert_has(output.notes.data, sentence);
        hs_export_output_release(&output);
    }
    hs_result_release(&result);
}

static void every_format_says_what_is_not_certain(void **state)
{
    (void)state;
    assert_doubt(0.4e-3, false,
                 "not certain at 1MiB: within noise of 4x16, another split could be up to 25.0 % "
                 "faster");
    assert_doubt(0.1e-3, false, "not certain at 1MiB: another split could be up to 25.0 % faster");
    assert_doubt(0.1e-3, true, "not certain");
}

/* 4x16 takes 1 ms at 16 KiB and 10 ms at 1 MiB, where it is 1.5 times as fast as the flat split:
 * the line through both has as much latency as bandwidth at 97 KiB. */
static void assert_rules(const char *backend, double flat_seconds, double width, const char *rules)
{
    struct hs_result result = make_result(64, NULL);
    struct hs_export_output output;

    result.backend = hs_strdup(backend);
    add_message(&result, 16384);
    give_interval(add(&result, "4x16", NAN, 1e-3)->measured, width);
    give_interval(add(&result, "64", NAN, flat_seconds)->measured, width);
    add_message(&result, MIB);
    give_interval(add(&result, "4x16", NAN, 10e-3)->measured, width);
    give_interval(add(&result, "64", NAN, 15e-3)->measured, width);
    rank_all(&result);
    assert_has(export_text(&output, &result, "pytorch", 0), rules);
    hs_export_output_release(&output);
    hs_result_release(&result);
}

static void a_module_uses_a_split_where_its_gain_over_mpi_holds_for_other_libraries(void **state)
{
    static const char long_only[] = "Rule(1048575, (64,), 1),  # one call of the library\n"
                                    "    Rule(None, (4, 16), 1),\n)",
                      all[] = "Rule(16383, (64,), 1),  # one call of the library\n"
                              "    Rule(None, (4, 16), 1),\n)",
                      none[] = "(\n    Rule(None, (64,), 1),  # one call of the library\n)";

    (void)state;
    assert_rules("host", 1.5e-3, 0.1e-3, long_only); /* all latency, and little gained */
    assert_rules("host", 2.5e-3, 0.1e-3, all);
    assert_rules("host", 2.5e-3, 1e-3, long_only); /* within noise */
    assert_rules("host", 2.5e-3, 3e-3, none);
    assert_rules("nccl", 1.5e-3, 0.1e-3, all); /* PyTorch's own library */
}

static void the_sentence_has_sensible_figures(void **state)
{
    static const struct {
        double library_seconds;
        const char *sentence;
    } cases[] = {
        {11.5e-3 / 1.002, "MPI_Allreduce is as fast as the plan at 1MiB (measured)"},
        {11.5e-3 / 1.04, "MPI_Allreduce is 1.04 times faster than the plan at 1MiB (measured)"},
        {11.5e-3 / 234.5, "MPI_Allreduce is 234 times faster than the plan at 1MiB (measured)"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_result result = result_with_library(NULL, cases[i].library_seconds);
        struct hs_export_job job = job_of(&result);
        struct hs_text text = {0};

        hs_export_advice_append(&text, &job, &hs_exporter_pytorch);
        assert_has(text.data, cases[i].sentence);
        hs_text_release(&text);
        hs_result_release(&result);
    }
}

/* What is written for the library's default call, and for the same plan where it is named. */
static void formats_that_can_leave_the_library_alone_do(void **state)
{
    static const struct {
        const char *format, *own, *named;
    } cases[] = {
        {"mpich", "# no variable", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=smp"},
        {"msccl", "minBytes=\"1\" maxBytes=\"1\"",
         "minBytes=\"1048576\" maxBytes=\"1125899906842624\""},
        {"nccl-env", "# no variable", "\nNCCL_ALGO=allreduce:ring"},
        {"ucc", "\nUCC_CLS=basic\n", "\nUCC_CLS=hier,basic\n"},
        {"ompi-tuned", "\n0 # collectives\n", "\n3 # collectives\n"},
        {"pytorch", "RULES: tuple[Rule, ...] = (\n    Rule(None, (64,), 1),",
         "(\n    Rule(1048575, (64,), 1),  # one call of the library\n    Rule(None, (4, "
         "16), 1),"},
    };
    struct hs_result result = result_with_library(system_text, 1e-3);
    struct hs_plan plan = plan_of("4x16");

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_export_output output;
        struct hs_export_job job = job_of(&result);
        const struct hs_exporter *exporter;
        struct hs_error err;

        assert_has(export_text(&output, &result, cases[i].format, 0), cases[i].own);
        hs_export_output_release(&output);
        assert_status_is(hs_exporter_find(&exporter, cases[i].format, &err), HS_OK, &err);
        job.plan = &plan;
        assert_status_is(hs_export(&output, exporter, &job, &err), HS_OK, &err);
        assert_has(output.files[0].text.data, cases[i].named);
        hs_export_output_release(&output);
    }
    hs_result_release(&result);
}

static void formats_that_cannot_are_refused(void **state)
{
    struct hs_result result = result_with_library(system_text, 1e-3);
    struct hs_export_job job = job_of(&result);

    (void)state;
    assert_refused(&job, "ompi-han",
                   "here.json: MPI_Allreduce is faster at 1MiB (measured) than what han could "
                   "stand for: keep the library's default");
    assert_refused(&job, "nccl-tuner", "keep the library's default, run without NCCL_TUNER_PLUGIN");
    hs_result_release(&result);
}

/* Without a system the smallest message is where knowledge begins. */
static void formats_without_sizes_say_from_where_a_plan_is_worth_it(void **state)
{
    static const char *const formats[] = {"colors", "mpich", "nccl-env", "ompi-han"};
    struct hs_result result = make_result(64, NULL);

    (void)state;
    add_message(&result, MIB);
    add(&result, "4x16", NAN, 1e-3);
    rank_all(&result);
    for (size_t i = 0; i < HS_COUNT(formats); i++) {
        struct hs_export_output output;
        const char *text = export_text(&output, &result, formats[i], 0);

        assert_has(text, " knows no sizes: messages below 1MiB are untested: use the library's "
                         "call there");
        assert_has(output.notes.data, formats[i]);
        assert_has(output.notes.data, "messages below 1MiB are untested");
        hs_export_output_release(&output);
    }
    hs_result_release(&result);
}

static void every_format_for_a_job_says_what_it_affects(void **state)
{
    struct hs_result result = result_with("4x8x2", system_text);

    (void)state;
    for (size_t i = 0; hs_exporters[i]; i++) {
        struct hs_export_output output;
        bool none = hs_exporters[i] == &hs_exporter_astra_sim ||
                    hs_exporters[i] == &hs_exporter_simgrid ||
                    hs_exporters[i] == &hs_exporter_inductor;

        assert_int_equal(hs_exporters[i]->affects == NULL, none);
        if (none)
            continue;
        assert_has(export_text(&output, &result, hs_exporters[i]->name, 0), "affects ");
        hs_export_output_release(&output);
    }
    assert_has(hs_exporter_nccl_env.affects, "all communicators of the process");
    hs_result_release(&result);
}

/* ---- the platform ---- */

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* 24 processes: 6 nodes with 3 ports for 4 ranks (1, 1, 2 ranks by position), 2 racks of 3 nodes.
 */
static void platform_has_the_links_of_the_model(void **state)
{
    struct hs_result result =
        result_with("4x3x2", "m:mesh:4@90GB/s~1us,ib:3@30GB/s~2us/3p!,spine:9@60GB/s~3us");
    struct hs_export_output output;
    const char *text = export_text(&output, &result, "simgrid", 1);

    (void)state;
    assert_int_equal(count_of(output.files[0].text.data, "\n"), 24);
    assert_int_equal(count_of(text, "<host "), 24);
    assert_int_equal(count_of(text, "<link id=\"m0_"), 6 * 6);
    assert_int_equal(
        count_of(text, "bandwidth=\"30000000000Bps\" latency=\"9.9999999999999995e-07s\""), 36);
    assert_int_equal(count_of(text, "<link id=\"l1_"), 6 * 3);
    assert_int_equal(count_of(text, "bandwidth=\"10000000000Bps\""), 18);
    assert_int_equal(count_of(text, "<link id=\"l2_"), 2);
    assert_has(text, "<link id=\"l1_2\" "); /* the third port serves ranks 2 and 3 */
    assert_null(strstr(text, "<link id=\"l1_3\" "));
    hs_export_output_release(&output);
    hs_result_release(&result);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        HS_TEST("formats are sorted by name and have all their texts",
                table_is_sorted_and_complete),
        HS_TEST("an unknown format is refused with the nearest name",
                unknown_format_names_the_nearest),
        HS_TEST("what a format cannot say is refused by name",
                other_collectives_are_refused_by_name),
        HS_TEST("and the refusal names who can", the_refusal_names_who_can),
        HS_TEST("what holds for whole jobs refuses groups by name",
                what_holds_for_whole_jobs_refuses_groups),
        HS_TEST("groups have colors of their own, over a gap, too",
                groups_have_colors_of_their_own),
        HS_TEST("to MSCCL a group is a world of its size",
                a_group_has_the_program_of_a_world_of_its_size),
        HS_TEST("layers of groups lie where their ranks do",
                layers_of_groups_lie_where_their_ranks_do),
        HS_TEST("so are plans that the collective has not",
                plans_that_the_collective_has_not_are_refused),
        HS_TEST("results with nothing to export are refused", results_without_anything_are_refused),
        HS_TEST("a plan of another number of processes is refused", foreign_plan_is_refused),
        HS_TEST("message sizes that do not ascend are refused",
                sizes_that_do_not_ascend_are_refused),
        HS_TEST("formats that describe the machine need a system", simulators_need_a_system),
        HS_TEST("MSCCL's limits are named where they are hit", msccl_says_which_limit_is_hit),
        HS_TEST("plans just within MSCCL's limits are exported", msccl_reaches_its_limits),
        HS_TEST("a target without chunks gets the split, and says so",
                chunks_are_dropped_with_a_note),
        HS_TEST("the comment names origin, plan, versions and use, and cannot end early",
                comment_says_where_it_is_from),
        HS_TEST("every format says where it is from", every_first_file_begins_with_its_origin),
        HS_TEST("colors and keys are the groups of each layer",
                colors_are_the_groups_of_each_layer),
        HS_TEST("colors say the order of layers and blocks",
                colors_say_the_order_of_layers_and_blocks),
        HS_TEST("100,000 processes get formulas, not lists", colors_of_many_processes_are_formulas),
        HS_TEST("an MSCCL rule ends where plans cross", msccl_rule_ends_where_plans_cross),
        HS_TEST("inductor has the time of the library, or of the plan that is named",
                inductor_has_the_time_of_the_library_or_of_the_plan_that_is_named),
        HS_TEST("a library that is faster is said to be, in every format",
                every_format_says_that_the_library_is_faster),
        HS_TEST("a split that is faster than the library is not warned of",
                no_format_says_it_of_a_split_that_is_faster),
        HS_TEST("a library that was not timed is left alone",
                a_library_that_was_not_timed_is_left_alone),
        HS_TEST("every format says what is not certain", every_format_says_what_is_not_certain),
        HS_TEST("a module uses a split where its gain over MPI holds for other libraries",
                a_module_uses_a_split_where_its_gain_over_mpi_holds_for_other_libraries),
        HS_TEST("how much faster is said in three digits", the_sentence_has_sensible_figures),
        HS_TEST("formats that can leave the library alone do, unless a plan is named",
                formats_that_can_leave_the_library_alone_do),
        HS_TEST("formats that cannot are refused", formats_that_cannot_are_refused),
        HS_TEST("formats without sizes say from where on a plan is worth it",
                formats_without_sizes_say_from_where_a_plan_is_worth_it),
        HS_TEST("every format for a job says what it affects",
                every_format_for_a_job_says_what_it_affects),
        HS_TEST("a platform has the links of the model", platform_has_the_links_of_the_model),
    };

    return hs_run_tests(tests);
}
