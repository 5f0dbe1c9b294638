#include "stand_ins.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- glibc ----------------------------------------------------------------------------------- */

struct order {
    int (*compare)(const void *, const void *, void *);
    int (*plain)(const void *, const void *);
    void *context;
};

static bool is_behind(const char *a, const char *b, const struct order *order)
{
    return (order->plain ? order->plain(a, b) : order->compare(a, b, order->context)) > 0;
}

static void merge_sort(char *base, size_t count, size_t bytes, const struct order *order,
                       char *spare)
{
    size_t half = count / 2, i = 0, j = half;

    if (count < 2)
        return;
    merge_sort(base, half, bytes, order, spare);
    merge_sort(base + half * bytes, count - half, bytes, order, spare);
    for (size_t at = 0; at < count; at++) {
        bool second =
            i == half || (j < count && is_behind(base + i * bytes, base + j * bytes, order));

        memcpy(spare + at * bytes, base + (second ? j++ : i++) * bytes, bytes);
    }
    memcpy(base, spare, count * bytes);
}

static void sort(void *base, size_t count, size_t bytes, const struct order *order)
{
    char *spare = malloc(count * bytes + 1);

    if (!spare) /* no caller could be told */
        abort();
    merge_sort(base, count, bytes, order, spare);
    free(spare);
}

void qsort(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *))
{
    const struct order order = {.plain = compare};

    sort(base, count, bytes, &order);
}

void qsort_r(void *base, size_t count, size_t bytes,
             int (*compare)(const void *, const void *, void *), void *context)
{
    const struct order order = {.compare = compare, .context = context};

    sort(base, count, bytes, &order);
}

unsigned long getauxval(unsigned long type)
{
    (void)type;
    return 0;
}

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *out)
{
    (void)folder, (void)path, (void)flags, (void)mask, (void)out;
    return -1;
}

/* There are no other programs. */
int posix_spawnp(pid_t *process, const char *program, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[])
{
    (void)process, (void)program, (void)actions, (void)attributes, (void)arguments;
    (void)environment;
    return ENOSYS;
}

/* ---- cJSON ----------------------------------------------------------------------------------- */

enum type { IS_NULL = 1, IS_FALSE, IS_TRUE, IS_NUMBER, IS_STRING, IS_ARRAY, IS_OBJECT };

static cJSON *node_new(enum type type)
{
    cJSON *node = calloc(1, sizeof(*node));

    if (node)
        node->type = (int)type;
    return node;
}

void cJSON_Delete(cJSON *node)
{
    while (node) {
        cJSON *next = node->next;

        cJSON_Delete(node->child);
        free(node->valuestring);
        free(node->string);
        free(node);
        node = next;
    }
}

static void add(cJSON *parent, cJSON *node)
{
    if (!parent->child) {
        parent->child = node->prev = node;
        return;
    }
    node->prev = parent->child->prev;
    node->prev->next = node;
    parent->child->prev = node;
}

struct reader {
    const char *at, *end;
};

static void skip_space(struct reader *in)
{
    while (in->at < in->end && memchr(" \t\r\n", *in->at, 4))
        in->at++;
}

static bool take(struct reader *in, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0)
        return false;
    in->at += length;
    return true;
}

static unsigned long read_unit(struct reader *in)
{
    char digits[5] = "";

    memcpy(digits, in->at, in->end - in->at < 4 ? (size_t)(in->end - in->at) : 4);
    in->at += strlen(digits);
    return strtoul(digits, NULL, 16);
}

static char *put_utf8(char *out, unsigned long c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *out++ = (char)(0xE0 | c >> 12);
        } else {
            *out++ = (char)(0xF0 | c >> 18);
            *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (c & 0x3F));
    return out;
}

/* Behind its first quote. NULL: no memory, or no end. */
static char *read_string(struct reader *in)
{
    char *text = malloc((size_t)(in->end - in->at) + 1), *out = text, *shorter;

    while (text && in->at < in->end && *in->at != '"') {
        static const char escapes[] = "b\bf\fn\nr\rt\t";
        const char *escape;
        unsigned long c;

        if (*in->at != '\\' || in->at + 1 == in->end) {
            *out++ = *in->at++;
            continue;
        }
        in->at += 2;
        escape = strchr(escapes, in->at[-1]);
        if (in->at[-1] != 'u') {
            *out++ = escape ? escape[1] : in->at[-1];
            continue;
        }
        c = read_unit(in);
        if (c >= 0xD800 && c < 0xDC00 && take(in, "\\u"))
            c = 0x10000 + ((c & 0x3FF) << 10 | (read_unit(in) & 0x3FF));
        out = put_utf8(out, c);
    }
    if (!text || !take(in, "\"")) {
        free(text);
        return NULL;
    }
    *out++ = '\0';
    shorter = realloc(text, (size_t)(out - text));
    return shorter ? shorter : text;
}

static cJSON *read_value(struct reader *in);

/* The rest of an array or object. False: no memory, or no JSON. */
static bool read_children(struct reader *in, cJSON *parent)
{
    bool object = parent->type == IS_OBJECT;
    const char *close = object ? "}" : "]";

    skip_space(in);
    if (take(in, close))
        return true;
    do {
        char *key = NULL;
        cJSON *child;

        skip_space(in);
        if (object && (!take(in, "\"") || !(key = read_string(in))))
            return false;
        skip_space(in);
        child = !object || take(in, ":") ? read_value(in) : NULL;
        if (!child) {
            free(key);
            return false;
        }
        child->string = key;
        add(parent, child);
        skip_space(in);
    } while (take(in, ","));
    return take(in, close);
}

static bool read_number(struct reader *in, cJSON *node)
{
    char digits[64];
    size_t length = 0;
    char *end;

    while (in->at + length < in->end && length < sizeof(digits) - 1 &&
           strchr("0123456789+-.eE", in->at[length]) && in->at[length])
        length++;
    memcpy(digits, in->at, length);
    digits[length] = '\0';
    node->valuedouble = strtod(digits, &end);
    in->at += end - digits;
    return end > digits;
}

static cJSON *read_value(struct reader *in)
{
    cJSON *node = node_new(IS_NULL);
    bool good;

    skip_space(in);
    if (!node || in->at == in->end) {
        free(node);
        return NULL;
    }
    if (take(in, "null")) {
        good = true;
    } else if (take(in, "true") || take(in, "false")) {
        node->type = in->at[-2] == 'u' ? IS_TRUE : IS_FALSE;
        good = true;
    } else if (take(in, "\"")) {
        node->type = IS_STRING;
        good = (node->valuestring = read_string(in)) != NULL;
    } else if (take(in, "[") || take(in, "{")) {
        node->type = in->at[-1] == '[' ? IS_ARRAY : IS_OBJECT;
        good = read_children(in, node);
    } else {
        node->type = IS_NUMBER;
        good = read_number(in, node);
    }
    if (good)
        return node;
    cJSON_Delete(node);
    return NULL;
}

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t length, const char **end, int terminated)
{
    struct reader in = {text, text + length};
    cJSON *root = read_value(&in);

    (void)terminated;
    if (end)
        *end = in.at;
    return root;
}

static bool is(const cJSON *node, enum type type)
{
    return node && node->type == (int)type;
}

int cJSON_IsObject(const cJSON *node)
{
    return is(node, IS_OBJECT);
}

int cJSON_IsArray(const cJSON *node)
{
    return is(node, IS_ARRAY);
}

int cJSON_IsNumber(const cJSON *node)
{
    return is(node, IS_NUMBER);
}

int cJSON_IsString(const cJSON *node)
{
    return is(node, IS_STRING);
}

int cJSON_IsBool(const cJSON *node)
{
    return is(node, IS_TRUE) || is(node, IS_FALSE);
}

int cJSON_IsTrue(const cJSON *node)
{
    return is(node, IS_TRUE);
}

int cJSON_IsNull(const cJSON *node)
{
    return is(node, IS_NULL);
}

int cJSON_GetArraySize(const cJSON *node)
{
    const cJSON *child;
    int count = 0;

    cJSON_ArrayForEach(child, node) count++;
    return count;
}

cJSON *cJSON_GetArrayItem(const cJSON *node, int index)
{
    cJSON *child;

    cJSON_ArrayForEach(child, node) if (index-- == 0) return child;
    return NULL;
}

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *node, const char *key)
{
    cJSON *child;

    cJSON_ArrayForEach(child,
                       node) if (child->string && strcmp(child->string, key) == 0) return child;
    return NULL;
}

char *cJSON_GetStringValue(const cJSON *node)
{
    return is(node, IS_STRING) ? node->valuestring : NULL;
}

cJSON *cJSON_CreateObject(void)
{
    return node_new(IS_OBJECT);
}

/* Owned by the object. */
static cJSON *add_to_object(cJSON *object, const char *key, enum type type)
{
    cJSON *node = object ? node_new(type) : NULL;
    char *copy = node ? strdup(key) : NULL;

    if (!copy) {
        free(node);
        return NULL;
    }
    node->string = copy;
    add(object, node);
    return node;
}

cJSON *cJSON_AddStringToObject(cJSON *object, const char *key, const char *value)
{
    cJSON *node = add_to_object(object, key, IS_STRING);

    if (node)
        node->valuestring = strdup(value);
    return node && node->valuestring ? node : NULL;
}

cJSON *cJSON_AddNumberToObject(cJSON *object, const char *key, double value)
{
    cJSON *node = add_to_object(object, key, IS_NUMBER);

    if (node)
        node->valuedouble = value;
    return node;
}

static void print_string(FILE *out, const char *text)
{
    static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    fputc('"', out);
    for (; *text; text++) {
        const char *escape = escapes;

        while (*escape && *escape != *text)
            escape += 2;
        if (*escape)
            fprintf(out, "\\%c", escape[1]);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

/* As short as reads back to about the same, as cJSON does. */
static void print_number(FILE *out, double value)
{
    char digits[32];
    double back;

    snprintf(digits, sizeof(digits), "%1.15g", value);
    back = strtod(digits, NULL);
    if (!(fabs(back - value) <= fmax(fabs(back), fabs(value)) * 2.220446049250313e-16))
        snprintf(digits, sizeof(digits), "%1.17g", value);
    fputs(isfinite(value) ? digits : "null", out);
}

/* An object of texts and numbers. */
char *cJSON_PrintUnformatted(const cJSON *node)
{
    char *text = NULL;
    size_t length;
    const cJSON *child;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fputc('{', out);
    cJSON_ArrayForEach(child, node)
    {
        if (child != node->child)
            fputc(',', out);
        print_string(out, child->string);
        fputc(':', out);
        if (is(child, IS_STRING))
            print_string(out, child->valuestring);
        else
            print_number(out, child->valuedouble);
    }
    fputc('}', out);
    return fclose(out) == 0 ? text : NULL;
}

/* ---- GSL ------------------------------------------------------------------------------------- */

gsl_vector_view gsl_vector_view_array(double *data, size_t size)
{
    return (gsl_vector_view){{size, data}};
}

gsl_matrix_view gsl_matrix_view_array(double *data, size_t rows, size_t columns)
{
    (void)columns;
    return (gsl_matrix_view){{rows, data}};
}

/* By columns, the lower triangle; each column is scaled by the reciprocal of its root. */
int gsl_linalg_cholesky_decomp1(gsl_matrix *a)
{
    size_t n = a->size;
    double *m = a->data;

    for (size_t j = 0; j < n; j++) {
        double scale;

        for (size_t i = j; j > 0 && i < n; i++) {
            double sum = 0;

            for (size_t k = 0; k < j; k++)
                sum += m[j * n + k] * m[i * n + k];
            m[i * n + j] -= sum;
        }
        if (!(m[j * n + j] > 0)) /* GSL's own handler ends the program, too */
            abort();
        scale = 1 / sqrt(m[j * n + j]);
        m[j * n + j] = sqrt(m[j * n + j]);
        for (size_t i = j + 1; i < n; i++)
            m[i * n + j] *= scale;
    }
    return 0;
}

int gsl_linalg_cholesky_svx(const gsl_matrix *llt, gsl_vector *x)
{
    size_t n = llt->size;
    const double *m = llt->data;
    double *v = x->data;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            v[i] -= m[i * n + j] * v[j];
        v[i] /= m[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            v[i] -= m[j * n + i] * v[j];
        v[i] /= m[i * n + i];
    }
    return 0;
}

int gsl_linalg_cholesky_invert(gsl_matrix *llt)
{
    size_t n = llt->size;
    double *inverse = calloc(n * n + 1, sizeof(*inverse));

    if (!inverse)
        abort();
    for (size_t i = 0; i < n; i++) {
        gsl_vector row = {n, inverse + i * n};

        row.data[i] = 1;
        gsl_linalg_cholesky_svx(llt, &row);
    }
    memcpy(llt->data, inverse, n * n * sizeof(*inverse));
    free(inverse);
    return 0;
}

static double polynomial(const double *of, size_t count, double x)
{
    double sum = of[count - 1];

    for (size_t i = count - 1; i-- > 0;)
        sum = of[i] + x * sum;
    return sum;
}

/* PPND16 of algorithm AS 241 (Wichura 1988, Applied Statistics 37, 477-484), which is GSL's, too. */
static double middle(double off)
{
    static const double over[] = {
        3.387132872796366608,  133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
        45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727};
    static const double under[] = {1.0,
                                   42.313330701600911252,
                                   687.1870074920579083,
                                   5394.1960214247511077,
                                   21213.794301586595867,
                                   39307.89580009271061,
                                   28729.085735721942674,
                                   5226.495278852854561};
    double r = 0.180625 - off * off;

    return off * (polynomial(over, 8, r) / polynomial(under, 8, r));
}

static double tail(double p)
{
    static const double over[2][8] = {
        {1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055,
         3.64784832476320460504, 1.27045825245236838258, 0.24178072517745061177,
         0.0227238449892691845833, 7.7454501427834140764e-4},
        {6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358,
         0.29656057182850489123, 0.026532189526576123093, 0.0012426609473880784386,
         2.71155556874348757815e-5, 2.01033439929228813265e-7}};
    static const double under[2][8] = {
        {1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455,
         0.14810397642748007459, 0.0151986665636164571966, 5.475938084995344946e-4,
         1.05075007164441684324e-9},
        {1.0, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525,
         7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7,
         2.04426310338993978564e-15}};
    double r = sqrt(-log(p));
    int far = r > 5;

    r -= far ? 5 : 1.6;
    return polynomial(over[far], 8, r) / polynomial(under[far], 8, r);
}

double gsl_cdf_ugaussian_Pinv(double p)
{
    double off = p - 0.5;

    if (p <= 0 || p >= 1)
        return p <= 0 ? -INFINITY : INFINITY;
    if (fabs(off) <= 0.425)
        return middle(off);
    return p < 0.5 ? -tail(p) : tail(1 - p);
}

double gsl_cdf_ugaussian_Qinv(double q)
{
    double off = q - 0.5;

    if (q <= 0 || q >= 1)
        return q <= 0 ? INFINITY : -INFINITY;
    if (fabs(off) <= 0.425)
        return -middle(off);
    return q < 0.5 ? tail(q) : -tail(1 - q);
}

double gsl_cdf_binomial_P(unsigned k, double p, unsigned n)
{
    double sum = 0;

    for (unsigned i = 0; i <= k && i <= n; i++)
        sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
                   (n - i) * log1p(-p));
    return fmin(sum, 1);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void gsl_sort(double *data, size_t stride, size_t count)
{
    (void)stride;
    qsort(data, count, sizeof(*data), compare_numbers);
}

double gsl_stats_mean(const double *data, size_t stride, size_t count)
{
    long double mean = 0;

    (void)stride;
    for (size_t i = 0; i < count; i++)
        mean += ((long double)data[i] - mean) / (long double)(i + 1);
    return (double)mean;
}

double gsl_stats_median_from_sorted_data(const double *sorted, size_t stride, size_t count)
{
    (void)stride;
    return count ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : 0;
}

double gsl_stats_select(double *data, size_t stride, size_t count, size_t place)
{
    gsl_sort(data, stride, count);
    return data[place];
}
