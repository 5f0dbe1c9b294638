/*
 * client.h - a command as a client of the library (api/ask.h): what its question is about, the
 * answer, and where that goes. Notes go to stderr, and what is opened is released at the end.
 */
#ifndef HS_CLI_CLIENT_H
#define HS_CLI_CLIENT_H

#include "api/ask.h"
#include "cli/command.h"

struct hs_client {
    struct hs_context *context;
    struct hs_asker asker;
    struct hiersearch_system **systems; /* [system_count] owned */
    size_t system_count;
    struct hiersearch_inputs *inputs; /* owned; NULL: none */
    struct hiersearch_answer *answer; /* owned; NULL: not asked yet */
};

/* Of the command that runs. `output` is where the answer goes as JSON, too; "-": there alone, to
 * stdout; NULL: it does not. */
struct hs_client hs_client_of(struct hs_context *context, const char *output);
/* Opens another system, with its notes. HS_INVALID, HS_IO, HS_MEMORY. */
enum hs_status hs_client_find(struct hs_client *client, const char *text, struct hs_error *err);
/* A system that was opened; the client's. HS_MEMORY. */
enum hs_status hs_client_keep(struct hs_client *client, struct hiersearch_system *system,
                              struct hs_error *err);
/* Opens results, logs and profiles, with their notes. HS_INVALID, HS_IO, HS_MEMORY. */
enum hs_status hs_client_read(struct hs_client *client, const struct hs_argument_list *files,
                              struct hs_error *err);
/* Asks context->question of what was opened. As hs_ask. */
enum hs_status hs_client_ask(struct hs_client *client, struct hs_error *err);
/* Asks, prints, and writes the output. */
enum hs_status hs_client_answer(struct hs_client *client, struct hs_error *err);
/* Appends the answer to the text, and passes its notes on. */
enum hs_status hs_client_print(struct hs_client *client, struct hs_text *out, struct hs_error *err);
void hs_client_release(struct hs_client *client);
/* The whole of a command that asks of one system. */
enum hs_status hs_client_answer_about(struct hs_context *context, const char *system,
                                      struct hs_error *err);
/* The whole of a command whose answer of files is one picture or page, for the output. */
enum hs_status hs_client_draw(struct hs_context *context, const struct hs_argument_list *files,
                              const char *output, struct hs_error *err);

/* A handle's notes, as hs_notes_pass_on. */
void hs_client_pass_on(const struct hs_context *context, const char *notes);
/* Writes all of it to the file, complete or not at all, or to stdout ("-", NULL). HS_IO. */
enum hs_status hs_output_write(const char *output, const struct hs_text *data,
                               struct hs_context *context, struct hs_error *err);

#endif
