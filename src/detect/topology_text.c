/* topology_text.c - what programs print of a node, line by line. See topology_file.h. */
#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "detect/slurm_topology.h"
#include "detect/topology_file.h"

#define LINE_BYTES     4096 /* longer ones are no rows */
#define WORDS_MAX      160
#define XGMI_STEP      15 /* rocm-smi's weight of one hop */
#define LINKS_MAX      64
#define AFFINITY_BYTES 128

enum table {
    TABLE_NVIDIA,  /* what joins each pair */
    TABLE_WEIGHTS, /* rocm-smi's */
    TABLE_TYPES,
    TABLE_OTHER
};

/* The table that is being read, and what the tables said. */
struct matrix {
    enum table table;
    size_t gpus, nics, row; /* columns; the next row to come */
    bool is_open;
    char nics_named[HS_NODE_NICS_MAX][sizeof((struct hs_node_nic *)0)->name];
    unsigned nvlinks[HS_NODE_GPUS_MAX][HS_NODE_GPUS_MAX];
    unsigned weights[HS_NODE_GPUS_MAX][HS_NODE_GPUS_MAX];
    bool is_xgmi[HS_NODE_GPUS_MAX][HS_NODE_GPUS_MAX], has_types, has_weights;
    char cores[HS_NODE_GPUS_MAX][AFFINITY_BYTES]; /* of the CPU that a GPU hangs on */
};

struct reader {
    struct hs_node *node;
    const char *name;
    struct hs_error *err;
    size_t line;
    struct matrix matrix;
    bool facts;                  /* something was understood */
    size_t named;                /* GPUs that were named */
    struct hs_node_nic *adapter; /* of ibstat, that its lines are about */
};

/* ---- lines and words ------------------------------------------------------------------------- */

/* The next line without its end and without what colors it; false at the end. */
static bool take_line(char line[LINE_BYTES], const char **text)
{
    size_t length = 0;
    const char *at = *text;

    if (*at == '\0')
        return false;
    for (; *at != '\0' && *at != '\n'; at++) {
        if (*at == '\033' && at[1] == '[') {
            at += 2;
            while (*at != '\0' && *at != '\n' && !isalpha((unsigned char)*at))
                at++;
            if (*at == '\0' || *at == '\n')
                break;
        } else if (length < LINE_BYTES - 1) {
            line[length++] = *at;
        }
    }
    line[length] = '\0';
    *text = *at == '\n' ? at + 1 : at;
    return true;
}

static size_t split_words(char *words[WORDS_MAX], char *line)
{
    size_t count = 0;
    char *word;

    while (count < WORDS_MAX && (word = strtok_r(count ? NULL : line, " \t\r", &line)) != NULL)
        words[count++] = word;
    return count;
}

static enum hs_status fail_at(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum hs_status fail_at(struct reader *r, const char *format, ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return hs_fail(r->err, HS_INVALID, "%s:%zu: %s", r->name, r->line, what);
}

/* "GPU12" is 12; -1: something else. */
static long numbered(const char *word, const char *prefix)
{
    size_t length = strlen(prefix), digits;

    assert(word);
    if (strncmp(word, prefix, length) != 0)
        return -1;
    digits = strspn(word + length, "0123456789");
    return digits > 0 && digits < 4 && word[length + digits] == '\0'
               ? strtol(word + length, NULL, 10)
               : -1;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static bool path_of(enum hs_node_path *path, const char *cell)
{
    *path = HS_PATH_SYSTEM;
    if (strcmp(cell, "SOC") == 0) /* before driver 384 */
        return true;
    for (int i = 0; i < HS_PATH_UNKNOWN; i++)
        if (strcmp(cell, hs_node_path_names[i]) == 0) {
            *path = (enum hs_node_path)i;
            return true;
        }
    *path = HS_PATH_UNKNOWN;
    return strcmp(cell, "N/A") == 0;
}

static bool is_header(char *words[], size_t count)
{
    return numbered(words[0], "GPU") == 0 &&
           (count == 1 || numbered(words[1], "GPU") == 1 || strcmp(words[1], "CPU") == 0 ||
            strncmp(words[1], "NIC", 3) == 0 || strncmp(words[1], "mlx", 3) == 0);
}

static enum hs_status add_column(struct reader *r, const char *word)
{
    struct hs_node *node = r->node;

    if (numbered(word, "GPU") >= 0) {
        if (r->matrix.nics > 0 || numbered(word, "GPU") != (long)r->matrix.gpus)
            return fail_at(r, "expected GPUs in order, then NICs, found %.40s", word);
        if (r->matrix.gpus == HS_NODE_GPUS_MAX)
            return fail_at(r, "expected at most 16 GPUs");
        r->matrix.gpus++;
        return HS_OK;
    }
    if (r->matrix.nics == HS_NODE_NICS_MAX)
        return fail_at(r, "expected at most 64 NICs");
    hs_node_name(r->matrix.nics_named[r->matrix.nics], sizeof(r->matrix.nics_named[0]), word);
    if (r->matrix.table == TABLE_NVIDIA) {
        struct hs_node_nic *nic = &node->nics[r->matrix.nics];

        *nic = (struct hs_node_nic){.numa_node = -1};
        memcpy(nic->name, r->matrix.nics_named[r->matrix.nics], sizeof(nic->name));
        nic->rdma = true; /* NVML shows no others */
    }
    r->matrix.nics++;
    return HS_OK;
}

/* ibstat's adapters come before, too: NICs of the matrix are those of its columns. */
static enum hs_status begin_matrix(struct reader *r, char *words[], size_t count)
{
    enum hs_status status = HS_OK;

    if (r->matrix.table == TABLE_NVIDIA && r->node->gpu_count > 0)
        return fail_at(r, "a second matrix: expected one node");
    if (r->node->nic_count > 0)
        return fail_at(r, "expected the NICs' rates behind the matrix, or in a file of their own");
    r->matrix.gpus = r->matrix.nics = r->matrix.row = 0;
    for (size_t i = 0; status == HS_OK && i < count && strcmp(words[i], "CPU") != 0; i++)
        status = add_column(r, words[i]);
    if (status == HS_OK && r->node->gpu_count > 0 && r->node->gpu_count != r->matrix.gpus)
        status = fail_at(r, "expected as many GPUs as in the table before");
    r->node->gpu_count = r->matrix.gpus;
    if (r->matrix.table == TABLE_NVIDIA)
        r->node->nic_count = r->matrix.nics;
    r->matrix.is_open = r->facts = true;
    return status;
}

static bool read_nvidia_cell(struct reader *r, size_t column, const char *cell)
{
    long links = numbered(cell, "NV");
    enum hs_node_path path = HS_PATH_UNKNOWN;

    if (links > 0 && links <= LINKS_MAX && column < r->matrix.gpus && column != r->matrix.row)
        r->matrix.nvlinks[r->matrix.row][column] = (unsigned)links;
    else if (!path_of(&path, cell) || (path == HS_PATH_SAME) != (column == r->matrix.row))
        return false;
    if (column < r->matrix.gpus)
        r->node->gpu_paths[r->matrix.row][column] = path;
    else
        r->node->nic_paths[column - r->matrix.gpus][r->matrix.row] = path;
    return true;
}

static bool read_amd_cell(struct reader *r, size_t column, const char *cell)
{
    assert(cell);
    if (column >= r->matrix.gpus)
        return false;
    if (r->matrix.table == TABLE_WEIGHTS) {
        size_t digits = strspn(cell, "0123456789");

        if (digits == 0 || digits > 6 || cell[digits] != '\0')
            return false;
        r->matrix.weights[r->matrix.row][column] = (unsigned)strtol(cell, NULL, 10);
        r->matrix.has_weights = true;
    } else if (r->matrix.table == TABLE_TYPES) {
        r->matrix.is_xgmi[r->matrix.row][column] = strcmp(cell, "XGMI") == 0;
        r->matrix.has_types = true;
        return r->matrix.is_xgmi[r->matrix.row][column] || strcmp(cell, "PCIE") == 0 ||
               strcmp(cell, "0") == 0 || strcmp(cell, "N/A") == 0;
    }
    return true;
}

/* What stands behind the cells, "0-19,40-59": GPUs of the same cores hang on the same CPU. */
static void read_affinity(struct reader *r, const char *cores)
{
    struct matrix *matrix = &r->matrix;
    size_t same = 0;

    if (matrix->table != TABLE_NVIDIA || strspn(cores, "0123456789,-") != strlen(cores))
        return;
    snprintf(matrix->cores[matrix->row], AFFINITY_BYTES, "%s", cores);
    while (strcmp(matrix->cores[same], matrix->cores[matrix->row]) != 0)
        same++;
    r->node->gpus[matrix->row].numa_node = (int)same;
}

/* A row of GPUs. Those of NICs, which follow, say the same once more. */
static enum hs_status read_row(struct reader *r, char *words[], size_t count)
{
    enum hs_node_path beyond;
    char wanted[32];

    snprintf(wanted, sizeof(wanted), "GPU%zu", r->matrix.row);
    if (count == 0 || strcmp(words[0], wanted) != 0)
        return fail_at(r, "expected the row of %.20s, found \"%.40s\"", wanted,
                       count ? words[0] : "");
    if (count < 1 + r->matrix.gpus + r->matrix.nics)
        return fail_at(r, "the row of %.20s is cut short", wanted);
    if (count > 1 + r->matrix.gpus + r->matrix.nics &&
        path_of(&beyond, words[1 + r->matrix.gpus + r->matrix.nics]) && beyond != HS_PATH_UNKNOWN)
        return fail_at(r, "the row of %.20s is longer than the heading", wanted);
    for (size_t c = 0; c < r->matrix.gpus + r->matrix.nics; c++) {
        const char *cell = words[1 + c];

        if (!(r->matrix.table == TABLE_NVIDIA ? read_nvidia_cell(r, c, cell)
                                              : read_amd_cell(r, c, cell)))
            return fail_at(r,
                           "the row of %.20s: expected X (with itself), NV and a number, PIX, PXB, "
                           "PHB, NODE or SYS, found \"%.40s\"",
                           wanted, cell);
    }
    if (count > 1 + r->matrix.gpus + r->matrix.nics)
        read_affinity(r, words[1 + r->matrix.gpus + r->matrix.nics]);
    if (++r->matrix.row == r->matrix.gpus) {
        r->matrix.is_open = false;
        r->matrix.table = TABLE_NVIDIA;
    }
    return HS_OK;
}

/* "NIC0: mlx5_0" */
static bool read_legend(struct reader *r, char *words[], size_t count)
{
    size_t length = strlen(words[0]);

    if (count != 2 || length < 2 || words[0][length - 1] != ':')
        return false;
    words[0][length - 1] = '\0';
    for (size_t n = 0; n < r->matrix.nics && n < r->node->nic_count; n++)
        if (strcmp(r->matrix.nics_named[n], words[0]) == 0) {
            hs_node_name(r->node->nics[n].name, sizeof(r->node->nics[n].name), words[1]);
            return true;
        }
    words[0][length - 1] = ':';
    return false;
}

/* ---- names of GPUs --------------------------------------------------------------------------- */

/* The GPU's number at *at, behind which that goes; -1: no number that can be. */
static long take_number(const char **at)
{
    char *end;
    long number = isdigit((unsigned char)**at) ? strtol(*at, &end, 10) : -1;

    if (number < 0 || number >= HS_NODE_GPUS_MAX)
        return -1;
    *at = end;
    return number;
}

static void name_gpu(struct reader *r, long g, const char *name)
{
    struct hs_node_gpu *gpu = &r->node->gpus[g];
    char copy[sizeof(gpu->name)];
    size_t length = strcspn(name, "(\r");

    while (length > 0 && name[length - 1] == ' ')
        length--;
    snprintf(copy, sizeof(copy), "%.*s", (int)(length < 90 ? length : 90), name);
    if (gpu->name[0] == '\0')
        hs_node_name(gpu->name, sizeof(gpu->name), copy);
    if ((size_t)g + 1 > r->named)
        r->named = (size_t)g + 1;
    r->facts = true;
}

/* "GPU 0: NVIDIA H100 (UUID: ...)", "GPU 0,1,2,3: NVIDIA GB200", "GPU[0] : Card Series: ..." */
static bool read_name(struct reader *r, const char *line)
{
    long numbers[HS_NODE_GPUS_MAX];
    size_t count = 0;
    const char *at = strstr(line, "GPU"), *series;

    if (at == NULL || (at[3] != ' ' && at[3] != '['))
        return false;
    series = strcasestr(at, "Card Series:");
    for (at += 4; count < HS_NODE_GPUS_MAX; at++) {
        long number = take_number(&at);

        if (number < 0)
            return false;
        numbers[count++] = number;
        if (*at != ',')
            break;
    }
    if (*at == ']' && series != NULL)
        at = series + strlen("Card Series:");
    else if (*at++ != ':')
        return false;
    at += strspn(at, " \t");
    for (size_t i = 0; i < count; i++) {
        name_gpu(r, numbers[i], at);
        if (series != NULL)
            r->node->gpus[numbers[i]].vendor = HS_PCI_AMD;
        else if (strncmp(at, "NVIDIA", 6) == 0 || strncmp(at, "Tesla", 5) == 0)
            r->node->gpus[numbers[i]].vendor = HS_PCI_NVIDIA;
    }
    return true;
}

/* ---- NICs' rates ----------------------------------------------------------------------------- */

/* "CA 'mlx5_0'", "Infiniband device 'mlx5_0' port 1 status:" */
static bool read_adapter(struct reader *r, const char *line)
{
    const char *quote = strchr(line, '\''), *end = quote ? strchr(quote + 1, '\'') : NULL;
    char name[sizeof(r->adapter->name)], copy[sizeof(name)];
    size_t n;

    if (end == NULL ||
        (strncasecmp(line, "CA '", 4) != 0 && strncasecmp(line, "Infiniband device '", 19) != 0))
        return false;
    snprintf(copy, sizeof(copy), "%.*s", (int)(end - quote - 1 < 31 ? end - quote - 1 : 31),
             quote + 1);
    hs_node_name(name, sizeof(name), copy);
    n = hs_node_find_nic(r->node, name);
    r->adapter = n < HS_NODE_NICS_MAX ? &r->node->nics[n] : NULL;
    if (r->adapter != NULL && n == r->node->nic_count) {
        r->node->nic_count++;
        *r->adapter = (struct hs_node_nic){.numa_node = -1, .rdma = true};
        memcpy(r->adapter->name, name, sizeof(name));
    }
    r->facts = true;
    return true;
}

/* What stands behind "key:" at the line's begin, in any case; NULL: another line. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);

    if (strncasecmp(line, key, length) != 0 || line[length] != ':')
        return NULL;
    return line + length + 1 + strspn(line + length + 1, " \t");
}

static void read_adapter_fact(struct reader *r, const char *line)
{
    const char *rate = value_of(line, "rate"), *type = value_of(line, "CA type");
    const char *layer = value_of(line, "link layer");
    double gigabits = rate ? strtod(rate, NULL) : 0;

    if (layer == NULL)
        layer = value_of(line, "link_layer");
    if (gigabits > 0 && gigabits <= 1e5)
        r->adapter->bytes_per_second = gigabits * 1e9 / 8;
    if (layer != NULL)
        r->adapter->device_class =
            strncasecmp(layer, "Ethernet", 8) == 0 ? HS_PCI_ETHERNET : HS_PCI_INFINIBAND;
    if (type != NULL && strncmp(type, "MT", 2) == 0) {
        r->adapter->vendor = HS_PCI_MELLANOX;
        r->adapter->device = (unsigned)strtoul(type + 2, NULL, 10) & 0xffff;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void read_title(struct reader *r, const char *line)
{
    if (strstr(line, "between two GPUs") == NULL)
        return;
    r->matrix.table = strstr(line, "Weight")      ? TABLE_WEIGHTS
                      : strstr(line, "Link Type") ? TABLE_TYPES
                                                  : TABLE_OTHER;
}

static enum hs_status read_line(struct reader *r, char *line)
{
    char copy[LINE_BYTES], *words[WORDS_MAX] = {NULL};
    const char *begin = line + strspn(line, " \t>");
    size_t count;

    snprintf(copy, sizeof(copy), "%s", begin);
    count = split_words(words, copy);
    if (r->matrix.is_open)
        return read_row(r, words, count);
    if (count == 0 || read_name(r, begin) || read_adapter(r, begin))
        return HS_OK;
    if (is_header(words, count))
        return begin_matrix(r, words, count);
    if (r->matrix.nics > 0 && read_legend(r, words, count))
        return HS_OK;
    if (r->adapter != NULL)
        read_adapter_fact(r, begin);
    read_title(r, begin);
    return HS_OK;
}

/* The number between each pair is that of all its links where that is more than a mesh can have:
 * then they lead to a switch. */
#define LINKS_OF_A_GPU 18

static void place_links(struct reader *r)
{
    struct hs_node *node = r->node;
    unsigned least = r->matrix.gpus > 1 ? LINKS_MAX : 0;

    for (size_t a = 0; a < r->matrix.gpus; a++)
        for (size_t b = 0; b < r->matrix.gpus; b++)
            if (a != b && r->matrix.nvlinks[a][b] < least)
                least = r->matrix.nvlinks[a][b];
    for (size_t a = 0; a < r->matrix.gpus; a++) {
        struct hs_node_gpu *gpu = &node->gpus[a];

        gpu->vendor = HS_PCI_NVIDIA;
        if (least * (r->matrix.gpus - 1) > LINKS_OF_A_GPU)
            gpu->links = gpu->switch_links = least;
        for (size_t b = 0; b < r->matrix.gpus && gpu->switch_links == 0; b++) {
            node->nvlinks[a][b] = r->matrix.nvlinks[a][b];
            gpu->links += r->matrix.nvlinks[a][b];
        }
    }
    node->origin.links_known = true;
    node->origin.links_seen_by = "nvidia-smi topo -m";
}

/* Pairs that are one hop of xGMI apart. */
static void place_xgmi(struct reader *r)
{
    struct hs_node *node = r->node;

    for (size_t a = 0; a < r->matrix.gpus; a++) {
        node->gpus[a].vendor = HS_PCI_AMD;
        for (size_t b = 0; b < r->matrix.gpus; b++) {
            bool direct = r->matrix.is_xgmi[a][b] &&
                          (!r->matrix.has_weights || r->matrix.weights[a][b] <= XGMI_STEP);

            if (a == b || !direct)
                continue;
            node->nvlinks[a][b] = 1;
            node->gpus[a].links++;
        }
    }
    node->origin.links_known = true;
    node->origin.links_seen_by = "rocm-smi --showtopo";
}

static enum hs_status read_slurm(struct reader *r, const char *text)
{
    struct hs_slurm_units leaves, blocks;
    enum hs_status status;

    if (hs_slurm_is_yaml(text))
        status = hs_slurm_yaml_read(&leaves, &blocks, r->name, text, r->err);
    else if (strcasestr(text, "SwitchName=") != NULL || strcasestr(text, "BlockName=") != NULL)
        status = hs_slurm_units_read(&leaves, &blocks, r->name, text, r->err);
    else
        return HS_OK;
    if (status != HS_OK)
        return status;
    r->facts = r->facts || leaves.count > 0 || blocks.count > 0;
    r->node->network.leaf_nodes = leaves.nodes_max;
    r->node->network.block_nodes = blocks.nodes_max;
    if (leaves.nodes_min != leaves.nodes_max)
        hs_text_append(&r->node->notes,
                       "%s: leaf switches have %lld to %lld nodes: the largest is taken\n", r->name,
                       (long long)leaves.nodes_min, (long long)leaves.nodes_max);
    return HS_OK;
}

static enum hs_status finish(struct reader *r)
{
    struct hs_node *node = r->node;

    if (r->matrix.is_open) {
        char wanted[32];

        snprintf(wanted, sizeof(wanted), "GPU%zu", r->matrix.row);
        return fail_at(r, "cut short: expected the row of %.20s", wanted);
    }
    if (!r->facts)
        return hs_fail(r->err, HS_INVALID,
                       "%s: expected what `nvidia-smi topo -m`, `nvidia-smi -L`, `rocm-smi "
                       "--showtopo`, `ibstat` or `scontrol show topology` prints, Slurm's "
                       "topology.conf or topology.yaml, or the XML of NCCL or of hwloc; logs of "
                       "benchmarks are for `hiersearch fit`",
                       r->name);
    if (r->matrix.has_types)
        place_xgmi(r);
    else if (node->gpu_count > 0)
        place_links(r);
    if (node->gpu_count > 0 && r->named > node->gpu_count)
        return hs_fail(r->err, HS_INVALID, "%s: %zu GPUs in the table, but %zu are named", r->name,
                       node->gpu_count, r->named);
    if (node->gpu_count == 0)
        node->gpu_count = r->named;
    for (size_t g = 1; g < node->gpu_count; g++) /* programs see fewer than there are */
        if (node->gpus[g].name[0] == '\0')
            memcpy(node->gpus[g].name, node->gpus[0].name, sizeof(node->gpus[0].name));
    return HS_OK;
}

enum hs_status hs_topology_parse_text(struct hs_node *node, const char *name, const char *text,
                                      struct hs_error *err)
{
    struct reader *r = calloc(1, sizeof(*r));
    char line[LINE_BYTES];
    const char *at = text;
    enum hs_status status;

    hs_node_init(node);
    if (r == NULL)
        return hs_no_memory(err);
    *r = (struct reader){.node = node, .name = name, .err = err};
    for (size_t g = 0; g < HS_NODE_GPUS_MAX; g++)
        node->gpus[g].numa_node = -1;
    status = read_slurm(r, text);
    while (status == HS_OK && take_line(line, &at)) {
        r->line++;
        status = read_line(r, line);
    }
    if (status == HS_OK)
        status = finish(r);
    free(r);
    return status;
}
