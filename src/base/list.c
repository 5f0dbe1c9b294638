#include "base/list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *hs_grow(void *items, size_t *capacity, size_t count, size_t size, struct hs_error *err)
{
    size_t room = 4;
    char *list;

    memcpy(&list, items, sizeof(list)); /* whatever it points to */
    if (!capacity || count >= *capacity) {
        while (room <= count && room <= SIZE_MAX / 4 / size)
            room *= 2;
        list = room > count ? realloc(list, room * size) : NULL;
        if (!list) {
            hs_no_memory(err);
            return NULL;
        }
        memcpy(items, &list, sizeof(list));
        if (capacity)
            *capacity = room;
    }
    return memset(list + count * size, 0, size);
}
