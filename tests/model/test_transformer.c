/* Messages of a transformer's step, by the sums of the papers that transformer.h names. */
#include "test.h"

#include "model/transformer.h"

#define SIZES                                                                                      \
    "num-layers=80,hidden-size=8192,seq-length=4096,micro-batch-size=1,global-batch-size=512"

static struct hs_job job_of(const char *mesh, const char *sizes)
{
    struct hs_job job = {.count = 0};
    struct hs_transformer model;
    struct hs_error err = {0};

    if (hs_mesh_parse(&job.mesh, mesh, &err) || hs_transformer_parse(&model, sizes, &err) ||
        hs_transformer_messages(&job, &model, 2, &err))
        fail_msg("%s", err.message);
    return job;
}

static void check(const struct hs_job_message *message, const char *name, double bytes,
                  int64_t calls)
{
    assert_string_equal(hs_job_message_name(message), name);
    assert_true(message->bytes == bytes);
    assert_int_equal(message->calls, calls);
}

/* 32 micro-batches of 20 layers a stage; a block is 4096 x 8192 elements of 2 bytes. */
static void a_step_is_of_blocks_and_weights(void **state)
{
    struct hs_job job = job_of("tp=8,pp=4,dp=16", SIZES);
    double weights = 12 * 80.0 * 8192 * 8192 / 32 * 2;

    (void)state;
    assert_int_equal(job.count, 4);
    check(&job.messages[0], "allreduce", 64 << 20, (int64_t)4 * 20 * 32);
    check(&job.messages[1], "sendrecv", 64 << 20, 2 * 32);
    check(&job.messages[2], "reduce-scatter", weights, 1);
    check(&job.messages[3], "allgather", weights, 1);
    assert_int_equal(job.messages[0].over, 1);
    assert_int_equal(job.messages[1].over, 2);
    assert_int_equal(job.messages[2].over, 4);
}

/* Two ranks have half of the tokens each; keys and values of 8 groups of 64 heads. */
static void context_parallelism_sends_keys_and_values(void **state)
{
    struct hs_job job = job_of("dp=16,cp=2,tp=8,pp=1",
                               SIZES ",num-attention-heads=64,num-query-groups=8,parameters=70e9");

    (void)state;
    assert_int_equal(job.count, 4);
    check(&job.messages[0], "allreduce", 32 << 20, (int64_t)4 * 80 * 32);
    check(&job.messages[1], "sendrecv", 2 * (32 << 20) / 8 / 8, (int64_t)3 * 80 * 32);
    check(&job.messages[2], "reduce-scatter", 70e9 / 8 * 2, 1);
    assert_int_equal(job.messages[2].over, 3); /* dp and cp */
}

static void a_command_line_of_megatron_says_the_same(void **state)
{
    struct hs_transformer one, other;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_transformer_parse(&one, SIZES, &err), HS_OK);
    assert_int_equal(hs_transformer_parse(&other,
                                          "--num-layers 80 --hidden-size 8192\n--seq-length=4096 "
                                          "--micro-batch-size 1\n --global-batch-size 512\n",
                                          &err),
                     HS_OK);
    assert_memory_equal(&one, &other, sizeof(one));
}

static void wrong_sizes_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"", "num-layers is missing"},
        {"num-layers=0", "expected a whole number from 1"},
        {"num-layers", "expected a whole number"},
        {"num-layrs=3", "did you mean \"num-layers\"?"},
        {SIZES ",seq-length=3", "seq-length is given twice"},
        {SIZES ",parameters=many", "parameters: expected a number of parameters"},
    };
    struct hs_transformer model;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_error err = {0};

        assert_int_equal(hs_transformer_parse(&model, wrong[i][0], &err), HS_INVALID);
        if (!strstr(err.message, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], err.message);
    }
}

static void meshes_that_the_model_does_not_fit_are_refused(void **state)
{
    static const char *const wrong[][2] = {{"tp=8,ep=4", "the mesh has the axis \"ep\""},
                                           {"dp=3", "expected a multiple of"},
                                           {"tp=1,dp=1", "communicates nothing"}};
    struct hs_transformer model;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_transformer_parse(&model, SIZES, &err), HS_OK);
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_job job = {.count = 0};

        assert_int_equal(hs_mesh_parse(&job.mesh, wrong[i][0], &err), HS_OK);
        assert_int_equal(hs_transformer_messages(&job, &model, 2, &err), HS_INVALID);
        if (!strstr(err.message, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], err.message);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a step is of blocks of activations and of weights", a_step_is_of_blocks_and_weights),
    HS_TEST("context parallelism sends keys and values around",
            context_parallelism_sends_keys_and_values),
    HS_TEST("a command line of Megatron says the same", a_command_line_of_megatron_says_the_same),
    HS_TEST("wrong sizes are refused", wrong_sizes_are_refused),
    HS_TEST("meshes that the model does not fit are refused",
            meshes_that_the_model_does_not_fit_are_refused),
};
HS_TEST_MAIN(tests)
