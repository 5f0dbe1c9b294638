/*
 * System files (docs/system.schema.json).
 */
#include "estimate/system_file.h"

#include <string.h>

#include "base/units.h"
#include "library/library_mpi.h"
#include "library/library_nccl.h"
#include "library/price_mpi.h"
#include "library/price_nccl.h"

/* ---- a level ---- */

static bool level_name(const char *text)
{
    return text[0] && !text[strspn(text, HS_LEVEL_LETTERS)];
}

static bool system_name(const char *text)
{
    return text[0] && !text[strspn(text, HS_SYSTEM_LETTERS)];
}

static bool nccl_version(const char *text)
{
    return hs_nccl_version_parse(text) > 0;
}

static const struct hs_text_form version_form = {nccl_version, "a version such as 2.27.7",
                                                 "^[2-9][.][0-9]{1,2}[.][0-9]{1,2}$"};

#define NAME "a name of characters in a-z, 0-9, '_', '-' and '.'"
static const struct hs_text_form level_form = {level_name, NAME, "^[a-z0-9_-]+$"};
static const struct hs_text_form system_form = {system_name, NAME, "^[a-z0-9_.-]+$"};

#define SOURCE(figure) HS_OWNED(struct hs_level, figure##_source), HS_OPTIONAL

static const struct hs_field source_rows[] = {
    {"arity", HS_TEXT, SOURCE(arity)},
    {"fabric", HS_TEXT, SOURCE(fabric)},
    {"latency", HS_TEXT, SOURCE(latency)},
    {"bandwidth", HS_TEXT, SOURCE(bandwidth)},
};
static const struct hs_fields source_fields = {HS_ROWS(source_rows, struct hs_level)};

static bool has_source(const struct hs_place *place)
{
    const struct hs_level *level = place->object;

    return level->arity_source || level->fabric_source || level->latency_source ||
           level->bandwidth_source;
}

#define LEVEL(member) HS_AT(struct hs_level, member)
#define KIND(member)  LEVEL(member), HS_WITHOUT(0), .first = 1, HS_NAMES(hs_figure_kind_names)

static const struct hs_field kind_rows[] = {
    {"latency", HS_CHOICE, KIND(latency_kind)},
    {"bandwidth", HS_CHOICE, KIND(bandwidth_kind)},
};
static const struct hs_fields kind_fields = {HS_ROWS(kind_rows, struct hs_level)};

static bool has_kind(const struct hs_place *place)
{
    const struct hs_level *level = place->object;

    return level->latency_kind || level->bandwidth_kind;
}

static bool is_links(const struct hs_level *level)
{
    return level->fabric == HS_FABRIC_LINKS;
}

/* ---- single links of a level ---- */

#define LINKS_MAX    4096 /* rows of a level */
#define LINK(member) HS_AT(struct hs_link, member)

static const struct hs_field vertex_row = {NULL, HS_INTEGER, .size = sizeof(int),
                                           .max = HS_LINKS_VERTICES - 1};
static const struct hs_fields vertex_fields = {
    .rows = &vertex_row, .count = 1, .size = sizeof(int)};

static const struct hs_field link_rows[] = {
    {"between", HS_LIST, .offset = offsetof(struct hs_link, from), /* and `to` behind it */
     .size = 2 * sizeof(int), .min = 2, .max = 2, .fields = &vertex_fields,
     .about = "Two children of the level, by their numbers from 0, or relays, which are numbered "
              "after them; the first sends where it is one way."},
    {"count", HS_INTEGER, LINK(count), HS_WITHOUT(1), .min = 1, .max = HS_LINKS_COUNT_MAX,
     .about = "Links between the two, all alike; absent: one."},
    {"one_way", HS_BOOL, LINK(one_way), HS_WITHOUT(false),
     .about = "Whether it carries nothing the other way; else it carries as much, at the same "
              "time."},
    {"bandwidth_GBps", HS_NUMBER, LINK(bytes_per_second), .unit = &hs_unit_gigabytes,
     .min = HS_BANDWIDTH_MIN / 1e9, .max = HS_BANDWIDTH_MAX / 1e9,
     .about = "What one of them carries each way, in 1e9 bytes per second."},
    {"latency_us", HS_NUMBER, LINK(latency_seconds), HS_WITHOUT(0), .unit = &hs_unit_microseconds,
     .max = HS_LATENCY_MAX * 1e6, .about = "Microseconds over one of them; absent: the level's."},
};

static const struct hs_fields link_fields = {.name = "link",
                                             .about = "Single links between two children of a "
                                                      "level, or what passes on between them.",
                                             HS_ROWS(link_rows, struct hs_link)};

static enum hs_status check_links(struct hs_level *level, const struct hs_place *place,
                                  struct hs_error *err)
{
    struct hs_links *links = &level->links;
    struct hs_error why;

    if (!is_links(level)) {
        if (links->count > 0 || links->relays > 0)
            return hs_field_fail(place, links->count > 0 ? "links" : "relays", err,
                                 "expected none, the fabric being \"%s\"",
                                 hs_fabric_names[level->fabric]);
        if (level->bytes_per_second == 0)
            return hs_field_fail(place, "bandwidth_GBps", err, "missing");
        return HS_OK;
    }
    if (level->arity < 2 || level->arity > HS_LINKS_UNITS)
        return hs_field_fail(place, "arity", err, "expected 2 to %d, the fabric being \"links\"",
                             HS_LINKS_UNITS);
    if (links->count == 0)
        return hs_field_fail(place, "links", err, "missing, the fabric being \"links\"");
    if (level->bytes_per_second > 0)
        return hs_field_fail(place, "bandwidth_GBps", err,
                             "expected none: of the fabric \"links\" it is what a child's links "
                             "have together");
    if (level->ports > 1 || !level->striped)
        return hs_field_fail(place, level->ports > 1 ? "ports" : "striped", err,
                             "expected none, the fabric being \"links\"");
    links->units = (int)level->arity;
    if (hs_links_check(links, "", &why))
        return hs_json_fail(place->at, err, "%s", why.message);
    level->bytes_per_second = hs_links_sends_least(links);
    return HS_OK;
}

static bool has_bandwidth(const struct hs_place *place)
{
    return !is_links(place->object);
}

static const struct hs_field level_rows[] = {
    {"name", HS_TEXT, LEVEL(name), .form = &level_form},
    {"arity", HS_INTEGER, LEVEL(arity), .presence = HS_NULL, .min = 1, .max = HS_NP_MAX,
     .about = "Children that make one unit of this level; null or absent (last level only): as "
              "many as needed."},
    {"fabric", HS_CHOICE, LEVEL(fabric), HS_NAMES(hs_fabric_names), HS_WITH(HS_FABRIC_SWITCH),
     .about = "mesh: each pair of children has a link of its own; switch: any child reaches any "
              "other with all its bandwidth; links: what `links` says."},
    {"latency_us", HS_NUMBER, LEVEL(latency_seconds), .unit = &hs_unit_microseconds,
     .max = HS_LATENCY_MAX * 1e6, .about = "Microseconds; see latency_kind."},
    {"bandwidth_GBps", HS_NUMBER, LEVEL(bytes_per_second), .unit = &hs_unit_gigabytes,
     .min = HS_BANDWIDTH_MIN / 1e9, .max = HS_BANDWIDTH_MAX / 1e9, HS_WITHOUT(0),
     .when = has_bandwidth,
     .about = "What one child of this level can inject into it, per direction, over all its "
              "ports, in 1e9 bytes per second. Not of the fabric links, whose links say it."},
    {"shared_GBps", HS_NUMBER, LEVEL(shared_bytes_per_second), HS_WITHOUT(0),
     .unit = &hs_unit_gigabytes, .min = HS_BANDWIDTH_MIN / 1e9, .max = HS_BANDWIDTH_MAX / 1e9,
     .about = "What all children of a unit inject together, at most, as ranks do that copy in the "
              "memory of one node; absent: no limit."},
    {"relays", HS_INTEGER, LEVEL(links.relays), HS_WITHOUT(0), .max = HS_LINKS_VERTICES - 2,
     .about = "Of the fabric links: what neither sends nor receives, but passes on, such as "
              "switches and CPUs; numbered after the children."},
    {"links", HS_LIST, HS_LIST_AT(struct hs_level, links.items, links.count), HS_OPTIONAL, .min = 1,
     .max = LINKS_MAX, .fields = &link_fields,
     .about = "Of the fabric links: what joins the children."},
    {"eager_bytes", HS_NUMBER, LEVEL(eager_bytes), HS_WITHOUT(0), .max = (double)HS_BYTES_MAX,
     .about = "Longest message that MPI sends without waiting for its partner."},
    {"rendezvous_us", HS_NUMBER, LEVEL(rendezvous_seconds), HS_WITHOUT(0),
     .unit = &hs_unit_microseconds, .max = HS_LATENCY_MAX * 1e6,
     .about = "Microseconds that a longer one waits; of MPI's calls."},
    {"ports", HS_INTEGER, LEVEL(ports), HS_WITH(1), .min = 1, .max = HS_PORTS_MAX,
     .about = "NICs of one child; ranks are assigned to them in blocks."},
    {"striped", HS_BOOL, LEVEL(striped), HS_WITH(true),
     .about = "Whether one ring may draw on all of a child's links at once: all its ports, and "
              "all its links to other children of a mesh."},
    {"source", HS_OBJECT, .presence = HS_ABSENT, .fields = &source_fields, .when = has_source,
     .about = "Per figure: a citation, or a text that begins with the word unverified and says "
              "why this value was taken."},
    {"kind", HS_OBJECT, .presence = HS_ABSENT, .fields = &kind_fields, .when = has_kind,
     .about = "Per figure: how far it may be off. Absent: by the words that its source begins "
              "with (published, fitted, calibrated, guess, unverified), or measured in it; else "
              "vendor."},
};

/* Beside the levels inside of it, of which the list in the system already has the figures. */
static enum hs_status check_level(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_level *level = object, *levels = level - place->at->index;
    int64_t ranks = 1;

    for (const struct hs_level *inner = levels; inner < level; inner++) {
        struct hs_json at = hs_json_element(place->at->parent, (size_t)(inner - levels));

        if (inner->arity == 0)
            return hs_json_fail(&at, err, "arity: missing; only the last level may lack it");
        if (strcmp(inner->name, level->name) == 0)
            return hs_json_fail(place->at, err, "name: \"%s\" is already the name of levels[%zu]",
                                level->name, (size_t)(inner - levels));
        ranks *= inner->arity;
    }
    if (level->arity > 0 && ranks > INT64_MAX / 2 / level->arity)
        return hs_json_fail(place->at, err, "arity: the arities multiply to more than 2^62 ranks");
    return check_links(object, place, err);
}

static const struct hs_fields level_fields = {
    .name = "level",
    HS_ROWS(level_rows, struct hs_level),
    .check = check_level,
    .rules =
        "\"allOf\": [\n"
        "{ \"if\": { \"properties\": { \"fabric\": { \"const\": \"links\" } },\n"
        "          \"required\": [\"fabric\"] },\n"
        "  \"then\": { \"properties\": { \"arity\": { \"type\": \"integer\", \"minimum\": 2,\n"
        "                                           \"maximum\": 64 },\n"
        "                              \"bandwidth_GBps\": false, \"ports\": { \"const\": 1 },\n"
        "                              \"striped\": { \"const\": true } },\n"
        "            \"required\": [\"arity\", \"links\"] },\n"
        "  \"else\": { \"properties\": { \"relays\": { \"const\": 0 }, \"links\": false },\n"
        "            \"required\": [\"bandwidth_GBps\"] } }\n"
        "]",
};

/* ---- published times ---- */

#define PUBLISHED(member) HS_AT(struct hs_published, member)

static const struct hs_field published_rows[] = {
    {"np", HS_INTEGER, PUBLISHED(np), .min = 1, .max = HS_NP_MAX},
    {"message_bytes", HS_INTEGER, PUBLISHED(bytes), .min = 1, .max = (double)HS_BYTES_MAX},
    {"call", HS_TEXT, HS_OWNED(struct hs_published, call), .min = 1,
     .about = "A plan, or the library's default call."},
    {"seconds", HS_TIME, PUBLISHED(seconds), .above = true},
    {"source", HS_TEXT, HS_OWNED(struct hs_published, source), .min = 1},
};
static const struct hs_fields published_fields = {HS_ROWS(published_rows, struct hs_published)};

/* ---- constants of the library ---- */

#define OWN(member) HS_AT(struct hs_own_constant, member)

static const struct hs_field constant_rows[] = {
    {"name", HS_TEXT, OWN(name), .min = 1, .unique = true,
     .about = "As docs/model.md, section 8, has it; in its unit there."},
    {"value", HS_NUMBER, OWN(value), .above = true, .max = 1e9},
    {"low", HS_NUMBER, OWN(low), HS_OPTIONAL, .max = 1e12,
     .about = "Low end of its 95 % interval."},
    {"high", HS_NUMBER, OWN(high), HS_OPTIONAL, .max = 1e12, .about = "Its high end."},
};
static const struct hs_fields constant_fields = {HS_ROWS(constant_rows, struct hs_own_constant)};

/* ---- blocks of kernels ---- */

#define SYSTEM(member) HS_AT(struct hs_system, member)
#define TEXT(member)   HS_OWNED(struct hs_system, member), HS_OPTIONAL

static const struct hs_field block_rows[] = {
    {"GBps", HS_NUMBER, SYSTEM(blocks.GBps), HS_WITHOUT(0), .above = true, .max = 1e6,
     .about = "1e9 bytes per second that one adds to others: a ring, a tree or PAT goes no faster "
              "than so much times its channels. Absent: no limit."},
    {"at_once", HS_INTEGER, SYSTEM(blocks.at_once), HS_WITHOUT(0), .min = 1, .max = 1e6,
     .about = "That the processors of a GPU take: chunks of layers whose channels are more take "
              "turns. Absent: any number."},
    {"source", HS_TEXT, TEXT(blocks_source), .min = 1},
};
static const struct hs_fields block_fields = {HS_ROWS(block_rows, struct hs_system)};

static bool has_blocks(const struct hs_place *place)
{
    const struct hs_system *system = place->object;

    return system->blocks.GBps > 0 || system->blocks.at_once > 0;
}

static bool is_top(const struct hs_place *place)
{
    return !place->parent;
}

/* ---- a system ---- */

static const struct hs_field system_rows[] = {
    {"format", HS_CONSTANT, .text = HS_SYSTEM_FORMAT},
    {"name", HS_TEXT, SYSTEM(name), .form = &system_form,
     .about = "Short name; a shipped system's file is NAME.json."},
    {"title", HS_TEXT, TEXT(title), .about = "One line for people."},
    {"source", HS_TEXT, TEXT(source), .about = "Where the figures come from in general."},
    {"notes", HS_TEXT, TEXT(notes), .about = "Caveats, and what was left out."},
    {"latency_kind", HS_CHOICE, SYSTEM(latency_kind), HS_NAMES(hs_latency_kind_names),
     HS_WITH(HS_LATENCY_UNVERIFIED),
     .about = "What latency_us means: one step of a library's ring, software included "
              "(protocol-step); one small message from memory to memory (wire); or not known "
              "(unverified). One kind per file."},
    {"pipeline_granularity", HS_NUMBER, SYSTEM(pipeline_granularity), HS_WITH(1), .min = 1,
     .max = 1e6,
     .about = "s: how many latencies one ring step pays. 2 in the CCGRID 2019 paper with a wire "
              "latency; 1 where the latency already is that of a whole step."},
    {"launch_us", HS_NUMBER, SYSTEM(launch_seconds), HS_WITH(0), .unit = &hs_unit_microseconds,
     .max = HS_LATENCY_MAX * 1e6, .about = "Microseconds per collective call."},
    {"gap_us", HS_NUMBER, SYSTEM(gap_seconds), HS_WITHOUT(0), .unit = &hs_unit_microseconds,
     .max = HS_LATENCY_MAX * 1e6,
     .about = "Microseconds between a call of a plan and the next one, on top of what the calls "
              "take alone; absent: not known."},
    {"gap_ci95_us", HS_NUMBER, SYSTEM(gap_ci95_seconds), HS_WITHOUT(0),
     .unit = &hs_unit_microseconds, .max = HS_LATENCY_MAX * 1e6,
     .about = "Half width of the 95 % interval of gap_us; absent where not known."},
    {"copy_GBps", HS_NUMBER, SYSTEM(copy_bytes_per_second), HS_WITHOUT(0), .above = true,
     .max = HS_BANDWIDTH_MAX / 1e9, .unit = &hs_unit_gigabytes,
     .about = "GB/s that a process copies within its memory while all do, what a packed "
              "reduce-scatter or allgather waits for; absent: 1000 where NCCL runs, else 8, a "
              "guess."},
    {"executor", HS_CHOICE, SYSTEM(executor), HS_NAMES(hs_executed_by_names),
     HS_WITHOUT(HS_BY_LIBRARY),
     .about = "Who carries stages out: a library that has rings, or the backend host, which has "
              "other algorithms, too."},
    {"levels", HS_LIST, SYSTEM(levels), HS_OTHER(struct hs_system, level_count), .min = 1,
     .max = HS_LEVELS_MAX, .fields = &level_fields, .about = "Innermost first."},
    {"parts", HS_TEXT, TEXT(parts), .min = 1,
     .about = "Where NCCL runs: the GPUs and NICs of a node, such as \"8xH100, 8xNDR400\". Its own "
              "calls are then what stages are, chosen by its rule and priced as published times "
              "are; the figures of the levels stand for other libraries."},
    {"library", HS_CHOICE, SYSTEM(library), HS_WITHOUT(HS_LIBRARY_UNSAID), .first = HS_LIBRARY_NCCL,
     HS_NAMES(hs_library_names),
     .about = "What programs call there by themselves, which `predict` compares a split with; of "
              "nccl, which parts imply, a system names its parts."},
    {"library_version", HS_TEXT, TEXT(library_version), .form = &version_form,
     .about = "Version of NCCL that runs there; its choice of algorithms follows it. Absent: "
              "2.28.9."},
    {"library_algorithm", HS_TEXT, TEXT(library_algorithm), .min = 1,
     .about = "Algorithm that the library is made to run there: of NCCL what NCCL_ALGO names, such "
              "as ring or tree,nvls, of MPI one of its own, such as ring. Where it does not exist "
              "for a call, and where this is absent, the library's rule chooses."},
    {"blocks", HS_OBJECT, .presence = HS_ABSENT, .fields = &block_fields, .when = has_blocks,
     .about = "Of NCCL's kernels, a block for each channel: what they get of one of its GPUs, as "
              "`gpu-probe` measured it."},
    {"constants", HS_LIST, HS_LIST_AT(struct hs_system, constants.items, constants.count),
     HS_OPTIONAL, .max = HS_CONSTANTS_MAX, .fields = &constant_fields,
     .about = "Constants of the library's price that were fitted to this machine's own times; the "
              "others are those that ship."},
    {"constants_residual", HS_NUMBER, SYSTEM(constants.residual), HS_WITHOUT(0), .above = true,
     .max = 100,
     .about = "Root mean square of log(price / time) that the constants leave of those times; "
              "ranges are no narrower."},
    {"published", HS_LIST, HS_LIST_AT(struct hs_system, published.items, published.count),
     HS_OPTIONAL, .max = 10000, .fields = &published_fields, .when = is_top,
     .about = "Times of an AllReduce that were published for this machine, which `predict` shows "
              "beside its own. Results do not repeat them."},
    {"fits", HS_OBJECT, SYSTEM(fits), HS_OTHER(struct hs_system, fits.count), HS_OPTIONAL,
     .fields = &hs_fits_fields},
};

/* What is not a field of the file, but made of one. */
static enum hs_status read_parts(struct hs_system *system, const struct hs_place *place,
                                 struct hs_error *err)
{
    struct hs_error why;

    if (hs_parts_parse(&system->nccl.parts, system->parts, &why))
        return hs_field_fail(place, "parts", err, "%s", why.message);
    if (hs_parts_library(&system->nccl.parts) != HS_LIBRARY_NCCL)
        return hs_field_fail(place, "parts", err, "expected GPUs that NCCL runs on, found %s",
                             system->nccl.parts.gpu.name);
    if (system->nccl.parts.wiring != HS_WIRED_EVENLY)
        return hs_field_fail(place, "parts", err,
                             "expected GPUs behind a switch, in slots or a mesh: of single links "
                             "NCCL's calls have no price");
    system->nccl.gpus = system->nccl.parts.gpu_count;
    system->nccl.parts.blocks = system->blocks;
    if (system->levels[0].arity > 0 && system->nccl.gpus != system->levels[0].arity)
        return hs_field_fail(place, "parts", err, "expected the %lld GPUs of levels[0], found %lld",
                             (long long)system->levels[0].arity, (long long)system->nccl.gpus);
    return HS_OK;
}

static enum hs_status read_constants(struct hs_system *system, const struct hs_place *place,
                                     struct hs_error *err)
{
    enum hs_library library = hs_system_library(system);
    const struct hs_price_model *model =
        library == HS_LIBRARY_NCCL ? &hs_nccl_price_model : &hs_mpi_price_model;
    const char *names[HS_CONSTANTS_MAX];
    struct hs_error why;
    size_t k;

    if (system->constants.count > 0 && (library == HS_LIBRARY_UNSAID || library == HS_LIBRARY_RCCL))
        return hs_field_fail(place, "constants", err, "expected a library that has a price");
    for (k = 0; k < model->count; k++)
        names[k] = model->constants[k].name;
    for (size_t i = 0; i < system->constants.count; i++) {
        if (hs_name_find(&k, system->constants.items[i].name, "constant", names, model->count,
                         &why))
            return hs_field_fail(place, "constants", err, "%s", why.message);
        if (library == HS_LIBRARY_NCCL)
            system->nccl.own[k] = system->constants.items[i].value;
    }
    if (system->constants.count > 0)
        system->nccl.doubt = HS_NCCL_DOUBT_OWN;
    system->nccl.residual = system->constants.residual;
    return HS_OK;
}

enum hs_status hs_system_take_algorithm(struct hs_system *system, struct hs_error *err)
{
    enum hs_library library = hs_system_library(system);
    size_t algorithm;

    if (!system->library_algorithm)
        return HS_OK;
    if (library == HS_LIBRARY_NCCL && system->parts)
        system->nccl.among = hs_nccl_algorithms(system->library_algorithm);
    if (library == HS_LIBRARY_NCCL && system->nccl.among == 0)
        return hs_fail(err, HS_INVALID, "expected algorithms of NCCL such as ring or tree,nvls");
    if (library == HS_LIBRARY_UNSAID || library == HS_LIBRARY_RCCL)
        return hs_fail(err, HS_INVALID, "expected a library whose algorithms have prices");
    if (library != HS_LIBRARY_NCCL)
        return hs_name_find(&algorithm, system->library_algorithm, "algorithm",
                            hs_mpi_algorithm_names, HS_MPI_ALGORITHM_COUNT, err);
    return HS_OK;
}

static enum hs_status check_system(void *object, const struct hs_place *place, struct hs_error *err)
{
    struct hs_system *system = object;
    bool says_nccl = system->library == HS_LIBRARY_NCCL;
    enum hs_status status = HS_OK;
    struct hs_error why;

    if (system->library && says_nccl != (system->parts != NULL))
        return hs_field_fail(place, "library", err,
                             "expected nccl where there are parts, and there alone");
    if (system->library_version && !system->parts)
        return hs_field_fail(place, "library_version", err, "expected parts, on which NCCL runs");
    if ((system->blocks.GBps > 0 || system->blocks.at_once > 0) && !system->parts)
        return hs_field_fail(place, "blocks", err, "expected parts, on which NCCL runs");
    if (system->parts)
        status = read_parts(system, place, err);
    if (system->library_version)
        system->nccl.version = hs_nccl_version_parse(system->library_version);
    system->levels[0].links.fixed_ways = system->executor == HS_BY_HOST;
    if (!status && hs_system_take_algorithm(system, &why))
        status = hs_field_fail(place, "library_algorithm", err, "%s", why.message);
    return status ? status : read_constants(system, place, err);
}

const struct hs_fields hs_system_fields = {
    .id = HS_SCHEMA_ID HS_SYSTEM_VERSION,
    .title = "hiersearch system file",
    .about = "A machine as a tree of levels, innermost first. Rules that a schema cannot "
             "state are checked by the reader: level names are unique, only the last level may "
             "lack an arity or have a null one, and fits are for layers that lie on their level, "
             "with a range that covers their size, no two for the same layers.",
    HS_ROWS(system_rows, struct hs_system),
    .check = check_system,
};

enum hs_status hs_system_load(struct hs_system *system, const char *path, struct hs_error *err)
{
    return hs_fields_load(&hs_system_fields, system, path, err);
}

enum hs_status hs_system_print(struct hs_text *out, const struct hs_system *system,
                               struct hs_error *err)
{
    return hs_fields_print(out, &hs_system_fields, system, false, err);
}

enum hs_status hs_system_copy(struct hs_system *copy, const struct hs_system *system,
                              struct hs_error *err)
{
    enum hs_status status = hs_fields_copy(&hs_system_fields, copy, system, err);

    copy->graph = NULL;
    return status;
}

bool hs_system_equal(const struct hs_system *a, const struct hs_system *b)
{
    return hs_fields_equal(&hs_system_fields, a, b);
}
