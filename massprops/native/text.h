/* Blocks of the text of mesh files, as exporters write them. Where a block has anything else in it, the caller's strict reader
 * decides what it means: a function here accepts nothing that the strict reader refuses, and reads the same values. Every text has a zero
 * byte at its end. */
#ifndef MASSPROPS_TEXT_H
#define MASSPROPS_TEXT_H

#include "numbers.h"
#include "ply.h"

/* Arrays of the caller, with room for so many items, and how many there are. Nothing is written beyond the room. */
struct doubles {
    double *all;
    size_t room, count;
};
struct indices {
    int32_t *all;
    size_t room, count;
};

struct scanned {
    struct doubles values;
    struct indices lengths, corners;
    int64_t points; /* vertices before the text */
    struct layout layout;
    char separator; /* of numbers in a row; 0: blanks */
};

/* Lines of finite numbers with a separator between them, and how many numbers each has. The end; NULL where anything is unusual, or the room is used up. */
const char *massprops_rows(const char *text, const char *end, struct scanned *out);

/* OBJ: vertices (x y z), and faces of at least three corners as vertices counted from 0. NULL as above, and for statements other than
 * `v`, `f`, normals, texture coordinates, groups and materials. */
const char *massprops_obj(const char *text, const char *end, struct scanned *out);

/* PLY: rows of the columns of a layout, whose sizes are numbers of values; as many rows as there is room for lengths. What is kept of
 * scalars are values, of lists corners. NULL as above. */
const char *massprops_ply_rows(const char *text, const char *end, struct scanned *out);

/* ASCII STL: the corners of whole facets. Returns where something else begins: the first word that the grammar does not have there, or what
 * there is no room for. */
const char *massprops_facets(const char *text, const char *end, struct scanned *out);

#endif
