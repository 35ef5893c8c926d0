/* SPDX-License-Identifier: Apache-2.0 */
/* An extension of CPython whose team wants the interpreter's lock, which the thread that has begun
 * the region keeps while it waits for the team. */
#include <Python.h>

static PyObject *total(PyObject *self, PyObject *arguments) {
    long sum = 0;
    (void)self;
    (void)arguments;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int i = 0; i < 100; i++) {
        PyGILState_STATE state = PyGILState_Ensure();
        sum += i;
        PyGILState_Release(state);
    }
    return PyLong_FromLong(sum);
}

static PyMethodDef methods[] = {{"total", total, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "interpreter_lock", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_interpreter_lock(void) { return PyModule_Create(&definition); }
