/*
 * nccl_message.h - what one message of NCCL says, added to the facts. Internal to record.
 */
#ifndef HS_RECORD_NCCL_MESSAGE_H
#define HS_RECORD_NCCL_MESSAGE_H

#include "record/nccl_info.h"

/* A text being read, line by line. Begins as {.info = &INFO, .err = ERR} with INFO {0}. */
struct hs_nccl_reader {
    struct hs_nccl_info *info;
    struct hs_error *err;
    enum hs_status status; /* HS_MEMORY: later lines are passed over */
    size_t line;
    uint16_t *slots; /* owned: hosts by the hash of their name */
    size_t last_chosen;
};
/* A message: what stands behind its mark. */
struct hs_nccl_message {
    struct hs_nccl_reader *reader;
    struct hs_nccl_info *info;
    struct hs_nccl_host *host;
    size_t host_index;
    const char *text; /* ends with NUL */
    bool whole;       /* its end is a line's end */
};

/* Adds what it says. */
void hs_nccl_message_read(const struct hs_nccl_message *in);
/* The same of a warning. */
void hs_nccl_message_warn(const struct hs_nccl_message *in);

/* One more line that says so: the reader's. */
void hs_nccl_see(const struct hs_nccl_reader *reader, struct hs_nccl_seen *seen);
/* Of foreign text what is fit to be shown, '?' for the rest, without blanks at its ends; cut to
 * size - 1 bytes. */
void hs_nccl_copy(char *out, size_t size, const char *text, size_t length);
/* One more of a list, zeroed and counted. NULL: it has `most`, which is counted as left out, or no
 * memory, which the reader's status says. */
void *hs_nccl_one_more(struct hs_nccl_reader *reader, void *list, size_t *count, size_t size,
                       size_t most);

#endif
