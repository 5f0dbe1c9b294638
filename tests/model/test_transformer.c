/* Parameters of a transformer by published counts, and messages of its step by the sums of the
 * papers that transformer.h names. */
#include "test.h"

#include <math.h>
#include <unistd.h>

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

#define LLAMA "swiglu,untie-embeddings-and-output-weights,vocab_size=128256,num_key_value_heads=8,"

/* Published: models of Narayanan et al., SC 2021, table 1 and section 5 (GPT-3), with V = 51,200
 * and s = 2048, to 0.1 billion; what the models' files on Hugging Face hold, by their
 * config.json; "DeepSeek-V3 Technical Report", 2024, to a billion, its multi-token
 * prediction left out. */
static const struct {
    const char *name, *sizes;
    double billions, within;
} published[] = {
    {"1.7B", "num-layers=24,hidden-size=2304,vocab-size=51200,seq-length=2048", 1.7, 0.05},
    {"18.4B", "num-layers=40,hidden-size=6144,vocab-size=51200,seq-length=2048", 18.4, 0.05},
    {"145.6B", "num-layers=80,hidden-size=12288,vocab-size=51200,seq-length=2048", 145.6, 0.05},
    {"GPT-3", "num-layers=96,hidden-size=12288,vocab-size=51200,seq-length=2048", 174.6, 0.05},
    {"1008B", "num-layers=128,hidden-size=25600,vocab-size=51200,seq-length=2048", 1008.0, 0.05},
    {"Llama 3 8B",
     LLAMA "num-layers=32,hidden-size=4096,intermediate_size=14336,num-attention-heads=32",
     8.030261248, 0},
    {"Llama 3 70B",
     LLAMA "num-layers=80,hidden-size=8192,intermediate_size=28672,num-attention-heads=64",
     70.553706496, 0},
    {"Llama 3 405B",
     LLAMA "num-layers=126,hidden-size=16384,intermediate_size=53248,num-attention-heads=128",
     405.853388800, 0},
    {"Llama 3.2 1B",
     "swiglu,vocab_size=128256,num_key_value_heads=8,num-layers=16,hidden-size=2048,"
     "intermediate_size=8192,num-attention-heads=32",
     1.235814400, 0},
    {"Mixtral 8x7B",
     "swiglu,untie-embeddings-and-output-weights,vocab_size=32000,num_key_value_heads=8,"
     "num-layers=32,hidden-size=4096,intermediate_size=14336,num-attention-heads=32,"
     "num_local_experts=8,num_experts_per_tok=2",
     46.702792704, 0},
    {"Qwen3-30B-A3B", /* with norms of queries and keys, which are not counted */
     "swiglu,untie-embeddings-and-output-weights,vocab_size=151936,num_key_value_heads=4,"
     "num-layers=48,hidden-size=2048,intermediate_size=6144,num-attention-heads=32,head_dim=128,"
     "num_experts=128,num_experts_per_tok=8,moe_intermediate_size=768",
     30.532122624, 2e-5},
    {"DeepSeek-V3",
     "swiglu,untie-embeddings-and-output-weights,vocab_size=129280,num-layers=61,hidden-size=7168,"
     "intermediate_size=18432,num-attention-heads=128,q_lora_rank=1536,kv_lora_rank=512,"
     "qk_nope_head_dim=128,qk_rope_head_dim=64,v_head_dim=128,n_routed_experts=256,"
     "n_shared_experts=1,num_experts_per_tok=8,moe_intermediate_size=2048,first_k_dense_replace=3,"
     "moe_layer_freq=1",
     671, 0.5},
};

static void parameters_are_as_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < HS_COUNT(published); i++) {
        struct hs_transformer_count count;
        struct hs_transformer model;
        struct hs_error err = {0};
        double billions;

        if (hs_transformer_parse(&model, published[i].sizes, &err) ||
            hs_transformer_count(&count, &model, &err))
            fail_msg("%s: %s", published[i].name, err.message);
        billions = (count.experts + count.others) / 1e9;
        if (fabs(billions - published[i].billions) > published[i].within + 1e-12)
            fail_msg("%s: %.9f", published[i].name, billions);
    }
}

/* 32 micro-batches of 20 layers a stage; a block is 4096 x 8192 elements of 2 bytes. */
static void a_step_is_of_blocks_and_weights(void **state)
{
    struct hs_job job = job_of("tp=8,pp=4,dp=16", SIZES ",parameters=64e9");

    (void)state;
    assert_int_equal(job.count, 3);
    check(&job.messages[0], "allreduce", 64 << 20, (int64_t)4 * 20 * 32);
    check(&job.messages[1], "sendrecv", 64 << 20, 2 * 32);
    check(&job.messages[2], "allreduce", 64e9 / 32 * 2, 1);
    assert_int_equal(job.messages[0].over, 1);
    assert_int_equal(job.messages[1].over, 2);
    assert_int_equal(job.messages[2].over, 4);
}

/* Gradients in 32 bits, weights in 16. */
static void a_distributed_optimizer_scatters_and_gathers(void **state)
{
    struct hs_job job = job_of("dp=16", SIZES ",parameters=64e9,use-distributed-optimizer,"
                                              "accumulate-allreduce-grads-in-fp32");

    (void)state;
    assert_int_equal(job.count, 2);
    check(&job.messages[0], "reduce-scatter", 64e9 * 4, 1);
    check(&job.messages[1], "allgather", 64e9 * 2, 1);
}

/* Elements that a rank sends in rings, in units of (t - 1) / t of a block. */
static double blocks_sent(const struct hs_job *job, unsigned over, double block)
{
    double sum = 0;

    for (size_t m = 0; m < job->count; m++) {
        const struct hs_job_message *message = &job->messages[m];
        bool both = message->collective == HS_COLLECTIVE_ALLREDUCE;

        if (message->over == over)
            sum += (both ? 2 : 1) * message->bytes * (double)message->calls / block;
    }
    return sum;
}

/* Narayanan et al., SC 2021, section 3.2: 8 b s h (t - 1) / t elements per layer, micro-batch and
 * device. Korthikanti et al., 2022, section 4.2.2: sequence parallelism sends as much, and an
 * AllGather more for each half of a layer; what passes between stages is
 * divided, too (Megatron-Core, get_tensor_shapes).
 * Recomputation goes the way forward again: 4 more. */
static void tensor_parallelism_sends_what_megatron_says(void **state)
{
    struct hs_job plain = job_of("tp=8,pp=4,dp=16", SIZES);
    struct hs_job sequence = job_of("tp=8,pp=4,dp=16", SIZES ",sequence-parallel");
    struct hs_job full = job_of("tp=8,pp=4,dp=16", SIZES ",recompute-granularity=full");
    double block = 64 << 20, times = 20 * 32;

    (void)state;
    assert_true(blocks_sent(&plain, 1, block) == 8 * times);
    assert_true(blocks_sent(&sequence, 1, block) == (8 + 2) * times);
    assert_true(blocks_sent(&full, 1, block) == (8 + 4) * times);
    check(&sequence.messages[0], "allgather", block, (int64_t)6 * 20 * 32);
    check(&sequence.messages[1], "reduce-scatter", block, (int64_t)4 * 20 * 32);
    check(&sequence.messages[2], "sendrecv", block / 8, 2 * 32);
}

/* Narayanan et al., section 2.2.2: v stages per device send v times as much. */
static void interleaved_stages_send_more(void **state)
{
    struct hs_job job = job_of("pp=4,dp=16", SIZES ",num-layers-per-virtual-pipeline-stage=5");

    (void)state;
    check(&job.messages[0], "sendrecv", 64 << 20, (int64_t)4 * 2 * 32);
}

/* Rajbhandari et al., "ZeRO", section 7: 2 times the parameters of plain data parallelism, which is
 * once an AllReduce, 3 times fully sharded: 1.5 times as much. */
static void full_sharding_sends_half_as_much_again(void **state)
{
    struct hs_job plain = job_of("dp=512", SIZES ",parameters=80e9");
    struct hs_job sharded = job_of("fsdp=512", SIZES ",parameters=80e9");
    struct hs_job hybrid = job_of("dp_shard=8,dp_replicate=64", SIZES ",parameters=80e9");

    (void)state;
    assert_true(blocks_sent(&plain, 1, 80e9 * 2) == 2);
    assert_true(blocks_sent(&sharded, 1, 80e9 * 2) == 3);
    assert_int_equal(sharded.messages[0].calls, 2 * 80);
    assert_int_equal(hybrid.count, 3);
    check(&hybrid.messages[2], "allreduce", 80e9 * 2 / 80 / 8, 80);
    assert_int_equal(hybrid.messages[2].over, 2);
}

#define EXPERTS ",num-experts=8,moe-router-topk=2,swiglu,ffn-hidden-size=14336"

/* A token goes to two experts and back, both ways (DeepSpeed-MoE, section 5: two all-to-alls of
 * each layer with experts): 4 times two blocks. Experts' parameters are replicated along dp, the
 * others' along dp and ep, whose ranks have batches of their own: 512 / 64. */
static void experts_exchange_tokens(void **state)
{
    struct hs_job job = job_of("ep=8,dp=8", SIZES EXPERTS);
    struct hs_job tensor = job_of("tp=2,ep=8,dp=4", SIZES EXPERTS ",sequence-parallel");
    double of_layer = 8 * 3 * 8192.0 * 14336;

    (void)state;
    assert_int_equal(job.count, 3);
    check(&job.messages[0], "all-to-all", 2 * (64 << 20), (int64_t)4 * 80 * 8);
    assert_int_equal(job.messages[1].over, 3);
    check(&job.messages[2], "allreduce", 80 * of_layer / 8 * 2, 1);
    assert_int_equal(job.messages[2].over, 2);
    /* A half of a layer is dense, attention; experts' tokens are gathered along tp. */
    check(&tensor.messages[0], "allgather", 64 << 20, (int64_t)3 * 80 * 16);
    check(&tensor.messages[1], "reduce-scatter", 64 << 20, (int64_t)2 * 80 * 16);
    check(&tensor.messages[2], "allgather", 2 * (64 << 20), (int64_t)2 * 80 * 16);
    check(&tensor.messages[3], "reduce-scatter", 2 * (64 << 20), (int64_t)2 * 80 * 16);
    check(&tensor.messages[4], "all-to-all", 2 * (64 << 20) / 2, (int64_t)4 * 80 * 16);
}

/* Two ranks have half of the tokens each; keys and values of 8 groups of 64 heads. */
static void context_parallelism_sends_keys_and_values(void **state)
{
    struct hs_job job = job_of("dp=16,cp=2,tp=8,pp=1",
                               SIZES ",num-attention-heads=64,num-query-groups=8,parameters=70e9");

    (void)state;
    assert_int_equal(job.count, 3);
    check(&job.messages[0], "allreduce", 32 << 20, (int64_t)4 * 80 * 32);
    check(&job.messages[1], "sendrecv", 2 * (32 << 20) / 8 / 8, (int64_t)3 * 80 * 32);
    check(&job.messages[2], "allreduce", 70e9 / 8 * 2, 1);
    assert_int_equal(job.messages[2].over, 3); /* dp and cp */
    job = job_of("cp=2,tp=8",
                 SIZES ",num-attention-heads=64,num-query-groups=8,cp-comm-type=all_gather");
    check(&job.messages[1], "allgather", 2 * (64 << 20) / 8 / 8, (int64_t)2 * 80 * 512);
    check(&job.messages[2], "reduce-scatter", 2 * (64 << 20) / 8 / 8, (int64_t)80 * 512);
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
    assert_int_equal(
        hs_transformer_parse(
            &other, "layers=80,hidden=8192,sequence=4096,micro-batch=1,global-batch=512", &err),
        HS_OK);
    assert_memory_equal(&one, &other, sizeof(one));
}

/* Also one whose options are mostly others, in a script. */
static void a_script_of_megatron_says_the_same(void **state)
{
    struct hs_transformer one, other;
    struct hs_error err = {0};
    char path[] = "./transformer-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_true(dprintf(fd,
                        "#!/bin/sh\n# train\ntorchrun pretrain_gpt.py --bf16 --lr 1e-4 \\\n"
                        "  --data-path 1 a,b --num-layers 80 --hidden-size 8192 \\\n"
                        "  --seq-length 4096 --micro-batch-size 1 --global-batch-size 512\n") > 0);
    close(fd);
    assert_int_equal(hs_transformer_parse(&one, SIZES, &err), HS_OK);
    if (hs_transformer_parse(&other, path, &err))
        fail_msg("%s", err.message);
    assert_memory_equal(&one, &other, sizeof(one));
    unlink(path);
}

static enum hs_status parse_config(struct hs_transformer *model, const char *config,
                                   struct hs_error *err)
{
    char path[] = "./config-XXXXXX", text[128];
    int fd = mkstemp(path);
    enum hs_status status;

    assert_true(fd >= 0);
    assert_true(dprintf(fd, "%s", config) > 0);
    close(fd);
    snprintf(text, sizeof(text), "%s,seq-length=4096,micro-batch-size=1", path);
    status = hs_transformer_parse(model, text, err);
    unlink(path);
    return status;
}

/* Of meta-llama/Meta-Llama-3-8B, some keys left out. */
static void a_config_of_hugging_face_is_read(void **state)
{
    struct hs_transformer model;
    struct hs_transformer_count count;
    struct hs_error err = {0};

    (void)state;
    if (parse_config(&model,
                     "{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_act\": \"silu\", "
                     "\"hidden_size\": 4096, \"intermediate_size\": 14336, "
                     "\"num_attention_heads\": 32, \"num_hidden_layers\": 32, "
                     "\"num_key_value_heads\": 8, \"rope_scaling\": null, \"head_dim\": null, "
                     "\"tie_word_embeddings\": false, \"vocab_size\": 128256}",
                     &err) ||
        hs_transformer_count(&count, &model, &err))
        fail_msg("%s", err.message);
    assert_true(count.others == 8030261248.0 && count.experts == 0);
    assert_int_equal(model.sequence, 4096);
}

static void configs_that_are_not_counted_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"{\"hidden_size\": 8, \"num_hidden_layers\": \"x\"}", "num_hidden_layers: expected"},
        {"{\"hidden_size\": 8}", "num-layers is missing"},
        {"{\"hidden_size\": 8, \"num_hidden_layers\": 2, \"hidden_act\": \"gelu\"}",
         "hidden_act \"silu\": give parameters=N, too"},
        {"{\"hidden_size\": 8, \"num_hidden_layers\": 2, \"seq-length\": 3}",
         "seq-length is given twice"},
        {"{\"hidden_size\": 8, \"num_hidden_layers\": 2, \"decoder_sparse_step\": 2}",
         "decoder_sparse_step: expected 1"},
        {"{\"mlp_only_layers\": [1]}", "mlp_only_layers: expected"},
        {"{", ":1:2: expected"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_transformer model;
        struct hs_transformer_count count;
        struct hs_error err = {0};

        assert_true(parse_config(&model, wrong[i][0], &err) ||
                    hs_transformer_count(&count, &model, &err));
        if (!strstr(err.message, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], err.message);
    }
}

static void wrong_sizes_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"", "num-layers is missing"},
        {"num-layers=0", "expected a whole number from 1"},
        {"num-layers", "expected a whole number"},
        {"num-layrs=3", "did you mean \"num-layers\"?"},
        {SIZES ",seq-length=3", "seq-length is given twice"},
        {SIZES ",cp-comm-type=a2a", "unknown cp-comm-type \"a2a\""},
        {SIZES ",moe-layer-freq=2", "moe-layer-freq: expected 1"},
        {SIZES " --use-torch-fsdp2", "use-torch-fsdp2: expected an axis fsdp"},
        {"depth=80", "expected one of num-layers, hidden-size"},
        {"swiglo", "did you mean \"swiglu\"?"},
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
    static const char *const wrong[][3] = {
        {"tp=8,sp=4", SIZES, "the mesh has the axis \"sp\""},
        {"dp=8,dp_replicate=4", SIZES, "by two names"},
        {"dp=3", SIZES, "expected a multiple of micro-batch-size x dp, 3"},
        {"ep=2,dp=3", SIZES EXPERTS, "expected a multiple of micro-batch-size x dp x ep, 6"},
        {"tp=1,dp=1", SIZES, "communicates nothing"},
        {"tp=8,ep=4", SIZES, "num-experts is missing"},
        {"ep=16", SIZES EXPERTS, "num-experts: expected a multiple of ep, 16"},
        {"tp=2", SIZES EXPERTS, "sequence-parallel is missing"},
        {"tp=8", SIZES ",tensor-model-parallel-size=4", "expected 8, as the mesh has it, found 4"},
        {"pp=4", SIZES ",num-layers-per-virtual-pipeline-stage=6", "a part of 20 layers"},
        {"cp=2", SIZES ",kv-lora-rank=512", "multi-latent attention"},
        {"ep=2", SIZES EXPERTS ",parameters=1e9", "parameters: expected those of"},
        {"dp=2", "num-layers=2,hidden-size=8", "seq-length is missing"},
        {"dp=2", SIZES ",vocab-size=1099511627776", "expected at most 1e+15 parameters"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_job job = {.count = 0};
        struct hs_transformer model;
        struct hs_error err = {0};

        assert_int_equal(hs_mesh_parse(&job.mesh, wrong[i][0], &err), HS_OK);
        assert_int_equal(hs_transformer_parse(&model, wrong[i][1], &err), HS_OK);
        assert_int_equal(hs_transformer_messages(&job, &model, 2, &err), HS_INVALID);
        if (!strstr(err.message, wrong[i][2]))
            fail_msg("%s: %s", wrong[i][0], err.message);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("parameters are as published", parameters_are_as_published),
    HS_TEST("a step is of blocks of activations and of weights", a_step_is_of_blocks_and_weights),
    HS_TEST("a distributed optimizer scatters gradients and gathers weights",
            a_distributed_optimizer_scatters_and_gathers),
    HS_TEST("tensor parallelism sends what Megatron's papers say",
            tensor_parallelism_sends_what_megatron_says),
    HS_TEST("interleaved stages send more", interleaved_stages_send_more),
    HS_TEST("full sharding sends half as much again", full_sharding_sends_half_as_much_again),
    HS_TEST("experts exchange tokens", experts_exchange_tokens),
    HS_TEST("context parallelism sends keys and values around",
            context_parallelism_sends_keys_and_values),
    HS_TEST("a command line of Megatron says the same", a_command_line_of_megatron_says_the_same),
    HS_TEST("a script of Megatron's says the same", a_script_of_megatron_says_the_same),
    HS_TEST("a config.json of Hugging Face is read", a_config_of_hugging_face_is_read),
    HS_TEST("configs that are not counted are refused", configs_that_are_not_counted_are_refused),
    HS_TEST("wrong sizes are refused", wrong_sizes_are_refused),
    HS_TEST("meshes that the model does not fit are refused",
            meshes_that_the_model_does_not_fit_are_refused),
};
HS_TEST_MAIN(tests)
