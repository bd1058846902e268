/* SPDX-License-Identifier: MIT
 *
 * Sections of the page on fitted models, each with its heading. A section without content adds nothing.
 */
#pragma once

#include "draw/fit_report.h"
#include "draw/html.h"

/* Sentence, findings, warnings, and suspicious rows as a table. */
void una_report_verdict(una_html *html, const una_report *report);
void una_report_importance(una_html *html, const una_report *report);
void una_report_effects(una_html *html, const una_report *report);
void una_report_residuals(una_html *html, const una_report *report);
/* Below a heading of the caller's. */
void una_report_ignorance(una_html *html, const una_report *report);
void una_report_least_known_table(una_html *html, const una_report *report);
