/* MPICH's tables of algorithms, JSON, with rules in them: see own_calls.h.
 *
 * A file replaces a whole table, of all collectives: it is the one that lies as text in the
 * library, with each rule's collective changed for communicators of that size alone. Where an
 * algorithm may not be right (operations that are not built in, or not commutative, fewer elements
 * than ranks, one node where nodes are first) stands what stood there before.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "export/approximate.h"
#include "export/own_calls.h"

#define VERSION     "MPICH Version:"
#define LIBRARY_MAX ((size_t)1 << 30)
#define BEGIN       "{\"collective="

/* Two tables: the device's, how an allreduce goes through a node and between nodes (of the other
 * calls it has one way, which is that by algorithms), and that of algorithms, to which
 * "composition beta" leads. `mark` is in the one and not in the other. */
static const struct table {
    const char *mark, *file, *variable;
    const char *leads; /* what takes the place of an algorithm; NULL: the algorithm itself */
} tables[] = {
    {"\"algorithm=MPIR_Allreduce_intra_", "mpich.json", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
     NULL},
    {"\"composition=MPIDI_Allreduce_intra_composition_beta", "mpich-device.json",
     "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE",
     "{\"composition=MPIDI_Allreduce_intra_composition_beta\":{}}"},
};

/* Debian's name, and MPICH's own, which other libraries have, too. */
static const char *const libraries[] = {"libmpich.so.12", "libmpi.so.12"};

/* The number of MPICH's version in a text that its library or a result has; NULL: not MPICH's. */
static const char *number_of(const char *text)
{
    const char *at = text ? strstr(text, VERSION) : NULL;

    return at ? at + strlen(VERSION) + strspn(at + strlen(VERSION), " \t") : NULL;
}

static size_t number_length(const char *number)
{
    return strspn(number, "0123456789.");
}

/* Whether the library is MPICH, and of the version `number`, if that is not NULL. */
static bool suits(void *library, const char *number)
{
    char text[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING */
    const char *found;
    int (*get)(char *version, int *length), length;

    *(void **)&get = dlsym(library, "MPI_Get_library_version");
    if (!get || get(text, &length) != 0)
        return false;
    found = number_of(text);
    return found && (!number || (number_length(found) == number_length(number) &&
                                 strncmp(found, number, number_length(number)) == 0));
}

/* number: of the version that was measured; NULL: not known. *path: owned. */
static enum hs_status find_library(char **path, const char *number, struct hs_error *err)
{
    *path = NULL;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !*path; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        struct link_map *map = NULL;

        if (library && suits(library, number) && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
            *path = hs_strdup(map->l_name);
        if (library)
            dlclose(library);
    }
    return *path ? HS_OK
                 : hs_fail(err, HS_INVALID,
                           "mpich: MPICH %.*s is not here, and its table of algorithms is what the "
                           "rules go into: export on a machine that has it (LD_LIBRARY_PATH)",
                           number ? (int)number_length(number) : 3, number ? number : "4.0");
}

/* *table: owned. */
static enum hs_status read_table(char **table, const struct table *which, const char *path,
                                 struct hs_error *err)
{
    size_t length, room = strlen(BEGIN);
    char *bytes;
    enum hs_status status = hs_file_read(&bytes, &length, path, LIBRARY_MAX, err);

    *table = NULL;
    if (status != HS_OK)
        return status;
    for (char *at = bytes; !*table; at += room) {
        at = memmem(at, length - (size_t)(at - bytes), BEGIN, room);
        if (!at)
            break;
        if (strstr(at, which->mark))
            *table = hs_strdup(at);
    }
    free(bytes);
    return *table ? HS_OK
                  : hs_fail(err, HS_INVALID, "mpich: %s: has no table of algorithms, as 4.0 has",
                            path);
}

/* The end of an object that begins at `at`: no text in the table has a brace. */
static const char *object_end(const char *at)
{
    int depth = 0;

    do
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    while (*at++ && depth > 0);
    return at;
}

/* ---- one collective ---- */

/* What stood there before. */
struct subtree {
    const char *text;
    int length;
};

static void append_algorithm(struct hs_text *text, const struct hs_mpi_own *own, struct subtree old)
{
    char name[64];

    if (!own->called) {
        hs_text_append(text, "%.*s", old.length, old.text);
        return;
    }
    strcpy(name, hs_mpi_own_calls[own->collective]);
    name[0] = (char)(name[0] - 'a' + 'A');
    if (strcmp(own->called, "smp") == 0)
        hs_text_append(text,
                       "{\"comm_hierarchy=parent\":{\"algorithm=MPIR_%s_intra_%s\":{}},"
                       "\"comm_hierarchy=any\":%.*s}",
                       name, own->called, old.length, old.text);
    else
        hs_text_append(text, "{\"algorithm=MPIR_%s_intra_%s\":{}}", name, own->called);
}

/* What of the ranks' bytes the table counts. */
static const char *counted(const struct hs_own_rules *rules)
{
    return rules->collective == HS_COLLECTIVE_REDUCE_SCATTER ||
                   rules->collective == HS_COLLECTIVE_ALLGATHER
               ? "total"
               : "avg";
}

/* How the table counts bytes: an all-to-all's by its blocks. */
static void append_bytes(struct hs_text *text, const struct hs_own_rules *rules, uint64_t below)
{
    uint64_t parts = rules->collective == HS_COLLECTIVE_ALLTOALL ? (uint64_t)rules->ranks : 1;

    hs_text_append(text, "\"%s_msg_size<%" PRIu64 "\":", counted(rules),
                   (below + parts - 1) / parts);
}

static void append_sizes(struct hs_text *text, const struct table *which,
                         const struct hs_own_rules *rules, struct subtree old)
{
    uint64_t end = 0;

    hs_text_append(text, "{");
    for (size_t r = 0; r < rules->count; r++) {
        const struct hs_own_rule *rule = &rules->rules[r];

        if (rule->first_bytes > end) {
            append_bytes(text, rules, rule->first_bytes);
            hs_text_append(text, "%.*s,", old.length, old.text);
        }
        append_bytes(text, rules, rule->end_bytes);
        if (which->leads)
            hs_text_append(text, "%s", which->leads);
        else
            append_algorithm(text, rule->own, old);
        hs_text_append(text, ",");
        end = rule->end_bytes;
    }
    hs_text_append(text, "\"%s_msg_size=any\":%.*s}", counted(rules), old.length, old.text);
}

/* A condition under which the algorithms are right, and what else there is. */
static void append_guarded(struct hs_text *text, const struct table *which,
                           const struct hs_own_rules *rules, struct subtree old)
{
    static const char *const others[HS_COLLECTIVE_COUNT][2] = {
        [HS_COLLECTIVE_ALLREDUCE] = {"is_op_built_in=no", "is_op_built_in=yes"},
        [HS_COLLECTIVE_REDUCE_SCATTER] = {"is_commutative=no", "is_commutative=yes"},
        [HS_COLLECTIVE_ALLTOALL] = {"is_sendbuf_inplace=yes", "is_sendbuf_inplace=no"},
    };
    const char *const *guard = others[rules->collective];

    if (guard[0])
        hs_text_append(text, "{\"%s\":%.*s,\"%s\":", guard[0], old.length, old.text, guard[1]);
    if (rules->collective == HS_COLLECTIVE_ALLREDUCE)
        hs_text_append(text, "{\"count<pow2\":%.*s,\"count=any\":", old.length, old.text);
    append_sizes(text, which, rules, old);
    if (rules->collective == HS_COLLECTIVE_ALLREDUCE)
        hs_text_append(text, "}");
    if (guard[0])
        hs_text_append(text, "}");
}

/* The table with the rules of a collective in place of what stood there. */
static enum hs_status change(char **table, const struct table *which,
                             const struct hs_own_rules *rules, size_t count, struct hs_error *err)
{
    struct hs_text key = {0}, text = {0};
    struct subtree old = {NULL, 0};
    const char *at;

    hs_text_append(&key,
                   "\"collective=%s\":{\"comm_type=intra\":", hs_mpi_own_calls[rules->collective]);
    at = key.data ? strstr(*table, key.data) : NULL;
    if (!at) {
        hs_text_release(&key);
        return hs_fail(err, HS_INVALID, "mpich: the library's table of algorithms has no %s",
                       hs_mpi_own_calls[rules->collective]);
    }
    old.text = at + key.length;
    old.length = (int)(object_end(old.text) - old.text);
    hs_text_append_bytes(&text, *table, (size_t)(old.text - *table));
    hs_text_append(&text, "{");
    for (size_t i = 0; i < count; i++) {
        hs_text_append(&text,
                       "\"comm_size<%" PRId64 "\":%.*s,\"comm_size<%" PRId64 "\":", rules[i].ranks,
                       old.length, old.text, rules[i].ranks + 1);
        append_guarded(&text, which, &rules[i], old);
        hs_text_append(&text, ",");
    }
    hs_text_append(&text, "\"comm_size=any\":%.*s}%s", old.length, old.text, old.text + old.length);
    hs_text_release(&key);
    free(*table);
    *table = text.data;
    return text.failed ? hs_no_memory(err) : HS_OK;
}

static enum hs_status change_all(char **table, const struct table *which,
                                 const struct hs_own_rules *rules, size_t count,
                                 struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0, end; i < count && status == HS_OK; i = end) {
        size_t found = 0;

        for (end = i; end < count && rules[end].collective == rules[i].collective; end++)
            found += rules[end].count;
        if (found > 0 && (!which->leads || rules[i].collective == HS_COLLECTIVE_ALLREDUCE))
            status = change(table, which, &rules[i], end - i, err);
    }
    return status;
}

enum hs_status hs_export_own_mpich(struct hs_export_output *out, const struct hs_own_rules *rules,
                                   size_t count, const char *version, struct hs_text *header,
                                   struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "mpich.env");
    size_t needed = 1; /* tables */
    char *path;
    enum hs_status status = find_library(&path, number_of(version), err);

    for (size_t i = 0; i < count; i++)
        if (rules[i].count > 0 && rules[i].collective == HS_COLLECTIVE_ALLREDUCE)
            needed = 2;
    hs_export_comment_lines(text, header, "# ");
    for (size_t t = 0; t < needed; t++)
        hs_text_append(text, "%s=$PWD/%s\n", tables[t].variable, tables[t].file);
    for (size_t t = 0; t < needed && status == HS_OK; t++) {
        char *table = NULL;

        status = read_table(&table, &tables[t], path, err);
        if (status == HS_OK)
            status = change_all(&table, &tables[t], rules, count, err);
        if (status == HS_OK)
            hs_text_append(hs_export_add_file(out, tables[t].file), "%s\n", table);
        free(table);
    }
    free(path);
    return status;
}
