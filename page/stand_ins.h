/*
 * stand_ins.h - what the page's parts call of cJSON, of GSL and of glibc, and WebAssembly's libc or
 * Debian's emscripten does not have. Names, results and orders of operations are those of the
 * originals, so that numbers come out as the command line's. In front of every source (page.mk).
 */
#ifndef HS_PAGE_STAND_INS_H
#define HS_PAGE_STAND_INS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- glibc ---- */

/* Stable, as glibc's (up to 2.36) are: equal elements stay in their order. */
void qsort(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *));
void qsort_r(void *base, size_t count, size_t bytes,
             int (*compare)(const void *, const void *, void *), void *context);
/* AT_ENTRY alone: there is no program to be found. */
unsigned long getauxval(unsigned long type);
/* Always -1: no file is ours (record/counts.c). */
struct statx {
    unsigned long long stx_ino;
    unsigned stx_dev_major, stx_dev_minor;
};
#define STATX_INO          0x100U
#define AT_STATX_DONT_SYNC 0x4000
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *out);

/* ---- cJSON: of a text that is JSON (json_scan.c looked) ---- */

typedef struct cJSON {
    struct cJSON *next, *prev, *child; /* of the first, prev is the last */
    int type;                          /* enum in the source */
    char *valuestring;
    double valuedouble;
    char *string; /* its key */
} cJSON;

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t length, const char **end, int terminated);
void cJSON_Delete(cJSON *node);
int cJSON_IsObject(const cJSON *node);
int cJSON_IsArray(const cJSON *node);
int cJSON_IsNumber(const cJSON *node);
int cJSON_IsString(const cJSON *node);
int cJSON_IsBool(const cJSON *node);
int cJSON_IsTrue(const cJSON *node);
int cJSON_IsNull(const cJSON *node);
int cJSON_GetArraySize(const cJSON *node);
cJSON *cJSON_GetArrayItem(const cJSON *node, int index);
cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *node, const char *key);
char *cJSON_GetStringValue(const cJSON *node);
cJSON *cJSON_CreateObject(void);
cJSON *cJSON_AddStringToObject(cJSON *object, const char *key, const char *value);
cJSON *cJSON_AddNumberToObject(cJSON *object, const char *key, double value);
char *cJSON_PrintUnformatted(const cJSON *node);
#define cJSON_ArrayForEach(element, node)                                                          \
    for ((element) = (node) ? (node)->child : NULL; (element); (element) = (element)->next)

/* ---- GSL ---- */

typedef struct {
    size_t size;
    double *data;
} gsl_vector;
typedef struct {
    size_t size;
    double *data; /* [size * size] */
} gsl_matrix;
typedef struct {
    gsl_vector vector;
} gsl_vector_view;
typedef struct {
    gsl_matrix matrix;
} gsl_matrix_view;

gsl_vector_view gsl_vector_view_array(double *data, size_t size);
gsl_matrix_view gsl_matrix_view_array(double *data, size_t rows, size_t columns);
int gsl_linalg_cholesky_decomp1(gsl_matrix *a);
int gsl_linalg_cholesky_svx(const gsl_matrix *llt, gsl_vector *x);
int gsl_linalg_cholesky_invert(gsl_matrix *llt);
double gsl_cdf_ugaussian_Pinv(double p);
double gsl_cdf_ugaussian_Qinv(double q);
double gsl_cdf_binomial_P(unsigned k, double p, unsigned n);
void gsl_sort(double *data, size_t stride, size_t count);
double gsl_stats_mean(const double *data, size_t stride, size_t count);
double gsl_stats_median_from_sorted_data(const double *sorted, size_t stride, size_t count);
double gsl_stats_select(double *data, size_t stride, size_t count, size_t place);

#endif
