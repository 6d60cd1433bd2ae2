/* The compiled core as Python sees it. Every buffer is checked here, for its type and size, before a function of the core gets its address;
 * an exception says what does not fit. The core itself runs without the interpreter's lock. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "native.h"

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
        result = Py_BuildValue("y#(KK)", (const char *)&s, (Py_ssize_t)offsetof(struct surface, words),
                               (unsigned long long)s.words[0], (unsigned long long)s.words[1]);
    }
    release(b, 3);
    return result;
}

static PyObject *as_bytes(const struct crossings *c)
{
    return PyBytes_FromStringAndSize((const char *)c->all, (Py_ssize_t)(c->count * sizeof *c->all));
}

static PyObject *crossings(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *objects[4], *result = NULL;
    Py_buffer b[4];
    struct triangles t;
    struct crossings found[3] = {{0}};
    long long number;
    int lines, failed;
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
        result = failed ? PyErr_NoMemory() : Py_BuildValue("NNN", as_bytes(&found[0]), as_bytes(&found[1]), as_bytes(&found[2]));
    }
    for (int k = 0; k < 3; k++)
        free(found[k].all);
    release(b, 4);
    return result;
}

static PyMethodDef methods[] = {
    {"surface", surface, METH_VARARGS, "surface(corners, reference, keys) -> (sums, words): see surface.c"},
    {"crossings", crossings, METH_VARARGS, "crossings(corners, axes, origin, places, lines, number) -> three families: see crossings.c"},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "massprops._native", .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&module); }
