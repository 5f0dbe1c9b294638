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
#define BUS_BYTES      16
#define PREFIX_BYTES   96

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
    char buses[HS_NODE_GPUS_MAX][BUS_BYTES];      /* amd-smi's names of its columns */
};

/* A port of the adapter, as far as its lines went. */
struct port {
    unsigned number;
    enum hs_node_ports state;
    double gigabits, lane_gigabits; /* ibv_devinfo: lanes, and the rate of each */
    unsigned lanes, device_class;
};

struct reader {
    struct hs_node *node;
    const char *name;
    struct hs_error *err;
    size_t line;
    struct matrix matrix;
    bool facts;                  /* something was understood */
    size_t named;                /* GPUs that were named */
    long gpu;                    /* amd-smi: that its lines are about; -1: none */
    struct hs_node_nic *adapter; /* that lines on ports are about */
    struct port port;
    char prefix[PREFIX_BYTES]; /* what a launcher put before each line; "" */
    bool has_others, has_mig;  /* lines of other hosts; MIG instances */
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

/* How many bytes stand before what begins a table, a GPU's name or an adapter: what a launcher or a
 * bar put there. 0: nothing begins on this line, or nothing stands before it. */
static size_t prefix_of(const char *line)
{
    static const char *const begins[] = {"GPU0", "GPU 0:",  "GPU[0]",
                                         "CA '", "hca_id:", "Infiniband device '"};
    size_t length = 0;

    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins) && length == 0; i++) {
        const char *at = strstr(line, begins[i]);

        length = at != NULL ? (size_t)(at - line) : 0;
        while (length > 0 && strchr(" \t|", line[length - 1]))
            length--;
    }
    if (length == 0 || length >= PREFIX_BYTES || strchr(":>]", line[length - 1]))
        return length < PREFIX_BYTES ? length : 0;
    length += strspn(line + length, " \t"); /* "web-1  | " */
    return line[length] == '|' ? length + 1 : 0;
}

/* A log of containers: "2026-01-31T12:00:00.5Z stdout F ". */
static char *behind_time(char *line)
{
    static const char stream[] = "stdout F ";

    if (strcspn(line, " ") < 20 || line[4] != '-' || line[10] != 'T' || !strchr(line, ' '))
        return line;
    line = strchr(line, ' ') + 1;
    return strncmp(line, stream, strlen(stream)) == 0 ? line + strlen(stream) : line;
}

/* What stands behind what a launcher put before it, without bars; NULL: a line of another host. */
static char *behind_prefix(struct reader *r, char *line)
{
    size_t length;

    line = behind_time(line);
    length = prefix_of(line);
    if (r->prefix[0] == '\0' && length > 0)
        snprintf(r->prefix, sizeof(r->prefix), "%.*s", (int)length, line);
    if (strncmp(line, r->prefix, strlen(r->prefix)) == 0)
        line += strlen(r->prefix);
    else if (length > 0)
        r->has_others = true;
    if (r->has_others && length > 0 && line[0] != '\0' && prefix_of(line) > 0)
        return NULL;
    for (char *at = strchr(line, '|'); at != NULL; at = strchr(at, '|'))
        *at = ' ';
    return line + strspn(line, " \t>");
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

/* "0000:0c:00.0" */
static bool is_bus(const char *word)
{
    static const char behind[] = "::.";
    const char *at = word;

    for (size_t i = 0; i < sizeof(behind); i++) {
        size_t digits = strspn(at, "0123456789abcdefABCDEF");

        if (digits == 0 || at[digits] != behind[i])
            return false;
        at += digits + 1;
    }
    return strlen(word) < BUS_BYTES;
}

/* amd-smi names GPUs by their place on PCI: in its tables these become "GPU0" and so on. */
static void rename_buses(struct reader *r, char *words[], size_t count)
{
    static char names[][6] = {"GPU0",  "GPU1",  "GPU2",  "GPU3",  "GPU4",  "GPU5",
                              "GPU6",  "GPU7",  "GPU8",  "GPU9",  "GPU10", "GPU11",
                              "GPU12", "GPU13", "GPU14", "GPU15", "GPU16"};
    size_t g = 0;

    if (count == 0 || r->matrix.table == TABLE_NVIDIA || !is_bus(words[0]))
        return;
    for (; !r->matrix.is_open && g < count && is_bus(words[g]) && g <= HS_NODE_GPUS_MAX; g++) {
        if (g < HS_NODE_GPUS_MAX)
            snprintf(r->matrix.buses[g], BUS_BYTES, "%s", words[g]);
        words[g] = names[g];
    }
    while (r->matrix.is_open && g < r->matrix.gpus && strcmp(r->matrix.buses[g], words[0]) != 0)
        g++;
    if (r->matrix.is_open && g < r->matrix.gpus)
        words[0] = names[g];
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

        if (strcmp(cell, "N/A") == 0)
            return true;
        if (digits == 0 || digits > 6 || cell[digits] != '\0')
            return false;
        r->matrix.weights[r->matrix.row][column] = (unsigned)strtol(cell, NULL, 10);
        r->matrix.has_weights = true;
    } else if (r->matrix.table == TABLE_TYPES) {
        r->matrix.is_xgmi[r->matrix.row][column] = strcmp(cell, "XGMI") == 0;
        r->matrix.has_types = true;
        return r->matrix.is_xgmi[r->matrix.row][column] || strcmp(cell, "PCIE") == 0 ||
               strcmp(cell, "0") == 0 || strcmp(cell, "N/A") == 0 || strcmp(cell, "SELF") == 0;
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

/* What stands behind "key:" at the line's begin, in any case; NULL: another line. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);

    if (strncasecmp(line, key, length) != 0 || line[length] != ':')
        return NULL;
    return line + length + 1 + strspn(line + length + 1, " \t");
}

/* amd-smi: "GPU: 0", then "MARKET_NAME: AMD Instinct MI300X". */
static bool read_amd_name(struct reader *r, const char *line)
{
    const char *number = value_of(line, "GPU"), *name = value_of(line, "MARKET_NAME");

    if (number != NULL)
        r->gpu = take_number(&number);
    if (name != NULL && r->gpu >= 0) {
        name_gpu(r, r->gpu, name);
        r->node->gpus[r->gpu].vendor = HS_PCI_AMD;
    }
    return number != NULL || name != NULL;
}

/* ---- NICs' rates ----------------------------------------------------------------------------- */

/* A NIC has the rate of its fastest active port, and as many ports as are active at that; where no
 * state is printed, what has a rate counts. */
static void end_port(struct reader *r)
{
    struct hs_node_nic *nic = r->adapter;
    struct port port = r->port;
    double rate = (port.gigabits > 0 ? port.gigabits : port.lanes * port.lane_gigabits) * 1e9 / 8;
    unsigned bit = 1U << (port.number & 31);

    r->port = (struct port){.number = 0};
    if (nic == NULL)
        return;
    if (nic->device_class == 0)
        nic->device_class = port.device_class;
    if (port.state == HS_PORTS_DOWN) {
        if (nic->state == HS_PORTS_UNKNOWN)
            nic->state = HS_PORTS_DOWN;
        return;
    }
    if (port.state == HS_PORTS_ACTIVE)
        nic->state = HS_PORTS_ACTIVE;
    if (rate > nic->bytes_per_second) {
        nic->bytes_per_second = rate;
        nic->ports = bit;
        nic->device_class = port.device_class ? port.device_class : nic->device_class;
    } else if (rate > 0 && rate >= nic->bytes_per_second) {
        nic->ports |= bit;
    }
}

/* The name of the adapter that this line begins, of `length` bytes; NULL: another line. "CA
 * 'mlx5_0'", "Infiniband device 'mlx5_0' port 1 status:", "hca_id: mlx5_0". */
static const char *adapter_of(size_t *length, const char *line)
{
    const char *id = value_of(line, "hca_id"), *quote = strchr(line, '\'');

    if (id != NULL) {
        *length = strcspn(id, " \t\r");
        return id;
    }
    if (quote == NULL || strchr(quote + 1, '\'') == NULL ||
        (strncasecmp(line, "CA '", 4) != 0 && strncasecmp(line, "Infiniband device '", 19) != 0))
        return NULL;
    *length = strcspn(quote + 1, "'");
    return quote + 1;
}

static bool read_adapter(struct reader *r, const char *line)
{
    char name[sizeof(r->adapter->name)], copy[sizeof(name)];
    size_t n, length;
    const char *at = adapter_of(&length, line), *number = strstr(line, "' port ");

    if (at == NULL)
        return false;
    end_port(r);
    if (number != NULL)
        r->port.number = (unsigned)strtoul(number + strlen("' port "), NULL, 10);
    snprintf(copy, sizeof(copy), "%.*s", (int)(length < 31 ? length : 31), at);
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

/* A rate in Gb/s behind a key; 0: none that can be. */
static double gigabits_of(const char *line, const char *key)
{
    const char *value = value_of(line, key);
    double gigabits = value ? strtod(value, NULL) : 0;

    return gigabits > 0 && gigabits <= 1e5 ? gigabits : 0;
}

/* "Port 1:" of ibstat, "port: 1" of ibv_devinfo. */
static bool begins_port(unsigned *number, const char *line)
{
    const char *value = value_of(line, "port"), *at = value ? value : line + strlen("Port ");
    char *end;

    if (value == NULL && strncmp(line, "Port ", strlen("Port ")) != 0)
        return false;
    *number = isdigit((unsigned char)*at) ? (unsigned)strtoul(at, &end, 10) : 0;
    return *number > 0 && (value != NULL || *end == ':');
}

static void read_port_fact(struct reader *r, const char *line)
{
    const char *layer = value_of(line, "link layer"), *state = value_of(line, "state");
    const char *lanes = value_of(line, "active_width"), *type = value_of(line, "CA type");
    const char *part = value_of(line, "vendor_part_id");
    double gigabits = gigabits_of(line, "rate"), lane = gigabits_of(line, "active_speed");
    unsigned number;

    if (begins_port(&number, line)) {
        end_port(r);
        r->port.number = number;
    }
    if (layer == NULL)
        layer = value_of(line, "link_layer");
    if (gigabits > r->port.gigabits)
        r->port.gigabits = gigabits;
    if (lane > 0)
        r->port.lane_gigabits = lane;
    if (lanes != NULL)
        r->port.lanes = (unsigned)strtoul(lanes, NULL, 10) & 0xff;
    if (state != NULL)
        r->port.state = strcasestr(state, "active") ? HS_PORTS_ACTIVE : HS_PORTS_DOWN;
    if (layer != NULL)
        r->port.device_class =
            strncasecmp(layer, "Ethernet", 8) == 0 ? HS_PCI_ETHERNET : HS_PCI_INFINIBAND;
    if (type != NULL && strncmp(type, "MT", 2) == 0)
        part = type + 2;
    if (part != NULL && isdigit((unsigned char)*part)) {
        r->adapter->vendor = HS_PCI_MELLANOX;
        r->adapter->device = (unsigned)strtoul(part, NULL, 10) & 0xffff;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Of rocm-smi "Weight between two GPUs", of amd-smi "WEIGHT TABLE:". */
static void read_title(struct reader *r, const char *line)
{
    if (strstr(line, "between two GPUs") == NULL && strstr(line, " TABLE:") == NULL)
        return;
    r->matrix.table = strcasestr(line, "Weight")      ? TABLE_WEIGHTS
                      : strcasestr(line, "Link Type") ? TABLE_TYPES
                                                      : TABLE_OTHER;
}

/* "+------+", "|---|---|" */
static bool is_rule(char *const words[], size_t count)
{
    size_t i = 0;

    while (i < count && strlen(words[i]) > 1 && words[i][strspn(words[i], "+-=:")] == '\0')
        i++;
    return count > 0 && i == count;
}

static enum hs_status read_line(struct reader *r, char *line)
{
    char copy[LINE_BYTES], *words[WORDS_MAX] = {NULL};
    const char *begin = behind_prefix(r, line);
    size_t count;

    if (begin == NULL)
        return HS_OK;
    snprintf(copy, sizeof(copy), "%s", begin);
    count = split_words(words, copy);
    if (is_rule(words, count))
        return HS_OK;
    rename_buses(r, words, count);
    if (r->matrix.is_open)
        return read_row(r, words, count);
    r->has_mig = r->has_mig || strncmp(begin, "MIG ", 4) == 0;
    if (count == 0 || read_name(r, begin) || read_amd_name(r, begin) || read_adapter(r, begin))
        return HS_OK;
    if (is_header(words, count))
        return begin_matrix(r, words, count);
    if (r->matrix.nics > 0 && read_legend(r, words, count))
        return HS_OK;
    if (r->adapter != NULL)
        read_port_fact(r, begin);
    read_title(r, begin);
    return HS_OK;
}

/* The number between each pair is that of all its links where that is more than a mesh can have:
 * then they lead to a switch. */
#define LINKS_OF_A_GPU 18

static void place_links(struct reader *r, const size_t where[HS_NODE_GPUS_MAX])
{
    struct hs_node *node = r->node;
    unsigned least = node->gpu_count > 1 ? LINKS_MAX : 0;

    for (size_t a = 0; a < node->gpu_count; a++)
        for (size_t b = 0; b < node->gpu_count; b++)
            if (a != b && r->matrix.nvlinks[where[a]][where[b]] < least)
                least = r->matrix.nvlinks[where[a]][where[b]];
    for (size_t a = 0; a < node->gpu_count; a++) {
        struct hs_node_gpu *gpu = &node->gpus[a];

        gpu->vendor = HS_PCI_NVIDIA;
        if (least * (node->gpu_count - 1) > LINKS_OF_A_GPU)
            gpu->links = gpu->switch_links = least;
        for (size_t b = 0; b < node->gpu_count && gpu->switch_links == 0; b++) {
            node->nvlinks[a][b] = r->matrix.nvlinks[where[a]][where[b]];
            gpu->links += node->nvlinks[a][b];
        }
        node->origin.links_known = node->origin.links_known || gpu->links > 0; /* -mp shows none */
    }
    node->origin.links_seen_by = "nvidia-smi topo -m";
}

/* Pairs that are one hop of xGMI apart. Types alone do not say which dies of MI250X are: they are
 * "XGMI" for all pairs. */
static void place_xgmi(struct reader *r)
{
    struct hs_node *node = r->node;

    for (size_t a = 0; a < r->matrix.gpus; a++)
        node->gpus[a].vendor = HS_PCI_AMD;
    if (r->matrix.gpus > 4 && hs_node_has_dies(&node->gpus[0]) && !r->matrix.has_weights)
        return;
    for (size_t a = 0; a < r->matrix.gpus; a++) {
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
    node->origin.links_seen_by =
        r->matrix.buses[0][0] != '\0' ? "amd-smi topology" : "rocm-smi --showtopo";
}

/* What a line of parts, and levels without a taper, have no place for. */
static void say_tiers(struct hs_text *notes, const struct hs_slurm_tree *tree, int64_t leaves)
{
    if (tree->trees > 1 && tree->tiers > 0)
        hs_text_append(notes, "%lld trees that no switch joins: a job fits in one of them\n",
                       (long long)tree->trees);
    else if (leaves > 1 && tree->tiers == 0)
        hs_text_append(notes, "no switch is above the leaf switches: one is assumed\n");
    if (tree->tiers < 2)
        return;
    hs_text_append(notes, "%lld leaf switches are under one switch",
                   (long long)tree->children_max[0]);
    for (int t = 1; t < tree->tiers; t++)
        hs_text_append(notes, ", %lld of these under the next", (long long)tree->children_max[t]);
    hs_text_append(notes, ": tiers above the leaf are one without a taper\n");
}

static enum hs_status read_slurm(struct reader *r, const char *text)
{
    struct hs_slurm_network slurm;
    struct hs_slurm_units *leaves = &slurm.leaves;
    enum hs_status status;

    if (hs_slurm_is_yaml(text))
        status = hs_slurm_yaml_read(&slurm, r->name, text, r->err);
    else if (strcasestr(text, "SwitchName=") != NULL || strcasestr(text, "BlockName=") != NULL)
        status = hs_slurm_network_read(&slurm, r->name, text, r->err);
    else
        return HS_OK;
    if (status != HS_OK)
        return status;
    r->facts = r->facts || leaves->count > 0 || slurm.blocks.count > 0;
    r->node->network.leaf_nodes = leaves->nodes_max;
    r->node->network.block_nodes = slurm.blocks.nodes_max;
    if (leaves->nodes_min != leaves->nodes_max)
        hs_text_append(&r->node->notes,
                       "%s: leaf switches have %lld to %lld nodes: the largest is taken\n", r->name,
                       (long long)leaves->nodes_min, (long long)leaves->nodes_max);
    say_tiers(&r->node->notes, &slurm.tree, leaves->count);
    return HS_OK;
}

/* What a matrix says, once it is known which GPUs are for a display. */
static void place(struct reader *r)
{
    size_t where[HS_NODE_GPUS_MAX];

    if (r->matrix.has_types) {
        place_xgmi(r);
        return;
    }
    hs_node_drop_displays(r->node, where);
    if (r->matrix.gpus > 0)
        place_links(r, where);
}

static void say_left_out(struct reader *r)
{
    char shown[PREFIX_BYTES];

    hs_node_name(shown, sizeof(shown), r->prefix);
    if (r->has_others)
        hs_text_append(&r->node->notes, "lines of several hosts: those behind \"%s\" count\n",
                       shown);
    if (r->has_mig)
        hs_text_append(&r->node->notes,
                       "MIG instances are listed: the machine is that of whole GPUs, and NCCL has "
                       "no peer access between instances\n");
}

static enum hs_status finish(struct reader *r)
{
    struct hs_node *node = r->node;

    end_port(r);
    if (r->matrix.is_open) {
        char wanted[32];

        snprintf(wanted, sizeof(wanted), "GPU%zu", r->matrix.row);
        return fail_at(r, "cut short: expected the row of %.20s", wanted);
    }
    if (!r->facts)
        return hs_fail(r->err, HS_INVALID,
                       "%s: expected what `nvidia-smi topo -m`, `nvidia-smi -L`, `amd-smi "
                       "topology`, `rocm-smi --showtopo`, `ibstat`, `ibv_devinfo -v` or `scontrol "
                       "show topology` prints, Slurm's topology.conf or topology.yaml, or the XML "
                       "of NCCL or of hwloc; logs of benchmarks are for `hiersearch fit`, lines of "
                       "NCCL (NCCL_DEBUG=INFO) for `hiersearch check`",
                       r->name);
    if (node->gpu_count > 0 && r->named > node->gpu_count)
        return hs_fail(r->err, HS_INVALID, "%s: %zu GPUs in the table, but %zu are named", r->name,
                       node->gpu_count, r->named);
    if (node->gpu_count == 0)
        node->gpu_count = r->named;
    for (size_t g = 1; g < node->gpu_count; g++) /* programs see fewer than there are */
        if (node->gpus[g].name[0] == '\0')
            memcpy(node->gpus[g].name, node->gpus[0].name, sizeof(node->gpus[0].name));
    place(r);
    say_left_out(r);
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
    *r = (struct reader){.node = node, .name = name, .err = err, .gpu = -1};
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
