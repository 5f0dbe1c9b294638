#include "plot/page.h"

#include <ctype.h>
#include <string.h>

#include "plot/html.h"
#include "plot/page_parts.h"

/* Colours come in pairs for light and dark screens; pictures keep white paper under them. Wide
 * things scroll in their own box, so that the page fits a phone. */
static const char style[] =
    ":root{color-scheme:light dark;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--page:#fff;"
    "--box:#f3f6f9;--accent:#0b4f80;--warn:#fff3d6}\n"
    "@media (prefers-color-scheme:dark){:root{--text:#e6e9ed;--soft:#a3adb8;--line:#3b434c;"
    "--page:#14181d;--box:#1e242b;--accent:#7cc0ee;--warn:#40350f}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--text);"
    "font:16px/1.5 system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 3rem}\n"
    "h1{font-size:clamp(1.6rem,5vw,2.4rem);line-height:1.15;margin:.1em 0 .6em;"
    "overflow-wrap:anywhere}\n"
    "h2{font-size:1.35rem;margin:2.2em 0 .5em;border-bottom:1px solid var(--line);"
    "padding-bottom:.2em}\n"
    "h3{font-size:1rem;margin:1.2em 0 .3em;overflow-wrap:anywhere}\n"
    ".over{margin:0;color:var(--soft)}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:.8rem;margin:0 0 1rem}\n"
    ".figures div{background:var(--box);border-radius:8px;padding:.6rem .9rem;flex:1 1 11rem}\n"
    ".figures dt{color:var(--soft);font-size:.85rem}\n"
    ".figures dd{margin:0}\n"
    ".figures strong{display:block;font-size:1.4rem;color:var(--accent)}\n"
    ".figures span{font-size:.8rem;color:var(--soft)}\n"
    ".warning{background:var(--warn);border-left:4px solid #E69F00;padding:.5rem "
    ".8rem;margin:.6rem 0}\n"
    ".scroll{overflow-x:auto;margin:.5rem 0}\n"
    "table{border-collapse:collapse;font-size:.88rem;min-width:100%}\n"
    "caption{text-align:left;color:var(--soft);padding-bottom:.3rem}\n"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
    "white-space:nowrap;vertical-align:top}\n"
    "td:last-child:not(.n){white-space:normal;min-width:12rem}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "tr.best td{font-weight:700}\n"
    "figure{margin:1.2rem 0;break-inside:avoid}\n"
    "figcaption{color:var(--soft);font-size:.9rem}\n"
    ".paper{background:#fff;border:1px solid var(--line);border-radius:6px}\n"
    ".paper svg{display:block;width:100%;min-width:44rem;height:auto}\n"
    ".facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;font-size:.88rem;"
    "margin:0}\n"
    ".facts dt{color:var(--soft)}\n"
    ".facts dd{margin:0;overflow-wrap:anywhere}\n"
    "code,pre{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:.88rem}\n"
    "pre{background:var(--box);padding:.7rem .9rem;border-radius:6px;overflow-x:auto}\n"
    "footer{margin-top:3rem;color:var(--soft);font-size:.85rem}\n"
    "@media (max-width:40rem){.facts{grid-template-columns:1fr}.facts dd{margin-bottom:.4rem}}\n"
    "@media print{:root{color-scheme:light;--text:#000;--soft:#444;--line:#bbb;--page:#fff;"
    "--box:#f3f3f3;--accent:#000;--warn:#fff}body{font-size:10pt}main{max-width:none;padding:0}"
    "table{font-size:7.5pt}th,td{white-space:normal;padding:.15rem "
    ".3rem}td:last-child:not(.n){min-width:0}"
    ".paper svg{min-width:0}.scroll{overflow:visible}h2{break-after:avoid}tr{break-inside:avoid}"
    "pre{white-space:pre-wrap}}\n";

/* ---- how to use it ---- */

/* The file's name as a shell needs it. */
static void write_quoted(struct hs_text *out, const char *name)
{
    bool plain = name[0] != '\0';

    for (const char *c = name; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("-_=+./:,@%", *c));
    if (plain) {
        hs_html_text(out, "%s", name);
        return;
    }
    hs_text_append(out, "&#39;");
    for (; *name; name++)
        if (*name == '\'')
            hs_text_append(out, "&#39;\\&#39;&#39;");
        else
            hs_html_text(out, "%c", *name);
    hs_text_append(out, "&#39;");
}

void hs_page_use(struct hs_text *out, const struct hs_page *page)
{
    if (page->export_count == 0)
        return;
    hs_text_append(out,
                   "<section aria-labelledby=\"use\"><h2 id=\"use\">How to use it</h2>\n"
                   "<p>Each command writes the best plan for another library; the file says how "
                   "to load it, and what the library cannot express.</p>\n");
    hs_html_table(out, "hiersearch export", "for|command|what it is");
    for (size_t i = 0; i < page->export_count; i++) {
        const struct hs_page_export *export = &page->exports[i];

        hs_text_append(out, "<tr>");
        hs_html_cell(out, false, "%s", export->library);
        hs_text_append(out, "<td><code>hiersearch export ");
        write_quoted(out, page->job->inputs[0].name);
        hs_html_text(out, " --to %s", export->name);
        hs_text_append(out, "</code></td>");
        hs_html_cell(out, false, "%s", export->summary);
        hs_text_append(out, "</tr>\n");
    }
    hs_html_table_end(out);
    hs_text_append(out, "</section>\n");
}

/* ---- the page ---- */

static enum hs_status find_message(const struct hs_result_message **message,
                                   const struct hs_plot_job *job, struct hs_error *err)
{
    struct hs_plot_job first = {.inputs = job->inputs, .input_count = 1, .bytes = job->bytes};
    uint64_t bytes;
    enum hs_status status;

    if (job->inputs[0].result->message_count == 0)
        return hs_fail(err, HS_INVALID, "%s: has no message size, so there is nothing to report",
                       job->inputs[0].name);
    status = hs_plot_bytes(&bytes, &first, err);
    if (status == HS_OK)
        *message = hs_plot_message(job->inputs[0].result, bytes);
    return status;
}

static void write_head(struct hs_text *out, const struct hs_page_subject *subject)
{
    char plan[HS_SPLIT_TEXT];

    hs_text_append(out,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                   "<title>");
    hs_html_text(out, "AllReduce of %lld processes: %s", (long long)subject->result->np,
                 subject->best ? hs_plan_format(plan, &subject->message->best) : "no split");
    hs_text_append(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
}

enum hs_status hs_page_write(struct hs_text *out, const struct hs_page *page, struct hs_error *err)
{
    const struct hs_result_message *message;
    struct hs_page_subject subject;
    enum hs_status status = find_message(&message, page->job, err);

    if (status != HS_OK)
        return status;
    subject = hs_page_subject(&page->job->inputs[0], message);
    write_head(out, &subject);
    hs_page_answer(out, &subject);
    hs_page_why(out, &subject);
    hs_page_pictures(out, page);
    hs_page_candidates(out, &subject);
    hs_page_all_answers(out, page);
    hs_page_use(out, page);
    hs_page_environment(out, page);
    hs_text_append(out, "<footer><p>");
    hs_html_text(out, "Made by %s.", page->made_by);
    hs_text_append(out, "</p></footer>\n</main>\n</body>\n</html>\n");
    return out->failed ? hs_no_memory(err) : HS_OK;
}
