/*
 * The sizes of a transformer as text: NAME=VALUE, a command line of Megatron's, a config.json.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "model/transformer.h"

#define WORD       256 /* bytes of a name, a value or a path, its end included */
#define SIZES_MAX  ((int64_t)1 << 40)
#define FILE_BYTES ((size_t)1 << 20)

static const char ends[] = " \t\r\n,";

/* REFUSED and ONE: messages are not known of what is said, or of another value. */
enum kind { COUNT, PARAMETERS, FLAG, CHOICE, ONE, REFUSED };

/* What is asked is given by a name of Megatron's options or, the second, of a config.json. */
static const struct row {
    const char *name, *config;
    size_t offset;
    enum kind kind;
    const char *words[2]; /* of a CHOICE, from 1; of what is REFUSED: what to do */
} rows[] = {
#define AT(member) offsetof(struct hs_transformer, member)
    {"num-layers", "num_hidden_layers", AT(layers), COUNT, {NULL}},
    {"hidden-size", "hidden_size", AT(hidden), COUNT, {NULL}},
    {"seq-length", NULL, AT(sequence), COUNT, {NULL}},
    {"micro-batch-size", NULL, AT(micro_batch), COUNT, {NULL}},
    {"global-batch-size", NULL, AT(global_batch), COUNT, {NULL}},
    {"parameters", NULL, AT(parameters), PARAMETERS, {NULL}},
    {"vocab-size", "vocab_size", AT(vocabulary), COUNT, {NULL}},
    {"ffn-hidden-size", "intermediate_size", AT(feed_forward), COUNT, {NULL}},
    {"swiglu", NULL, AT(gated), FLAG, {NULL}},
    {"untie-embeddings-and-output-weights", NULL, AT(untied), FLAG, {NULL}},
    {"num-attention-heads", "num_attention_heads", AT(attention.heads), COUNT, {NULL}},
    {"num-query-groups", "num_key_value_heads", AT(attention.groups), COUNT, {NULL}},
    {"kv-channels", "head_dim", AT(attention.head), COUNT, {NULL}},
    {"q-lora-rank", "q_lora_rank", AT(attention.query_rank), COUNT, {NULL}},
    {"kv-lora-rank", "kv_lora_rank", AT(attention.key_rank), COUNT, {NULL}},
    {"qk-head-dim", "qk_nope_head_dim", AT(attention.plain), COUNT, {NULL}},
    {"qk-pos-emb-head-dim", "qk_rope_head_dim", AT(attention.rotary), COUNT, {NULL}},
    {"v-head-dim", "v_head_dim", AT(attention.value), COUNT, {NULL}},
    {"num-experts", "num_experts", AT(experts.count), COUNT, {NULL}},
    {"num_local_experts", NULL, AT(experts.count), COUNT, {NULL}},
    {"n_routed_experts", NULL, AT(experts.count), COUNT, {NULL}},
    {"moe-router-topk", "num_experts_per_tok", AT(experts.top), COUNT, {NULL}},
    {"moe-ffn-hidden-size", "moe_intermediate_size", AT(experts.hidden), COUNT, {NULL}},
    {"moe-shared-expert-intermediate-size",
     "shared_expert_intermediate_size",
     AT(experts.shared_hidden),
     COUNT,
     {NULL}},
    {"n_shared_experts", NULL, AT(experts.shared), COUNT, {NULL}},
    {"first_k_dense_replace", NULL, AT(experts.dense_layers), COUNT, {NULL}},
    {"moe-layer-freq", "moe_layer_freq", AT(experts.every), ONE, {NULL}},
    {"decoder_sparse_step", NULL, AT(experts.every), ONE, {NULL}},
    {"interleave_moe_layer_step", NULL, AT(experts.every), ONE, {NULL}},
    {"sequence-parallel", NULL, AT(training.sequence_parallel), FLAG, {NULL}},
    {"use-distributed-optimizer", NULL, AT(training.distributed_optimizer), FLAG, {NULL}},
    {"accumulate-allreduce-grads-in-fp32", NULL, AT(training.full_gradients), FLAG, {NULL}},
    {"recompute-granularity", NULL, AT(training.recompute), CHOICE, {"selective", "full"}},
    {"cp-comm-type", NULL, AT(training.context), CHOICE, {"p2p", "all_gather"}},
    {"moe-token-dispatcher-type", NULL, AT(training.dispatcher), CHOICE, {"alltoall", "flex"}},
    {"num-layers-per-virtual-pipeline-stage", NULL, AT(training.stage_layers), COUNT, {NULL}},
    {"tensor-model-parallel-size", NULL, AT(training.tensor), COUNT, {NULL}},
    {"expert-tensor-parallel-size", NULL, AT(training.expert_tensor), COUNT, {NULL}},
    {"pipeline-model-parallel-size", NULL, AT(training.pipeline), COUNT, {NULL}},
    {"context-parallel-size", NULL, AT(training.contexts), COUNT, {NULL}},
    {"expert-model-parallel-size", NULL, AT(training.expert), COUNT, {NULL}},
    {"use-megatron-fsdp", NULL, 0, REFUSED, {"expected an axis fsdp of the mesh"}},
    {"use-torch-fsdp2", NULL, 0, REFUSED, {"expected an axis fsdp of the mesh"}},
};
#define ROWS   (sizeof(rows) / sizeof(*rows))
#define COMMON 8 /* of them, in front: what people give */

/* What people say for short. */
static const struct {
    const char *word, *name;
} short_words[] = {
    {"layers", "num-layers"},
    {"hidden", "hidden-size"},
    {"sequence", "seq-length"},
    {"micro-batch", "micro-batch-size"},
    {"global-batch", "global-batch-size"},
    {"vocabulary", "vocab-size"},
    {"heads", "num-attention-heads"},
    {"experts", "num-experts"},
};

static const struct row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof(short_words) / sizeof(*short_words); i++)
        if (strcmp(short_words[i].word, name) == 0)
            name = short_words[i].name;
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0 || (rows[i].config && !strcmp(rows[i].config, name)))
            return &rows[i];
    return NULL;
}

static enum hs_status unknown_name(const char *name, struct hs_error *err)
{
    const char *names[ROWS];
    size_t found;

    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    return hs_name_find(&found, name, "size", names,
                        hs_nearest_name(name, names, ROWS) ? ROWS : COMMON, err);
}

static int64_t *value_at(struct hs_transformer *model, const struct row *row)
{
    return (int64_t *)((char *)model + row->offset);
}

static enum hs_status set_value(struct hs_transformer *model, const struct row *row,
                                const char *value, struct hs_error *err)
{
    int64_t *at = value_at(model, row);
    double parameters;
    size_t word;

    if (row->kind == REFUSED)
        return hs_fail(err, HS_INVALID, "%s: %s", row->name, row->words[0]);
    if (*at != 0)
        return hs_fail(err, HS_INVALID, "%s is given twice", row->name);
    if (row->kind == COUNT)
        return hs_count_parse(at, value, row->name, 1, SIZES_MAX, err);
    if (row->kind == ONE && strcmp(value, "1") != 0)
        return hs_fail(err, HS_INVALID,
                       "%s: expected 1, found \"%.40s\"; of layers without experts only the first "
                       "ones are known, first_k_dense_replace",
                       row->name, value);
    if (row->kind == PARAMETERS) {
        if (hs_parameters_parse(&parameters, value, err))
            return hs_error_prefix(err, HS_INVALID, row->name);
        *at = (int64_t)parameters;
    } else if (row->kind == CHOICE) {
        if (hs_name_find(&word, value, row->name, row->words, 2, err))
            return HS_INVALID;
        *at = (int64_t)word + 1;
    } else {
        *at = 1;
    }
    return HS_OK;
}

/* ---- a config.json --------------------------------------------------------------------------- */

/* Layers are gated that have SiLU. Where embeddings are one or two is left out, they are one: that
 * is what a configuration is saved without (transformers, PretrainedConfig). */
static enum hs_status read_layers(struct hs_transformer *model, const struct hs_json *top,
                                  struct hs_error *err)
{
    struct hs_json activation = hs_json_find(top, "hidden_act");
    struct hs_json tied = hs_json_find(top, "tie_word_embeddings");
    struct hs_json dense = hs_json_find(top, "mlp_only_layers");
    const char *name = "";
    bool is_tied = true;
    size_t count;

    if (activation.node && hs_json_read_string(&name, &activation, err))
        return HS_INVALID;
    if (tied.node && hs_json_read_bool(&is_tied, &tied, err))
        return HS_INVALID;
    if (dense.node && !hs_json_is_null(&dense) && hs_json_array(&count, &dense, 0, 0, err))
        return HS_INVALID;
    model->gated = strcmp(name, "silu") == 0;
    model->uncounted = !model->gated;
    model->untied = !is_tied;
    return HS_OK;
}

static enum hs_status read_config(struct hs_transformer *model, const char *path, const char *text,
                                  struct hs_error *err)
{
    struct hs_json_document document;
    enum hs_status status = hs_json_parse(&document, path, text, strlen(text), err);
    struct hs_json top;

    if (status)
        return status;
    top = hs_json_top(&document);
    status = read_layers(model, &top, err);
    for (size_t i = 0; i < ROWS && !status; i++) {
        const char *key = rows[i].config ? rows[i].config : rows[i].name;
        struct hs_json at = hs_json_find(&top, key);
        char value[32];
        int64_t number;

        if (!at.node || hs_json_is_null(&at))
            continue;
        status = hs_json_read_integer(&number, &at, 0, SIZES_MAX, err);
        if (!status && number > 0) {
            snprintf(value, sizeof(value), "%lld", (long long)number);
            status = set_value(model, &rows[i], value, err);
        }
    }
    hs_json_release(&document);
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

static enum hs_status read_words(struct hs_transformer *model, const char *text, bool of_file,
                                 struct hs_error *err);

static enum hs_status read_file(struct hs_transformer *model, const char *path,
                                struct hs_error *err)
{
    char *text = NULL;
    enum hs_status status = hs_file_read_text(&text, path, FILE_BYTES, err);

    if (!status && text[strspn(text, ends)] == '{')
        status = read_config(model, path, text, err);
    else if (!status && (status = read_words(model, text, true, err)))
        hs_error_prefix(err, status, path);
    free(text);
    return status;
}

/* Behind what separates words: also the end of a line that goes on, and comments. */
static const char *skip(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n,\\");
        if (*text != '#')
            return text;
        text += strcspn(text, "\n");
    }
}

static enum hs_status next_word(char word[WORD], const char **text, const char *stop,
                                struct hs_error *err)
{
    size_t length = strcspn(*text, stop);

    if (length >= WORD)
        return hs_fail(err, HS_INVALID, "expected NAME=NUMBER, found \"%.40s...\"", *text);
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return HS_OK;
}

/* Of a file's command line all before the first option is another's: a launcher and its script. */
static const char *first_option(const char *text)
{
    for (const char *at = skip(text); *at; at = skip(at + strcspn(at, ends)))
        if (strncmp(at, "--", 2) == 0)
            return at;
    return text;
}

static enum hs_status read_words(struct hs_transformer *model, const char *text, bool of_file,
                                 struct hs_error *err)
{
    bool command = false;
    enum hs_status status = HS_OK;

    for (text = skip(of_file ? first_option(text) : text); *text && !status; text = skip(text)) {
        bool option = strncmp(text, "--", 2) == 0;
        const char *next = text + (option ? 2 : 0);
        char name[WORD], value[WORD] = "";
        const struct row *row;

        command = command || option;
        if (command && !option) { /* of an option that is not ours */
            text += strcspn(text, ends);
            continue;
        }
        if (next_word(name, &next, " \t\r\n,=", err))
            return HS_INVALID;
        row = find_row(name);
        if (!row && option) {
            text += strcspn(text, ends);
        } else if (!row && *next != '=' && !of_file && strpbrk(name, "./")) {
            status = read_file(model, name, err);
            text = next;
        } else if (!row) {
            status = unknown_name(name, err);
        } else {
            if (row->kind != FLAG && row->kind != REFUSED) {
                next += strspn(next, " \t\r\n=");
                status = next_word(value, &next, ends, err);
            }
            text = next;
            status = status ? status : set_value(model, row, value, err);
        }
    }
    return status;
}

enum hs_status hs_transformer_parse(struct hs_transformer *model, const char *text,
                                    struct hs_error *err)
{
    enum hs_status status;

    *model = (struct hs_transformer){0};
    status = read_words(model, text, false, err);
    for (size_t i = 0; i < 2 && !status; i++)
        if (*value_at(model, &rows[i]) == 0)
            status = hs_fail(err, HS_INVALID,
                             "%s is missing, as in num-layers=80,hidden-size=8192,seq-length=4096,"
                             "micro-batch-size=1,global-batch-size=512",
                             rows[i].name);
    return status;
}
