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

/* Asks every member for every type; what comes back is used, so that a bad pointer shows. */
static void visit(const struct hs_json *at)
{
    static const char *const names[] = {"a", "name", "levels"};
    static const struct hs_json_bounds bounds = {0, 1e9, true};
    const struct cJSON *child;
    struct hs_error err = {HS_OK, ""};
    const char *text;
    int64_t integer;
    double number;
    size_t count, choice;

    if (hs_json_array(&count, at, 0, 1000000, &err) == HS_OK) {
        for (size_t i = 0; i < count && i < 100; i++) {
            struct hs_json element = hs_json_element(at, i);

            visit(&element);
        }
        return;
    }
    hs_json_object(at, names, 3, &err);
    for (child = at->node->child; child != NULL; child = child->next) {
        struct hs_json member;

        require(hs_json_member(&member, at, child->string, &err) == HS_OK, "a member is found");
        require(member.node == child, "keys are unique");
        hs_json_number(&number, at, child->string, &bounds, &err);
        hs_json_integer(&integer, at, child->string, -5, 5, &err);
        hs_json_choice_or(&choice, at, child->string, names, 3, 0, &err);
        if (hs_json_string(&text, at, child->string, &err) == HS_OK)
            require(strlen(text) < SIZE_MAX / 2, "a text ends");
        visit(&member);
    }
}

static void print(struct hs_text *text, const struct hs_json_document *document)
{
    struct hs_error err = {HS_OK, ""};

    require(hs_json_print(text, document->root, &err) == HS_OK, "what was read can be printed");
}

static void check_round_trip(const struct hs_json_document *document)
{
    struct hs_text first = {0}, second = {0};
    struct hs_json_document again;
    struct hs_error err = {HS_OK, ""};

    print(&first, document);
    require(hs_json_parse(&again, "fuzz", first.data, first.length, &err) == HS_OK,
            "what was printed can be read");
    print(&second, &again);
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
        check_round_trip(&document);
    } else {
        check_refusal(&err);
    }
    hs_json_release(&document);
    free(text);
    return 0;
}
