/*
 * nccl_reader.h - finds NCCL's messages in a text and adds what they say to the facts
 * (nccl_info.h).
 */
#ifndef HS_RECORD_NCCL_READER_H
#define HS_RECORD_NCCL_READER_H

#include "record/nccl_message.h"

/* Takes the next line, without its newline. `whole`: one stood behind it. */
void hs_nccl_reader_line(struct hs_nccl_reader *reader, const char *line, size_t length,
                         bool whole);
/* Frees what the reader alone has; the info stays. */
void hs_nccl_reader_release(struct hs_nccl_reader *reader);

/* All lines of a text. What it has no line of is 0, and that is no error. HS_MEMORY. */
enum hs_status hs_nccl_info_read(struct hs_nccl_info *out, const char *text, size_t bytes,
                                 struct hs_error *err);
/* Of a file, in UTF-8 or UTF-16; "-" is stdin. HS_INVALID where no line of NCCL's is in it. */
enum hs_status hs_nccl_info_load(struct hs_nccl_info *out, const char *path, struct hs_error *err);

#endif
