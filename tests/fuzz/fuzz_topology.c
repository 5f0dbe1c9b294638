/*
 * Any bytes are a topology or are refused in one line; of what is read a system can be proposed or
 * that is refused in one line; a proposed system is one that can be printed and read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect/topology_file.h"
#include "estimate/system_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *invariant)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", invariant);
        abort();
    }
}

static void check_system(const struct hs_system *system)
{
    struct hs_system again;
    struct hs_text text = {0};
    struct hs_error err = {HS_OK, ""};

    require(system->level_count > 0, "a system has levels");
    require(hs_system_print(&text, system, &err) == HS_OK, "a system can be printed");
    require(hs_fields_parse(&hs_system_fields, &again, "printed", text.data, text.length, &err) ==
                HS_OK,
            "what is printed is a system");
    hs_system_release(&again);
    hs_text_release(&text);
}

static void check_node(const struct hs_node *node)
{
    struct hs_system system = {.level_count = 0};
    struct hs_error err = {HS_OK, ""};
    struct hs_text text = {0};

    require(node->gpu_count <= HS_NODE_GPUS_MAX && node->nic_count <= HS_NODE_NICS_MAX,
            "counts are in their bounds");
    hs_node_print(&text, node);
    for (size_t i = 0; i < text.length; i++)
        require(text.data[i] == '\n' || (text.data[i] >= ' ' && text.data[i] <= '~'),
                "what is shown is text");
    hs_text_release(&text);
    if (hs_node_propose(&system, node, &err) == HS_OK)
        check_system(&system);
    else
        require(err.message[0] != '\0' && !strchr(err.message, '\n'), "a refusal is one line");
    hs_system_release(&system);
}

/* Behind a byte 1 begins a second file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_node *node = malloc(sizeof(*node));
    char *text = malloc(size + 1), *second;
    struct hs_error err = {HS_OK, ""};
    enum hs_status status;

    require(node != NULL && text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    second = memchr(text, 1, size);
    if (second != NULL)
        *second++ = '\0';
    hs_node_init(node);
    status = hs_topology_parse(node, "fuzz", text, second ? strlen(text) : size, &err);
    if (status == HS_OK && second != NULL)
        status = hs_topology_parse(node, "second", second, (size_t)(text + size - second), &err);
    if (status == HS_OK)
        check_node(node);
    else
        require(err.message[0] != '\0' && !strchr(err.message, '\n'), "a refusal is one line");
    hs_node_release(node);
    free(node);
    free(text);
    return 0;
}
