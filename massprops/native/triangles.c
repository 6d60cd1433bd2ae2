/* Triangles in the forms in which other files take them: the corners of some, from their vertices where these are numbered; and in columns. */
#include "native.h"

#include <string.h>

struct triangles massprops_part(const struct triangles *t, size_t first, size_t count, void *room)
{
    const char *points = t->corners;
    size_t size = t->single ? 12 : 24;
    if (!t->numbers)
        return (struct triangles){points + 3 * size * first, count, t->single, NULL, 0};
    for (size_t i = 0; i < 3 * count; i++) {
        uint32_t number = t->numbers[3 * first + i];
        size_t valid = number < t->points ? number : 0; /* another thread may have changed it since it was checked */
        if (t->single) /* a size that is known is copied without a call */
            memcpy((char *)room + 12 * i, points + 12 * valid, 12);
        else
            memcpy((char *)room + 24 * i, points + 24 * valid, 24);
    }
    return (struct triangles){room, count, t->single, NULL, 0};
}

void massprops_columns(const struct triangles *t, size_t first, Row c[9])
{
    int lanes = t->count - first < LANES ? (int)(t->count - first) : LANES;
    const float *single = (const float *)t->corners + 9 * first;
    const double *twofold = (const double *)t->corners + 9 * first;
    for (int l = 0; l < lanes; l++)
        for (int i = 0; i < 9; i++)
            c[i][l] = t->single ? (double)single[9 * l + i] : twofold[9 * l + i];
    for (int l = lanes; l < LANES; l++)
        for (int i = 0; i < 9; i++)
            c[i][l] = c[i % 3][0];
}
