/* slurm_yaml.c - Slurm's topology.yaml. See slurm_topology.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "detect/slurm_topology.h"

#define DEPTH_MAX 8

/* Keys by what they stand in; lists have elements, each with the keys below the list's name. */
enum place { TOPOLOGIES, TREE, SWITCHES, BLOCK, BLOCKS, SIZES };

static const struct row {
    const char *key;
    enum place in;
    int leads_to; /* a place, or -1: a value stands behind the key */
} rows[] = {
    {"topology", TOPOLOGIES, -1}, {"cluster_default", TOPOLOGIES, -1},
    {"tree", TOPOLOGIES, TREE},   {"block", TOPOLOGIES, BLOCK},
    {"flat", TOPOLOGIES, -1},     {"switches", TREE, SWITCHES},
    {"switch", SWITCHES, -1},     {"children", SWITCHES, -1},
    {"nodes", SWITCHES, -1},      {"block_sizes", BLOCK, SIZES},
    {"blocks", BLOCK, BLOCKS},    {"block", BLOCKS, -1},
    {"nodes", BLOCKS, -1},
};

/* Where keys stand, from the outermost in. */
struct open {
    enum place in;
    int column; /* of its keys; -1: none so far */
};

struct units {
    struct hs_slurm_units leaves, blocks;
    struct hs_slurm_switches switches; /* owned */
};

struct reader {
    struct open open[DEPTH_MAX];
    int depth;     /* of those that are open, at least 1 */
    bool is_first; /* the line is the first in its place */
    struct units now, chosen;
    bool is_default, has_default;
    int64_t described;            /* topologies with switches or blocks */
    char name[HS_SLURM_NAME_MAX]; /* of the switch whose lines these are */
};

static enum hs_status expected(struct hs_error *err, const char *what, const char *found)
{
    return hs_fail(err, HS_INVALID, "expected %s, found \"%.40s\"", what, found);
}

/* ---- a line ---------------------------------------------------------------------------------- */

struct line {
    int column; /* of the key, or of the value */
    bool dash;
    char *key, *value; /* key "": an element that is a value */
};

static char *trim(char *text)
{
    size_t length;

    while (isblank((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* A '#' behind a blank begins a comment. */
static void cut_comment(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if (*at == '#' && (at == text || isblank((unsigned char)at[-1]))) {
            *at = '\0';
            return;
        }
}

static enum hs_status unquote(char **value, struct hs_error *err)
{
    char *text = *value, quote = text[0];
    size_t length = strlen(text);

    if (quote != '"' && quote != '\'')
        return strpbrk(text, "{}&*!|>%@`") ? expected(err, "a plain value", text) : HS_OK;
    if (length < 2 || text[length - 1] != quote || memchr(text + 1, quote, length - 2) ||
        strchr(text, '\\'))
        return expected(err, "a value in one pair of quotes", text);
    text[length - 1] = '\0';
    *value = text + 1;
    return HS_OK;
}

/* "    - switch: leaf1" */
static enum hs_status split(struct line *line, char *text, struct hs_error *err)
{
    char *at = text + strspn(text, " "), *colon;

    *line = (struct line){.dash = at[0] == '-' && (at[1] == ' ' || at[1] == '\0')};
    if (*at == '\t')
        return hs_fail(err, HS_INVALID, "expected blanks before a key, found a tab");
    if (line->dash)
        at += 1 + strspn(at + 1, " ");
    line->column = (int)(at - text);
    colon = strchr(at, ':');
    line->key = "";
    line->value = trim(at);
    if (colon && (isspace((unsigned char)colon[1]) || colon[1] == '\0')) {
        *colon = '\0';
        line->key = trim(at);
        line->value = trim(colon + 1);
    }
    return unquote(&line->value, err);
}

/* ---- what it means --------------------------------------------------------------------------- */

/* A topology is over: the default one counts, else the only one. */
static void keep(struct reader *r)
{
    bool described = r->now.leaves.count > 0 || r->now.blocks.count > 0;

    r->described += described;
    if (described && !r->has_default) {
        hs_slurm_switches_release(&r->chosen.switches);
        r->chosen = r->now;
    } else {
        hs_slurm_switches_release(&r->now.switches);
    }
    r->has_default = r->has_default || (described && r->is_default);
    r->now = (struct units){.leaves = {0}};
    r->is_default = false;
}

static enum hs_status read_flag(bool *flag, const char *value, struct hs_error *err)
{
    *flag = strcasecmp(value, "true") == 0;
    return *flag || strcasecmp(value, "false") == 0 ? HS_OK : expected(err, "true or false", value);
}

static enum hs_status read_value(struct reader *r, enum place in, const struct line *line,
                                 struct hs_error *err)
{
    bool flat, nodes = strcmp(line->key, "nodes") == 0;

    if (line->value[0] == '\0')
        return hs_fail(err, HS_INVALID, "%s: expected a value behind it", line->key);
    if (strcmp(line->key, "switch") == 0)
        snprintf(r->name, sizeof(r->name), "%s", line->value);
    if (in == SWITCHES && r->name[0] != '\0' && (nodes || strcmp(line->key, "children") == 0) &&
        hs_slurm_switches_add(&r->now.switches, r->name, nodes ? NULL : line->value, err))
        return HS_INVALID;
    if (strcmp(line->key, "nodes") == 0)
        return hs_slurm_units_add(in == SWITCHES ? &r->now.leaves : &r->now.blocks, line->value,
                                  err);
    if (strcmp(line->key, "cluster_default") == 0)
        return read_flag(&r->is_default, line->value, err);
    if (strcmp(line->key, "flat") == 0)
        return read_flag(&flat, line->value, err);
    return HS_OK;
}

/* Closes what ends above the line, and leaves open what its key stands in. */
static enum hs_status find_place(struct reader *r, const struct line *line, struct hs_error *err)
{
    struct open *top;

    while (r->depth > 1 &&
           (r->open[r->depth - 1].column > line->column ||
            (r->open[r->depth - 1].column < 0 && line->column <= r->open[r->depth - 2].column)))
        r->depth--;
    top = &r->open[r->depth - 1];
    r->is_first = top->column < 0;
    if (r->is_first)
        top->column = line->column;
    if (top->column != line->column)
        return hs_fail(err, HS_INVALID, "expected \"%.40s\" in column %d, found it in %d",
                       line->key[0] ? line->key : line->value, top->column + 1, line->column + 1);
    return HS_OK;
}

/* Elements of a list begin with a dash, each topology with its name. */
static enum hs_status check_dash(const struct reader *r, enum place in, const struct line *line,
                                 struct hs_error *err)
{
    bool is_list = in == TOPOLOGIES || in == SWITCHES || in == BLOCKS;
    bool is_name = in == TOPOLOGIES && strcmp(line->key, "topology") == 0;

    if (line->dash && (!is_list || (in == TOPOLOGIES && !is_name)))
        return hs_fail(err, HS_INVALID, "%s: expected no dash before it", line->key);
    if (!line->dash && (is_name || (is_list && r->is_first)))
        return hs_fail(err, HS_INVALID, "%s: expected a dash before it", line->key);
    return HS_OK;
}

/* "[4, 16]" */
static bool is_sizes(const char *value)
{
    size_t length = strlen(value);

    return length > 2 && value[0] == '[' && value[length - 1] == ']' &&
           strspn(value + 1, "0123456789, ") == length - 2;
}

static enum hs_status read_key(struct reader *r, const struct line *line, struct hs_error *err)
{
    enum place in = r->open[r->depth - 1].in;
    const struct row *row = NULL;
    enum hs_status status;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].in == in && strcmp(rows[i].key, line->key) == 0)
            row = &rows[i];
    if (!row)
        return expected(err,
                        in == TOPOLOGIES ? "topology, cluster_default, tree, block or flat"
                        : in == TREE     ? "switches"
                        : in == SWITCHES ? "switch, children or nodes"
                        : in == BLOCK    ? "block_sizes or blocks"
                                         : "block or nodes",
                        line->key);
    status = check_dash(r, in, line, err);
    if (status)
        return status;
    if (in == TOPOLOGIES && line->dash)
        keep(r);
    if (row->leads_to < 0)
        return read_value(r, in, line, err);
    if (line->value[0] != '\0' && (row->leads_to != SIZES || !is_sizes(line->value)))
        return expected(err, "a line's end", line->value);
    if (line->value[0] == '\0')
        r->open[r->depth++] = (struct open){(enum place)row->leads_to, -1};
    return HS_OK;
}

static enum hs_status read_line(struct reader *r, char *text, struct hs_error *err)
{
    struct line line;
    enum hs_status status;

    cut_comment(text);
    if (text[strspn(text, " \t\r")] == '\0' || strcmp(trim(text), "---") == 0)
        return HS_OK;
    status = split(&line, text, err);
    if (!status)
        status = find_place(r, &line, err);
    if (status)
        return status;
    if (r->open[r->depth - 1].in != SIZES)
        return line.key[0] ? read_key(r, &line, err) : expected(err, "a key", line.value);
    if (line.dash && !line.key[0] && strspn(line.value, "0123456789") == strlen(line.value))
        return HS_OK;
    return expected(err, "the next block size behind a dash", line.value);
}

/* ---- the file -------------------------------------------------------------------------------- */

bool hs_slurm_is_yaml(const char *topology)
{
    const char *at = topology;

    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at != '#' && strncmp(at, "---", 3) != 0)
            break;
        at += strcspn(at, "\n");
    }
    if (*at != '-')
        return false;
    at += 1 + strspn(at + 1, " ");
    return strncmp(at, "topology:", strlen("topology:")) == 0;
}

static enum hs_status finish(struct reader *r, struct hs_error *err)
{
    keep(r);
    if (r->described == 0)
        return hs_fail(err, HS_INVALID, "expected a topology with switches or blocks of nodes");
    if (r->described > 1 && !r->has_default)
        return hs_fail(err, HS_INVALID,
                       "expected one topology with switches or blocks, or cluster_default: true "
                       "in one of them, found %lld",
                       (long long)r->described);
    return HS_OK;
}

enum hs_status hs_slurm_yaml_read(struct hs_slurm_network *network, const char *name,
                                  const char *topology, struct hs_error *err)
{
    struct reader r = {.open = {{TOPOLOGIES, -1}}, .depth = 1};
    char *text = hs_strdup(topology), *rest = text, *line, at[256];
    enum hs_status status = text ? HS_OK : hs_no_memory(err);

    for (int number = 1; !status && (line = strsep(&rest, "\n")) != NULL; number++) {
        status = read_line(&r, line, err);
        snprintf(at, sizeof(at), "%.200s:%d", name, number);
        if (status == HS_INVALID)
            hs_error_prefix(err, status, at);
    }
    if (text && !status) {
        status = finish(&r, err);
        snprintf(at, sizeof(at), "%.200s", name);
        if (status)
            hs_error_prefix(err, status, at);
    }
    free(text);
    *network = (struct hs_slurm_network){.leaves = r.chosen.leaves, .blocks = r.chosen.blocks};
    if (!status)
        status = hs_slurm_switches_tree(&network->tree, &r.chosen.switches, err);
    hs_slurm_switches_release(&r.chosen.switches);
    hs_slurm_switches_release(&r.now.switches);
    return status;
}
