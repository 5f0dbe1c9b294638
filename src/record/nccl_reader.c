/*
 * Messages are found by their mark, "NCCL INFO " or "NCCL WARN ": what stands before it is a
 * launcher's, but for "HOST:PID:TID [DEVICE] " next to it.
 */
#include "record/nccl_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"

#define LINE_BYTES 4096 /* NCCL's own lines have 2048 at most; what is longer is cut */
#define SLOTS      ((size_t)2 * HS_NCCL_HOSTS_MAX)

/* ---- hosts ----------------------------------------------------------------------------------- */

/* The slot of a name: 0 in it where no host has it. */
static uint16_t *find_slot(const struct hs_nccl_reader *reader, const char *name)
{
    size_t at = (size_t)(hs_hash(name, strlen(name)) % SLOTS);

    while (reader->slots[at] != 0 &&
           strcmp(reader->info->hosts[reader->slots[at] - 1].name, name) != 0)
        at = (at + 1) % SLOTS;
    return &reader->slots[at];
}

static bool is_known(const struct hs_nccl_reader *reader, const char *name)
{
    return reader->slots && *find_slot(reader, name) != 0;
}

/* Index of the host of that name, which is added where it is new. False: no memory, or too many. */
static bool find_host(size_t *index, struct hs_nccl_reader *reader, const char *name)
{
    struct hs_nccl_host *added;
    uint16_t *slot;

    if (!reader->slots)
        reader->slots = calloc(SLOTS, sizeof(*reader->slots));
    if (!reader->slots) {
        reader->status = hs_no_memory(reader->err);
        return false;
    }
    slot = find_slot(reader, name);
    if (*slot == 0) {
        added = hs_nccl_one_more(reader, &reader->info->hosts, &reader->info->host_count,
                                 sizeof(*added), HS_NCCL_HOSTS_MAX);
        if (!added)
            return false;
        snprintf(added->name, sizeof(added->name), "%s", name);
        *slot = (uint16_t)reader->info->host_count;
    }
    *index = (size_t)*slot - 1;
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_of_host(char letter)
{
    return isalnum((unsigned char)letter) || letter == '-' || letter == '_' || letter == '.';
}

/* From the last place of line[0..*end) on, back over digits and what stands before them. */
static bool back_over_number(const char *line, size_t *end, char before)
{
    size_t at = *end;

    while (at > 0 && isdigit((unsigned char)line[at - 1]))
        at--;
    if (at == *end || at == 0 || line[at - 1] != before)
        return false;
    *end = at - 1;
    return true;
}

/* The head of the message whose mark is line[mark]: "HOST:PID:TID [DEVICE] ", and of a warning
 * "FILE:LINE " behind it. *start: where it may begin, and then where it does; name: its host, ""
 * where none is named. A line may be of several processes that wrote at once, and a host's name
 * then touches what is before it: a host that is known already goes before one that is not. */
static void find_head(const struct hs_nccl_reader *reader, const char *line, size_t *start,
                      size_t mark, char name[HS_NCCL_NAME_BYTES])
{
    bool first = *start == 0, warning = line[mark + 5] == 'W';
    size_t from = *start, at = mark, end = mark, clean;

    name[0] = '\0';
    *start = mark;
    while (at > from && (line[at - 1] == ' ' || (warning && line[at - 1] != ']')))
        at--;
    if (at == from || line[at - 1] != ']')
        return;
    end = at - 1;
    if (!back_over_number(line, &end, '['))
        return;
    *start = end;
    while (end > from && line[end - 1] == ' ')
        end--;
    for (int number = 0; number < 2; number++) /* TID, PID */
        if (!back_over_number(line, &end, ':'))
            return;
    at = end;
    while (at > from && end - at < HS_NCCL_NAME_BYTES - 5 && is_of_host(line[at - 1]))
        at--;
    if (at == end)
        return;
    *start = at;
    hs_nccl_copy(name, HS_NCCL_NAME_BYTES, line + at, end - at);
    clean = at;
    while (clean > from && line[clean - 1] == ' ')
        clean--;
    if (is_known(reader, name) ||
        (first && (clean == from || strchr(":])>|Z", line[clean - 1]) != NULL)))
        return;
    for (size_t next = at + 1; next < end; next++) {
        char shorter[HS_NCCL_NAME_BYTES];

        hs_nccl_copy(shorter, sizeof(shorter), line + next, end - next);
        if (is_known(reader, shorter)) {
            memcpy(name, shorter, sizeof(shorter));
            *start = next;
            return;
        }
    }
    if (!first)
        name[0] = '\0';
}

/* The next mark of line[at..]; NULL: there is none. */
static char *find_mark(char *at)
{
    for (; (at = strstr(at, "NCCL ")) != NULL; at++)
        if (strncmp(at + 5, "INFO ", 5) == 0 || strncmp(at + 5, "WARN ", 5) == 0)
            return at;
    return NULL;
}

/* "NCCL version 2.30.3+cuda13.0" and RCCL's stand without a mark, too, where it is not INFO that is
 * printed. */
static void read_bare(struct hs_nccl_reader *reader, char *line)
{
    char *at = strstr(line, "CCL version ");
    struct hs_nccl_message message = {.reader = reader, .info = reader->info, .whole = true};

    if (!at || at == line || (at[-1] != 'N' && at[-1] != 'R'))
        return;
    at--;
    at[strspn(at, "NRCLversion :.0123456789")] = '\0'; /* so that it says nothing of a host */
    message.text = at;
    hs_nccl_message_read(&message);
}

/* Without colors (ESC [ ... m), a carriage return at its end and NULs. */
static size_t clean_line(char out[LINE_BYTES], const char *line, size_t length)
{
    size_t used = 0;

    while (length > 0 && line[length - 1] == '\r')
        length--;
    for (size_t i = 0; i < length && used + 1 < LINE_BYTES; i++) {
        if (line[i] == '\033' && i + 1 < length && line[i + 1] == '[') {
            i += 2;
            while (i < length && (isdigit((unsigned char)line[i]) || line[i] == ';'))
                i++;
            continue;
        }
        out[used] = line[i];
        if (line[i] == '\0')
            out[used] = '?';
        used++;
    }
    out[used] = '\0';
    return used;
}

void hs_nccl_reader_line(struct hs_nccl_reader *reader, const char *line, size_t length, bool whole)
{
    char text[LINE_BYTES], name[HS_NCCL_NAME_BYTES], *mark, *next;
    size_t start = 0;

    reader->line++;
    if (reader->status != HS_OK || !memmem(line, length, "CCL ", 4))
        return;
    if (clean_line(text, line, length) + 1 == LINE_BYTES)
        whole = false;
    mark = find_mark(text);
    if (!mark)
        read_bare(reader, text);
    else
        find_head(reader, text, &start, (size_t)(mark - text), name);
    for (; mark && reader->status == HS_OK; mark = next) {
        struct hs_nccl_message message = {.reader = reader,
                                          .info = reader->info,
                                          .text = mark + strlen("NCCL INFO "),
                                          .whole = whole};
        bool warning = mark[5] == 'W', known = find_host(&message.host_index, reader, name);

        next = find_mark(mark + 1);
        if (next) {
            start = (size_t)(message.text - text);
            find_head(reader, text, &start, (size_t)(next - text), name);
            text[start] = '\0';
            message.whole = false;
        }
        hs_nccl_see(reader, &reader->info->messages);
        if (!known)
            continue;
        message.host = &reader->info->hosts[message.host_index];
        if (warning)
            hs_nccl_message_warn(&message);
        else
            hs_nccl_message_read(&message);
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

void hs_nccl_reader_release(struct hs_nccl_reader *reader)
{
    free(reader->slots);
    reader->slots = NULL;
}

enum hs_status hs_nccl_info_read(struct hs_nccl_info *out, const char *text, size_t bytes,
                                 struct hs_error *err)
{
    struct hs_nccl_reader reader = {.info = out, .err = err};

    *out = (struct hs_nccl_info){0};
    for (size_t at = 0, next; at < bytes; at = next + 1) {
        const char *end = memchr(text + at, '\n', bytes - at);

        next = end ? (size_t)(end - text) : bytes;
        hs_nccl_reader_line(&reader, text + at, next - at, end != NULL);
    }
    hs_nccl_reader_release(&reader);
    if (reader.status != HS_OK)
        hs_nccl_info_release(out);
    return reader.status;
}

enum hs_status hs_nccl_info_load(struct hs_nccl_info *out, const char *path, struct hs_error *err)
{
    char *text;
    size_t length;
    enum hs_status status = hs_file_read(&text, &length, path, HS_JSON_BYTES_MAX, err);

    *out = (struct hs_nccl_info){0};
    if (status != HS_OK)
        return status;
    status = hs_utf8_from_utf16(&text, &length) ? hs_nccl_info_read(out, text, length, err)
                                                : hs_no_memory(err);
    free(text);
    if (status != HS_OK || out->messages.count > 0 || out->library.version > 0)
        return status;
    return hs_fail(err, HS_INVALID,
                   "%s: expected lines that NCCL prints with NCCL_DEBUG=INFO, found none",
                   strcmp(path, "-") == 0 ? "standard input" : path);
}
