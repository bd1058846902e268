/* SPDX-License-Identifier: MIT
 *
 * Checks reference vectors: golden FILE_OR_FOLDER...
 * A file is one JSON object: name, kind, about, in, out, rtol, atol. The kind is evaluated with the library's own code
 * and every number b of `out` must be met by ours, a, to |a - b| <= atol + rtol |b|, with every double kernel set of
 * this machine. Network kinds run again with every float kernel set, which must agree with the double results to
 * 1e-4 of the largest entry of each tensor, and LUNA by the step of nn/luna_reference.h too. One line per file, then
 * `N passed, N failed, N skipped`.
 */
#include "golden.h"
#include "nn/luna_reference.h"

#include "train/bnn.h"
#include "opt/schedule.h"
#include "score/score.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FLOAT_TOLERANCE 1e-4

static bool refuse(golden *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file->reason, sizeof file->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- reading `in`: every shape is checked, a wrong one is the file's failure ------------------------ */

static bool read_number(golden *file, json_t *object, const char *key, double least, double *value)
{
    json_t *number = json_object_get(object, key);
    if (!json_is_number(number)) return refuse(file, "`%s` is missing or is no number", key);
    *value = json_number_value(number);
    if (!(*value >= least)) return refuse(file, "`%s` is %g, but at least %g is needed", key, *value, least);
    return true;
}

static bool read_positive(golden *file, const char *key, double *value)
{
    if (!read_number(file, file->in, key, 0, value)) return false;
    return *value > 0 || refuse(file, "`%s` must be above zero", key);
}

static bool read_count(golden *file, const char *key, size_t least, size_t most, size_t *value)
{
    json_t *number = json_object_get(file->in, key);
    if (!json_is_integer(number)) return refuse(file, "`%s` is missing or is no whole number", key);
    json_int_t count = json_integer_value(number);
    if (count < (json_int_t)least || (uint64_t)count > most)
        return refuse(file, "`%s` is %lld, not in %zu to %zu", key, (long long)count, least, most);
    *value = (size_t)count;
    return true;
}

/* length 0: any, and it is set. */
static bool read_vector(golden *file, json_t *object, const char *key, size_t *length, double **values)
{
    json_t *list = json_object_get(object, key);
    if (!json_is_array(list) || json_array_size(list) == 0) return refuse(file, "`%s` is missing or is no list", key);
    if (*length && json_array_size(list) != *length)
        return refuse(file, "`%s` holds %zu numbers, not %zu", key, json_array_size(list), *length);

    *length = json_array_size(list);
    *values = UNA_GET(file->arena, double, *length);
    if (!*values) return refuse(file, "%s", una_run_message(file->run));

    for (size_t i = 0; i < *length; i++) {
        json_t *number = json_array_get(list, i);
        if (!json_is_number(number)) return refuse(file, "`%s`[%zu] is no number", key, i);
        (*values)[i] = json_number_value(number);
    }
    return true;
}

static bool read_matrix(golden *file, json_t *object, const char *key, size_t *rows, size_t *cols, double **values)
{
    json_t *list = json_object_get(object, key), *first = json_array_get(list, 0);
    if (!json_is_array(first) || json_array_size(first) == 0)
        return refuse(file, "`%s` is missing or is no matrix", key);
    if (*rows && json_array_size(list) != *rows)
        return refuse(file, "`%s` has %zu rows, not %zu", key, json_array_size(list), *rows);
    if (*cols && json_array_size(first) != *cols)
        return refuse(file, "`%s` has %zu columns, not %zu", key, json_array_size(first), *cols);

    *rows = json_array_size(list);
    *cols = json_array_size(first);
    *values = UNA_GET(file->arena, double, *rows * *cols);
    if (!*values) return refuse(file, "%s", una_run_message(file->run));

    for (size_t r = 0; r < *rows; r++) {
        json_t *row = json_array_get(list, r);
        if (json_array_size(row) != *cols) return refuse(file, "row %zu of `%s` is not as long as row 0", r, key);
        for (size_t c = 0; c < *cols; c++) {
            json_t *number = json_array_get(row, c);
            if (!json_is_number(number)) return refuse(file, "`%s`[%zu][%zu] is no number", key, r, c);
            (*values)[r * *cols + c] = json_number_value(number);
        }
    }
    return true;
}

static bool read_activation(golden *file, una_activation *activation)
{
    const char *word = json_string_value(json_object_get(file->in, "activation")), *at = UNA_ACTIVATIONS;
    if (!word) return refuse(file, "%s", "`activation` is missing or is no word");
    for (int i = 0; *at; i++) {
        size_t length = strcspn(at, "|");
        *activation = (una_activation)i;
        if (strlen(word) == length && strncmp(word, at, length) == 0) return true;
        at += length + (at[length] == '|');
    }
    return refuse(file, "the activation `%s` is not one of %s", word, UNA_ACTIVATIONS);
}

/* Layers into the padded parameter block; the widths must fit one another. */
static bool read_network(golden *file, problem *p)
{
    json_t *layers = json_object_get(file->in, "layers");
    size_t count = json_array_size(layers);
    if (count < 2 || count > UNA_MAX_LAYERS + 1)
        return refuse(file, "`layers` must be a list of 2 to %d layers", UNA_MAX_LAYERS + 1);
    double *weights[UNA_MAX_LAYERS + 1], *bias[UNA_MAX_LAYERS + 1];
    una_net *net = &p->net;
    net->depth = count - 1;
    if (!read_activation(file, &net->activation)) return false;

    for (size_t l = 0; l < count; l++) {
        json_t *layer = json_array_get(layers, l);
        if (!read_matrix(file, layer, "W", &net->size[l], &net->size[l + 1], &weights[l])) return false;
        if (!read_vector(file, layer, "b", &net->size[l + 1], &bias[l])) return false;
    }

    una_net_shape(net);
    p->parameters = UNA_GET(file->arena, double, net->parameters);
    if (!p->parameters) return refuse(file, "%s", una_run_message(file->run));
    for (size_t l = 0; l < count; l++) {
        size_t in = net->size[l], out = net->size[l + 1], wide = UNA_PADDED(out);
        for (size_t i = 0; i < in; i++)
            memcpy(p->parameters + net->weights[l] + i * wide, weights[l] + i * out, out * sizeof(double));
        memcpy(p->parameters + net->biases[l], bias[l], out * sizeof(double));
    }
    return read_matrix(file, file->in, "x", &p->rows, &net->size[0], &p->x);
}

static bool read_problem(golden *file, problem *p)
{
    bool map = strcmp(file->kind, "nlm_map") == 0, luna = strcmp(file->kind, "luna") == 0;
    bool tuna = strcmp(file->kind, "tuna_loss") == 0, posterior = strcmp(file->kind, "blr_posterior") == 0;
    memset(p, 0, sizeof *p);
    if (!read_network(file, p)) return false;

    size_t *inputs = &p->net.size[0], heads = p->net.heads;
    if (tuna) return read_matrix(file, file->in, "g", &p->rows, &heads, &p->g);
    if (map && heads != 1) return refuse(file, "the output layer has %zu columns, not 1", heads);

    if (!read_vector(file, file->in, "y", &p->rows, &p->y) || !read_positive(file, "noise_var",
        &p->noise_var)) return false;
    if (!posterior && !read_number(file, file->in, "gamma", 0, &p->gamma)) return false;
    if (map) return true;
    if (!luna && !read_positive(file, "prior_var", &p->prior_var)) return false;
    if (posterior) return read_matrix(file, file->in, "x_star", &p->stars, inputs, &p->x_star);
    if (!luna) return true;

    if (!read_number(file, file->in, "lambda", 0, &p->lambda)) return false;
    if (!read_matrix(file, file->in, "delta", &p->rows, inputs, &p->delta)) return false;
    for (size_t i = 0; i < p->rows * *inputs; i++)
        if (p->delta[i] == 0) return refuse(file, "`delta`[%zu][%zu] is zero", i / *inputs, i % *inputs);
    return true;
}

/* ---- comparing with `out` ---------------------------------------------------------------------------- */

typedef struct worst { double value; char where[64]; } worst;

/* The difference in units of rtol, so that it passes up to rtol (or in units of atol where rtol is 0). */
static bool compare_number(golden *file, const char *name, double a, json_t *expected, worst *worst_of)
{
    if (!json_is_number(expected))
        return refuse(file, "`%s` in `out` does not hold numbers in the shape of the result", name);
    double b = json_number_value(expected), allowed = file->atol + file->rtol * fabs(b), difference = fabs(a - b);
    if (!(difference <= allowed)) return refuse(file, "%s is %.17g, not %.17g (difference %.2g, allowed %.2g)",
        name, a, b, difference, allowed);
    double relative = difference == 0 ? 0 : difference / allowed * (file->rtol > 0 ? file->rtol : file->atol);
    if (relative >= worst_of->value) {
        worst_of->value = relative;
        snprintf(worst_of->where, sizeof worst_of->where, "%s", name);
    }
    return true;
}

static bool compare_tensor(golden *file, const answer *results, const char *name, json_t *expected, worst *worst_of)
{
    const tensor *found = NULL;
    for (size_t i = 0; i < results->count; i++)
        if (strcmp(results->tensor[i].name, name) == 0) found = &results->tensor[i];
    if (!found) return refuse(file, "`out` asks for `%.60s`, which `%s` does not give", name, file->kind);
    if (found->rank == 0) return compare_number(file, name, *found->value, expected, worst_of);

    if (!json_is_array(expected) || json_array_size(expected) != found->shape[0])
        return refuse(file, "`%s` in `out` is no list of %zu", name, found->shape[0]);
    for (size_t r = 0; r < found->shape[0]; r++) {
        json_t *row = json_array_get(expected, r);
        if (found->rank == 1) {
            if (!compare_number(file, name, found->value[r], row, worst_of)) return false;
            continue;
        }
        if (!json_is_array(row) || json_array_size(row) != found->shape[1])
            return refuse(file, "row %zu of `%s` in `out` is no list of %zu", r, name, found->shape[1]);
        for (size_t c = 0; c < found->shape[1]; c++)
            if (!compare_number(file, name, found->value[r * found->shape[1] + c], json_array_get(row, c),
                worst_of)) return false;
    }
    return true;
}

static bool compare_gradient(golden *file, const answer *results, json_t *layers, worst *worst_of)
{
    size_t wanted = 0;
    for (size_t i = 0; i < results->count; i++) wanted += strncmp(results->tensor[i].name, "grad[", 5) == 0;
    if (!json_is_array(layers) || json_array_size(layers) != wanted / 2)
        return refuse(file, "`grad` in `out` is no list of %zu layers", wanted / 2);

    for (size_t l = 0; l < json_array_size(layers); l++) {
        json_t *layer = json_array_get(layers, l);
        if (!json_object_get(layer, "W") || !json_object_get(layer, "b"))
            return refuse(file, "`grad`[%zu] in `out` lacks W or b", l);
        const char *key;
        json_t *value;
        json_object_foreach(layer, key, value) {
            char name[64];
            snprintf(name, sizeof name, "grad[%zu].%.20s", l, key);
            if (!compare_tensor(file, results, name, value, worst_of)) return false;
        }
    }
    return true;
}

static bool compare(golden *file, const answer *results, worst *worst_of)
{
    const char *key;
    json_t *value;
    json_object_foreach(file->out, key, value) {
        bool met = strcmp(key, "grad") == 0 ? compare_gradient(file, results, value, worst_of)
                                            : compare_tensor(file, results, key, value, worst_of);
        if (!met) return false;
    }
    return true;
}

static double largest(const tensor *t)
{
    double most = 0;
    for (size_t i = 0; i < t->shape[0] * t->shape[1]; i++) most = fmax(most, fabs(t->value[i]));
    return most;
}

/* Floats against doubles. A tensor that is nothing but rounding beside its fellows (a dead layer) is measured
 * by them. */
static bool compare_floats(golden *file, const answer *floats, const answer *doubles, const char *set, worst *worst_of)
{
    double overall = 0;
    for (size_t i = 0; i < doubles->count; i++)
        if (doubles->tensor[i].rank > 0) overall = fmax(overall, largest(&doubles->tensor[i]));

    for (size_t i = 0; i < floats->count; i++) {
        const tensor *a = &floats->tensor[i], *b = &doubles->tensor[i];
        double size = fmax(fmax(b->scale, largest(b)), b->rank > 0 ? 1e-4 * overall : 0), relative = 0;
        for (size_t k = 0; k < a->shape[0] * a->shape[1]; k++) {
            double difference = fabs(a->value[k] - b->value[k]);
            if (difference == 0) continue;
            relative = difference / size;
            if (!(relative <= FLOAT_TOLERANCE))
                return refuse(file, "%s in float (%s) is %.9g, in double %.9g (relative %.2g, allowed %.2g)",
                              a->name, set, a->value[k], b->value[k], relative, FLOAT_TOLERANCE);
            if (relative < worst_of->value) continue;
            worst_of->value = relative;
            snprintf(worst_of->where, sizeof worst_of->where, "%s, %s", a->name, set);
        }
    }
    return true;
}

/* ---- kinds ---------------------------------------------------------------------------------------------- */

/* weight_mean, and weight_cov column by column from the factor. */
static bool put_head(golden *file, const una_head *head, answer *results)
{
    size_t k = head->stats.features;
    double *mean = put(file, results, "weight_mean", k, 0), *cov = put(file, results, "weight_cov", k, k);
    if (!mean || !cov) return refuse(file, "%s", una_run_message(file->run));
    memcpy(mean, head->mean, k * sizeof *mean);
    for (size_t i = 0; i < k; i++) cov[i * k + i] = 1;
    una_chol_solve(head->chol, k, cov, k);
    return true;
}

#define UNA_IN_BOTH "golden_net.h"
#include "kern/both.h"

/* The step that the library's is compared with elsewhere (its f is the library's). */
static bool evaluate_reference(golden *file, const problem *p, answer *results)
{
    evaluation_f64 e;
    size_t inputs = p->net.size[0], heads = p->net.heads;
    if (!begin_f64(&e, file, p, una_kernels_named_f64("generic"), results)) return false;
    double *f = put(file, results, "f", p->rows, heads);
    if (una_arena_check(file->arena) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));
    una_net_forward_f64(e.work, e.parameters, e.x, p->rows, (una_outputs){ .f = f });

    double n = (double)p->rows, M = (double)heads, C = 2 * n / (M * (M - 1));    /* the files' lambda is lambda C */
    una_batch_f64 batch = { .rows = p->rows, .probes = p->rows, .directions = inputs, .x = e.x, .target = p->y,
                            .target_heads = 1, .delta = p->delta };
    luna_weights how = { .sigma2 = p->noise_var, .gamma = p->gamma, .lambda = p->lambda / C };
    una_losses J = luna_step(&p->net, e.parameters, &batch, how, e.gradient);
    double constant = noise_constant(p);
    return put_scalar(file, results, "loss", J.total + constant, J.total + fabs(constant))
        && put_scalar(file, results, "fit", J.fit + constant, J.fit + fabs(constant))
        && put_scalar(file, results, "diverse", J.diverse, 0)
        && put_scalar(file, results, "mean_cos2", J.mean_cos2, 0) && put_gradient_f64(&e, p->net.depth + 1);
}

static bool check_network(golden *file, worst *exact, worst *single)
{
    problem p;
    answer reference, results;
    if (!read_problem(file, &p)) return false;
    if (!evaluate_f64(file, &p, una_kernels_named_f64("generic"), &reference)) return false;
    if (strcmp(file->kind, "luna") == 0
        && !(evaluate_reference(file, &p, &results) && compare(file, &results, exact))) return false;

    for (size_t i = 0; i < KERNEL_SETS; i++) {
        const una_kernels_f64 *doubles = una_kernels_named_f64(kernel_sets[i]);
        if (!doubles) continue;                                  /* this machine cannot run it */
        if (!evaluate_f64(file, &p, doubles, &results) || !compare(file, &results, exact)) return false;
    }

    for (size_t i = 0; i < KERNEL_SETS; i++) {
        const una_kernels_f32 *floats = una_kernels_named_f32(kernel_sets[i]);
        if (!floats) continue;
        if (!evaluate_f32(file, &p, floats, &results)) return false;
        if (!compare_floats(file, &results, &reference, kernel_sets[i], single)) return false;
    }
    return true;
}

/* The posterior of the first rows, then more rows, as `una update` does it. */
static bool check_update(golden *file, worst *exact, worst *single)
{
    (void)single;
    size_t rows = 0, k = 0, first;
    double *phi, *y;
    una_head head;
    answer results = { .count = 0 };

    if (!read_matrix(file, file->in, "phi", &rows, &k, &phi) || !read_vector(file, file->in, "y", &rows,
        &y)) return false;
    una_head_init(&head, k, file->arena);
    if (una_arena_check(file->arena) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));
    if (!read_positive(file, "noise_var", &head.noise_var) || !read_positive(file, "prior_var",
        &head.prior_var)) return false;
    if (!read_count(file, "first", 0, rows, &first)) return false;

    una_stats_add(&head.stats, phi, y, first, NULL);
    if (una_head_solve(&head, file->run) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));
    una_stats_add(&head.stats, phi + first * k, y + first, rows - first, NULL);
    if (una_head_solve(&head, file->run) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));
    return put_head(file, &head, &results) && compare(file, &results, exact);
}

static bool check_schedules(golden *file, worst *exact, worst *single)
{
    (void)single;
    static const char *const names[] = { "constant", "sqrt", "sigmoid", "tanh" };
    size_t count = 0, n, m;
    double *epoch, epochs;
    answer results = { .count = 0 };
    if (!read_vector(file, file->in, "epoch", &count, &epoch) || !read_positive(file, "epochs", &epochs)) return false;
    if (!read_count(file, "n", 1, SIZE_MAX / 2, &n) || !read_count(file, "m", 2, SIZE_MAX / 2, &m)) return false;

    for (int schedule = 0; schedule < 4; schedule++) {
        double *value = put(file, &results, names[schedule], count, 0);
        if (!value) return refuse(file, "%s", una_run_message(file->run));
        for (size_t i = 0; i < count; i++) value[i] = una_schedule(schedule, epoch[i] / epochs);
    }

    if (!put_scalar(file, &results, "C", 2 * (double)n / ((double)m * ((double)m - 1)), 0)) return false;
    return compare(file, &results, exact);
}

static bool check_scores(golden *file, worst *exact, worst *single)
{
    (void)single;
    size_t rows = 0;
    double *y, *mean, *std;
    una_score_sums sums = { .rows = 0 };
    una_score score = UNA_INIT(una_score);
    answer results = { .count = 0 };

    if (!read_vector(file, file->in, "y", &rows, &y) || !read_vector(file, file->in, "mean", &rows, &mean))
        return false;
    if (!read_vector(file, file->in, "std", &rows, &std)) return false;
    double *none = UNA_GET(file->arena, double, rows), *coverage = put(file, &results, "coverage", 3, 0);
    if (!none || !coverage || una_score_add(&sums,
                                            &(una_scored_rows){ .y = y, .mean = mean, .std_epistemic = std, .std_noise = none, .rows = rows },
                                            file->run) != UNA_OK
        || una_score_finish(&score, &sums, file->run) != UNA_OK) return refuse(file, "%s", una_run_message(file->run));

    coverage[0] = score.coverage_50;
    coverage[1] = score.coverage_90;
    coverage[2] = score.coverage_95;
    return put_scalar(file, &results, "rmse", score.rmse, 0) && put_scalar(file, &results, "log_lik", score.log_lik, 0)
        && put_scalar(file, &results, "crps", score.crps, 0)
        && put_scalar(file, &results, "calibration_error", score.calibration_error, 0)
        && compare(file, &results, exact);
}

#include "golden_vi.h"
#include "golden_ens.h"
#include "golden_gp.h"

#include "golden_hmc.h"

typedef struct kind {
    const char *name, *needs[7];                 /* keys that `out` must have: a file that lost one checks too little */
    bool (*check)(golden *file, worst *exact, worst *single);    /* NULL: a model not built yet */
} kind;

static const kind kinds[] = {
    { "nlm_map", { "f", "loss", "grad" }, check_network },
    { "nlm_marginal", { "loss", "grad" }, check_network },
    { "luna", { "f", "fit", "diverse", "mean_cos2", "loss", "grad" }, check_network },
    { "tuna_loss", { "loss", "grad" }, check_network },
    { "blr_posterior", { "phi", "weight_mean", "weight_cov", "mean", "var_model", "log_evidence" }, check_network },
    { "blr_update", { "weight_mean", "weight_cov" }, check_update },
    { "luna_schedules", { "C", "sqrt", "sigmoid", "tanh" }, check_schedules },
    { "scores", { "rmse", "log_lik", "crps", "coverage", "calibration_error" }, check_scores },
    { "gp", { "mean", "var_model", "log_evidence", "grad_log", "grad_order" }, check_gp },
    { "bbvi_elbo", { "log_lik", "kl", "loss", "grad_mu", "grad_rho" }, check_elbo },
    { "anchored_loss", { "loss", "grad" }, check_anchored },
    { "hmc_potential", { "U", "grad" }, check_potential },
    { "log_ei", { "log_h" }, check_log_improvement },
    { "expected_improvement", { "ei" }, check_improvement },
    { "rff", { "phi" }, check_rff },
    { "spectral_norm", { "sigma", "W" }, check_spectral },
    { "test_functions", { "branin", "hartmann6" }, check_functions },
};

/* ---- files and folders ------------------------------------------------------------------------------------ */

typedef struct tally { size_t passed, failed, skipped; } tally;
typedef enum outcome { PASSED, FAILED, SKIPPED } outcome;

static outcome check_object(golden *file, json_t *root, worst *exact, worst *single)
{
    file->kind = json_string_value(json_object_get(root, "kind"));
    file->in = json_object_get(root, "in");
    file->out = json_object_get(root, "out");

    const kind *found = NULL;
    for (size_t i = 0; file->kind && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, file->kind) == 0) found = &kinds[i];
    if (!found) {
        refuse(file, "%s `%.60s`", file->kind ? "unknown kind" : "no", file->kind ? file->kind : "kind");
        return FAILED;
    }
    if (!found->check) return SKIPPED;

    if (!json_is_object(file->in) || !json_is_object(file->out)) {
        refuse(file, "%s", "`in` or `out` is missing");
        return FAILED;
    }
    if (!read_number(file, root, "rtol", 0, &file->rtol) || !read_number(file, root, "atol", 0,
        &file->atol)) return FAILED;

    for (size_t i = 0; found->needs[i]; i++)
        if (!json_object_get(file->out, found->needs[i])) {
            refuse(file, "`out` lacks `%s`", found->needs[i]);
            return FAILED;
        }
    return found->check(file, exact, single) ? PASSED : FAILED;
}

/* luna_3d_relu of some/folder/luna_3d_relu.json */
static void stem_of(const char *path, char stem[80])
{
    const char *slash = strrchr(path, '/');
    snprintf(stem, 80, "%.70s", slash ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot && dot > stem) *dot = 0;
}

static void check_file(const char *path, una_run *run, tally *sum)
{
    una_arena arena;
    golden file = { .run = run, .arena = &arena, .kind = "" };
    worst exact = { .value = 0 }, single = { .value = 0 };
    char stem[80];
    json_error_t error;
    outcome result = FAILED;

    una_arena_init(&arena, run);
    stem_of(path, stem);
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!root) refuse(&file, "line %d, column %d: %s", error.line, error.column, error.text);
    else result = check_object(&file, root, &exact, &single);

    if (result == SKIPPED) {
        printf("skip %-24s no `%s` in the library yet\n", stem, file.kind);
        sum->skipped++;
    } else if (result == FAILED) {
        printf("fail %-24s failed: %s\n", stem, file.reason[0] ? file.reason : "no reason known");
        sum->failed++;
    } else {
        printf("pass %-24s worst %.1e (%s)", stem, exact.value, exact.where);
        if (single.where[0]) printf("; float %.1e (%s)", single.value, single.where);
        printf("\n");
        sum->passed++;
    }

    una_arena_free(&arena);
    json_decref(root);
}

static int is_json(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static void check_folder(const char *folder, una_run *run, tally *sum)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_json, alphasort);
    for (int i = 0; i < count; i++) {
        char path[8192];
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder,
            entries[i]->d_name) < sizeof path) check_file(path, run, sum);
        else sum->failed++;
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

int main(int count, char **arguments)
{
    una_run *run;
    tally sum = { 0, 0, 0 };
    if (una_run_new(&run, &(una_run_settings){ .size = sizeof(una_run_settings), .threads = 1 }) != UNA_OK) return 1;
    for (int i = 1; i < count; i++) {
        struct stat about;
        if (stat(arguments[i], &about) == 0 && S_ISDIR(about.st_mode)) check_folder(arguments[i], run, &sum);
        else check_file(arguments[i], run, &sum);
    }
    una_run_free(run);
    if (sum.passed + sum.failed + sum.skipped == 0) printf("No reference file was found: golden FILE_OR_FOLDER...\n");
    printf("%zu passed, %zu failed, %zu skipped\n", sum.passed, sum.failed, sum.skipped);
    return sum.failed > 0 || sum.passed + sum.skipped == 0;
}
