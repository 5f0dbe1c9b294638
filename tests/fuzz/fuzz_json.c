/*
 * Any bytes as JSON: what the scanner accepts, cJSON accepts, and printing it gives a text that is
 * read back and printed the same. Every accepted value can be reached through cursors without a
 * stop.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_parts.h"
#include "base/json_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* abort() where an invariant is broken: assert() may be compiled out. */
static void require(bool holds, const char *invariant)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", invariant);
        abort();
    }
}

/* A complaint is one line that begins with the document's name. */
static void check_refusal(const struct hs_error *err)
{
    require(err->status == HS_INVALID, "bad text is HS_INVALID");
    require(strncmp(err->message, "fuzz:", 5) == 0, "the message begins with the name");
    require(strlen(err->message) < HS_ERROR_MESSAGE_BYTES, "the message ends");
    require(strchr(err->message, '\n') == NULL, "the message is one line");
}

/* Asks every value for every type; what comes back is used, so that a bad pointer shows. */
static void visit(const struct hs_json *at)
{
    static const char *const names[] = {"a", "name", "levels"};
    static const struct hs_json_bounds bounds = {0, 1e9, true};
    struct hs_error err = {HS_OK, ""};
    struct hs_json child;
    const char *text;
    uint64_t whole;
    int64_t integer;
    double number;
    size_t count, choice;
    bool flag;

    hs_json_array(&count, at, 0, 1000000, &err);
    hs_json_object(at, names, 3, &err);
    hs_json_read_number(&number, at, &bounds, &err);
    hs_json_read_integer(&integer, at, -5, 5, &err);
    hs_json_read_whole(&whole, at, 0, &err);
    hs_json_read_bool(&flag, at, &err);
    hs_json_read_choice(&choice, at, names, 3, &err);
    if (hs_json_read_string(&text, at, &err) == HS_OK)
        require(strlen(text) < SIZE_MAX / 2, "a text ends");
    for (child = hs_json_first(at); child.node; hs_json_next(&child)) {
        if (child.key)
            require(hs_json_find(at, child.key).node == child.node, "keys are unique");
        visit(&child);
    }
}

static void write_value(struct hs_json_writer *w, const struct hs_json *at)
{
    bool object = cJSON_IsObject(at->node);
    struct hs_json child;

    if (cJSON_IsString(at->node)) {
        hs_json_write_text(w, at->key, at->node->valuestring);
    } else if (cJSON_IsNumber(at->node)) {
        hs_json_write_number(w, at->key, at->node->valuedouble);
    } else if (cJSON_IsBool(at->node)) {
        hs_json_write_bool(w, at->key, cJSON_IsTrue(at->node));
    } else if (cJSON_IsNull(at->node)) {
        hs_json_write_raw(w, at->key, "null");
    } else {
        hs_json_open(w, at->key, object ? '{' : '[');
        for (child = hs_json_first(at); child.node; hs_json_next(&child))
            write_value(w, &child);
        hs_json_close(w, object ? '}' : ']');
    }
}

static void print(struct hs_text *text, const struct hs_json_document *document, bool compact)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_json_writer w = {.text = text, .err = &err, .compact = compact};
    struct hs_json top = hs_json_top(document);

    write_value(&w, &top);
    require(hs_json_finish(&w) == HS_OK, "what was read can be printed");
}

static void check_round_trip(const struct hs_json_document *document, bool compact)
{
    struct hs_text first = {0}, second = {0};
    struct hs_json_document again;
    struct hs_error err = {HS_OK, ""};

    print(&first, document, compact);
    require(hs_json_parse(&again, "fuzz", first.data, first.length, &err) == HS_OK,
            "what was printed can be read");
    print(&second, &again, compact);
    require(strcmp(first.data, second.data) == 0, "printing twice gives the same");
    require(cJSON_Compare(document->root, again.root, true), "the values are the same");
    hs_json_release(&again);
    hs_text_release(&first);
    hs_text_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};
    struct hs_json top;
    char *text = malloc(size > 0 ? size : 1); /* AddressSanitizer sees a read beyond it */

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    if (hs_json_scan("fuzz", text, size, &err) == HS_OK) {
        struct cJSON *root = cJSON_ParseWithLengthOpts(text, size, NULL, false);

        require(root != NULL, "what the scanner accepts, cJSON accepts");
        cJSON_Delete(root);
    }
    if (hs_json_parse(&document, "fuzz", text, size, &err) == HS_OK) {
        top = hs_json_top(&document);
        visit(&top);
        check_round_trip(&document, false);
        check_round_trip(&document, true);
    } else {
        check_refusal(&err);
    }
    hs_json_release(&document);
    free(text);
    return 0;
}
