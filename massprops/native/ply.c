/* The rows of a binary PLY file, one after another: where the next one begins follows from the counts of its lists. */
#include "ply.h"

#include <string.h>

/* How many values a list has; below 0 where that is no count. */
static int64_t count_at(const unsigned char *at, int32_t head, int big)
{
    if (head == 1)
        return *at;
    int size = head < 0 ? -head : head, unused = 64 - 8 * size;
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)at[big ? size - 1 - i : i] << 8 * i;
    return head < 0 ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

/* Keeps what a row has, and returns its end; NULL where it is not whole, or the room is used up. */
static const unsigned char *row(const unsigned char *at, const unsigned char *end, const struct layout *layout, struct kept *to, int32_t *length)
{
    for (const struct column *c = layout->columns; c < layout->columns + layout->count; c++) {
        struct kept *list = &to[c->head != 0];
        int64_t values = 1;
        if (c->head) {
            int head = c->head < 0 ? -c->head : c->head;
            if (end - at < head || (values = count_at(at, c->head, layout->big)) < 0 || values > INT32_MAX)
                return NULL;
            at += head;
        }
        int64_t bytes = values * c->size;
        if (bytes > end - at)
            return NULL;
        if (c->kept) {
            if ((int64_t)(list->room - list->count) < bytes)
                return NULL;
            memcpy(list->bytes + list->count, at, (size_t)bytes);
            list->count += (size_t)bytes;
            *length = c->head ? (int32_t)values : *length;
        }
        at += bytes;
    }
    return at;
}

/* Rows of nothing but a list of three values of four bytes, as long as there is one after the other: most files have no others. How many. */
static size_t triples(const unsigned char *at, size_t most, unsigned char *to, int32_t *lengths)
{
    size_t rows = 0;
    for (; rows < most && at[13 * rows] == 3; rows++) {
        memcpy(to + 12 * rows, at + 13 * rows + 1, 12);
        lengths[rows] = 3;
    }
    return rows;
}

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

size_t massprops_ply(const unsigned char *text, size_t size, const struct layout *layout, struct kept to[2], int32_t *lengths, size_t *rows)
{
    const unsigned char *at = text, *next;
    const struct column *first = layout->columns;
    int simple = layout->count == 1 && first->kept && (first->head == 1 || first->head == -1) && first->size == 4;
    size_t most = *rows;
    for (*rows = 0; *rows < most; at = next, ++*rows) {
        if (simple) {
            size_t whole = least_of((size_t)(text + size - at) / 13, (to[1].room - to[1].count) / 12);
            size_t found = triples(at, least_of(most - *rows, whole), to[1].bytes + to[1].count, lengths + *rows);
            at += 13 * found, *rows += found, to[1].count += 12 * found;
            if (*rows == most)
                break;
        }
        size_t kept = to[1].count;
        lengths[*rows] = 0;
        if (!(next = row(at, text + size, layout, to, &lengths[*rows]))) {
            to[1].count = kept;
            break;
        }
    }
    return (size_t)(at - text);
}
