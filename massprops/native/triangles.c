/* Triangles in the forms in which other files take them: the corners of some, from their vertices where these are numbered; and in columns. */
#include "native.h"

#include <string.h>

struct triangles massprops_part(const struct triangles *t, size_t first, size_t count, void *room)
{
    const char *points = t->corners;
    size_t size = t->single ? 12 : 24;
    if (!t->numbers)
        return (struct triangles){.corners = points + 3 * size * first, .count = count, .single = t->single};
    for (size_t i = 0; i < 3 * count; i++) {
        size_t point = massprops_point(t, first + i / 3, i % 3, 1);
        if (t->single) /* a size that is known is copied without a call */
            memcpy((char *)room + 12 * i, points + 12 * point, 12);
        else
            memcpy((char *)room + 24 * i, points + 24 * point, 24);
    }
    return (struct triangles){.corners = room, .count = count, .single = t->single};
}
