/*
 * The certificate of a lazy search in a result file: read, written as it was, and refused where it
 * is wrong.
 */
#include "test.h"

#include "record/result.h"

static const char before[] =
    "{\"format\":\"hiersearch.result/2\",\"command\":\"hiersearch measure\",\"created\":"
    "\"2026-01-31T12:00:00Z\",\"versions\":{},\"np\":16,\"complete\":true,\"results\":[{"
    "\"message_bytes\":4194304,\"dtype\":\"float32\",\"op\":\"sum\",\"search\":{\"strategy\":"
    "\"lazy\","
    "\"splits\":8,\"looked_at\":5,\"pruned\":[]},\"baselines\":[],\"candidates\":[],"
    "\"certificate\":";

static enum hs_status parse(struct hs_result *result, const char *certificate, struct hs_error *err)
{
    char text[4096];
    int length = snprintf(text, sizeof(text), "%s%s}]}", before, certificate);

    assert_in_range(length, 1, (int)sizeof(text) - 1);
    return hs_result_parse(result, "r.json", text, (size_t)length, err);
}

#define WHOLE                                                                                      \
    "{\"layers_measured\":5,\"layers_rough\":3,\"layers_failed\":1,\"layers\":10,"                 \
    "\"winner\":\"2x8\",\"seconds\":0.5,\"ci95_seconds\":[0.375,0.625],\"within\":0.25,\"runner_"  \
    "up\":{\"split\":\"16\",\"seconds\":"                                                          \
    "0.75,\"measured\":false},\"ties\":[{\"split\":\"4hx4t\",\"seconds\":0.5625,\"ci95_seconds\":" \
    "["                                                                                            \
    "0.5,0.625]}],\"more_ties\":true}"

static void assert_whole(const struct hs_certificate *certificate)
{
    assert_int_equal(certificate->layers, 10);
    assert_int_equal(certificate->layers_measured, 5);
    assert_int_equal(certificate->layers_rough, 3);
    assert_int_equal(certificate->layers_failed, 1);
    assert_int_equal(certificate->winner.split.sizes[1], 8);
    assert_true(certificate->seconds == 0.5 && certificate->ci95_seconds == 0.125);
    assert_true(certificate->within == 0.25);
    assert_int_equal(certificate->runner_up.split.sizes[0], 16);
    assert_true(certificate->runner_up_seconds == 0.75 && !certificate->runner_up_measured);
    assert_true(hs_certificate_margin(certificate) == 0.5);
    assert_int_equal(certificate->tie_count, 1);
    assert_int_equal(certificate->ties[0].plan.split.sizes[0], 4);
    assert_int_equal(certificate->ties[0].plan.algorithms[0][0], HS_HALVING);
    assert_int_equal(certificate->ties[0].plan.algorithms[1][0], HS_TREE);
    assert_true(certificate->ties[0].seconds == 0.5625 &&
                certificate->ties[0].ci95_seconds == 0.0625);
    assert_true(certificate->more_ties);
}

static void a_certificate_is_read_and_written_as_it_was(void **state)
{
    struct hs_result result, again;
    struct hs_error err = {0};
    struct hs_text text = {0};

    (void)state;
    assert_status_is(parse(&result, WHOLE, &err), HS_OK, &err);
    assert_whole(result.messages[0].certificate);
    assert_status_is(hs_result_print(&text, &result, &err), HS_OK, &err);
    assert_status_is(hs_result_parse(&again, "again", text.data, text.length, &err), HS_OK, &err);
    assert_whole(again.messages[0].certificate);
    hs_text_release(&text);
    hs_result_release(&result);
    hs_result_release(&again);
}

static void without_a_winner_there_are_counts_alone(void **state)
{
    struct hs_result result;
    struct hs_error err = {0};

    (void)state;
    assert_status_is(
        parse(&result,
              "{\"layers_measured\":2,\"layers_rough\":0,\"layers_failed\":0,\"layers\":10}", &err),
        HS_OK, &err);
    assert_int_equal(result.messages[0].certificate->winner.split.count, 0);
    assert_true(isnan(hs_certificate_margin(result.messages[0].certificate)));
    hs_result_release(&result);
}

static void wrong_certificates_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"layers_measured\":2,\"layers_rough\":0,\"layers\":10}", "layers_failed"},
        {"{\"layers_measured\":2,\"layers_rough\":3,\"layers_failed\":0,\"layers\":10}",
         "as many rough"},
        {"{\"layers_measured\":9,\"layers_rough\":0,\"layers_failed\":2,\"layers\":10}",
         "at most as many"},
        {"{\"layers_measured\":2,\"layers_rough\":0,\"layers_failed\":0,\"layers\":10,\"seconds\":"
         "1}",
         "seconds"},
        {"{\"layers_measured\":2,\"layers_rough\":0,\"layers_failed\":0,\"layers\":10,\"winner\":"
         "\"2x4\",\"seconds\":1,"
         "\"ties\":[],\"more_ties\":false}",
         "16"},
        {"{\"layers_measured\":2,\"layers_rough\":0,\"layers_failed\":0,\"layers\":10,\"winner\":"
         "\"2x8/2\",\"seconds\":1,\"ties\":[],\"more_ties\":false}",
         "without chunks"},
        {"{\"layers_measured\":2,\"layers_rough\":0,\"layers_failed\":0,\"layers\":10,\"winner\":"
         "\"2x8\",\"seconds\":1,"
         "\"ci95_seconds\":[2,3],\"ties\":[],\"more_ties\":false}",
         "interval around"},
        {"{\"layers_measured\":2,\"layers_rough\":0,\"layers_failed\":0,\"layers\":10,\"winner\":"
         "\"2x8\",\"seconds\":1,"
         "\"within\":-1,\"ties\":[],\"more_ties\":false}",
         "within"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_result result;
        struct hs_error err = {0};

        assert_status_is(parse(&result, cases[i].text, &err), HS_INVALID, &err);
        assert_has(err.message, cases[i].message);
        assert_has(err.message, "certificate");
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a certificate is read and written as it was",
            a_certificate_is_read_and_written_as_it_was),
    HS_TEST("without a winner there are counts alone", without_a_winner_there_are_counts_alone),
    HS_TEST("wrong certificates are refused", wrong_certificates_are_refused),
};
HS_TEST_MAIN(tests)
