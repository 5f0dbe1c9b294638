#include "cli/export_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char *join(const char *directory, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static enum hs_status write_file(const char *directory, const struct hiersearch_exports *exports,
                                 size_t file, struct hs_error *err)
{
    char *path = join(directory, hiersearch_exports_name(exports, file));
    size_t length;
    const char *text = hiersearch_exports_text(exports, file, &length);
    enum hs_status status;

    if (!path)
        return hs_no_memory(err);
    status = hs_file_replace(path, text, length, err);
    free(path);
    return status;
}

/* A link in the folder would lead the file elsewhere; the result itself may lie there. */
static enum hs_status check_file(const char *directory, const char *name, const char *result,
                                 struct hs_error *err)
{
    char *path = join(directory, name);
    struct stat about;
    enum hs_status status;

    if (!path)
        return hs_fail(err, HS_MEMORY, "out of memory");
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
        status =
            hs_fail(err, HS_INVALID, "%s: is a symbolic link, expected a file or nothing", path);
    else
        status = hs_file_writable(path, &result, 1, err);
    free(path);
    return status;
}

static bool differ_in_digits_only(const char *a, const char *b)
{
    static const char digits[] = "0123456789";

    while (*a && *b) {
        size_t in_a = strspn(a, digits), in_b = strspn(b, digits);

        if ((in_a > 0) != (in_b > 0) || (in_a == 0 && *a != *b))
            return false;
        a += in_a > 0 ? in_a : 1;
        b += in_b > 0 ? in_b : 1;
    }
    return *a == *b;
}

/* "trace.8.et" beside eight files that end with "trace.7.et": of an export of more processes, which
 * a reader of the folder would take for one with this. */
static bool is_left_over(const char *name, const struct hiersearch_exports *exports)
{
    bool alike = false;

    for (size_t i = 0; i < hiersearch_exports_count(exports); i++) {
        if (strcmp(name, hiersearch_exports_name(exports, i)) == 0)
            return false;
        alike = alike || differ_in_digits_only(name, hiersearch_exports_name(exports, i));
    }
    return alike;
}

/* Before anything is written. */
static enum hs_status check_directory(const char *directory,
                                      const struct hiersearch_exports *exports, const char *result,
                                      struct hs_error *err)
{
    enum hs_status status = HS_OK;
    DIR *folder = opendir(directory);
    struct dirent *entry;

    if (!folder)
        return hs_fail(err, HS_INVALID, "%s: %s", directory, strerror(errno));
    while (status == HS_OK && (entry = readdir(folder)) != NULL)
        if (is_left_over(entry->d_name, exports))
            status = hs_fail(err, HS_INVALID,
                             "%s/%s: left over from another export; remove such files, or name "
                             "another folder",
                             directory, entry->d_name);
    closedir(folder);
    for (size_t i = 0; i < hiersearch_exports_count(exports) && status == HS_OK; i++)
        status = check_file(directory, hiersearch_exports_name(exports, i), result, err);
    return status;
}

static void remove_files(const char *directory, const struct hiersearch_exports *exports,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *path = join(directory, hiersearch_exports_name(exports, i));

        if (path)
            unlink(path);
        free(path);
    }
    rmdir(directory);
}

/* A folder that was made here disappears again where not all files could be written. */
static enum hs_status write_directory(const char *directory,
                                      const struct hiersearch_exports *exports, const char *result,
                                      struct hs_error *err)
{
    bool made = mkdir(directory, 0777) == 0;
    enum hs_status status = HS_OK;
    size_t written = 0;

    if (!made && errno != EEXIST)
        return hs_fail(err, HS_INVALID, "%s: cannot be made: %s", directory, strerror(errno));
    if (!hs_file_is_folder(directory))
        return hs_fail(err, HS_INVALID, "%s: not a folder, and there are %zu files to write",
                       directory, hiersearch_exports_count(exports));
    status = check_directory(directory, exports, result, err);
    for (; written < hiersearch_exports_count(exports) && status == HS_OK;
         written += status == HS_OK)
        status = write_file(directory, exports, written, err);
    if (status != HS_OK && made)
        remove_files(directory, exports, written);
    return status;
}

static enum hs_status need_directory(const struct hiersearch_exports *exports,
                                     const struct hs_export_target *to, struct hs_error *err)
{
    return hs_fail(
        err, HS_INVALID, "--to %s makes %zu files (%s, %s%s): name a folder for them (-o)",
        to->format, hiersearch_exports_count(exports), hiersearch_exports_name(exports, 0),
        hiersearch_exports_name(exports, 1), hiersearch_exports_count(exports) > 2 ? ", ..." : "");
}

/* A path that cannot work is bad input, a full disk is not. */
static enum hs_status write_single(const char *path, const struct hiersearch_exports *exports,
                                   const char *result, struct hs_error *err)
{
    size_t length;
    const char *text = hiersearch_exports_text(exports, 0, &length);
    enum hs_status status = hs_file_writable(path, &result, 1, err);

    return status == HS_OK ? hs_file_replace(path, text, length, err) : status;
}

enum hs_status hs_export_files_write(struct hs_context *context,
                                     const struct hiersearch_exports *exports,
                                     const struct hs_export_target *to, struct hs_error *err)
{
    bool to_stdout = !to->output || strcmp(to->output, "-") == 0;
    size_t length;
    const char *text = hiersearch_exports_text(exports, 0, &length);

    if (to_stdout && hiersearch_exports_count(exports) > 1)
        return need_directory(exports, to, err);
    if (to_stdout)
        hs_text_append_bytes(context->out, text, length);
    else if (hiersearch_exports_count(exports) > 1 || hs_file_is_folder(to->output))
        return write_directory(to->output, exports, to->result, err);
    else
        return write_single(to->output, exports, to->result, err);
    return HS_OK;
}
