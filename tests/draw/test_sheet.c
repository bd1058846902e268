/* SPDX-License-Identifier: MIT
 *
 * A table written four ways: what a cell shows, what each language must have escaped, and no memory.
 */
#include "test_support.h"

#include "draw/sheet.h"

#define MINUS "\xE2\x88\x92"
#define PLUS_MINUS "\xC2\xB1"

static una_sheet example(una_arena *arena)
{
    una_sheet s = una_sheet_in(arena, "example", "Lead & more.", "50 % of_it |");
    una_sheet_column(&s, "model", UNA_SHEET_WORDS);
    una_sheet_column(&s, "seeds", UNA_SHEET_NUMBER);
    una_sheet_column(&s, "gap, std", UNA_SHEET_SPREAD);
    una_sheet_group(&s, "first \"one\"");
    una_sheet_line(&s);
    una_sheet_words(&s, "a|b_<c>, \\d");
    una_sheet_number(&s, -3, 0);
    una_sheet_spread(&s, 1.0 / 3, 0.25, 2);
    una_sheet_strong(&s);
    una_sheet_line(&s);
    una_sheet_words(&s, "two\nlines");
    una_sheet_number(&s, NAN, 1);
    una_sheet_spread(&s, 1.2345e-9, 0.1e-9, -3);
    una_sheet_number(&s, 7, 0);                          /* one too many: it is not there */
    una_sheet_column(&s, "late", UNA_SHEET_WORDS);        /* and neither is this */
    una_sheet_line(&s);                                  /* empty cells */
    return s;
}

static void csv_has_every_digit(void **state)
{
    una_run *run = quiet_run();
    una_sheet s = example(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    (void)state;
    una_sheet_csv(&text, &s);
    assert_string_equal(text.at,
                        "group,model,seeds,\"gap, std\",\"gap, std sd\"\n"
                        "\"first \"\"one\"\"\",\"a|b_<c>, \\d\",-3,0.3333333333333333,0.25\n"
                        "\"first \"\"one\"\"\",\"two\nlines\",,1.2345e-09,1e-10\n"
                        "\"first \"\"one\"\"\",,,,\n");
    una_run_free(run);
}

static void markdown_is_a_paragraph_and_a_table(void **state)
{
    una_run *run = quiet_run();
    una_sheet s = example(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    (void)state;
    una_sheet_markdown(&text, &s);
    assert_string_equal(text.at,
                        "**Lead & more.** 50 % of_it \\|\n\n"
                        "| Model | Seeds | Gap, std |\n|---|---:|---:|\n"
                        "| **first \"one\"** |  |  |\n"
                        "| a\\|b_\\<c>, \\\\d | " MINUS "3 | **0.33 " PLUS_MINUS " 0.25** |\n"
                        "| two lines | \xE2\x80\x93 | 1.23\xC3\x97" "10\xE2\x81\xBB\xE2\x81\xB9 " PLUS_MINUS
                        " 1.0\xC3\x97" "10\xE2\x81\xBB\xC2\xB9\xE2\x81\xB0 |\n"
                        "|  |  |  |\n\n");
    una_run_free(run);
}

static void latex_breaks_sentences(void **state)
{
    una_run *run = quiet_run();
    una_sheet s = una_sheet_in(&run->scratch, "claims", "Claims.", "");
    una_text text = una_text_in(&run->scratch);
    (void)state;
    una_sheet_column(&s, "claim", UNA_SHEET_WORDS);
    una_sheet_column(&s, "seeds", UNA_SHEET_NUMBER);
    una_sheet_line(&s);
    una_sheet_words(&s, "[of 0, 1]");
    una_sheet_number(&s, 1, 0);
    una_sheet_line(&s);
    una_sheet_words(&s, "a sentence of which nobody would say that it is short");
    una_sheet_number(&s, 2, 0);
    una_sheet_latex(&text, &s);
    assert_non_null(strstr(text.at, "\\begin{tabular}{p{0.87\\linewidth}r}"));  /* 0.95 less 7 letters of 90 */
    assert_non_null(strstr(text.at, "\n{}[of 0, 1] & 1"));                      /* no option of the line's end */
    una_run_free(run);
}

static void latex_knows_its_signs(void **state)
{
    una_run *run = quiet_run();
    una_sheet s = example(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    (void)state;
    una_sheet_latex(&text, &s);
    assert_string_equal(text.at,
                        "% Lead \\& more. 50 \\% of\\_it $|$\n"
                        "\\begin{tabular}{lrr}\n\\toprule\nModel & Seeds & Gap, std \\\\\n\\midrule\n"
                        "\\multicolumn{3}{l}{\\textit{first \"one\"}} \\\\\n"
                        "a$|$b\\_$<$c$>$, \\textbackslash{}d & $-$3 & \\textbf{0.33 $\\pm$ 0.25} \\\\\n"
                        "two lines & -- & 1.23$\\times$10$^{-9}$ $\\pm$ 1.0$\\times$10$^{-10}$ \\\\\n"
                        " &  &  \\\\\n"
                        "\\bottomrule\n\\end{tabular}\n");
    una_run_free(run);
}

static void a_page_sets_the_best_off(void **state)
{
    una_run *run = quiet_run();
    una_sheet s = example(&run->scratch);
    una_html html = una_html_begin(&run->scratch, "t");
    (void)state;
    una_sheet_html(&html, &s);
    assert_ok(una_html_end(&html, ""), run);
    assert_says(html.text.at, "Table 1 | Lead &amp; more.");
    assert_says(html.text.at, "<th scope=\"row\">a|b_&lt;c&gt;, \\d</th><td class=\"n\">" MINUS "3</td>");
    assert_says(html.text.at, "<td class=\"n s\">0.33 " PLUS_MINUS " 0.25</td>");
    assert_says(html.text.at, "colspan=\"3\">first &quot;one&quot;</th>");
    una_run_free(run);
}

static una_status write_all(void *context, una_run *run)
{
    una_arena arena;
    (void)context;
    una_arena_init(&arena, run);
    una_sheet s = example(&arena);
    for (int i = 0; i < 40; i++) {
        una_sheet_line(&s);
        una_sheet_words(&s, "again");
    }
    una_text csv = una_text_in(&arena), markdown = una_text_in(&arena), latex = una_text_in(&arena);
    una_html html = una_html_begin(&arena, "t");
    una_sheet_csv(&csv, &s);
    una_sheet_markdown(&markdown, &s);
    una_sheet_latex(&latex, &s);
    una_sheet_html(&html, &s);
    una_status status = una_html_end(&html, "");
    una_arena_free(&arena);
    return status;
}

static void no_memory_is_no_crash(void **state)
{
    (void)state;
    assert_true(sweep_allocations(write_all, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_every_digit),
        cmocka_unit_test(markdown_is_a_paragraph_and_a_table),
        cmocka_unit_test(latex_knows_its_signs),
        cmocka_unit_test(latex_breaks_sentences),
        cmocka_unit_test(a_page_sets_the_best_off),
        cmocka_unit_test(no_memory_is_no_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
