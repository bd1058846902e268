/* SPDX-License-Identifier: MIT
 *
 * Pictures of models: the public face of libuna_report, which needs libuna of the same version. With another version
 * every call is refused (UNA_E_USAGE). Pages and .svg need nothing else; for charts as .pdf and .png Cairo is loaded
 * (libcairo.so.2), and where it is not installed they are UNA_E_IO with a sentence. Conventions as in una.h.
 */
#ifndef UNA_REPORT_H
#define UNA_REPORT_H

#include "una.h"

UNA_BEGIN_DECLS

const char *una_report_build_info(void);       /* one line per dependency built in */

/* One self-contained HTML page about one model, or several side by side (the first is the subject): verdict, held-out
 * rows, which inputs matter, what they do at real rows, residuals, where ignorance is and why; options last
 * (docs/use/REPORT.md). `data` should be the table of the fit, and the fit have kept what it foretold (una_fit_settings
 * .hold_out): else nothing says how well bands hold. Of a model of several targets, alone: a section on each, without
 * `heading`. Where rows name images, some of them are shown. */
una_status una_report_write(const char *path, const una_model *const *models, const char *const *titles,
                            size_t count, const una_dataset *data, const char *heading, const char *story,
                            una_run *run);
/* Whether a chart of this name could be drawn, before work is spent on it: the ending is .svg, .pdf or .png
 * (UNA_E_USAGE), and what the last two need is installed (UNA_E_IO). */
una_status una_chart_check(const char *path, una_run *run);
/* The main chart alone; the format is the ending of the path: .svg, .pdf or .png. */
una_status una_chart_write(const char *path, const una_model *const *models, const char *const *titles,
                           size_t count, const una_dataset *data, una_run *run);

typedef struct una_report_settings {
    size_t size;
    const una_model *const *models;      /* [count]; the first is the subject                                       */
    const char *const *titles;           /* [count]; NULL: names of the kinds                                       */
    size_t             count;
    const una_dataset *data;
    const char *heading;                 /* NULL: one is made up                                                    */
    const char *story;                   /* Paragraphs with an empty line between them; NULL: none. A paragraph whose
                                            lines, but for the first, begin with "|" is a table with that line above
                                            it: "Errors.\n| model | error\n| gp | 3.1". With one numeric input the
                                            picture of the function comes behind the first paragraph.               */
    double    (*truth)(double x, void *context);     /* the true function of one numeric input, where somebody knows
                                            it: it is drawn beside the bands. NULL: nobody does                      */
    void       *context;                 /* for truth                                                               */
} una_report_settings;

/* The same page and the same chart, with all that can be said about them; a chart has neither heading nor story. */
una_status una_report_write_with(const char *path, const una_report_settings *settings, una_run *run);
una_status una_chart_write_with(const char *path, const una_report_settings *settings, una_run *run);

typedef struct una_plot_settings {
    size_t      size;
    const char *what;    /* NULL = "bands". With data:
                            "bands"        mean, ignorance and noise along one input, all others as in one real row
                            "effect"       the mean along one input, for real rows as they are, and their average
                            "observed"     predicted against observed
                            "calibration"  how often values fell below what was predicted with each probability
                            "residuals"    observed less predicted, by the prediction or along an input
                            "ignorance"    of the rows as they are, along one input
                            Without: "importance", of the inputs, where the model knows it (una_fit_info.relevance) */
    const char *input;   /* along which; NULL: the one that matters most; of residuals the prediction   */
    const char *target;  /* of a model of several: which one                                            */
    size_t      row;     /* of bands: whose other inputs are taken, counted from 1; 0: of the most typical one      */
} una_plot_settings;

/* One chart of one model; the format is the ending of the path: .svg, .pdf or .png. Its title names rows and says that
 * rows which the model was fitted on make it look better than it is: it does not remember them. data NULL: only for
 * what needs none. settings NULL: all defaults. */
una_status una_plot_write(const char *path, const una_model *model, const una_dataset *data,
                          const una_plot_settings *settings, una_run *run);

/* Why are rows unsure (una_explain): the page, with the `most` most unsure rows, and its chart alone. title NULL: the
 * target's name. data: the rows that were explained, for pictures of their images where they name some; NULL: none. */
una_status una_report_explanation(const char *path, const una_explanation *explanation, const una_dataset *data,
                                  const char *title, size_t most, una_run *run);
una_status una_chart_explanation(const char *path, const una_explanation *explanation, size_t most, una_run *run);

UNA_END_DECLS

#endif
