/*
 * options.h - a command's options and arguments as rows of a table.
 *
 * Parsing, the usage line, the help text and the shell completion all come from the same rows, so
 * an option cannot be in one and not in the others. A row names its type (how the text becomes a
 * value and how a shell completes it) and the place of the value in the command's settings struct:
 *
 *     {.name = "np", .argument = "N[:N]", .type = &hs_option_np_range, .required = true,
 *      .offset = offsetof(struct predict_settings, np), .help = "number of processes, ..."},
 *
 * Accepted: --name value, --name=value, -n value, -nvalue, flags -qv in one, options behind
 * arguments, and "--" before arguments that begin with '-'. Not accepted: abbreviated names. --help
 * (-h), --help all and --version belong to every command and have no row.
 */
#ifndef HS_BASE_OPTIONS_H
#define HS_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

struct hs_option;

/* How a value is read. */
struct hs_option_type {
    bool is_flag;      /* takes no value: parse gets NULL */
    bool files;        /* a shell offers names of files, besides the row's `words` */
    bool one_of_words; /* the value is one of the row's `words`: the help lists them */
    /* Writes the field. HS_INVALID says what is wrong with the text; the caller puts the option's
     * name in front of it. */
    enum hs_status (*parse)(void *field, const struct hs_option *option, const char *text,
                            struct hs_error *err);
};

#define HS_COUNT_LIST_MAX 64

/* Numbers in ascending order, each once. */
struct hs_count_list {
    size_t count;
    int values[HS_COUNT_LIST_MAX];
};

/* The field that each type writes is named behind it. Texts point into argv. */
extern const struct hs_option_type hs_option_flag;  /* bool */
extern const struct hs_option_type hs_option_text;  /* const char * */
extern const struct hs_option_type hs_option_file;  /* const char *, not empty */
extern const struct hs_option_type hs_option_word;  /* const char *, one of `words` */
extern const struct hs_option_type hs_option_count; /* int64_t in min .. max */
/* struct hs_count_list, each in min .. max: "1,2,4", "0-3,6" */
extern const struct hs_option_type hs_option_count_list;
extern const struct hs_option_type hs_option_np_range;    /* struct hs_range */
extern const struct hs_option_type hs_option_bytes_range; /* struct hs_range */

struct hs_option {
    const char *name;     /* long name without "--" */
    const char *argument; /* name of the value in the help, NULL for a flag */
    const struct hs_option_type *type;
    size_t offset;     /* of the field in the settings */
    const char *group; /* heading; rows of one group stand together. NULL: "Options" */
    const char *help;  /* one sentence, wrapped when printed */
    /* read first, as if it had been given; shown as the default; may be NULL */
    const char *fallback;
    const char *noun; /* counts: what is counted, for messages */
    int64_t min, max; /* counts */
    /* NULL-terminated list: what the types with one_of_words take; of others what a shell offers */
    const char *const *(*words)(void);
    char letter; /* short name, 0: none */
    bool required;
    bool usual; /* mostly needed, but another row can take its place: in the usage line, too */
};

/* A positional argument: const char *, or, where `many`, struct hs_argument_list (last row only,
 * but for one that stands behind "--"). */
struct hs_argument {
    const char *name; /* in capitals */
    const char *help;
    bool required;
    bool usual; /* as of an option */
    bool many;
    bool behind; /* many: all that stands behind "--", and nothing else; the last row */
    bool files;  /* a shell offers names of files */
    const char *const *(*words)(void); /* and these; may be NULL */
    size_t offset;
};

struct hs_argument_list {
    char **items; /* a slice of argv */
    size_t count;
};

/* The rows of a command, and what became of --help and --version. */
struct hs_option_table {
    const struct hs_option *options;     /* ends with name NULL; NULL: none */
    const struct hs_argument *arguments; /* likewise */
    const char *launcher; /* says how many processes there are, "mpiexec -n P"; NULL: none */
};

enum hs_option_request {
    HS_REQUEST_RUN,
    HS_REQUEST_HELP,     /* --help or -h came first; the rest was not checked */
    HS_REQUEST_HELP_ALL, /* --help all */
    HS_REQUEST_VERSION   /* --version */
};

/* Reads argv[0 .. argc - 1] (the command's name not among them) into *settings. argv is reordered.
 * HS_INVALID, with the nearest name where one is unknown: unknown or repeated options, values that
 * are missing, not wanted or not valid, too many arguments, required ones that are missing. */
enum hs_status hs_options_parse(enum hs_option_request *request, void *settings,
                                const struct hs_option_table *table, int argc, char **argv,
                                struct hs_error *err);

/* Number of rows. */
size_t hs_option_count_rows(const struct hs_option *options);

/* One row by its long name. HS_INVALID with the nearest name. */
enum hs_status hs_option_find(const struct hs_option **row, const struct hs_option *options,
                              const char *name, struct hs_error *err);
/* Writes one field, as hs_options_parse does of "--name text"; a flag is set whatever the text is.
 * HS_INVALID. */
enum hs_status hs_option_read(void *settings, const struct hs_option *row, const char *text,
                              struct hs_error *err);
/* Writes the fields of rows that have a fallback. */
enum hs_status hs_options_fall_back(void *settings, const struct hs_option *options,
                                    struct hs_error *err);

/* Appends a command line as one would type it: `program`, and each of the `count` words behind a
 * blank, quoted where a shell needs it. */
void hs_command_line_append(struct hs_text *out, const char *program, int count, char **words);
/* One word of it. */
void hs_command_word_append(struct hs_text *out, const char *word);

#endif
