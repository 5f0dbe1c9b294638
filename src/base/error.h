/*
 * error.h - how a function says what went wrong: a status for the program, one line for the person.
 *
 * The line is written where the failure is found and printed once, in main. It names the place
 * (file and JSON path, or option), what would be right, and what was found:
 *
 *     configs/x.json: levels[1].bandwidth_GBps: expected a number above 0, found -1
 *
 * Convention everywhere: results first, `struct hs_error *err` last; err may be NULL.
 */
#ifndef HS_BASE_ERROR_H
#define HS_BASE_ERROR_H

/* What kind of failure; decides the exit status (hs_status_exit). */
enum hs_status {
    HS_OK = 0,
    HS_INVALID, /* the caller's input is wrong: exit 2 */
    HS_IO,      /* the operating system refused: a file cannot be written: exit 1,
                   or 2 where the file was named by the user and nothing was done yet */
    HS_MEMORY,  /* out of memory: exit 1 */
    HS_FAILED,  /* something else failed at run time: exit 1 */
    HS_WRONG,   /* measured data was wrong: exit 3 */
    HS_NO_FILE  /* a file that the caller named is not there, or cannot be read: exit 2 */
};

#define HS_ERROR_MESSAGE_BYTES 1024

struct hs_error {
    enum hs_status status;
    char message[HS_ERROR_MESSAGE_BYTES]; /* one line, no newline, no trailing dot */
};

/* Fills *err (if not NULL). What is not fit to be shown (utf8.h; it may come from a hostile file)
 * becomes '?'; a line that is too long ends in "...". */
void hs_error_set(struct hs_error *err, enum hs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* hs_fail(err, status, format, ...) does that and has the value `status`: `return hs_fail(err,
 * ...)` reads well. A macro, so that compilers and analysers see which value that is. */
#define hs_fail(err, status, ...) (hs_error_set((err), (status), __VA_ARGS__), (status))

/* The same for every lack of memory: `return hs_no_memory(err);` */
static inline enum hs_status hs_no_memory(struct hs_error *err)
{
    return hs_fail(err, HS_MEMORY, "out of memory");
}

/* Puts "prefix: " in front of a message that is already there, and returns its status. */
enum hs_status hs_error_prefix(struct hs_error *err, enum hs_status status, const char *prefix);

/* Exit status of a program that ends with this status: 0 ok, 1 failed, 2 bad input, 3 wrong data.
 * */
int hs_status_exit(enum hs_status status);

#endif
