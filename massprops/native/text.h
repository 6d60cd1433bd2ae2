/* Blocks of the text of mesh files, as exporters write them. Where a block has anything else in it, the caller's strict reader
 * decides what it means: a function here accepts nothing that the strict reader refuses, and reads the same values. */
#ifndef MASSPROPS_TEXT_H
#define MASSPROPS_TEXT_H

#include "numbers.h"

/* Arrays of the caller, with room for so many items, and how many there are. Nothing is written beyond the room. */
struct doubles {
    double *all;
    size_t room, count;
};
struct indices {
    int32_t *all;
    size_t room, count;
};

/* Lines of finite numbers, and how many numbers each has. 0 where anything is unusual, or the room is used up. */
int massprops_rows(const char *text, const char *end, struct doubles *values, struct indices *lengths);

/* OBJ: vertices (x y z), and faces of at least three corners as vertices counted from 0, after so many vertices before the block.
 * 0 as above, and for statements other than `v`, `f`, normals, texture coordinates, groups and materials. */
int massprops_obj(const char *text, const char *end, int64_t points, struct doubles *vertices, struct indices *corners,
                  struct indices *counts);

/* ASCII STL: the corners of whole facets. Returns where the last one ends: before the first word that the grammar does not have
 * there, or where the room is used up. */
const char *massprops_facets(const char *text, const char *end, struct doubles *corners);

#endif
