#include "answer/placed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/jobs.h"
#include "base/file.h"
#include "library/price_library.h"
#include "show/placements.h"

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

static void show_orders(struct hs_sheet *sheet, const struct hs_placed *placed)
{
    size_t top = (size_t)placed->asked->question->top;
    struct hs_table table;

    hs_placements_init(&table);
    table.best = 0;
    for (size_t i = 0; i < placed->result.count && i < top; i++)
        hs_placements_add(&table, &(struct hs_placement_row){&placed->result, &placed->job, i + 1,
                                                             placed->given_seconds});
    hs_sheet_table(sheet, &table);
}

static void show_messages(struct hs_sheet *sheet, const struct hs_placed *placed)
{
    const struct hs_asked *asked = placed->asked;
    const struct hs_axes_order *best = &placed->result.orders[0];
    struct hs_table table;

    hs_sheet_say(sheet, "\nIts messages\n");
    hs_job_rows_init(&table);
    for (size_t m = 0; m < placed->job.count; m++) {
        const struct hs_axes_call *call = &placed->result.calls[best->calls[m]];
        struct hs_library_price own = hs_library_price(
            asked->system, &call->problem, hs_datatype_bytes(asked->question->datatype));

        hs_job_rows_add(&table,
                        &(struct hs_job_row){&placed->job, call, best->seconds,
                                             hs_library_is_priced(&own) ? own.seconds : NAN});
    }
    hs_sheet_table(sheet, &table);
}

void hs_placed_show(struct hs_sheet *sheet, const struct hs_placed *placed)
{
    show_orders(sheet, placed);
    show_messages(sheet, placed);
}
