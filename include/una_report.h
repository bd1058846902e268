/* SPDX-License-Identifier: MIT
 *
 * Pictures of models: the public face of libuna_report, which needs libuna of the same version, and Cairo. With another
 * version every call is refused (UNA_E_USAGE). Conventions as in una.h.
 */
#ifndef UNA_REPORT_H
#define UNA_REPORT_H

#include "una.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

const char *una_report_build_info(void);       /* one line per dependency built in */

/* One self-contained HTML page about one model, or several side by side (the first is the subject): verdict, held-out
 * rows, which inputs matter, what they do at real rows, residuals, where ignorance is and why; options last
 * (docs/REPORT.md). `data` should be the table of the fit, and the fit have kept what it foretold (una_fit_settings
 * .hold_out): else nothing says how well bands hold. Of a model of several targets, alone: a section on each, without
 * `heading`. Where rows name images, some of them are shown. */
una_status una_report_write(const char *path, const una_model *const *models, const char *const *titles,
                            size_t count, const una_dataset *data, const char *heading, const char *story,
                            una_run *run);
/* The main chart alone; the format is the ending of the path: .svg, .pdf or .png. */
una_status una_chart_write(const char *path, const una_model *const *models, const char *const *titles,
                           size_t count, const una_dataset *data, una_run *run);

/* Why are rows unsure (una_explain): the page, with the `most` most unsure rows, and its chart alone. title NULL: the
 * target's name. data: the rows that were explained, for pictures of their images where they name some; NULL: none. */
una_status una_report_explanation(const char *path, const una_explanation *explanation, const una_dataset *data,
                                  const char *title, size_t most, una_run *run);
una_status una_chart_explanation(const char *path, const una_explanation *explanation, size_t most, una_run *run);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
