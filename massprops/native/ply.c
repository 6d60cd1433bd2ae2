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

int64_t massprops_triples(const unsigned char *rows, size_t size)
{
    enum { ROW = 13 };
    uint32_t most = 0, number, others = 0;
    for (const unsigned char *at = rows; at < rows + size / ROW * ROW; at += ROW) {
        others |= at[0] ^ 3;
        for (int i = 0; i < 3; i++) {
            memcpy(&number, at + 1 + 4 * i, 4);
            most = number > most ? number : most;
        }
    }
    return others || size % ROW ? -1 : (int64_t)most;
}

size_t massprops_ply(const unsigned char *text, size_t size, const struct layout *layout, struct kept to[2], int32_t *lengths, size_t *rows)
{
    const unsigned char *at = text, *next;
    size_t most = *rows;
    for (*rows = 0; *rows < most; at = next, ++*rows) {
        size_t kept = to[1].count;
        lengths[*rows] = 0;
        if (!(next = row(at, text + size, layout, to, &lengths[*rows]))) {
            to[1].count = kept;
            break;
        }
    }
    return (size_t)(at - text);
}
