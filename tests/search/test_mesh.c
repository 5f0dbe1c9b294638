/* Groups of a mesh: the search against all paths priced one by one, from the ranks themselves. */
#include "../test.h"

#include <math.h>
#include <string.h>

#include "library/price_plan.h"
#include "model/mesh.h"
#include "search/search.h"

#define RANKS_MAX 256

static const char *const machines[] = {
    "nv:4@100GB/s~1us,ib@25GB/s~4us",
    "nv:8@300GB/s~3us,ib:4@200GB/s~12us/4p!,spine@100GB/s~14us;launch=5us",
    "gpu:mesh:4@450GB/s~1us/1p!,group:mesh:4@150GB/s~2us/1p!,global@100GB/s~4us",
    "pair:2@50GB/s~1us,node:3@30GB/s~2us,net@10GB/s~5us;s=2",
    "socket:2@40GB/s~0.5us,node:8@20GB/s~1us/2p,rack:4@12.5GB/s~2us/4p!,core@6GB/s~3us",
    "node:6@150GB/s~1us,net:5@25GB/s~2us,far@12GB/s~8us",
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

/* Mesh, and over what. */
static const char *const meshes[][2] = {
    {"dp=24", "dp"},
    {"tp=2,dp=12", "tp"},
    {"tp=2,dp=12", "dp"},
    {"tp=4,dp=16", "tp,dp"},
    {"tp=4,dp=48", "dp"},
    {"tp=8,pp=2,dp=16", "dp"},
    {"tp=8,pp=2,dp=16", "tp,dp"},
    {"tp=3,pp=5,dp=12", "tp,dp"},
    {"tp=4,pp=3,dp=4,ep=5", "tp,dp"},
    {"tp=4,pp=3,dp=4,ep=5", "pp,ep"},
    {"a=2,b=2,c=6,d=2,e=4", "a,c,e"},
    {"a=2,b=3,c=2,d=2,e=2,f=2,g=2", "a,c,e,g"},
    {"tp=6,one=1,dp=12", "tp,dp"},
};
#define MESHES (sizeof(meshes) / sizeof(meshes[0]))

static struct hs_mesh mesh_of(const char *const texts[2])
{
    struct hs_mesh mesh;

    assert_int_equal(hs_mesh_parse(&mesh, texts[0], NULL), HS_OK);
    assert_int_equal(hs_mesh_parse_over(&mesh, texts[1], NULL), HS_OK);
    return mesh;
}

/* The ranks of the group that rank 0 is in, by their coordinates: those not of `over` are 0. */
static int64_t list_members(int64_t *members, const struct hs_mesh *mesh)
{
    int64_t count = 0;

    for (int64_t rank = 0; rank < hs_mesh_ranks(mesh); rank++) {
        int64_t rest = rank;
        bool first = true;

        for (int i = 0; i < mesh->count; i++) {
            first = first && ((mesh->over >> i & 1) || rest % mesh->axes[i].size == 0);
            rest /= mesh->axes[i].size;
        }
        if (first)
            members[count++] = rank;
    }
    return count;
}

/* Everything about one search by brute force. */
struct brute {
    const struct hs_system *system;
    struct hs_problem problem;
    int64_t members[RANKS_MAX], size;
    double least;
    size_t paths;
};

/* What stands in reference tables: an AllReduce brings n / d into the layer at d; a reduce-scatter
 * or an allgather in place n d p / D on its larger side, reversed n / d. Packed all n bytes are
 * copied once where there is more than one layer, 8 GB/s. */
static double seconds_of_layer(const struct brute *brute, int64_t inside, int64_t size)
{
    const struct hs_problem *problem = &brute->problem;
    bool last = inside * size == brute->size, reduces = problem->collective == 0;
    struct hs_stage_key key = {
        HS_PAIR, HS_RING, {brute->members[inside] - brute->members[0], size}};
    double part = 1 / (double)inside, moved = 0;

    for (int64_t x = 0; x < brute->size; x++) { /* a layer joins ranks that are just as far apart */
        int64_t place = x / inside % size;

        if (brute->members[x] - brute->members[x - place * inside] != place * key.layer.stride)
            return NAN;
    }
    if (!reduces && problem->layout == HS_NATURAL)
        part = (double)(inside * size) / (double)brute->size;
    if (!reduces)
        key.phase =
            problem->collective == HS_COLLECTIVE_ALLGATHER ? HS_ALLGATHER : HS_REDUCE_SCATTER;
    else if (last)
        key.phase = HS_ALLREDUCE;
    if (problem->collective == HS_COLLECTIVE_ALLTOALL) { /* all bytes enter every layer */
        key.phase = HS_EXCHANGE;
        part = 1;
    } else if (!reduces && problem->layout == HS_PACKED && inside == 1 && size < brute->size)
        moved = problem->bytes / 8e9;
    struct hs_stage_price price =
        hs_stage_price_at(brute->system, &problem->group, key, problem->bytes * part);

    return hs_stage_seconds(&price, problem->bytes * part) + moved;
}

/* Every ordered factorization whose layers all join ranks that are just as far apart. */
static void walk(struct brute *brute, int64_t inside, double seconds)
{
    if (inside == brute->size) {
        brute->least = fmin(brute->least, seconds);
        brute->paths++;
        return;
    }
    for (int64_t size = 2; size <= brute->size / inside; size++) {
        double more;

        if (brute->size / inside % size != 0 || brute->size % (inside * size) != 0)
            continue;
        more = seconds_of_layer(brute, inside, size);
        if (!isnan(more))
            walk(brute, inside * size, seconds + more);
    }
}

static void check(const struct hs_system *system, const struct hs_mesh *mesh, struct brute *brute)
{
    struct hs_search_request request = {.system = system, .problem = brute->problem, .top = 32768};
    struct hs_search_result found, all;
    struct hs_error err = {0};

    brute->system = system;
    brute->size = list_members(brute->members, mesh);
    brute->least = INFINITY;
    brute->paths = 0;
    walk(brute, 1, 0);
    if (hs_search(&found, hs_search_strategy_find("lattice"), &request, &err) ||
        hs_search(&all, hs_search_strategy_find("exhaustive"), &request, &err))
        fail_msg("%s", err.message);
    assert_int_equal(found.splits, brute->paths);
    assert_int_equal(found.count, brute->paths);
    assert_int_equal(all.count, brute->paths);
    assert_near(found.plans[0].seconds, brute->least, 1e-9);
    for (size_t i = 0; i < found.count; i++) {
        {
            char a[160], b[160];
            if (hs_plan_compare(&found.plans[i].plan, &all.plans[i].plan))
                fail_msg("%s %.17g %s %.17g", hs_plan_format(a, &found.plans[i].plan),
                         found.plans[i].seconds, hs_plan_format(b, &all.plans[i].plan),
                         all.plans[i].seconds);
        }
        assert_int_equal(hs_problem_check(&brute->problem, &found.plans[i].plan, NULL), HS_OK);
    }
    hs_search_result_release(&found);
    hs_search_result_release(&all);
}

static void the_best_of_a_mesh_is_the_best_of_all_its_paths(void **state)
{
    static const double bytes[] = {4096, 3e6};
    struct brute brute;

    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        struct hs_system system;

        assert_int_equal(hs_system_parse(&system, machines[m], NULL), HS_OK);
        for (size_t i = 0; i < MESHES * 2 * HS_COLLECTIVE_COUNT * HS_LAYOUT_COUNT; i++) {
            struct hs_mesh mesh = mesh_of(meshes[i % MESHES]);
            size_t rest = i / MESHES;

            brute.problem = (struct hs_problem){
                .collective = (enum hs_collective)(rest / 2 % HS_COLLECTIVE_COUNT),
                .group = hs_mesh_group(&mesh, hs_mesh_ranks(&mesh)),
                .bytes = bytes[rest % 2],
                .layout = (enum hs_layout)(rest / 2 / HS_COLLECTIVE_COUNT)};
            if (brute.problem.collective == HS_COLLECTIVE_ALLREDUCE &&
                brute.problem.layout != HS_NATURAL)
                continue;
            check(&system, &mesh, &brute);
        }
        hs_system_release(&system);
    }
}

/* Chunks, and the published rule, know of gaps, too. */
static void chunks_and_containment_span_no_gap(void **state)
{
    static const int chunks[] = {1, 2, 4};
    struct hs_system system;

    (void)state;
    assert_int_equal(hs_system_parse(&system, machines[1], NULL), HS_OK);
    for (size_t i = 0; i < MESHES; i++) {
        struct hs_mesh mesh = mesh_of(meshes[i]);
        struct hs_search_request request = {
            .system = &system,
            .problem = {.group = hs_mesh_group(&mesh, hs_mesh_ranks(&mesh)), .bytes = 5e7},
            .chunks = chunks,
            .chunk_count = 3,
            .top = 8,
            .widen = true};
        struct hs_search_result found, all, ruled;

        assert_int_equal(hs_search(&found, hs_search_strategy_find("lattice"), &request, NULL), 0);
        assert_int_equal(hs_search(&all, hs_search_strategy_find("exhaustive"), &request, NULL), 0);
        assert_int_equal(hs_search(&ruled, hs_search_strategy_find("containment"), &request, NULL),
                         0);
        for (size_t k = 0; k < found.count; k++)
            assert_near(found.plans[k].seconds, all.plans[k].seconds, 1e-9);
        for (size_t k = 0; k < ruled.count; k++) {
            assert_int_equal(hs_problem_check(&request.problem, &ruled.plans[k].plan, NULL), HS_OK);
            assert_true(ruled.plans[k].seconds >= found.plans[0].seconds * (1 - 1e-9));
        }
        hs_search_result_release(&found);
        hs_search_result_release(&all);
        hs_search_result_release(&ruled);
    }
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the best of a mesh is the best of all its paths",
            the_best_of_a_mesh_is_the_best_of_all_its_paths),
    HS_TEST("chunks and containment span no gap", chunks_and_containment_span_no_gap),
};
HS_TEST_MAIN(tests)
