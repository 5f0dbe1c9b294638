/* share.c - see share.h. */
#include "measure/share.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runner/check.h"
#include "runner/layer_comms.h"

void hs_share_bytes(void *data, int bytes, MPI_Comm comm, struct hs_idle *idle)
{
    MPI_Request request;

    CHECK_MPI(MPI_Ibcast(data, bytes, MPI_BYTE, 0, comm, &request));
    hs_idle_wait(idle, &request);
}

enum hs_status hs_share_text(char **text, int rank, MPI_Comm comm, struct hs_idle *idle,
                             struct hs_error *err)
{
    uint64_t length = rank == 0 && *text ? strlen(*text) : 0;
    enum hs_status status = HS_OK;

    hs_share_bytes(&length, sizeof(length), comm, idle);
    if (rank != 0 || !*text)
        *text = calloc(1, length + 1);
    if (!*text || length > INT32_MAX)
        status = hs_fail(err, HS_MEMORY, "out of memory");
    status = hs_agree(comm, idle, status, err);
    if (status != HS_OK) {
        if (rank != 0) {
            free(*text);
            *text = NULL;
        }
        return status;
    }
    assert(*text != NULL); /* all ranks agreed */
    hs_share_bytes(*text, (int)length, comm, idle);
    (*text)[length] = '\0';
    return HS_OK;
}

static enum hs_status write_system(char **text, const struct hs_system *system,
                                   struct hs_error *err)
{
    struct hs_text out = {0};
    enum hs_status status = hs_system_print(&out, system, err);

    *text = out.data;
    return status;
}

static enum hs_status read_system(struct hs_system *system, const char *text, struct hs_error *err)
{
    return hs_fields_parse(&hs_system_fields, system, "rank 0's system", text, strlen(text), err);
}

enum hs_status hs_share_system(struct hs_system *system, int rank, MPI_Comm comm,
                               struct hs_idle *idle, struct hs_error *err)
{
    char *text = NULL;
    enum hs_status status = HS_OK;

    if (rank == 0)
        status = write_system(&text, system, err);
    else
        memset(system, 0, sizeof(*system));
    status = hs_agree(comm, idle, status, err);
    if (status == HS_OK)
        status = hs_share_text(&text, rank, comm, idle, err);
    if (status == HS_OK && rank != 0)
        status = read_system(system, text, err);
    free(text);
    return hs_agree(comm, idle, status, err);
}
