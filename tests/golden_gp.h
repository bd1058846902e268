/* SPDX-License-Identifier: MIT
 *
 * Reference vectors of the kind `gp`: mean, var_model, log_evidence and its gradient by log hyper-parameters, in the
 * order that the file names them.
 */
#ifndef UNA_GOLDEN_GP_H
#define UNA_GOLDEN_GP_H

#include "golden.h"

#include "gp/gp.h"

/* "rbf(var=1.4, length=[0.8, 2])" from the file's fields. */
static bool gp_kernel_text(golden *file, una_text *text)
{
    const char *name = json_string_value(json_object_get(file->in, "kernel"));
    static const char *const keys[] = { "length", "period" };
    double var;
    if (!name) return refuse(file, "%s", "`kernel` is missing or is no word");
    if (!read_positive(file, "amplitude_var", &var)) return false;

    una_text_add(text, "%s(var=", name);
    una_text_number(text, var);
    for (size_t k = 0; k < 2; k++) {
        json_t *value = json_object_get(file->in, keys[k]);
        size_t count = json_is_array(value) ? json_array_size(value) : 1;
        if (!value) continue;

        una_text_add(text, ", %s=%s", keys[k], json_is_array(value) ? "[" : "");
        for (size_t i = 0; i < count; i++) {
            json_t *number = json_is_array(value) ? json_array_get(value, i) : value;
            if (!json_is_number(number)) return refuse(file, "`%s` must be a number or a list of numbers", keys[k]);
            una_text_add(text, "%s", i ? ", " : "");
            una_text_number(text, json_number_value(number));
        }
        una_text_add(text, "%s", json_is_array(value) ? "]" : "");
    }
    una_text_add(text, ")");
    return true;
}

/* Which free number a name means: amplitude_var, length, length[d], noise_var. */
static bool gp_place(golden *file, const char *name, size_t count, size_t *place)
{
    size_t d = 0;
    if (!name) return refuse(file, "%s", "`grad_order` must hold names");
    if (strcmp(name, "amplitude_var") == 0) *place = 0;
    else if (strcmp(name, "noise_var") == 0) *place = count;
    else if (strcmp(name, "length") == 0 || sscanf(name, "length[%zu]", &d) == 1) *place = 1 + d;
    else return refuse(file, "`grad_order` names `%.40s`, which is not known", name);
    return *place <= count || refuse(file, "`%.40s` is beyond the inputs", name);
}

static bool gp_evaluate(golden *file, una_gp *gp, const una_hyper *hyper, json_t *order, const double *star,
                        size_t stars, worst *exact)
{
    answer results = { .count = 0 };
    double *mean = put(file, &results, "mean", stars, 0), *var = put(file, &results, "var_model", stars, 0);
    double *gradient = put(file, &results, "grad_log", json_array_size(order), 0);
    double *inverse = UNA_GET(file->arena, double, una_gp_work(gp->rows));
    double *all = UNA_GET(file->arena, double, hyper->count + 1);

    if (una_arena_check(file->arena) != UNA_OK || una_gp_solve(gp, 0, file->run) != UNA_OK
        || una_gp_predict(gp, (una_view){ star, stars, gp->inputs, gp->inputs }, mean, var, file->run) != UNA_OK
        || una_gp_gradient(gp, hyper, inverse, all, file->run) != UNA_OK)
        return refuse(file, "%s", una_run_message(file->run));

    for (size_t i = 0; i < json_array_size(order); i++) {
        size_t place = 0;
        if (!gp_place(file, json_string_value(json_array_get(order, i)), hyper->count, &place)) return false;
        gradient[i] = all[place];
    }
    return put_scalar(file, &results, "log_evidence", gp->log_evidence, 0) && compare(file, &results, exact);
}

static bool check_gp(golden *file, worst *exact, worst *single)
{
    (void)single;
    size_t rows = 0, inputs = 0, stars = 0;
    double *x, *y, *star;
    una_text text = una_text_in(file->arena);
    una_gp gp = { .rows = 0 };
    una_kernel *kernel;
    una_hyper hyper;
    json_t *order = json_incref(json_object_get(file->out, "grad_order"));

    if (!read_matrix(file, file->in, "x", &rows, &inputs, &x) || !read_vector(file, file->in, "y", &rows, &y))
        return false;
    if (!read_matrix(file, file->in, "x_star", &stars, &inputs, &star) || !gp_kernel_text(file, &text)) return false;
    if (!read_positive(file, "noise_var", &gp.noise_var)) return false;

    const char **name = UNA_GET(file->arena, const char *, inputs);
    for (size_t d = 0; name && d < inputs; d++) name[d] = "x";
    una_hyper_plan plan = { .ard = json_is_array(json_object_get(file->in, "length")) };
    una_kernel_inputs described = { .name = name, .count = inputs };
    if (una_arena_check(file->arena) != UNA_OK
        || una_kernel_parse(&kernel, text.at, &described, file->arena, file->run) != UNA_OK
        || una_hyper_init(&hyper, kernel, &plan, file->arena) != UNA_OK
        || una_gp_init(&gp, kernel, (una_gp_rows){ { x, rows, inputs, inputs }, y, NULL }, file->arena) != UNA_OK)
        return refuse(file, "%s", una_run_message(file->run));

    json_object_del(file->out, "grad_order");            /* names, not numbers: used here */
    bool met = true;
    const char *own = file->run->settings.kernels;
    for (size_t i = 0; met && i < KERNEL_SETS; i++) {
        if (!una_kernels_named_f64(kernel_sets[i])) continue;
        file->run->settings.kernels = kernel_sets[i];
        met = gp_evaluate(file, &gp, &hyper, order, star, stars, exact);
    }
    file->run->settings.kernels = own;
    json_decref(order);
    return met;
}

#endif
