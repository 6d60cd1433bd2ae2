/* The compiled core as Python sees it. Every buffer is checked here, for its type and size, before a function of the core gets its address;
 * an exception says what does not fit. The core itself runs without the interpreter's lock. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "native.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* More lines along a side have more cells than an int32_t counts. */
enum { MOST_LINES = 46340 };

static void release(Py_buffer *b, int count)
{
    while (count--)
        PyBuffer_Release(&b[count]);
}

/* The buffers of all objects, contiguous, or of none: −1 with an exception. */
static int get(PyObject *const *objects, Py_buffer *b, int count)
{
    for (int i = 0; i < count; i++)
        if (PyObject_GetBuffer(objects[i], &b[i], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
            release(b, i);
            return -1;
        }
    return 0;
}

/* Whether a buffer has items of one of these types, each a character; false with an exception. */
static int has_type(const Py_buffer *b, const char *types, const char *what)
{
    if (b->format && strlen(b->format) == 1 && strchr(types, b->format[0]))
        return 1;
    PyErr_Format(PyExc_TypeError, "%s must have items of type '%s', got '%s'", what, types, b->format ? b->format : "B");
    return 0;
}

/* Whether a buffer has `count` items of 8 bytes; false with an exception. */
static int holds(const Py_buffer *b, const char *types, size_t count, const char *what)
{
    if (!has_type(b, types, what))
        return 0;
    if (b->itemsize == 8 && (size_t)b->len == 8 * count)
        return 1;
    PyErr_Format(PyExc_ValueError, "%s must have %zu items of 8 bytes, got %zd bytes", what, count, b->len);
    return 0;
}

static int are_triangles(const Py_buffer *b, struct triangles *t)
{
    if (!has_type(b, "fd", "triangles"))
        return 0;
    if (b->ndim != 3 || b->shape[1] != 3 || b->shape[2] != 3) {
        PyErr_SetString(PyExc_ValueError, "triangles must have the shape (n, 3, 3)");
        return 0;
    }
    *t = (struct triangles){b->buf, (size_t)b->shape[0], b->format[0] == 'f'};
    return 1;
}

static PyObject *surface(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[3], *result = NULL;
    Py_buffer b[3];
    struct triangles t;
    struct surface s;
    if (!PyArg_ParseTuple(args, "OOO:surface", &objects[0], &objects[1], &objects[2]) || get(objects, b, 3))
        return NULL;
    if (are_triangles(&b[0], &t) && holds(&b[1], "d", 3, "the reference") && holds(&b[2], "LQ", 6, "the keys")) {
        Py_BEGIN_ALLOW_THREADS
        massprops_surface(&t, b[1].buf, b[2].buf, &s);
        Py_END_ALLOW_THREADS
        result = Py_BuildValue("y#(KK)K", (const char *)&s, (Py_ssize_t)offsetof(struct surface, words),
                               (unsigned long long)s.words[0], (unsigned long long)s.words[1], (unsigned long long)s.words[2]);
    }
    release(b, 3);
    return result;
}

static PyObject *as_bytes(const struct list *l, size_t size)
{
    return PyBytes_FromStringAndSize(l->items, (Py_ssize_t)(l->count * size));
}

static PyObject *vertices(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[2], *result = NULL;
    Py_buffer b[2];
    struct triangles t;
    struct list first = {0};
    if (!PyArg_ParseTuple(args, "OO:vertices", &objects[0], &objects[1]) || get(objects, b, 2))
        return NULL;
    if (are_triangles(&b[0], &t) && holds(&b[1], "LQ", 6, "the keys")) {
        PyObject *numbers = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(24 * t.count));
        int failed = -1;
        if (numbers) {
            int64_t *all = (int64_t *)(void *)PyBytes_AsString(numbers);
            Py_BEGIN_ALLOW_THREADS
            failed = massprops_vertices(&t, b[1].buf, &first, all);
            Py_END_ALLOW_THREADS
        }
        if (failed) {
            Py_XDECREF(numbers);
            PyErr_NoMemory();
        } else
            result = Py_BuildValue("NN", as_bytes(&first, sizeof(int64_t)), numbers);
    }
    free(first.items);
    release(b, 2);
    return result;
}

static PyObject *crossings(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[4], *result = NULL;
    Py_buffer b[4];
    struct triangles t;
    struct list found[3] = {{0}};
    long long number;
    int lines, failed;
    const size_t size = sizeof(struct crossing);
    if (!PyArg_ParseTuple(args, "OOOOiL:crossings", &objects[0], &objects[1], &objects[2], &objects[3], &lines, &number))
        return NULL;
    if (lines < 1 || lines > MOST_LINES)
        return PyErr_Format(PyExc_ValueError, "there must be 1 to %d lines along a side, got %d", MOST_LINES, lines);
    if (get(objects, b, 4))
        return NULL;
    if (are_triangles(&b[0], &t) && holds(&b[1], "d", 9, "the axes") && holds(&b[2], "d", 3, "the origin") &&
        holds(&b[3], "d", 6 * (size_t)lines * (size_t)lines, "the places")) {
        struct lattice at = {b[1].buf, b[2].buf, b[3].buf, (size_t)lines};
        Py_BEGIN_ALLOW_THREADS
        failed = massprops_crossings(&t, number, &at, found);
        Py_END_ALLOW_THREADS
        result = failed ? PyErr_NoMemory() : Py_BuildValue("NNN", as_bytes(&found[0], size), as_bytes(&found[1], size), as_bytes(&found[2], size));
    }
    for (int k = 0; k < 3; k++)
        free(found[k].items);
    release(b, 4);
    return result;
}

/* A text, and the arrays that its numbers are written to: of double ('d') or 32-bit integers ('i'). −1 with an exception. */
static int get_text(PyObject *const *objects, const char *types, Py_buffer *b, int count)
{
    if (get(objects, b, 1))
        return -1;
    for (int i = 1; i < count; i++) {
        if (PyObject_GetBuffer(objects[i], &b[i], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE)) {
            release(b, i);
            return -1;
        }
        int wide = types[i - 1] == 'd';
        if (!has_type(&b[i], wide ? "d" : "il", "an array to fill") || b[i].itemsize != (wide ? 8 : 4)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "an array to fill must have integers of 4 bytes");
            release(b, i + 1);
            return -1;
        }
    }
    return 0;
}

static struct doubles doubles_in(const Py_buffer *b) { return (struct doubles){b->buf, (size_t)b->len / 8, 0}; }
static struct indices indices_in(const Py_buffer *b) { return (struct indices){b->buf, (size_t)b->len / 4, 0}; }

static PyObject *rows(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[3], *result = NULL;
    Py_buffer b[3];
    int done;
    if (!PyArg_ParseTuple(args, "OOO:rows", &objects[0], &objects[1], &objects[2]) || get_text(objects, "di", b, 3))
        return NULL;
    const char *text = b[0].buf;
    struct doubles values = doubles_in(&b[1]);
    struct indices lengths = indices_in(&b[2]);
    Py_BEGIN_ALLOW_THREADS
    done = massprops_rows(text, text + b[0].len, &values, &lengths);
    Py_END_ALLOW_THREADS
    result = done ? Py_BuildValue("nn", (Py_ssize_t)values.count, (Py_ssize_t)lengths.count) : Py_NewRef(Py_None);
    release(b, 3);
    return result;
}

static PyObject *obj(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[4], *result = NULL;
    Py_buffer b[4];
    long long points;
    int done;
    if (!PyArg_ParseTuple(args, "OLOOO:obj", &objects[0], &points, &objects[1], &objects[2], &objects[3]))
        return NULL;
    if (points < 0)
        return PyErr_Format(PyExc_ValueError, "the number of vertices must not be negative, got %lld", points);
    if (get_text(objects, "dii", b, 4))
        return NULL;
    const char *text = b[0].buf;
    struct doubles vertices = doubles_in(&b[1]);
    struct indices corners = indices_in(&b[2]), counts = indices_in(&b[3]);
    Py_BEGIN_ALLOW_THREADS
    done = massprops_obj(text, text + b[0].len, points, &vertices, &corners, &counts);
    Py_END_ALLOW_THREADS
    result = done ? Py_BuildValue("nnn", (Py_ssize_t)vertices.count, (Py_ssize_t)corners.count, (Py_ssize_t)counts.count)
                  : Py_NewRef(Py_None);
    release(b, 4);
    return result;
}

static PyObject *facets(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[2], *result = NULL;
    Py_buffer b[2];
    Py_ssize_t start;
    if (!PyArg_ParseTuple(args, "OnO:facets", &objects[0], &start, &objects[1]) || get_text(objects, "d", b, 2))
        return NULL;
    if (start < 0 || start > b[0].len)
        PyErr_Format(PyExc_ValueError, "the start must lie in the text of %zd bytes, got %zd", b[0].len, start);
    else {
        const char *text = b[0].buf, *end;
        struct doubles corners = doubles_in(&b[1]);
        Py_BEGIN_ALLOW_THREADS
        end = massprops_facets(text + start, text + b[0].len, &corners);
        Py_END_ALLOW_THREADS
        result = Py_BuildValue("nn", (Py_ssize_t)(corners.count / 9), (Py_ssize_t)(end - text));
    }
    release(b, 2);
    return result;
}

/* Whether facets have corners that exist, and points have coordinates of at most 1; false with an exception. */
static int are_facets(const Py_buffer *points, const Py_buffer *corners, struct facets *s)
{
    size_t count = (size_t)points->len / 24;
    *s = (struct facets){points->buf, corners->buf, (size_t)corners->len / 24};
    if (!holds(points, "d", 3 * count, "points") || !holds(corners, "lq", 3 * s->count, "corners"))
        return 0;
    for (size_t i = 0; i < 3 * count; i++)
        if (!(s->points[i] >= -1 && s->points[i] <= 1)) {
            PyErr_SetString(PyExc_ValueError, "points must have coordinates from -1 to 1");
            return 0;
        }
    for (size_t i = 0; i < 3 * s->count; i++)
        if (s->corners[i] < 0 || (size_t)s->corners[i] >= count) {
            PyErr_SetString(PyExc_ValueError, "corners must be numbers of points");
            return 0;
        }
    return 1;
}

static PyObject *meetings(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[2], *result = NULL;
    Py_buffer b[2];
    struct facets s;
    struct list found = {0};
    int64_t *part = NULL;
    long long most;
    int failed;
    if (!PyArg_ParseTuple(args, "OOL:meetings", &objects[0], &objects[1], &most) || get(objects, b, 2))
        return NULL;
    if (are_facets(&b[0], &b[1], &s)) {
        Py_BEGIN_ALLOW_THREADS
        part = malloc((s.count + 1) * sizeof *part);
        failed = part ? massprops_meetings(&s, most, &found, part) : -1;
        Py_END_ALLOW_THREADS
        result = failed < 0 ? PyErr_NoMemory()
                 : failed   ? Py_NewRef(Py_None)
                            : Py_BuildValue("Ny#", as_bytes(&found, sizeof(struct meeting)), (const char *)part, (Py_ssize_t)(s.count * sizeof *part));
    }
    free(found.items);
    free(part);
    release(b, 2);
    return result;
}

static PyMethodDef methods[] = {
    {"surface", surface, METH_VARARGS, "surface(corners, reference, keys) -> (sums, words, digest): see surface.c"},
    {"vertices", vertices, METH_VARARGS, "vertices(corners, keys) -> (first, numbers): see vertices.c"},
    {"crossings", crossings, METH_VARARGS, "crossings(corners, axes, origin, places, lines, number) -> three families: see crossings.c"},
    {"rows", rows, METH_VARARGS, "rows(text, values, lengths) -> how many of each, or None: see text.h"},
    {"obj", obj, METH_VARARGS, "obj(text, points, vertices, corners, counts) -> how many of each, or None: see text.h"},
    {"facets", facets, METH_VARARGS, "facets(text, start, corners) -> (facets, end): see text.h"},
    {"meetings", meetings, METH_VARARGS, "meetings(points, corners, most) -> (pairs of facets and how they stand to each other, parts), or None: see near_pairs.c"},
    {NULL, NULL, 0, NULL},
};

/* massprops/native/__init__.py knows the number of the interface that it was written for: a build of other sources is left aside. */
static int add_interface(PyObject *module) { return PyModule_AddIntConstant(module, "INTERFACE", 5); }

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)add_interface}, {0, NULL}};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "massprops._native", .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&module); }
