/* host_data.c - see host_data.h. */
#include "runner/host_data.h"

#include <stdlib.h>

#include "runner/check.h"
#include "runner/reduce.h"
#include "runner/stages.h"

/* MPI hands its operation no context: one function per type and operation that MPI lacks. */
#define HS_MPI_FUNCTION(name, datatype, operation)                                                 \
    static void name(void *in, void *inout, int *count, MPI_Datatype *type)                        \
    {                                                                                              \
        (void)type;                                                                                \
        hs_reduce(inout, in, inout, (size_t)*count, datatype, operation);                          \
    }
/* NOLINTBEGIN(readability-non-const-parameter): the type is MPI_User_function */
HS_MPI_FUNCTION(sum_float16, HS_FLOAT16, HS_SUM)
HS_MPI_FUNCTION(max_float16, HS_FLOAT16, HS_MAX)
HS_MPI_FUNCTION(sum_bfloat16, HS_BFLOAT16, HS_SUM)
HS_MPI_FUNCTION(max_bfloat16, HS_BFLOAT16, HS_MAX)
/* NOLINTEND(readability-non-const-parameter) */

static void make_own_type(struct hs_host_data *data, MPI_User_function *sum, MPI_User_function *max)
{
    data->own_type = true;
    CHECK_MPI(MPI_Type_contiguous((int)data->width, MPI_BYTE, &data->type));
    CHECK_MPI(MPI_Type_commit(&data->type));
    CHECK_MPI(MPI_Op_create(data->pattern.operation == HS_MAX ? max : sum, 1, &data->op));
}

static void make_type(struct hs_host_data *data)
{
    data->op = data->pattern.operation == HS_MAX ? MPI_MAX : MPI_SUM;
    switch (data->pattern.datatype) {
    case HS_FLOAT32:
        data->type = MPI_FLOAT;
        break;
    case HS_FLOAT64:
        data->type = MPI_DOUBLE;
        break;
    case HS_FLOAT16:
        make_own_type(data, sum_float16, max_float16);
        break;
    case HS_BFLOAT16:
        make_own_type(data, sum_bfloat16, max_bfloat16);
        break;
    case HS_DATATYPE_COUNT:
        abort();
    }
}

static enum hs_status make_buffers(struct hs_host_data *data, struct hs_error *err)
{
    const struct hs_memory *memory = data->memory;
    void *input = NULL, *output = NULL, *staging = NULL;
    size_t bytes = data->room * data->width;
    enum hs_status status = memory->queue_new(&data->queue, 0, err);
    if (status == HS_OK && data->count > SIZE_MAX / 2 / data->width - (size_t)data->comms.np)
        status = hs_fail(err, HS_MEMORY, "%zu elements per process are too many", data->count);
    if (status == HS_OK)
        status = memory->allocate(&input, bytes, "the input", err);
    if (status == HS_OK)
        status = memory->allocate(&output, bytes, "the output", err);
    if (status == HS_OK && !memory->direct)
        status = memory->allocate_staging(&staging, bytes, "the library's own AllReduce", err);
    data->input = input;
    data->output = output;
    data->staging = staging;
    return hs_agree(data->comms.world, &data->comms.idle, status, err);
}

void hs_host_data_release(struct hs_host_data *data)
{
    if (data->memory != NULL) {
        data->memory->release(data->input);
        data->memory->release(data->output);
        data->memory->release_staging(data->staging);
        data->memory->queue_free(data->queue);
    }
    if (data->own_type) {
        CHECK_MPI(MPI_Op_free(&data->op));
        CHECK_MPI(MPI_Type_free(&data->type));
    }
    hs_layer_comms_release(&data->comms);
    *data = (struct hs_host_data){0};
}

static enum hs_status init(struct hs_host_data *data, const struct hs_backend_config *config,
                           struct hs_error *err)
{
    *data =
        (struct hs_host_data){.count = config->count,
                              .width = hs_datatype_bytes(config->datatype),
                              .memory = config->memory != NULL ? config->memory : &hs_memory_host};
    hs_layer_comms_init(&data->comms, config->world);
    data->pattern = (struct hs_pattern){config->datatype, config->operation, data->comms.np};
    /* Padding goes to a multiple of np / (last layer's size), at most np / 2: np covers it. */
    data->room = config->count + (size_t)data->comms.np;
    make_type(data);

    enum hs_status status = make_buffers(data, err);
    if (status != HS_OK) {
        hs_host_data_release(data);
        return status;
    }
    data->memory->fill(data->queue, data->input, &data->pattern, data->comms.rank, data->count);
    return HS_OK;
}

enum hs_status hs_host_data_open(void **out, size_t bytes, const char *name,
                                 const struct hs_backend_config *config, struct hs_error *err)
{
    struct hs_host_data *data = calloc(1, bytes);
    struct hs_idle idle = {.oversubscribed = true}; /* until it is known */
    enum hs_status status = HS_OK;

    *out = NULL;
    if (data == NULL)
        status = hs_fail(err, HS_MEMORY, "out of memory for the %s backend", name);
    status = hs_agree(config->world, &idle, status, err);
    if (status == HS_OK && data != NULL)
        status = init(data, config, err);
    if (status != HS_OK) {
        free(data);
        return status;
    }
    *out = data;
    return HS_OK;
}

size_t hs_host_data_memory_bytes(const struct hs_host_data *data)
{
    return (data->staging == NULL ? 2 : 3) * data->room * data->width;
}

/* In calls that int can count; without the division of an average. */
static void allreduce(const struct hs_host_data *data, const void *input, void *output)
{
    for (size_t done = 0; done < data->count;) {
        size_t part = data->count - done;
        if (part > HS_CHUNK_ELEMENTS_MAX)
            part = HS_CHUNK_ELEMENTS_MAX;
        const void *from = input == MPI_IN_PLACE ? input : (const char *)input + done * data->width;
        CHECK_MPI(MPI_Allreduce(from, (char *)output + done * data->width, (int)part, data->type,
                                data->op, data->comms.world));
        done += part;
    }
}

/* As a program has to do it whose MPI library takes no pointers to its memory. */
static void allreduce_staged(const struct hs_host_data *data)
{
    const struct hs_memory *memory = data->memory;
    size_t bytes = data->count * data->width;
    memory->copy(data->queue, data->staging, data->input, bytes);
    memory->wait(data->queue);
    allreduce(data, MPI_IN_PLACE, data->staging);
    memory->copy(data->queue, data->output, data->staging, bytes);
}

static enum hs_status run_mpi_allreduce(void *state, struct hs_error *err)
{
    struct hs_host_data *data = state;
    const struct hs_pattern *pattern = &data->pattern;
    (void)err;
    if (data->memory->direct)
        allreduce(data, data->input, data->output);
    else
        allreduce_staged(data);
    data->memory->finish(data->queue, data->output, data->count, pattern->datatype,
                         pattern->operation, pattern->np);
    data->memory->wait(data->queue);
    return HS_OK;
}

const struct hs_baseline hs_host_data_baselines[] = {{"MPI_Allreduce", run_mpi_allreduce},
                                                     {NULL, NULL}};

bool hs_host_data_available(char *why, size_t why_bytes)
{
    if (why_bytes > 0)
        why[0] = '\0';
    return true;
}

/* All bits set is a NaN in every data type, and no pattern has one. */
void hs_host_data_spoil(void *state)
{
    struct hs_host_data *data = state;
    data->memory->set(data->queue, data->output, 0xff, data->room * data->width);
}

uint64_t hs_host_data_wrong_elements(void *state)
{
    const struct hs_host_data *data = state;
    return data->memory->wrong(data->queue, data->output, &data->pattern, data->count);
}

void hs_host_data_describe(const void *state, char *text, size_t bytes)
{
    const struct hs_host_data *data = state;
    data->memory->describe(text, bytes);
}

size_t hs_host_data_padded_count(const void *state, const struct hs_plan *plan)
{
    const struct hs_host_data *data = state;
    return hs_stages_padded(&plan->split, data->count);
}

enum hs_status hs_host_data_check_plan(const struct hs_host_data *data, const struct hs_plan *plan,
                                       struct hs_error *err)
{
    int64_t product = hs_split_product(&plan->split);
    if (product != data->comms.np)
        return hs_fail(err, HS_INVALID, "the split is for %lld processes, there are %d",
                       (long long)product, data->comms.np);
    if (plan->chunks < 1 || plan->chunks > HS_CHUNKS_MAX)
        return hs_fail(err, HS_INVALID, "chunks: expected 1 to %d, found %d", HS_CHUNKS_MAX,
                       plan->chunks);
    return HS_OK;
}

enum hs_status hs_host_data_check_layer(const struct hs_host_data *data, struct hs_layer layer,
                                        size_t count, struct hs_error *err)
{
    if (layer.stride < 1 || layer.size < 1 || data->comms.np % (layer.stride * layer.size) != 0)
        return hs_fail(err, HS_INVALID,
                       "layer of %lld at stride %lld: expected their product to divide %d",
                       (long long)layer.size, (long long)layer.stride, data->comms.np);
    if (count > data->count)
        return hs_fail(err, HS_INVALID, "expected at most %zu elements for a layer, found %zu",
                       data->count, count);
    return HS_OK;
}
