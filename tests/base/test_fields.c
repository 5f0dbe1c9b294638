/*
 * Tables of fields on a struct that has one of every kind: read, refused, written, copied,
 * compared, described.
 */
#include "base/fields.h"

#include "test.h"

/* ---- a file format of every kind ---- */

enum color { RED = 1, GREEN, BLUE };
static const char *const colors[] = {"red", "green", "blue"};

struct point {
    char *name;
    double x;
};

struct place {
    int64_t row;
};

struct extra {
    double seconds, half_width;
};

struct thing {
    char title[8];
    char *note;
    int64_t count;
    int small;
    uint64_t many;
    double length;
    bool on, has_place;
    enum color color;
    int favourite; /* a point */
    double ends[2];
    double *times;
    size_t time_count;
    struct hs_fact *facts;
    size_t fact_count;
    struct point *points;
    size_t point_count;
    char **words;
    size_t word_count;
    struct place place;
    struct place *far; /* owned */
    struct extra *extra;
    int hex;
};

static const struct hs_fields thing_fields;

static bool is_lower(const char *text)
{
    return text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz") == strlen(text);
}
static const struct hs_text_form lower = {is_lower, "small letters", "^[a-z]+$"};

static enum hs_status parse_hex(void *value, const char *text, const struct hs_place *place,
                                struct hs_error *why)
{
    const struct thing *thing = hs_place_of(place, &thing_fields);
    char *end;

    *(int *)value = (int)strtol(text, &end, 16);
    if (*end || *(int *)value > thing->count)
        return hs_fail(why, HS_INVALID, "no hexadecimal number up to %d: %s", (int)thing->count,
                       text);
    return HS_OK;
}

static const char *format_hex(char text[HS_FIELD_TEXT], const void *value,
                              const struct hs_place *place)
{
    (void)place;
    snprintf(text, HS_FIELD_TEXT, "%x", (unsigned)*(const int *)value);
    return text;
}
static const struct hs_field_custom hex = {parse_hex, format_hex, "^[0-9a-f]+$"};

static double double_from(double value)
{
    return value * 2;
}

static double double_to(double value)
{
    return value / 2;
}
static const struct hs_file_unit pairs = {double_from, double_to};

static double area(const struct hs_place *place)
{
    return pow(((const struct thing *)place->object)->length, 2);
}

static size_t list_points(const char *names[HS_CHOICES_MAX], const struct hs_place *place)
{
    const struct thing *thing = hs_place_of(place, &thing_fields);

    for (size_t i = 0; i < thing->point_count; i++)
        names[i] = thing->points[i].name;
    return thing->point_count;
}

/* A point looks at the list that it is not yet in. */
static enum hs_status check_point(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct thing *thing = hs_place_of(place, &thing_fields);

    assert_int_equal(thing->point_count, 0);
    assert_ptr_equal(object, place->object);
    assert_ptr_equal(place->parent->object, thing);
    if (((const struct point *)object)->x > 100)
        return hs_json_fail(place->at, err, "too far");
    return HS_OK;
}

static const struct hs_field point_rows[] = {
    {"name", HS_TEXT, HS_OWNED(struct point, name), .min = 1, .unique = true},
    {"x", HS_NUMBER, HS_AT(struct point, x), HS_OPTIONAL, HS_NOT_NEGATIVE},
};
static const struct hs_fields point_fields = {
    .name = "point", HS_ROWS(point_rows, struct point), .check = check_point};

static const struct hs_field word_row[] = {{NULL, HS_TEXT, .owned = true, .form = &lower}};
static const struct hs_fields word = {HS_ROWS(word_row, char *)};

static const struct hs_field place_rows[] = {
    {"row", HS_INTEGER, HS_AT(struct place, row), HS_WITH(7), .min = 1, .max = 9, .about = "Of 9."},
};
static const struct hs_fields place_fields = {HS_ROWS(place_rows, struct place)};

static enum hs_status begin_extra(void *object, const struct hs_place *place, struct hs_error *err)
{
    assert_true(isnan(((const struct extra *)object)->half_width));
    if (((const struct thing *)place->parent->object)->on)
        return HS_OK;
    return hs_field_fail(place, "seconds", err, "only where it is on");
}

static const struct hs_field extra_rows[] = {
    {"seconds", HS_NUMBER, HS_AT(struct extra, seconds), HS_NOT_NEGATIVE},
    {"interval", HS_INTERVAL, HS_AT(struct extra, half_width), HS_OTHER(struct extra, seconds),
     HS_OPTIONAL},
};
static const struct hs_fields extra_fields = {HS_ROWS(extra_rows, struct extra),
                                              .begin = begin_extra};

#define THING(member)       HS_AT(struct thing, member)
#define LIST(member, count) HS_LIST_AT(struct thing, member, count)

static const struct hs_field thing_rows[] = {
    {"format", HS_CONSTANT, .text = "thing/1"},
    {"title", HS_TEXT, THING(title), .about = "What it is called."},
    {"note", HS_TEXT, HS_OWNED(struct thing, note), HS_OPTIONAL},
    {"count", HS_INTEGER, THING(count), .min = 1, .max = 1e15},
    {"small", HS_INTEGER, THING(small), .presence = HS_NULL, .min = -9, .max = 9},
    {"many", HS_WHOLE, THING(many)},
    {"length", HS_NUMBER, THING(length), HS_WITH(3), .above = true, .max = 1e6, .unit = &pairs},
    {"area", HS_NUMBER, HS_OPTIONAL, HS_NOT_NEGATIVE, .compute = area},
    {"on", HS_BOOL, THING(on), HS_WITHOUT(false)},
    {"color", HS_CHOICE, THING(color), HS_NAMES(colors), .first = RED, HS_WITH(GREEN)},
    {"ends", HS_SECONDS, THING(ends), HS_OPTIONAL, .min = 2, .max = 2},
    {"times", HS_SECONDS, LIST(times, time_count), HS_OPTIONAL, .max = 4},
    {"facts", HS_FACTS, LIST(facts, fact_count), .max = 3},
    {"points", HS_LIST, LIST(points, point_count), .min = 1, .max = 3, .fields = &point_fields},
    {"favourite", HS_CHOICE, THING(favourite), .list = list_points},
    {"words", HS_LIST, LIST(words, word_count), HS_OPTIONAL, .max = 3, .fields = &word},
    {"place", HS_OBJECT, THING(place), HS_OTHER(struct thing, has_place), HS_OPTIONAL,
     .fields = &place_fields},
    {"far", HS_OBJECT, HS_OWNED(struct thing, far), HS_OPTIONAL, .fields = &place_fields},
    {"seconds", HS_PART, HS_OWNED(struct thing, extra), HS_OPTIONAL, .fields = &extra_fields},
    {"hex", HS_CUSTOM, THING(hex), HS_OTHER(struct thing, hex), HS_OPTIONAL, .custom = &hex},
};
static const struct hs_fields thing_fields = {
    .id = "https://example.invalid/thing/1", .title = "thing", HS_ROWS(thing_rows, struct thing)};

static const char whole[] = "{\n"
                            "  \"format\": \"thing/1\",\n"
                            "  \"title\": \"a thing\",\n"
                            "  \"note\": \"\",\n"
                            "  \"count\": 255,\n"
                            "  \"small\": -3,\n"
                            "  \"many\": \"18446744073709551615\",\n"
                            "  \"length\": 0.25,\n"
                            "  \"area\": 0.25,\n"
                            "  \"on\": true,\n"
                            "  \"color\": \"blue\",\n"
                            "  \"ends\": [0.5, 0.25],\n"
                            "  \"times\": [1, 2.5, 0],\n"
                            "  \"facts\": {\n"
                            "    \"b\": \"two\",\n"
                            "    \"a\": \"one\"\n"
                            "  },\n"
                            "  \"points\": [\n"
                            "    {\n"
                            "      \"name\": \"p\",\n"
                            "      \"x\": 1.5\n"
                            "    },\n"
                            "    {\n"
                            "      \"name\": \"q\"\n"
                            "    }\n"
                            "  ],\n"
                            "  \"favourite\": \"q\",\n"
                            "  \"words\": [\n"
                            "    \"some\",\n"
                            "    \"words\"\n"
                            "  ],\n"
                            "  \"place\": {\n"
                            "    \"row\": 1\n"
                            "  },\n"
                            "  \"far\": {\n"
                            "    \"row\": 9\n"
                            "  },\n"
                            "  \"seconds\": 2,\n"
                            "  \"interval\": [1.5, 2.5],\n"
                            "  \"hex\": \"ff\"\n"
                            "}\n";

#define LEAST                                                                                      \
    "{\"format\":\"thing/1\",\"title\":\"\",\"count\":1,\"many\":0,\"facts\":{},\"points\":[{"     \
    "\"name\":\"p\"}],\"favourite\":\"p\""

static struct thing parsed(const char *text)
{
    struct thing thing;
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_fields_parse(&thing_fields, &thing, "x.json", text, strlen(text), &err),
                     HS_OK, &err);
    return thing;
}

static char *print(const struct thing *thing, bool compact)
{
    struct hs_text text = {0};
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_fields_print(&text, &thing_fields, thing, compact, &err), HS_OK, &err);
    return text.data;
}

static void release(struct thing *thing)
{
    static const struct thing none;

    hs_fields_release(&thing_fields, thing);
    assert_memory_equal(thing, &none, sizeof(none));
}

/* ---- reading ---- */

static void every_kind_is_read(void **state)
{
    struct thing thing = parsed(whole);

    (void)state;
    assert_string_equal(thing.title, "a thing");
    assert_string_equal(thing.note, "");
    assert_true(thing.count == 255 && thing.small == -3 && thing.many == UINT64_MAX);
    assert_true(thing.length == 0.5 && thing.on && thing.color == BLUE);
    assert_true(thing.ends[0] == 0.5 && thing.ends[1] == 0.25);
    assert_true(thing.time_count == 3 && thing.times[1] == 2.5 && thing.times[2] == 0);
    assert_int_equal(thing.fact_count, 2);
    assert_string_equal(thing.facts[1].name, "a");
    assert_string_equal(thing.facts[1].text, "one");
    assert_int_equal(thing.point_count, 2);
    assert_true(thing.points[0].x == 1.5 && isnan(thing.points[1].x));
    assert_string_equal(thing.points[thing.favourite].name, "q");
    assert_int_equal(thing.word_count, 2);
    assert_string_equal(thing.words[1], "words");
    assert_true(thing.has_place && thing.place.row == 1 && thing.far->row == 9);
    assert_true(thing.extra->seconds == 2 && thing.extra->half_width == 0.5);
    assert_int_equal(thing.hex, 255);
    release(&thing);
}

static void what_is_absent_takes_its_fallback(void **state)
{
    struct thing thing = parsed(LEAST ",\"place\":{},\"small\":null}");

    (void)state;
    assert_true(thing.length == 3 && !thing.on && thing.color == GREEN && thing.small == 0);
    assert_true(isnan(thing.ends[0]) && isnan(thing.ends[1]) && isnan(thing.points[0].x));
    assert_true(!thing.note && !thing.times && !thing.far && !thing.extra && thing.hex == 0);
    assert_true(thing.has_place && thing.place.row == 7);
    release(&thing);
    thing = parsed(LEAST "}");
    assert_true(!thing.has_place && thing.small == 0);
    release(&thing);
}

/* What stands behind LEAST, and the complaint. */
static const struct {
    const char *more, *line;
} wrong[] = {
    {",\"colr\":1}", "colr: unknown key, did you mean \"color\"?"},
    {",\"note\":null}", "note: expected a text in double quotes, found null"},
    {",\"small\":10}", "small: expected a whole number from -9 to 9, found 10"},
    {",\"length\":0}", "length: expected a number above 0, found 0"},
    {",\"length\":1000001}", "length: expected a number of at most 1000000, found 1000001"},
    {",\"area\":-1}", "area: expected a number of at least 0, found -1"},
    {",\"on\":1}", "on: expected true or false, found 1"},
    {",\"color\":\"rad\"}", "color: unknown value \"rad\", did you mean \"red\"?"},
    {",\"ends\":[1]}", "ends: expected an array of at least 2 elements, found 1"},
    {",\"ends\":[1,-1]}", "ends[1]: expected seconds, 0 or from 1e-60 to 1e+64, found -1"},
    {",\"times\":[0,1,2,3,4]}", "times: expected an array of at most 4 elements, found 5"},
    {",\"times\":[null]}", "times[0]: expected seconds, 0 or from 1e-60 to 1e+64, found null"},
    {",\"words\":[\"a\",\"B\"]}", "words[1]: expected small letters, found \"B\""},
    {",\"words\":[\"a\",3]}", "words[1]: expected a text in double quotes, found 3"},
    {",\"place\":[]}", "place: expected an object, found an array"},
    {",\"place\":{\"row\":0}}", "place.row: expected a whole number from 1 to 9, found 0"},
    {",\"far\":{\"raw\":1}}", "far.raw: unknown key, did you mean \"row\"?"},
    {",\"interval\":[1,2]}",
     "interval: unknown key, expected \"format\", \"title\", \"note\", \"count\", \"small\", "
     "\"many\", \"length\", \"area\", \"on\", \"color\", \"ends\", \"times\", \"facts\", "
     "\"points\", \"favourite\", \"words\", \"place\", \"far\" or \"hex\""},
    {",\"seconds\":1}", "seconds: only where it is on"},
    {",\"on\":true,\"seconds\":1,\"interval\":[2,3]}",
     "interval: expected an interval around 1, found 2 to 3"},
    {",\"on\":true,\"seconds\":1,\"interval\":[0,1,2]}",
     "interval: expected an array of at most 2 elements, found 3"},
    {",\"hex\":\"2\"}", "hex: no hexadecimal number up to 1: 2"},
    {",\"hex\":2}", "hex: expected a text in double quotes, found 2"},
};

/* Whole documents, and the complaint. */
static const struct {
    const char *text, *line;
} bad[] = {
    {"[]", "expected an object, found an array"},
    {"{}", "format: missing"},
    {"{\"format\":\"thing/2\"}", "format: expected \"thing/1\", found \"thing/2\""},
    {"{\"format\":\"thing/1\",\"title\":\"12345678\"}", "title: longer than 7 bytes"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1.5}",
     "count: expected a whole number from 1 to 1000000000000000, found 1.5"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1}", "many: missing"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":[]}",
     "facts: expected an object of names and texts"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{\"a\":1}}",
     "facts.a: expected a text in double quotes, found 1"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{\"\":\"a\"}}",
     "facts: there is a fact without a name"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{\"a\":\"\",\"b\":"
     "\"\",\"c\":\"\",\"d\":\"\"}}",
     "facts: expected 3 facts at most"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{},\"points\":[]}",
     "points: expected an array of at least 1 elements, found 0"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{},\"points\":[{"
     "\"name\":\"\"}]}",
     "points[0].name: expected a text that is not empty"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{},\"points\":[{"
     "\"name\":\"a\"},{\"name\":\"b\",\"x\":101}]}",
     "points[1]: too far"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{},\"points\":[{"
     "\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}]}",
     "points[2].name: \"a\" is already that of points[0]"},
    {"{\"format\":\"thing/1\",\"title\":\"x\",\"count\":1,\"many\":0,\"facts\":{},\"points\":[{"
     "\"name\":\"a\"}],\"favourite\":\"b\"}",
     "favourite: expected \"a\", found \"b\""},
};

static void check_refused(const char *text, const char *line)
{
    static const struct thing none;
    struct hs_error err = {HS_OK, ""};
    struct thing thing;
    char expected[512];

    snprintf(expected, sizeof(expected), "x.json: %s", line);
    memset(&thing, 0xff, sizeof(thing));
    assert_int_equal(hs_fields_parse(&thing_fields, &thing, "x.json", text, strlen(text), &err),
                     HS_INVALID);
    assert_string_equal(err.message, expected);
    assert_memory_equal(&thing, &none, sizeof(none));
}

static void what_is_wrong_is_refused_with_its_place(void **state)
{
    char text[512];

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        snprintf(text, sizeof(text), LEAST "%s", wrong[i].more);
        check_refused(text, wrong[i].line);
    }
    for (size_t i = 0; i < HS_COUNT(bad); i++)
        check_refused(bad[i].text, bad[i].line);
}

/* How a format goes on: older files are read, new ones written. */
static void a_constant_of_a_form_takes_what_is_of_the_form(void **state)
{
    static const struct hs_field row[] = {
        {"name", HS_CONSTANT, .text = "newer", .form = &lower, .about = "As a format."}};
    static const struct hs_fields fields = {HS_ROWS(row, char)};
    struct hs_error err = {HS_OK, ""};
    struct hs_text text = {0};
    char none;

    (void)state;
    assert_status_is(hs_fields_parse(&fields, &none, "x.json", "{\"name\":\"old\"}", 14, &err),
                     HS_OK, &err);
    assert_status_is(hs_fields_print(&text, &fields, &none, true, &err), HS_OK, &err);
    assert_string_equal(text.data, "{\"name\":\"newer\"}\n");
    assert_int_equal(hs_fields_parse(&fields, &none, "x.json", "{\"name\":\"Old\"}", 14, &err),
                     HS_INVALID);
    assert_string_equal(err.message, "x.json: name: expected small letters, found \"Old\"");
    hs_text_release(&text);
}

/* ---- writing ---- */

static void what_was_read_is_written_as_it_was(void **state)
{
    struct thing thing = parsed(whole);
    char *text = print(&thing, false);

    (void)state;
    assert_string_equal(text, whole);
    free(text);
    release(&thing);
    thing = parsed(LEAST "}");
    text = print(&thing, true);
    assert_string_equal(text, "{\"format\":\"thing/1\",\"title\":\"\",\"count\":1,\"small\":null,"
                              "\"many\":0,\"length\":1.5,\"area\":9,\"color\":\"green\",\"facts\":"
                              "{},\"points\":[{\"name\":\"p\"}],\"favourite\":\"p\"}\n");
    free(text);
    release(&thing);
}

static void half_an_interval_stays_as_it_is(void **state)
{
    unsigned seed = 3;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct thing thing = parsed(whole), again;
        double high = thing.extra->seconds = rand_r(&seed) / 1e7;
        char *text;

        thing.extra->half_width = rand_r(&seed) / 3e9;
        high += thing.extra->half_width;
        text = print(&thing, true);
        again = parsed(text);
        assert_true(again.extra->seconds == thing.extra->seconds);
        assert_true(again.extra->seconds + again.extra->half_width == high);
        free(text);
        release(&thing);
        release(&again);
    }
}

static void seconds_that_are_none_are_not_written(void **state)
{
    struct thing thing = parsed(whole);
    struct hs_error err = {HS_OK, ""};
    struct hs_text text = {0};

    (void)state;
    thing.ends[1] = NAN; /* in place: both or none */
    thing.length = INFINITY;
    assert_int_equal(hs_fields_print(&text, &thing_fields, &thing, true, &err), HS_OK);
    assert_null(strstr(text.data, "ends"));
    assert_null(strstr(text.data, "length"));
    thing.times[1] = -1;
    assert_int_equal(hs_fields_print(&text, &thing_fields, &thing, true, &err), HS_FAILED);
    assert_string_equal(err.message, "times[1]: expected seconds of 0 or more, found -1");
    hs_text_release(&text);
    release(&thing);
}

/* ---- copying and comparing ---- */

static void a_copy_owns_its_own(void **state)
{
    static const char *const texts[] = {whole, LEAST "}"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(texts); i++) {
        struct thing thing = parsed(texts[i]), copy;
        char *before = print(&thing, false), *after;

        assert_int_equal(hs_fields_copy(&thing_fields, &copy, &thing, NULL), HS_OK);
        assert_true(hs_fields_equal(&thing_fields, &copy, &thing));
        thing.points[0].name[0] = 'z';
        assert_false(hs_fields_equal(&thing_fields, &copy, &thing));
        release(&thing);
        after = print(&copy, false);
        assert_string_equal(before, after);
        free(before);
        free(after);
        release(&copy);
    }
}

static void any_difference_counts(void **state)
{
    struct thing a = parsed(whole), b = parsed(whole);

    (void)state;
    assert_true(hs_fields_equal(&thing_fields, &a, &b));
#define DIFFERS(member, other)                                                                     \
    do {                                                                                           \
        struct thing kept = b;                                                                     \
        b.member = (other);                                                                        \
        assert_false(hs_fields_equal(&thing_fields, &a, &b));                                      \
        b = kept;                                                                                  \
    } while (0)
    DIFFERS(title[0], 'b');
    DIFFERS(note, NULL);
    DIFFERS(count, 254);
    DIFFERS(small, 0);
    DIFFERS(many, 1);
    DIFFERS(length, nextafter(0.5, 1));
    DIFFERS(on, false);
    DIFFERS(has_place, false);
    DIFFERS(color, RED);
    DIFFERS(favourite, 0);
    DIFFERS(ends[1], NAN);
    DIFFERS(time_count, 2);
    DIFFERS(fact_count, 1);
    DIFFERS(word_count, 0);
    DIFFERS(place.row, 2);
    DIFFERS(far, NULL);
    DIFFERS(extra, NULL);
    DIFFERS(hex, 0);
    assert_true(hs_fields_equal(&thing_fields, &a, &b));
    b.points[0].x = 1.25;
    assert_false(hs_fields_equal(&thing_fields, &a, &b));
    release(&a);
    release(&b);
}

/* ---- the schema ---- */

static void the_schema_says_what_the_rows_say(void **state)
{
    static const char *const parts[] = {
        "\"$id\": \"https://example.invalid/thing/1\"",
        "\"required\": [\n    \"format\",\n    \"title\",\n    \"count\",\n    \"many\",\n"
        "    \"facts\",\n    \"points\",\n    \"favourite\"\n  ]",
        "\"format\": {\n      \"const\": \"thing/1\"\n    }",
        "\"title\": {\n      \"description\": \"What it is called.\",\n      \"type\": "
        "\"string\",\n      \"maxLength\": 7\n    }",
        "\"note\": {\n      \"type\": \"string\"\n    }",
        "\"count\": {\n      \"type\": \"integer\",\n      \"minimum\": 1,\n      \"maximum\": "
        "1000000000000000\n    }",
        "\"minimum\": -9,\n          \"maximum\": 9\n        },\n        { \"type\": \"null\" }",
        "\"length\": {\n      \"type\": \"number\",\n      \"exclusiveMinimum\": 0,\n      "
        "\"maximum\": 1000000,\n      \"default\": 3\n    }",
        "\"enum\": [\n        \"red\",\n        \"green\",\n        \"blue\"\n      ],\n      "
        "\"default\": \"green\"",
        "\"ends\": {\n      \"type\": \"array\",\n      \"minItems\": 2,\n      \"maxItems\": 2,",
        "\"items\": {\n        \"$ref\": \"#/$defs/point\"\n      }",
        "\"items\": {\n        \"type\": \"string\",\n        \"pattern\": \"^[a-z]+$\"\n      }",
        "\"description\": \"Of 9.\",\n          \"type\": \"integer\"",
        "\"interval\": {\n      \"type\": \"array\",\n      \"minItems\": 2,",
        "\"$defs\": {\n    \"point\": {\n      \"type\": \"object\",",
    };
    struct hs_text schema = {0};
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};

    (void)state;
    assert_status_is(hs_fields_print_schema(&schema, &thing_fields, &err), HS_OK, &err);
    assert_status_is(hs_json_parse(&document, "schema", schema.data, schema.length, &err), HS_OK,
                     &err);
    for (size_t i = 0; i < HS_COUNT(parts); i++)
        assert_has(schema.data, parts[i]);
    hs_json_release(&document);
    hs_text_release(&schema);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("every kind is read", every_kind_is_read),
    HS_TEST("what is absent takes its fallback", what_is_absent_takes_its_fallback),
    HS_TEST("what is wrong is refused with its place", what_is_wrong_is_refused_with_its_place),
    HS_TEST("a constant of a form takes what is of the form",
            a_constant_of_a_form_takes_what_is_of_the_form),
    HS_TEST("what was read is written as it was", what_was_read_is_written_as_it_was),
    HS_TEST("half an interval stays as it is", half_an_interval_stays_as_it_is),
    HS_TEST("seconds that are none are not written", seconds_that_are_none_are_not_written),
    HS_TEST("a copy owns its own", a_copy_owns_its_own),
    HS_TEST("any difference counts", any_difference_counts),
    HS_TEST("the schema says what the rows say", the_schema_says_what_the_rows_say),
};
HS_TEST_MAIN(tests)
