/* SPDX-License-Identifier: MIT
 *
 * Pages and charts of models: the public interface of libuna_report, which needs libuna of the same version. With
 * another version every call fails with UNA_E_USAGE. Pages and .svg need nothing else. Charts as .pdf and .png load
 * Cairo (libcairo.so.2); if it is not installed, they fail with UNA_E_IO and a sentence. Conventions: see una.h.
 */
#ifndef UNA_REPORT_H
#define UNA_REPORT_H

#include "una.h"

UNA_BEGIN_DECLS

const char *una_report_build_info(void);       /* one line per dependency built in */

/* One self-contained HTML page about one model, or about several side by side (the first is the subject): verdict,
 * held-out rows, importance and effects of the inputs, residuals, where ignorance is high and why, and the options
 * (docs/use/REPORT.md). `data` should be the table of the fit, made with una_fit_settings.hold_out: without it the page
 * cannot say how well the bands hold. A model of several targets must be alone; it gets one section per target, and no
 * `heading`. If the rows have images, the page shows some of them. */
una_status una_report_write(const char *path, const una_model *const *models, const char *const *titles,
                            size_t count, const una_dataset *data, const char *heading, const char *story,
                            una_run *run);
/* Checks beforehand whether a chart with this name can be drawn. UNA_E_USAGE: the ending is not .svg, .pdf or .png;
 * UNA_E_IO: what .pdf and .png need is not installed. */
una_status una_chart_check(const char *path, una_run *run);
/* The main chart alone; the format is the ending of the path: .svg, .pdf or .png. */
una_status una_chart_write(const char *path, const una_model *const *models, const char *const *titles,
                           size_t count, const una_dataset *data, una_run *run);

typedef struct una_report_settings {
    size_t size;
    const una_model *const *models;      /* [count]; the first is the subject                                       */
    const char *const *titles;           /* [count]; NULL: the names of the kinds                                   */
    size_t             count;
    const una_dataset *data;
    const char *heading;                 /* NULL: chosen automatically                                              */
    const char *story;                   /* paragraphs, separated by empty lines; NULL: none. If all lines of a
                                            paragraph but the first begin with "|", it is a table with the first line
                                            as its title: "Errors.\n| model | error\n| gp | 3.1". With one numeric
                                            input the chart of the function follows the first paragraph.             */
    double    (*truth)(double x, void *context);     /* the true function of one numeric input, to draw beside the
                                            bands; NULL: not known                                                   */
    void       *context;                 /* for truth                                                               */
} una_report_settings;

/* The same page and the same chart, with all settings. A chart ignores heading and story. */
una_status una_report_write_with(const char *path, const una_report_settings *settings, una_run *run);
una_status una_chart_write_with(const char *path, const una_report_settings *settings, una_run *run);

typedef struct una_plot_settings {
    size_t      size;
    const char *what;    /* NULL = "bands". These need data:
                            "bands"        mean, ignorance and noise along one input; the other inputs are those of
                                           one real row
                            "effect"       the mean along one input, for many real rows, and the average over them
                            "observed"     predicted against observed
                            "calibration"  predicted probability against the observed share of values below
                            "residuals"    observed minus predicted, against the prediction or an input
                            "ignorance"    ignorance of the rows, along one input
                            This needs none: "importance" of the inputs, if the model has it
                            (una_fit_info.relevance)                                                    */
    const char *input;   /* along which; NULL: the most important one; for residuals: the prediction    */
    const char *target;  /* of a model of several targets: which one                                    */
    size_t      row;     /* for "bands": the row, counted from 1, that gives the other inputs; 0: the most typical  */
} una_plot_settings;

/* One chart of one model; the format is the ending of the path: .svg, .pdf or .png. The title names the rows and warns
 * that a model looks better than it is on rows of its own fit (the model does not remember which these are). data NULL:
 * only for charts that need no data. settings NULL: all defaults. */
una_status una_plot_write(const char *path, const una_model *model, const una_dataset *data,
                          const una_plot_settings *settings, una_run *run);

/* Why rows are unsure (una_explain): a page with the `most` most unsure rows, and its chart alone. title NULL: the name
 * of the target. data: the rows that were explained, to show their images if they have any; NULL: no images. */
una_status una_report_explanation(const char *path, const una_explanation *explanation, const una_dataset *data,
                                  const char *title, size_t most, una_run *run);
una_status una_chart_explanation(const char *path, const una_explanation *explanation, size_t most, una_run *run);

UNA_END_DECLS

#endif
