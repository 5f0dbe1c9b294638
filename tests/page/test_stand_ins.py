#!/usr/bin/env python3
"""What the page has in place of GSL, of cJSON and of glibc's sort (page/stand_ins.c) against GSL, Python's json and a stable sort. Prints TAP."""
import ctypes
import ctypes.util
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOUBLE, SIZE, UNSIGNED = ctypes.c_double, ctypes.c_size_t, ctypes.c_uint
random.seed(1)


class Node(ctypes.Structure):
    """struct cJSON of stand_ins.h."""


Node._fields_ = [("next", ctypes.POINTER(Node)), ("prev", ctypes.POINTER(Node)), ("child", ctypes.POINTER(Node)), ("type", ctypes.c_int),
                 ("valuestring", ctypes.c_char_p), ("valuedouble", DOUBLE), ("string", ctypes.c_char_p)]


class Vector(ctypes.Structure):
    _fields_ = [("size", SIZE), ("data", ctypes.POINTER(DOUBLE))]


def load():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stand_ins.so"
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-w", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-Wl,-Bsymbolic",
                        "-I", ROOT / "page", "-o", path, ROOT / "page/stand_ins.c", "-lm"], check=True)
        return ctypes.CDLL(str(path))


def functions(library):
    """Of GSL, and of what stands in."""
    for name, arguments in (("gsl_cdf_ugaussian_Pinv", [DOUBLE]), ("gsl_cdf_ugaussian_Qinv", [DOUBLE]), ("gsl_cdf_binomial_P", [UNSIGNED, DOUBLE, UNSIGNED]),
                            ("gsl_stats_mean", [ctypes.c_void_p, SIZE, SIZE]), ("gsl_stats_median_from_sorted_data", [ctypes.c_void_p, SIZE, SIZE]),
                            ("gsl_stats_select", [ctypes.c_void_p, SIZE, SIZE, SIZE])):
        function = getattr(library, name)
        function.restype, function.argtypes = DOUBLE, arguments
    return library


def quantiles(page, gsl):
    for i in range(1, 20000):
        for p in (i / 20000, i * 1e-7, 10.0 ** -(i / 100)):
            for name in ("gsl_cdf_ugaussian_Pinv", "gsl_cdf_ugaussian_Qinv"):
                if getattr(page, name)(p) != getattr(gsl, name)(p):
                    return f"{name}({p})"
    return ""


def binomial(page, gsl):
    return "".join(f"{k} of {n} " for n in range(1, 300, 7) for k in range(n)
                   if not math.isclose(page.gsl_cdf_binomial_P(k, 0.5, n), gsl.gsl_cdf_binomial_P(k, 0.5, n), rel_tol=1e-11))


def statistics(page, gsl):
    for count in range(1, 200):
        values = [random.choice([random.gauss(0, 1), 1.0]) for _ in range(count)]
        for name, given, *rest in (("gsl_stats_mean", values), ("gsl_stats_median_from_sorted_data", sorted(values)),
                                   ("gsl_stats_select", values, random.randrange(count))):
            a, b = ((DOUBLE * count)(*given) for _ in range(2))
            if getattr(page, name)(a, 1, count, *rest) != getattr(gsl, name)(b, 1, count, *rest):
                return f"{name} of {given}"
    return ""


def cholesky(page):
    """L L^T is the matrix again, and what is solved solves: GSL's own matrices have another layout."""
    for n in range(1, 41):
        rows = [[random.gauss(0, 1) for _ in range(n + 3)] for _ in range(n)]
        matrix = [[sum(x * y for x, y in zip(a, b)) for b in rows] for a in rows]
        flat = (DOUBLE * (n * n))(*(x for row in matrix for x in row))
        right = [random.gauss(0, 1) for _ in range(n)]
        x = (DOUBLE * n)(*right)
        page.gsl_linalg_cholesky_decomp1(ctypes.byref(Vector(n, flat)))
        lower = [[flat[i * n + j] if j <= i else 0 for j in range(n)] for i in range(n)]
        page.gsl_linalg_cholesky_svx(ctypes.byref(Vector(n, flat)), ctypes.byref(Vector(n, x)))
        page.gsl_linalg_cholesky_invert(ctypes.byref(Vector(n, flat)))
        for i in range(n):
            if not math.isclose(sum(matrix[i][j] * x[j] for j in range(n)), right[i], abs_tol=1e-6):
                return f"solving, {n} rows"
            for j in range(n):
                if not math.isclose(sum(a * b for a, b in zip(lower[i], lower[j])), matrix[i][j], abs_tol=1e-9):
                    return f"factors, {n} rows"
                if not math.isclose(sum(matrix[i][k] * flat[k * n + j] for k in range(n)), float(i == j), abs_tol=1e-6):
                    return f"the inverse, {n} rows"
    return ""


def sorting(page):
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    for count in range(0, 60):
        values = [(random.randrange(9), i) for i in range(count)]
        flat = (ctypes.c_int * (2 * count))(*(x for pair in values for x in pair))
        page.qsort(flat, SIZE(count), SIZE(8), compare(lambda a, b: a[0] - b[0]))
        if list(zip(flat[::2], flat[1::2])) != sorted(values, key=lambda pair: pair[0]):
            return str(values)
    return ""


def tree(page, node):
    """What Python's json makes of the same text."""
    kinds = {"Null": None, "True": True, "Number": node.contents.valuedouble, "String": (node.contents.valuestring or b"").decode()}
    for kind, value in kinds.items():
        if getattr(page, "cJSON_Is" + kind)(node):
            return value
    if page.cJSON_IsBool(node):
        return False
    children, child = [], node.contents.child
    while child:
        children.append((child.contents.string, tree(page, child)))
        child = child.contents.next
    assert len(children) == page.cJSON_GetArraySize(node)
    return {key.decode(): value for key, value in children} if page.cJSON_IsObject(node) else [value for _, value in children]


def documents(page):
    page.cJSON_ParseWithLengthOpts.restype = ctypes.POINTER(Node)
    page.cJSON_ParseWithLengthOpts.argtypes = [ctypes.c_char_p, SIZE, ctypes.c_void_p, ctypes.c_int]
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "configs").glob("*.json"))]
    texts += [r'["\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t", "é😀", {}, [], {"a": {"b": [true, false, null, -0.0, 1e-7, 12345678901234567890]}}]', " 1 ", '""']
    for text in texts:
        root = page.cJSON_ParseWithLengthOpts(text.encode(), len(text.encode()), None, 0)
        if not root or tree(page, root) != json.loads(text, parse_int=float):
            return text[:200]
        page.cJSON_Delete(root)
    for text in ("", "{", "[1,", '{"a"', '{"a":', '"', '"\\', "[1 2]", "x"):
        if page.cJSON_ParseWithLengthOpts(text.encode(), len(text), None, 0):
            return f"accepted {text}"
    return ""


def main():
    page, gsl = functions(load()), functions(ctypes.CDLL(ctypes.util.find_library("gsl"), mode=ctypes.RTLD_GLOBAL))
    tests = (("quantiles of the normal distribution are GSL's to the bit", quantiles(page, gsl)), ("the binomial distribution is GSL's", binomial(page, gsl)),
             ("mean, median and order statistics are GSL's to the bit", statistics(page, gsl)), ("factors, solutions and inverses of matrices are right", cholesky(page)),
             ("the sort is stable", sorting(page)), ("JSON is read as Python reads it, and broken JSON is refused", documents(page)))
    for number, (sentence, wrong) in enumerate(tests, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {sentence}" + (f"\n# {wrong}" if wrong else ""))
    print(f"1..{len(tests)}")
    return any(wrong for _, wrong in tests)


sys.exit(main())
