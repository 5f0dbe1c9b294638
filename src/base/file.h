/*
 * file.h - whole files in, whole files out: a reader never sees half a file of ours.
 */
#ifndef HS_BASE_FILE_H
#define HS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reads the regular file `path` (or stdin for "-") of at most `limit` bytes into *data (owned by
 * the caller, NUL-terminated, length without the NUL in *length). HS_INVALID for a directory, a
 * missing, unreadable or too large file (a large one is not read first), HS_MEMORY. */
enum hs_status hs_file_read(char **data, size_t *length, const char *path, size_t limit,
                            struct hs_error *err);
/* The same of a text: HS_INVALID where a NUL is in it, behind which nothing would be read. */
enum hs_status hs_file_read_text(char **text, const char *path, size_t limit, struct hs_error *err);

/* Replaces `path` by `length` bytes, all or nothing: written to a temporary file beside it, fsync,
 * rename. On failure the old file is as it was and no temporary is left. Symbolic links are
 * followed, so the link stays. HS_IO. */
enum hs_status hs_file_replace(const char *path, const char *data, size_t length,
                               struct hs_error *err);

/* HS_INVALID where `path` is one of the files that are read, inputs[count], or is there in a folder
 * of them: it would be lost. "-" is stdin, what is not there is nothing; links of both kinds are
 * seen through. */
enum hs_status hs_file_is_none_of(const char *path, const char *const *inputs, size_t count,
                                  struct hs_error *err);
/* Says early whether hs_file_replace could work: the directory exists and is writable, and `path`
 * is not a directory, and none of the files that are read. Creates nothing that stays. HS_INVALID
 * with the reason. */
enum hs_status hs_file_writable(const char *path, const char *const *inputs, size_t count,
                                struct hs_error *err);

/* Opens `path` to be read and appended to, and makes it where it is not there. While it is open,
 * every other process that asks so is refused: a lock (flock), which goes when the process ends,
 * however that is; a file system without locks refuses nobody. What comes back is the file that
 * `path` names, no removed one. HS_INVALID: in use (says by which process, where this machine
 * knows), the same file as `other` (unless NULL), or no regular file: a FIFO would block for ever,
 * a device is not ours. HS_IO: it cannot be opened. */
enum hs_status hs_file_open_alone(int *fd, const char *path, const char *other,
                                  struct hs_error *err);
/* Whether `path` names the open file. */
bool hs_file_is(int fd, const char *path);
/* Whether it leads to a folder. */
bool hs_file_is_folder(const char *path);

#endif
