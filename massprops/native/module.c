/* The compiled core as Python sees it. Every argument is checked here, a buffer for its type, size and alignment, before a function of
 * the core gets its address; an exception says what does not fit. The core itself runs without the interpreter's lock. */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "native.h"
#include "ply.h"
#include "text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What an argument must be: contiguous items of these types, each a letter of Python's module struct; or, without types, a number. */
struct kind {
    const char *name, *types;
    int size, count; /* bytes of an item, and how many items there must be; 0: any */
    int filled;      /* the function writes them */
    int strided;     /* they need not be contiguous */
    long long least, most;
};

enum { MOST_ARGUMENTS = 10 };
struct argument {
    const struct kind *kind;
    Py_buffer b;
    long long number;
};

/* Whether a buffer has so many items; false with an exception. */
static int has_items(const struct argument *a, long long count)
{
    Py_ssize_t found = a->b.len / a->b.itemsize;
    if (found != count)
        PyErr_Format(PyExc_ValueError, "%s must have %lld items, got %zd", a->kind->name, count, found);
    return found == count;
}

/* Whether an object is what it must be; false with an exception. */
static int take(PyObject *object, const struct kind *k, struct argument *a)
{
    Py_buffer *b = &a->b;
    a->kind = k;
    if (!k->types) {
        a->number = PyLong_AsLongLong(object);
        if (!PyErr_Occurred() && (a->number < k->least || a->number > k->most))
            PyErr_Format(PyExc_ValueError, "%s must be from %lld to %lld, got %lld", k->name, k->least, k->most, a->number);
        return !PyErr_Occurred();
    }
    if (PyObject_GetBuffer(object, b, (k->strided ? PyBUF_STRIDES : PyBUF_C_CONTIGUOUS) | PyBUF_FORMAT | (k->filled ? PyBUF_WRITABLE : 0)))
        return 0;
    const char *type = b->format ? b->format : "B";
    if (strlen(type) != 1 || !strchr(k->types, *type) || (k->size && b->itemsize != k->size))
        PyErr_Format(PyExc_TypeError, "%s must have items of type '%s', got '%s' of %zd bytes", k->name, k->types, type, b->itemsize);
    else if ((uintptr_t)b->buf % (size_t)b->itemsize)
        PyErr_Format(PyExc_ValueError, "%s must be aligned", k->name);
    else
        return !k->count || has_items(a, k->count);
    return 0;
}

/* The result of a function of `least` arguments or more (others may be None), of the kinds up to one without a name; NULL with an exception. */
static PyObject *called(PyObject *args, const struct kind *kinds, Py_ssize_t least, PyObject *function(struct argument *))
{
    struct argument a[MOST_ARGUMENTS] = {{0}};
    Py_ssize_t given = PyTuple_Size(args), most = 0;
    while (kinds[most].name)
        most++;
    int good = given >= least && given <= most;
    if (!good)
        PyErr_Format(PyExc_TypeError, "expected %zd to %zd arguments, got %zd", least, most, given);
    for (Py_ssize_t i = 0; i < given && good; i++)
        good = (i >= least && PyTuple_GetItem(args, i) == Py_None) || take(PyTuple_GetItem(args, i), &kinds[i], &a[i]);
    PyObject *result = good ? function(a) : NULL;
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        PyBuffer_Release(&a[i].b); /* does nothing where there is none */
    return result;
}

/* A function of Python: its name, its least number of arguments, and their kinds; its body follows, and is given them. */
#define FUNCTION(NAME, LEAST, ...)                                         \
    static PyObject *NAME##_of(struct argument *a);                        \
    static PyObject *NAME(PyObject *Py_UNUSED(self), PyObject *args)       \
    {                                                                      \
        static const struct kind kinds[] = {__VA_ARGS__, {0}};             \
        return called(args, kinds, LEAST, NAME##_of);                      \
    }                                                                      \
    static PyObject *NAME##_of(struct argument *a)

/* Runs without the interpreter's lock. */
#define UNLOCKED(...) do { Py_BEGIN_ALLOW_THREADS __VA_ARGS__; Py_END_ALLOW_THREADS } while (0)

/* Whether an array is of corners of triangles, or with numbers, of points that these are numbers of; false with an exception. */
static int are_triangles(const struct argument *array, const struct argument *numbers, struct triangles *t)
{
    const Py_buffer *b = &array->b;
    int indexed = numbers && numbers->b.obj;
    if (b->ndim != 3 - indexed || b->shape[1] != 3 || b->shape[2 - indexed] != 3)
        return PyErr_Format(PyExc_ValueError, "%s must have the shape (n, 3%s)", indexed ? "points" : "triangles", indexed ? "" : ", 3"), 0;
    *t = (struct triangles){.corners = b->buf, .count = (size_t)b->shape[0], .single = *b->format == 'f'};
    if (indexed) {
        const Py_buffer *n = &numbers->b;
        uint32_t most = 0;
        if (n->ndim != 3 || n->shape[1] != 3 || n->shape[2] != 4 || (n->shape[0] > 1 && n->strides[0] < 12) || n->strides[1] != 4 || n->strides[2] != 1)
            return PyErr_SetString(PyExc_ValueError, "the numbers must be three of four bytes for each triangle, side by side"), 0;
        *t = (struct triangles){b->buf, (size_t)n->shape[0], t->single, n->buf, (size_t)n->strides[0], t->count, NULL};
        for (size_t i = 0; i < t->count; i++)
            for (size_t k = 0; k < 3; k++)
                most = massprops_number_of(t, i, k) > most ? massprops_number_of(t, i, k) : most;
        if (t->count && most >= t->points)
            PyErr_SetString(PyExc_ValueError, "the numbers must be those of points");
    }
    return !PyErr_Occurred();
}

static PyObject *as_bytes(const struct list *l, size_t size) { return PyBytes_FromStringAndSize(l->items, (Py_ssize_t)(l->count * size)); }

FUNCTION(surface, 3, {"triangles", "fd", .size = 0}, {"the reference", "d", 8, .count = 3}, {"the keys", "LQ", 8, .count = 6},
         {"the numbers", "B", .size = 1, .strided = 1}, {"the hashes", "LQ", .size = 8})
{
    struct surface s;
    struct triangles t;
    if (!are_triangles(&a[0], &a[3], &t) || (a[4].b.obj && !has_items(&a[4], (long long)t.points)))
        return NULL;
    t.hashes = t.numbers ? a[4].b.buf : NULL;
    UNLOCKED(massprops_surface(&t, a[1].b.buf, a[2].b.buf, &s));
    return Py_BuildValue("N(KK)", PyBytes_FromStringAndSize((const char *)&s, offsetof(struct surface, words)), (unsigned long long)s.words[0],
                         (unsigned long long)s.words[1]);
}

FUNCTION(hashes, 3, {"points", "fd", .size = 0}, {"the keys", "LQ", 8, .count = 6}, {"the hashes", "LQ", 8, .filled = 1})
{
    struct triangles t = {.corners = a[0].b.buf, .single = *a[0].b.format == 'f'};
    uint64_t *out = a[2].b.buf;
    size_t count = (size_t)a[2].b.len / 8;
    if (!has_items(&a[0], 3 * (long long)count))
        return NULL;
    UNLOCKED(for (size_t i = 0; i < count; i++) out[i] = massprops_hash(&t, i, a[1].b.buf));
    return Py_NewRef(Py_None);
}

FUNCTION(vertices, 6, {"positions", "fd", .size = 0}, {"the keys", "LQ", 8, .count = 6}, {"the numbers", "il", 4, .filled = 1},
         {"the vertices", "fd", .size = 0, .filled = 1}, {"the table", "IL", 4, .filled = 1}, {"the number of vertices", .most = INT_MAX})
{
    size_t each = 3 * (size_t)a[0].b.itemsize, done;
    struct vertices v = {{.corners = a[0].b.buf, .count = (size_t)a[0].b.len / each, .single = *a[0].b.format == 'f'},
                         a[3].b.buf, (size_t)a[5].number, (size_t)a[3].b.len / each, a[4].b.buf, (size_t)a[4].b.len / 4};
    if (a[0].b.itemsize != a[3].b.itemsize || v.count > v.room || v.room > INT_MAX || 2 * v.room > v.size || v.size & (v.size - 1))
        return PyErr_Format(PyExc_ValueError, "the vertices must be of the type of the positions, and at most half as many as the table has places, a power of two");
    if (!has_items(&a[0], 3 * (long long)v.given.count) || !has_items(&a[2], (long long)v.given.count))
        return NULL;
    UNLOCKED(done = massprops_vertices(&v, a[1].b.buf, a[2].b.buf));
    return Py_BuildValue("nn", (Py_ssize_t)v.count, (Py_ssize_t)done);
}

FUNCTION(crossings, 6, {"triangles", "fd", .size = 0}, {"the axes", "d", 8, .count = 9}, {"the origin", "d", 8, .count = 3}, {"the places", "d", .size = 8},
         {"lines along a side", .least = 1, .most = 46340}, /* an int32_t counts the cells */
         {"the number of the first facet", .least = LLONG_MIN, .most = LLONG_MAX}, {"the numbers", "B", .size = 1, .strided = 1})
{
    struct list found[3] = {{0}};
    struct triangles t;
    const size_t size = sizeof(struct crossing);
    int failed;
    if (!are_triangles(&a[0], &a[6], &t) || !has_items(&a[3], 6 * a[4].number * a[4].number))
        return NULL;
    struct lattice at = {a[1].b.buf, a[2].b.buf, a[3].b.buf, (size_t)a[4].number};
    UNLOCKED(failed = massprops_crossings(&t, a[5].number, &at, found));
    PyObject *result = failed ? PyErr_NoMemory() : Py_BuildValue("NNN", as_bytes(&found[0], size), as_bytes(&found[1], size), as_bytes(&found[2], size));
    for (int k = 0; k < 3; k++)
        free(found[k].items);
    return result;
}

/* Whether bytes are columns of ply.h; false with an exception. */
static int are_columns(const Py_buffer *b, struct layout *layout)
{
    layout->columns = b->buf, layout->count = (size_t)b->len / sizeof(struct column);
    int good = layout->count && b->len % (Py_ssize_t)sizeof(struct column) == 0 && PyBytes_CheckExact(b->obj);
    for (size_t i = 0; good && i < layout->count; i++)
        good = layout->columns[i].size > 0 && layout->columns[i].head >= -8 && layout->columns[i].head <= 8;
    if (!good)
        PyErr_SetString(PyExc_ValueError, "the columns must be counts of -8 to 8 bytes, positive sizes, and what is kept, in bytes");
    return good;
}

static PyObject *scanned(struct argument *a, const char *scan(const char *, const char *, struct scanned *))
{
    if (!PyBytes_CheckExact(a[0].b.obj)) /* which end with a zero byte */
        return PyErr_Format(PyExc_TypeError, "a text must be bytes");
    if (a[1].number > a[0].b.len)
        return PyErr_Format(PyExc_ValueError, "the start must lie in the text of %zd bytes, got %lld", a[0].b.len, a[1].number);
    const char *text = a[0].b.buf, *end;
    struct scanned s = {.values = {a[2].b.buf, (size_t)a[2].b.len / 8, 0}, .lengths = {a[3].b.buf, (size_t)a[3].b.len / 4, 0},
                        .corners = {a[4].b.buf, (size_t)a[4].b.len / 4, 0}, .points = a[5].number, .separator = (char)a[7].number};
    if (a[6].b.obj ? !are_columns(&a[6].b, &s.layout) : scan == massprops_ply_rows)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "the columns are missing");
    UNLOCKED(end = scan(text + a[1].number, text + a[0].b.len, &s));
    return !end ? Py_NewRef(Py_None) : Py_BuildValue("nnnn", (Py_ssize_t)(end - text), (Py_ssize_t)s.values.count, (Py_ssize_t)s.lengths.count, (Py_ssize_t)s.corners.count);
}

/* A scanner of text.h: (text, start, values, lengths, corners, points, columns, separator) -> where it ended, and how many of each; or None. */
#define SCANNER(NAME, SCAN)                                                                                                       \
    FUNCTION(NAME, 3, {"a text", "B", .size = 1}, {"the start", .most = LLONG_MAX}, {"the values", "d", 8, .filled = 1},         \
             {"the lengths", "il", 4, .filled = 1}, {"the corners", "il", 4, .filled = 1}, {"the number of points", .most = LLONG_MAX / 2}, \
             {"the columns", "B", .size = 1}, {"the separator", .most = CHAR_MAX})                                                \
    {                                                                                                                             \
        return scanned(a, SCAN);                                                                                                  \
    }

SCANNER(rows, massprops_rows)
SCANNER(obj, massprops_obj)
SCANNER(ply_rows, massprops_ply_rows)
SCANNER(facets, massprops_facets)

FUNCTION(triples, 1, {"the rows", "B", .size = 1})
{
    int64_t largest;
    UNLOCKED(largest = massprops_triples(a[0].b.buf, (size_t)a[0].b.len));
    return PyLong_FromLongLong(largest);
}

FUNCTION(ply, 6, {"the rows", "B", .size = 1}, {"the columns", "B", .size = 1}, {"the order of bytes", .most = 1}, {"the scalars", "B", 1, .filled = 1},
         {"the values", "B", 1, .filled = 1}, {"the lengths", "il", 4, .filled = 1})
{
    struct layout layout = {.big = (int)a[2].number};
    if (!are_columns(&a[1].b, &layout))
        return NULL;
    struct kept to[2] = {{a[3].b.buf, (size_t)a[3].b.len, 0}, {a[4].b.buf, (size_t)a[4].b.len, 0}};
    size_t end, rows = (size_t)a[5].b.len / 4;
    UNLOCKED(end = massprops_ply(a[0].b.buf, (size_t)a[0].b.len, &layout, to, a[5].b.buf, &rows));
    return Py_BuildValue("nnn", (Py_ssize_t)rows, (Py_ssize_t)to[1].count, (Py_ssize_t)end);
}

FUNCTION(divide, 4, {"points", "fd", .size = 0}, {"the places", "d", .size = 8}, {"the axes", "B", .size = 1}, {"the tiles", "H", .size = 2, .filled = 1},
         {"corners", "il", .size = 4}, {"the tiles of facets", "H", .size = 2, .filled = 1}, {"the next places", "lq", .size = 8, .filled = 1},
         {"the number of the first facet", .most = INT_MAX}, {"the order", "il", .size = 4, .filled = 1}, {"the axes before", "B", .size = 1, .filled = 1})
{
    struct division d = {a[0].b.buf, *a[0].b.format == 'f', (size_t)a[3].b.len / 2, 1, a[4].b.buf};
    struct halves tree = {a[2].b.buf, a[1].b.buf, (size_t)a[2].b.len};
    size_t facets = d.corners && a[5].b.obj && a[6].b.obj && d.count ? (size_t)a[5].b.len / 2 : 0, room = a[8].b.obj && a[9].b.obj ? (size_t)a[9].b.len : 0;
    if (!has_items(&a[0], 3 * (long long)d.count) || !has_items(&a[1], a[2].b.len) || (d.corners && !has_items(&a[4], 3 * (long long)facets)) ||
        (facets && !has_items(&a[6], a[2].b.len)) || (room && !has_items(&a[8], (long long)room)))
        return NULL;
    if (!tree.count || tree.count > 1 << 15 || tree.count & (tree.count - 1))
        return PyErr_Format(PyExc_ValueError, "there must be a power of two of tiles, at most %d", 1 << 15);
    if (!d.corners)
        UNLOCKED(massprops_locate(&d, &tree, a[3].b.buf));
    else
        UNLOCKED(facets = massprops_divide(&d, &tree, facets, (size_t)a[7].number, a[3].b.buf, a[5].b.buf, a[6].b.buf, room ? a[8].b.buf : NULL, a[9].b.buf, room));
    return PyLong_FromSize_t(facets);
}

FUNCTION(meetings, 9, {"points", "fd", .size = 0}, {"corners", "il", .size = 4}, {"the factor", "d", .size = 8, .count = 1}, {"facets", "B", .size = 1},
         {"the tiles", "H", .size = 2}, {"the tile", .most = UINT16_MAX}, {"the places", "il", .size = 4, .filled = 1},
         {"the axes before", "B", .size = 1}, {"the number of pairs", .most = LLONG_MAX})
{
    struct division d = {a[0].b.buf, *a[0].b.format == 'f', (size_t)(a[0].b.len / a[0].b.itemsize / 3), *(const double *)a[2].b.buf, a[1].b.buf};
    struct list found = {0};
    const int32_t *facets = a[3].b.buf;
    Py_ssize_t count = a[3].b.len / 4, all = a[1].b.len / 12;
    int wrong = !d.count || !PyBytes_CheckExact(a[3].b.obj) || 3 * count > MOST_CORNERS;
    for (Py_ssize_t i = 0; i < count && !wrong; i++)
        wrong = facets[i] < 0 || facets[i] >= all;
    if (wrong)
        return PyErr_Format(PyExc_ValueError, "there must be points, and facets must be numbers of facets, in bytes");
    if (!has_items(&a[1], 3 * (long long)all) || !has_items(&a[4], (long long)d.count) || !has_items(&a[6], (long long)d.count) || !has_items(&a[7], count))
        return NULL;
    int failed, closed = 1, scaled = 1, good, several = 0;
    size_t sizes[2] = {0};
    int64_t left = a[8].number;
    int32_t *corners = malloc(12 * (size_t)count + 1), *part = malloc(4 * (size_t)count + 1);
    double *points = malloc(72 * (size_t)count + 1);
    uint8_t *before = malloc((size_t)count + 1); /* what no other thread can change */
    UNLOCKED(failed = !corners || !part || !points || !before ? -1 : massprops_cut(&d, facets, (size_t)count, a[4].b.buf, (uint16_t)a[5].number, a[6].b.buf, corners, points, sizes));
    good = !failed;
    for (size_t i = 0; i < 3 * sizes[1] && !failed; i++)
        scaled &= points[i] >= -1 && points[i] <= 1;
    struct facets s = {points, corners, (size_t)count, before, sizes[0]};
    if (good && scaled) {
        memcpy(before, a[7].b.buf, (size_t)count);
        UNLOCKED(failed = massprops_meetings(&s, sizes[1], &left, &found, part, &closed));
    }
    for (Py_ssize_t i = 0; i < count && !failed && scaled; i++)
        several |= part[i];
    PyObject *result = failed < 0 ? PyErr_NoMemory() : !good ? PyErr_Format(PyExc_ValueError, "corners must be numbers of points") : failed ? Py_NewRef(Py_None)
                       : !scaled ? PyErr_Format(PyExc_ValueError, "points must have coordinates from -1 to 1")
                                 : Py_BuildValue("NNNL", as_bytes(&found, sizeof(struct meeting)), several ? PyBytes_FromStringAndSize((char *)part, 4 * count) : Py_NewRef(Py_None),
                                                 PyBool_FromLong(closed), (long long)(a[8].number - left));
    free(corners), free(part), free(points), free(before), free(found.items);
    return result;
}

static PyMethodDef methods[] = {
    {"surface", surface, METH_VARARGS, "surface(corners or points, reference, keys[, numbers, hashes]) -> (sums, words): see surface.c"},
    {"hashes", hashes, METH_VARARGS, "hashes(points, keys, hashes): see surface.c"},
    {"vertices", vertices, METH_VARARGS, "vertices(positions, keys, numbers, vertices, table, count) -> how many vertices, and positions that have numbers: see vertices.c"},
    {"crossings", crossings, METH_VARARGS, "crossings(corners, axes, origin, places, lines, number[, numbers]) -> three families: see crossings.c"},
    {"rows", rows, METH_VARARGS, "rows(text, start, values, lengths[, None, None, None, separator]) -> the end, and how many of each, or None: see text.h"},
    {"obj", obj, METH_VARARGS, "obj(text, start, vertices, counts, corners, points) -> the same: see text.h"},
    {"ply_rows", ply_rows, METH_VARARGS, "ply_rows(text, start, values, lengths, corners, 0, columns) -> the same: see text.h"},
    {"facets", facets, METH_VARARGS, "facets(text, start, corners) -> the same: see text.h"},
    {"ply", ply, METH_VARARGS, "ply(rows, columns, order, scalars, values, lengths) -> how many rows, bytes of values, the end: see ply.h"},
    {"triples", triples, METH_VARARGS, "triples(rows) -> the largest number, or -1: see ply.h"},
    {"divide", divide, METH_VARARGS, "divide(points, places, axes, tiles[, corners, tiles of facets, next places[, first facet, order, before]]) -> how many facets have a point twice: see tiles.c"},
    {"meetings", meetings, METH_VARARGS, "meetings(points, corners, factor, facets, tiles, tile, places, before, most) -> (pairs of facets of a tile and how they stand to each other, parts or None where there is one, whether the surface is closed, pairs compared), or None where there are more: see near_pairs.c"},
    {NULL, NULL, 0, NULL},
};

/* massprops/native/__init__.py knows the number of the interface that it was written for: a build of other sources is left aside. */
static int begin(PyObject *module)
{
    massprops_begin_numbers();
    return PyModule_AddIntConstant(module, "INTERFACE", 24);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)begin}, {0, NULL}};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "massprops._native", .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&module); }
