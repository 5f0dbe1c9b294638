/* Errors, texts, and what all functions of the library begin and end with. */
#include "api/handles.h"

#include <stdlib.h>
#include <string.h>

#include "version.h"

const char *hiersearch_version(void)
{
    return HS_VERSION;
}

int hiersearch_api(void)
{
    return HIERSEARCH_API;
}

struct hiersearch_error *hiersearch_error_new(void)
{
    return calloc(1, sizeof(struct hiersearch_error));
}

static enum hiersearch_status status_of(enum hs_status status)
{
    switch (status) {
    case HS_OK:
        return HIERSEARCH_OK;
    case HS_INVALID:
        return HIERSEARCH_INVALID;
    case HS_IO:
    case HS_NO_FILE:
        return HIERSEARCH_IO;
    case HS_MEMORY:
        return HIERSEARCH_MEMORY;
    case HS_FAILED:
    case HS_WRONG:
        break;
    }
    return HIERSEARCH_FAILED;
}

enum hiersearch_status hiersearch_error_status(const struct hiersearch_error *error)
{
    return error ? status_of(error->error.status) : HIERSEARCH_OK;
}

const char *hiersearch_error_text(const struct hiersearch_error *error)
{
    return error ? error->error.message : "";
}

void hiersearch_error_free(struct hiersearch_error *error)
{
    free(error);
}

void hiersearch_text_free(char *text)
{
    free(text);
}

struct hs_error *hs_error_of(struct hiersearch_error *error)
{
    return error ? &error->error : NULL;
}

enum hs_status hs_expect(const void *given, const char *what, struct hs_error *err)
{
    return given ? HS_OK : hs_fail(err, HS_INVALID, "expected %s, found none", what);
}

enum hs_status hs_expect_place(const void *place, struct hs_error *err)
{
    return hs_expect(place, "a place for the answer", err);
}

enum hs_status hs_expect_path(const char *path, const char *what, struct hs_error *err)
{
    enum hs_status status = hs_expect(path, what, err);

    if (status == HS_OK && strcmp(path, "-") == 0)
        status = hs_fail(err, HS_INVALID, "expected %s, found \"-\"", what);
    return status;
}

struct hs_call hs_call_begin(void)
{
    struct hs_call call = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};

    if (call.own)
        call.before = uselocale(call.own);
    return call;
}

enum hiersearch_status hs_call_end(struct hs_call call, enum hs_status status)
{
    if (call.own) {
        uselocale(call.before);
        freelocale(call.own);
    }
    return status_of(status);
}

enum hs_status hs_text_give(char **out, struct hs_text *text, enum hs_status status,
                            struct hs_error *err)
{
    hs_text_append_bytes(text, "", 0);
    if (status == HS_OK)
        status = hs_expect_place(out, err);
    if (status == HS_OK && text->failed)
        status = hs_no_memory(err);
    if (status == HS_OK) {
        *out = text->data ? text->data : hs_strdup("");
        if (!*out)
            status = hs_no_memory(err);
    } else {
        if (out)
            *out = NULL;
        hs_text_release(text);
    }
    return status;
}

const struct hs_terminal hs_terminal_of_nobody = {.width = HS_TERMINAL_WIDTH, .blocks = true};

const char *hs_notes_of(const struct hs_text *notes)
{
    return notes && notes->data ? notes->data : "";
}

void hs_notes_give(struct hs_text *out, const struct hs_text *notes)
{
    if (out)
        hs_text_append(out, "%s", hs_notes_of(notes));
}
