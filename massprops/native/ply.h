#ifndef MASSPROPS_PLY_H
#define MASSPROPS_PLY_H

#include "native.h"

/* A property, or some that follow each other: bytes of a list's count (below 0: it has a sign; 0: no list), bytes of a value, and whether
 * it is kept. */
struct column {
    int32_t head, size, kept;
};
struct layout {
    const struct column *columns;
    size_t count;
    int big; /* the first byte of a number is its highest */
};

/* Bytes of the caller, with room for so many, and how many there are. Nothing is written beyond the room. */
struct kept {
    unsigned char *bytes;
    size_t room, count;
};

/* Keeps of up to `rows` rows the values of what is no list in to[0], those of the list in to[1], as the file has them, and how many
 * values each list has. Sets `rows` to the whole rows that there were room and bytes for, and returns where the last one ends. */
size_t massprops_ply(const unsigned char *data, size_t size, const struct layout *layout, struct kept to[2], int32_t *lengths, size_t *rows);

/* The largest number of rows that are lists of three numbers of four bytes each, in the order of this machine, with one byte of count; −1 where they are not all so. */
int64_t massprops_triples(const unsigned char *rows, size_t size);

#endif
