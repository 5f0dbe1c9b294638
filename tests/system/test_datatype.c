/* Words for types of elements and for reductions, as people type them. */
#include "system/datatype.h"

#include "test.h"

static void types_are_known_by_other_words(void **state)
{
    static const struct {
        const char *word;
        enum hs_datatype datatype;
    } cases[] = {{"float32", HS_FLOAT32}, {"float", HS_FLOAT32},     {"FP32", HS_FLOAT32},
                 {"double", HS_FLOAT64},  {"half", HS_FLOAT16},      {"fp16", HS_FLOAT16},
                 {"bf16", HS_BFLOAT16},   {"bfloat16", HS_BFLOAT16}, {"fp8", HS_FLOAT8},
                 {"e4m3", HS_FLOAT8},     {"uint32", HS_INT32}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        enum hs_datatype datatype;

        assert_int_equal(hs_datatype_parse(&datatype, cases[i].word, NULL), HS_OK);
        assert_int_equal(datatype, cases[i].datatype);
    }
}

static void reductions_are_known_by_other_words(void **state)
{
    static const struct {
        const char *word;
        enum hs_operation operation;
    } cases[] = {{"sum", HS_SUM},     {"add", HS_SUM},     {"MAX", HS_MAX},
                 {"maximum", HS_MAX}, {"avg", HS_AVERAGE}, {"mean", HS_AVERAGE}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        enum hs_operation operation;

        assert_int_equal(hs_operation_parse(&operation, cases[i].word, NULL), HS_OK);
        assert_int_equal(operation, cases[i].operation);
    }
}

static void other_words_are_refused_with_the_names_there_are(void **state)
{
    static const char *const words[] = {"", " ", "int128", "float fp32", "fp", "bfloat 16"};
    struct hs_error err = {0};
    enum hs_datatype datatype;
    enum hs_operation operation;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(words); i++)
        assert_int_equal(hs_datatype_parse(&datatype, words[i], &err), HS_INVALID);
    assert_int_equal(hs_operation_parse(&operation, "prod", &err), HS_INVALID);
    assert_has(err.message, "expected one of sum, max, average");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("types of elements are known by other words", types_are_known_by_other_words),
    HS_TEST("reductions are known by other words", reductions_are_known_by_other_words),
    HS_TEST("other words are refused with the names there are",
            other_words_are_refused_with_the_names_there_are),
};

HS_TEST_MAIN(tests)
