/* Parts of HTML pages, and how a page is filled. */
#include "test.h"

#include "show/html.h"

static void html_text_is_escaped(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_html_text(&out, "<b a=\"1\" c='2'>&\x01\xc3\xa9\xff");
    assert_string_equal(out.data, "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp; \xc3\xa9 ");
    hs_text_release(&out);
}

static void a_picture_keeps_its_ids_to_itself(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_html_svg(&out,
                "<?xml version=\"1.0\"?>\n<svg width=\"9\" viewBox=\"0 0 9 9\" "
                "xmlns:xlink=\"http://x\">\n<path id='p'/><g id=\"q\"><use xlink:href='#p' "
                "fill='url(#r)'/></g></svg>\n",
                "k", "a & b");
    assert_string_equal(out.data,
                        "<svg role=\"img\" aria-label=\"a &amp; b\" viewBox=\"0 0 9 9\">\n"
                        "<path id='k-p'/><g data-part=\"k-q\"><use href='#k-p' "
                        "fill='url(#k-r)'/></g></svg>\n");
    hs_text_release(&out);
    hs_html_svg(&out, "no picture", "k", "x");
    assert_int_equal(out.length, 0);
}

static void a_page_is_filled(void **state)
{
    struct hs_html_values values = {.count = 0};
    struct hs_text out = {0};

    (void)state;
    hs_text_append(hs_html_value(&values, "name"), "a ");
    hs_text_append(hs_html_value(&values, "name"), "<b>");
    hs_text_append(hs_html_value(&values, "table"), "<td>{{name}}</td>");
    hs_html_flag(&values, "yes", true);
    hs_html_flag(&values, "no", false);
    hs_html_fill(&out,
                 "<p>{{name}}</p>{{{table}}}{{#yes}}[{{name}}{{#no}}never{{/no}}]{{/yes}}"
                 "{{#no}}{{#yes}}never{{/yes}}{{/no}}{{#nothing}}never{{/nothing}}{{nothing}}.",
                 &values);
    assert_string_equal(out.data, "<p>a &lt;b&gt;</p><td>{{name}}</td>[a &lt;b&gt;].");
    hs_text_release(&out);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("text in HTML is escaped", html_text_is_escaped),
    HS_TEST("a picture keeps its ids to itself", a_picture_keeps_its_ids_to_itself),
    HS_TEST("a page is filled with what there is, and only that", a_page_is_filled),
};

HS_TEST_MAIN(tests)
