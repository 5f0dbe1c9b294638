#include "answer/placed.h"

#include <stdlib.h>
#include <string.h>

#include "answer/jobs.h"
#include "base/file.h"

#define JOB_BYTES_MAX ((size_t)1 << 20)

/* A job's messages as typed, or a file of them, which has no ':' in its name. */
static enum hs_status read_job(struct hs_job *job, const struct hs_mesh *mesh, const char *text,
                               struct hs_error *err)
{
    char *data = NULL;
    enum hs_status status = HS_OK;

    *job = (struct hs_job){.mesh = *mesh};
    if (!strchr(text, ':')) {
        status = hs_file_read_text(&data, text, JOB_BYTES_MAX, err);
        text = data;
    }
    if (status == HS_OK)
        status = hs_job_parse(job, text, err);
    free(data);
    return status == HS_OK ? status : hs_error_prefix(err, status, "--messages");
}

enum hs_status hs_placed_make(struct hs_placed *placed, const struct hs_asked *asked,
                              const char *messages, struct hs_error *err)
{
    struct hs_search_request request = hs_job_request(asked);
    enum hs_status status;

    *placed = (struct hs_placed){.asked = asked};
    status = read_job(&placed->job, &asked->question->mesh, messages, err);
    if (status == HS_OK)
        status = hs_axes_search(&placed->result, &request, &placed->job, err);
    if (status == HS_OK)
        placed->given_seconds = hs_axes_given(&placed->result, &placed->job)->seconds;
    return status;
}

void hs_placed_release(struct hs_placed *placed)
{
    hs_axes_result_release(&placed->result);
}
