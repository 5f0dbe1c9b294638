#include "model/mesh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Bytes of the name at the beginning of a text; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t length = 0;

    if (!is_letter(text[0]))
        return 0;
    while (is_letter(text[length]) || (text[length] >= '0' && text[length] <= '9') ||
           text[length] == '-' || text[length] == '_')
        length++;
    return length;
}

static int find_axis(const struct hs_mesh *mesh, const char *name, size_t length)
{
    for (int i = 0; i < mesh->count; i++)
        if (strlen(mesh->axes[i].name) == length && memcmp(mesh->axes[i].name, name, length) == 0)
            return i;
    return -1;
}

/* One NAME=SIZE, up to the comma or the end, which *text is left at. */
static enum hs_status parse_axis(struct hs_mesh *mesh, const char **text, struct hs_error *err)
{
    const char *at = *text;
    size_t length = name_length(at);
    struct hs_axis axis = {.size = 0};

    if (length == 0 || length >= HS_AXIS_TEXT || at[length] != '=')
        return hs_fail(err, HS_INVALID,
                       "axis %d: expected NAME=SIZE with a name of at most %d letters, found "
                       "\"%.40s\"",
                       mesh->count + 1, HS_AXIS_TEXT - 1, at);
    if (find_axis(mesh, at, length) >= 0)
        return hs_fail(err, HS_INVALID, "axis %d: %.*s is there twice", mesh->count + 1,
                       (int)length, at);
    memcpy(axis.name, at, length);
    *text = at + length + 1;
    if (!hs_size_read(&axis.size, text) || axis.size < 1 || (**text != ',' && **text != '\0'))
        return hs_fail(err, HS_INVALID, "axis %d: expected a size of 1 or more, found \"%.40s\"",
                       mesh->count + 1, at);
    if (mesh->count == HS_AXES_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %d axes", HS_AXES_MAX);
    if (axis.size > HS_NP_MAX / hs_mesh_ranks(mesh))
        return hs_fail(err, HS_INVALID, "axis %d: expected at most %" PRId64 " processes in all",
                       mesh->count + 1, HS_NP_MAX);
    mesh->axes[mesh->count++] = axis;
    return HS_OK;
}

enum hs_status hs_mesh_parse(struct hs_mesh *mesh, const char *text, struct hs_error *err)
{
    struct hs_mesh parsed = {.count = 0};
    enum hs_status status = parse_axis(&parsed, &text, err);

    while (!status && *text == ',') {
        text++;
        status = parse_axis(&parsed, &text, err);
    }
    if (!status)
        *mesh = parsed;
    return status;
}

/* Names in a list, for "did you mean". */
static enum hs_status unknown_axis(const struct hs_mesh *mesh, const char *at, size_t length,
                                   struct hs_error *err)
{
    const char *names[HS_AXES_MAX];
    char name[HS_MESH_TEXT], list[HS_MESH_TEXT];
    struct hs_mesh all = *mesh;
    const char *nearest;

    for (int i = 0; i < mesh->count; i++)
        names[i] = mesh->axes[i].name;
    all.over = (1U << mesh->count) - 1;
    snprintf(name, sizeof(name), "%.*s", length > 40 ? 40 : (int)length, at);
    nearest = hs_nearest_name(name, names, (size_t)mesh->count);
    if (nearest)
        return hs_fail(err, HS_INVALID, "the mesh has no axis \"%s\", did you mean \"%s\"?", name,
                       nearest);
    return hs_fail(err, HS_INVALID, "the mesh has no axis \"%s\", expected some of %s", name,
                   hs_mesh_format_over(list, &all));
}

/* Runs of axes of the group that others of more than one rank part. */
static int count_gaps(const struct hs_mesh *mesh)
{
    bool begun = false, parted = false;
    int gaps = 0;

    for (int i = 0; i < mesh->count; i++) {
        bool within = mesh->over >> i & 1;

        if (mesh->axes[i].size == 1)
            continue;
        gaps += within && parted && begun;
        parted = !within;
        begun = begun || within;
    }
    return gaps;
}

enum hs_status hs_mesh_check_over(const struct hs_mesh *mesh, struct hs_error *err)
{
    if (count_gaps(mesh) > HS_SKIPS_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %d gaps between the axes of a group",
                       HS_SKIPS_MAX);
    return HS_OK;
}

enum hs_status hs_mesh_parse_over(struct hs_mesh *mesh, const char *text, struct hs_error *err)
{
    struct hs_mesh parsed = *mesh;

    parsed.over = 0;
    for (;;) {
        size_t length = strcspn(text, ",+");
        int axis = find_axis(mesh, text, length);

        if (axis < 0)
            return unknown_axis(mesh, text, length, err);
        if (parsed.over >> axis & 1)
            return hs_fail(err, HS_INVALID, "%s is there twice", mesh->axes[axis].name);
        parsed.over |= 1U << axis;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    if (hs_mesh_check_over(&parsed, err))
        return HS_INVALID;
    *mesh = parsed;
    return HS_OK;
}

char *hs_mesh_format(char text[HS_MESH_TEXT], const struct hs_mesh *mesh)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < mesh->count; i++)
        length += (size_t)snprintf(text + length, HS_MESH_TEXT - length, "%s%s=%" PRId64,
                                   i > 0 ? "," : "", mesh->axes[i].name, mesh->axes[i].size);
    return text;
}
/* Names, '=' and ',', and digits: of HS_NP_MAX, and one more for each size. */
_Static_assert(HS_AXES_MAX *(HS_AXIS_TEXT + 2) + 10 < HS_MESH_TEXT, "a mesh fits");

char *hs_mesh_format_over(char text[HS_MESH_TEXT], const struct hs_mesh *mesh)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < mesh->count; i++)
        if (mesh->over >> i & 1)
            length += (size_t)snprintf(text + length, HS_MESH_TEXT - length, "%s%s",
                                       length > 0 ? "," : "", mesh->axes[i].name);
    return text;
}

char *hs_mesh_aside(char text[HS_MESH_ASIDE], const struct hs_mesh *mesh)
{
    struct hs_group group = hs_mesh_group(mesh, hs_mesh_ranks(mesh));
    int64_t groups = group.ranks / group.size;

    text[0] = '\0';
    if (mesh->count > 0)
        snprintf(text, HS_MESH_ASIDE, ", %" PRId64 " group%s of %" PRId64 " over %s of %s", groups,
                 groups == 1 ? "" : "s", group.size,
                 hs_mesh_format_over((char[HS_MESH_TEXT]){0}, mesh),
                 hs_mesh_format((char[HS_MESH_TEXT]){0}, mesh));
    return text;
}

int64_t hs_mesh_ranks(const struct hs_mesh *mesh)
{
    int64_t ranks = 1;

    for (int i = 0; i < mesh->count; i++)
        ranks *= mesh->axes[i].size;
    return ranks;
}

struct hs_group hs_mesh_group(const struct hs_mesh *mesh, int64_t ranks)
{
    struct hs_group group = {.ranks = ranks, .stride = 1, .size = 1};
    int64_t between = 1; /* ranks of the axes passed over since the last one of the group */
    int skips = 0;

    if (mesh->count == 0)
        return hs_group_world(ranks);
    for (int i = 0; i < mesh->count; i++) {
        int64_t size = mesh->axes[i].size;

        if (!(mesh->over >> i & 1)) {
            between *= size;
        } else if (size > 1) {
            if (group.size == 1)
                group.stride = between;
            else if (between > 1)
                group.skips[skips++] = (struct hs_skip){group.size, between};
            between = 1;
            group.size *= size;
        }
    }
    return group;
}

bool hs_mesh_equal(const struct hs_mesh *a, const struct hs_mesh *b)
{
    char texts[2][HS_MESH_TEXT];

    return a->over == b->over &&
           strcmp(hs_mesh_format(texts[0], a), hs_mesh_format(texts[1], b)) == 0;
}
