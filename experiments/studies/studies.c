/* SPDX-License-Identifier: MIT
 *
 * The studies of the thesis's appendix, and the claims it makes in passing, all on the cubic gap: how does the
 * uncertainty in the gap change when one option of a model varies? The table below has a line for each. Measures are
 * those of the cubic gap; what a study adds:
 *   gap_share      gap std over the GP's on the same rows
 *   test_*         on 100 fresh rows of the law that made the training rows, so outside the gap
 *   misfit         of TUNA's heads from their reference functions, whose std is 1
 *   evidence*      log marginal likelihood by the right and by the printed formula
 * Claims are in studies_claims.c, the page in studies_page.c.
 */
#include "studies/studies.h"

#include "data/table.h"
#include "infer/head.h"

enum { SEEDS = 10, QUICK_SEEDS = 3, POWERS = 7, TEST_ROWS = 100 };
static const double half = 0.5, noise_std = 3;
static const char reference[] = "gp(kernel=matern32, ard=no)", cubic[] = "cubic";
static const uint64_t fresh = UINT64_C(1) << 40, restart = UINT64_C(1) << 20;   /* seeds far from those of data */

typedef struct studies_options { double seeds; const char *study; } studies_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(studies_options),
    UNA_STUDY_OPTION(studies_options),
    { .name = NULL }
};

/* The models that likelihood_blind compares, with small budgets: only their differences matter. */
static const una_entry entries[] = {
    { "gp", "gp(kernel=matern32, ard=no)", "" },
    { "luna", "luna(members=4, steps=2000)", "luna(members=2, steps=500)" },
    { "tuna", "tuna(steps=2000)", "tuna(steps=500)" },
    { "nlm", "nlm(penalty=0.1, members=4, steps=2000)", "nlm(penalty=0.1, members=2, steps=500)" },
    { "nlm", "nlm(penalty=10, members=4, steps=2000)", "nlm(penalty=10, members=2, steps=500)" },
    { "nlm", "nlm(training=marginal, members=1, steps=1000)", "nlm(training=marginal, members=1, steps=200)" },
    { "hmc", "hmc(width=20, chains=2, warmup=200, samples=100)", "hmc(width=10, chains=2, warmup=50, samples=20)" },
    { "mcd", "mcd(steps=2000)", "mcd(steps=500)" },
    { "bbvi", "bbvi(steps=2000)", "bbvi(steps=500)" },
    { "ensemble", "ensemble(members=5, of=nn(steps=1000))", "ensemble(members=3, of=nn(steps=500))" },
    { "sngp", "sngp(steps=500)", "sngp(steps=200)" },
    { "nn", "nn(steps=2000)", "nn(steps=500)" },
    { "linear", "linear(degree=3)", "" },
    { "linear", "linear", "" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_CUBIC_LIST(UNA_FIELDS) UNA_STUDIES_LIST(UNA_FIELDS)
                                              { .name = NULL } };

/* ---- the table of studies ------------------------------------------------------------------------------------ */

/* One network, no choice of the noise: as the thesis trains them. */
#define ALONE "prior_var=1, noise_std=3, train_noise_std=3, members=1, relevance=off, @)"
#define NLM   "nlm(width=50, features=20, "
#define LUNA  "luna(head_share=1, diversity=12, diversity_rows=0, probes=data, penalty=0.1, "
#define TUNA  "tuna(copy_std=0.1, width=50, batch=1000000, prior_var=1, noise_std=3, "
#define LONG  "steps=10000, rate=0.001, rate_schedule=constant"
#define SHORT "steps=3000, rate=0.003, rate_schedule=constant"
#define QUICK "steps=1000"
#define AS_THESIS "One network of one training (members=1), noise std 3 as in the data, prior variance 1, "
#define SINGLE_LUNA "The thesis's single LUNA (members=1, probes at the data, penalty 0.1, \xCE\xBB = 12 growing as "  \
                    "a sigmoid), noise std 3 as in the data, prior variance 1, "
#define LONG_WORDS "10,000 steps of Adam at the rate 0.001."
#define SHORT_WORDS "3,000 steps of Adam at the rate 0.003."

const una_study_line una_studies_lines[] = {
    { .name = "nlm_penalty", .title = "NLM by penalty and restart", .varied = "penalty \xCE\xB3",
      .spec = NLM "penalty=*, " ALONE, .train = LONG, .quick = QUICK,
      .value = { "0", "0.001", "0.1", "1", "10" }, .restarts = 5, .quick_restarts = 4,
      .drawn = { "0", "0.1", "10" },
      .how = AS_THESIS "two layers of 50 and 20 ReLU units trained for the highest posterior, " LONG_WORDS
             " Every seed's rows are fitted from several first weights.",
      .thesis = "Thesis: without a penalty NLM notices the gap, albeit inconsistently over restarts; with one, it "
                "never does" },
    { .name = "nlm_features", .title = "NLM by number of features", .varied = "features",
      .spec = "nlm(width=50, features=*, penalty=0, " ALONE, .train = SHORT, .quick = QUICK,
      .value = { "10", "20", "50", "100", "200" }, .restarts = 2, .quick_restarts = 2,
      .drawn = { "10", "50", "200" },
      .how = AS_THESIS "50 ReLU units and then so many features, no penalty, " SHORT_WORDS,
      .thesis = "Thesis: more features fit the data better, but still fail to consistently model in-between "
                "uncertainty" },
    { .name = "nlm_depth", .title = "NLM by depth", .varied = "hidden layers",
      .spec = NLM "depth=*, penalty=0, " ALONE, .train = LONG, .quick = QUICK,
      .value = { "1", "2", "3", "4" }, .restarts = 2, .quick_restarts = 4, .drawn = { "1", "2", "4" },
      .how = AS_THESIS "layers of 50 ReLU units and a last one of 20, no penalty, " LONG_WORDS,
      .thesis = "Thesis: more layers do not lead to consistent in-between uncertainty, and make NLM susceptible to "
                "overfitting" },
    { .name = "nlm_marginal", .title = "NLM trained by marginal likelihood", .varied = "prior variance \xCE\xB1",
      .spec = NLM "training=marginal, &, prior_var=*, noise_std=3, train_noise_std=3, members=1, relevance=off, @)",
      .train = SHORT, .quick = "steps=500",
      .value = { "0.1", "1", "10", "100" },
      .curve = { { "penalty 0.1", "penalty=0.1" }, { "penalty 1", "penalty=1" } }, .restarts = 1, .quick_restarts = 3,
      .drawn = { "0.1", "1", "100" },
      .how = "One network of one training (members=1), noise std 3 as in the data, two layers of 50 and 20 ReLU units "
             "trained by the (right) marginal likelihood of the linear head, " SHORT_WORDS,
      .thesis = "Thesis: at penalty 0.1 a high prior variance gives more uncertainty in the gap, inconsistently; at "
                "penalty 1 it does not even then" },
    { .name = "luna_heads", .title = "LUNA by number of heads", .varied = "heads",
      .spec = LUNA "heads=*, width=50, features=20, " ALONE, .train = LONG, .quick = SHORT,
      .value = { "2", "5", "10", "25", "50", "100" }, .restarts = 1, .quick_restarts = 4,
      .drawn = { "2", "10", "100" },
      .how = SINGLE_LUNA "two layers of 50 and 20 ReLU units, " LONG_WORDS,
      .thesis = "Thesis: LUNA notices the gap with 2 regressors and with many" },
    { .name = "luna_width", .title = "LUNA by width", .varied = "units of each layer",
      .spec = LUNA "heads=25, width=*, " ALONE, .train = SHORT, .quick = QUICK,
      .value = { "25", "50", "100", "200" }, .restarts = 1, .quick_restarts = 1,
      .drawn = { "25", "50", "200" },
      .how = SINGLE_LUNA "25 heads on two layers of so many ReLU units, " SHORT_WORDS,
      .thesis = "Replications: the mean epistemic variance went from 17 at 25 units over 99 "
                "and 222 to 935 at 200 units" },
    { .name = "luna_depth", .title = "LUNA by depth", .varied = "hidden layers",
      .spec = LUNA "heads=25, width=50, depth=*, " ALONE, .train = SHORT, .quick = QUICK,
      .value = { "1", "2", "3" }, .restarts = 1, .quick_restarts = 4, .drawn = { "1", "2", "3" },
      .how = SINGLE_LUNA "25 heads on layers of 50 ReLU units, " SHORT_WORDS,
      .thesis = "Replications: a mean epistemic variance of 2, 99 and 656" },
    { .name = "luna_step", .title = "LUNA by step of the differences", .varied = "std of the step, or exact slopes",
      .spec = LUNA "heads=25, *, " ALONE, .train = SHORT, .quick = QUICK,
      .value = { "perturbation_std=0.001", "perturbation_std=0.01", "perturbation_std=0.1", "perturbation_std=0.5",
                 "slopes=exact" }, .restarts = 1, .quick_restarts = 4,
      .how = SINGLE_LUNA "25 heads on two layers of 50 ReLU units, " SHORT_WORDS " The step is in standard deviations "
             "of the input.",
      .thesis = "Thesis: steps of 0.01 and 0.1 were searched, what they change is not said. Replications: the bands "
                "differ" },
    { .name = "activations", .title = "LUNA by activation", .varied = "activation",
      .spec = LUNA "heads=25, activation=*, " ALONE, .train = SHORT, .quick = "steps=500",
      .value = { "relu", "tanh", "leaky", "elu", "softplus", "silu", "sin" }, .restarts = 1, .quick_restarts = 2,
      .drawn = { "tanh", "softplus", "sin" },
      .how = SINGLE_LUNA "25 heads on two layers of 50 units, " SHORT_WORDS,
      .thesis = "Thesis: in practice UNA works well with all activations" },
    { .name = "tuna_length", .title = "TUNA by length scale", .varied = "length scale, in units of x",
      .spec = TUNA "features=20, penalty=0.0001, prior=rbf(length=*), @)", .train = LONG, .quick = "steps=1000",
      .value = { "0.15", "0.3", "0.75", "1.5", "3", "6", "15" }, .restarts = 1, .quick_restarts = 4,
      .drawn = { "0.3", "3", "15" },
      .how = "40 references drawn from a Gaussian process with an RBF kernel, two layers of 50 and 20 ReLU units, "
             "noise std 3 as in the data, prior variance 1, " LONG_WORDS " The gap is 4 wide, and 3.1 is one standard "
             "deviation of the input: the lengths are 0.05 to 5 of these.",
      .thesis = "Thesis: TUNA notices the gap consistently with an appropriate length scale, and fails when the "
                "references are not diverse, as with too long a one" },
    { .name = "tuna_capacity", .title = "TUNA's capacity", .varied = "features",
      .spec = TUNA "features=*, penalty=0, &, @)", .train = "steps=5000, rate=0.003", .quick = "steps=1000",
      .value = { "5", "10", "20", "50" },
      .curve = { { "40 of length 0.75", "heads=40, prior=rbf(length=0.75)" },
                 { "40 of length 1.5", "heads=40, prior=rbf(length=1.5)" },
                 { "40 of length 6", "heads=40, prior=rbf(length=6)" },
                 { "10 of length 1.5", "heads=10, prior=rbf(length=1.5)" },
                 { "160 of length 1.5", "heads=160, prior=rbf(length=1.5)" } },
      .restarts = 1, .quick_restarts = 1,
      .how = "50 ReLU units and then so many features, no penalty, 5,000 steps of Adam at a rate that falls from "
             "0.003. The misfit is the root mean square distance of the heads from their references, whose standard "
             "deviation is 1.",
      .thesis = "Thesis: the capacity that TUNA needs depends less on the number of references (100 and more simple "
                "ones are easily captured) and more on their complexity" },
    { .name = "blow_up", .title = "The blow-up of features", .varied = "scale of the features",
      .spec = "linear(degree=7, prior_var=1, noise_std=3)", .train = "", .quick = "",
      .value = { "1", "3", "10", "30", "100", "300", "1000" }, .restarts = 1, .quick_restarts = 1,
      .how = "Nothing is trained: seven powers of the input and a one are the features, prior variance 1, noise std 3 "
             "as in the data.",
      .thesis = "Thesis: without a penalty on the features, scaling them up raises the marginal likelihood without end "
                "(Proposition 1); the formula it prints has minus where \xC2\xBD log|V| has plus" },
    { .name = "likelihood_blind", .title = "What the likelihood does not tell", .varied = "model",
      .restarts = 1, .quick_restarts = 1,
      .how = "Models with their own defaults and small budgets (--models takes others), on the rows of each seed; the "
             "likelihood is that of 100 fresh rows of the same law.",
      .thesis = "Thesis: log-likelihood does not tell whether uncertainty rises where data is scarce" },
    { .name = NULL }
};

/* ---- names --------------------------------------------------------------------------------------------------- */

const una_study_line *una_studies_find(const char *name)
{
    for (const una_study_line *s = una_studies_lines; s->name; s++)
        if (una_is_item(name, strcspn(name, ","), s->name)) return s;
    return NULL;
}

const char *una_studies_word(const char *value)
{
    const char *at = strrchr(value, '=');
    return at ? at + 1 : value;
}

const char *una_studies_data(const una_study_line *study, const char *value, const una_studies_curve *curve,
                             una_arena *arena)
{
    return una_phrase(arena, "%s%s%s%s%s", study->name, value ? " " : "", value ? una_studies_word(value) : "",
                      curve ? ", " : "", curve ? curve->label : "");
}

const char *una_studies_spec(const una_study_line *study, const char *value, const una_studies_curve *curve, bool quick,
                             una_arena *arena)
{
    una_text spec = una_text_in(arena);
    for (const char *at = study->spec; *at; at++)
        switch (*at) {
        case '*': una_text_add(&spec, "%s", value); break;
        case '&': una_text_add(&spec, "%s", curve->text); break;
        case '@': una_text_add(&spec, "%s", quick ? study->quick : study->train); break;
        default:  una_text_add(&spec, "%c", *at);
        }
    return spec.at;
}

bool una_studies_is_of(const char *data, const char *study)
{
    size_t length = strlen(study);
    return strncmp(data, study, length) == 0 && (data[length] == '\0' || data[length] == ' ');
}

const una_group *una_studies_group(const una_findings *f, const una_study_line *study, const char *value,
                                   const una_studies_curve *curve)
{
    char data[128];
    snprintf(data, sizeof data, "%s %s%s%s", study->name, una_studies_word(value), curve ? ", " : "",
             curve ? curve->label : "");
    return una_findings_on(f, NULL, data);
}

bool una_studies_captures(const una_findings *f, size_t fit)
{
    return una_findings_value(f, fit, UNA_STUDIES_SHARE) >= half;
}

/* ---- plan ---------------------------------------------------------------------------------------------------- */

static una_status studies_check_list(const char *list, una_run *run)
{
    size_t length;
    for (const char *item = list; (item = una_next_item(item, &length)); item += length) {
        const una_study_line *s = una_studies_lines;
        while (s->name && !una_is_item(item, length, s->name)) s++;
        if (s->name) continue;

        una_text names = una_text_in(&run->scratch);
        for (s = una_studies_lines; s->name; s++) {
            const char *separator = s[1].name ? ", " : " and ";
            una_text_add(&names, "%s%s", s == una_studies_lines ? "" : separator, s->name);
        }
        UNA_TRY(una_arena_check(&run->scratch));
        UNA_FAIL(run, UNA_E_USAGE, "there is no study '%.*s'; there are %s", length < 60 ? (int)length : 60, item,
                 names.at);
    }
    return UNA_OK;
}

typedef struct planning { una_plan *plan; const una_asked *asked; uint64_t seed; una_run *run; } planning;

static una_status plan_curve(const planning *p, const una_study_line *s, const una_studies_curve *curve)
{
    size_t restarts = p->asked->quick ? s->quick_restarts : s->restarts;
    for (size_t v = 0; v < UNA_STUDIES_VALUES && s->value[v]; v++) {
        const char *spec = una_studies_spec(s, s->value[v], curve, p->asked->quick, p->asked->keep);
        una_row_key like = { .study = "studies", .seed = p->seed,
                             .data = una_studies_data(s, s->value[v], curve, p->asked->keep) };
        UNA_TRY(una_arena_check(p->asked->keep));
        UNA_TRY(una_plan_spec(p->plan, p->asked, spec, like, restarts, p->run));
    }
    return UNA_OK;
}

static una_status plan_study(const planning *p, const una_study_line *s)
{
    if (!s->spec) {
        una_plan_models(p->plan, p->asked, "studies", s->name, p->seed);
        return UNA_OK;
    }
    if (!s->curve[0].label) return plan_curve(p, s, NULL);
    for (size_t c = 0; c < UNA_STUDIES_CURVES && s->curve[c].label; c++) UNA_TRY(plan_curve(p, s, &s->curve[c]));
    return UNA_OK;
}

/* Seed by seed, so that the results of an interrupted run are useful. */
static una_status studies_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const studies_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked), length;
    bool all = !una_next_item(o->study, &length);
    UNA_TRY(studies_check_list(o->study, run));
    for (size_t i = 0; i < seeds; i++) {
        planning p = { plan, asked, asked->first + i, run };
        const una_row_key like = { .study = "studies", .data = cubic, .seed = p.seed };
        UNA_TRY(una_plan_spec(plan, asked, reference, like, 1, run));
        for (const una_study_line *s = una_studies_lines; s->name; s++)
            if (all || una_list_has(o->study, s->name)) UNA_TRY(plan_study(&p, s));
    }
    return una_arena_check(asked->keep);
}

/* ---- the blow-up --------------------------------------------------------------------------------------------- */

static void studies_standardise(double *to, double *std, const double *from, size_t count)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++) mean += from[i] / (double)count;
    for (size_t i = 0; i < count; i++) square += (from[i] - mean) * (from[i] - mean);
    *std = sqrt(square / (double)count);
    for (size_t i = 0; i < count; i++) to[i] = (from[i] - mean) / *std;
}

/* The printed formula has -1/2 log|V| for +1/2 log|V|; V^-1 = C C' with the head's factor C. */
static double printed_from(const una_head *head)
{
    double log_v = 0;
    size_t k = head->stats.features;
    for (size_t j = 0; j < k; j++) log_v -= 2 * log(head->chol[j * k + j]);
    return head->log_evidence - log_v;
}

una_status una_studies_blow_up(double *right, double *printed, const una_dataset *data, double scale, una_run *run)
{
    size_t rows = una_dataset_row_count(data);
    double x_std, y_std;
    una_head head;
    UNA_NEW(&run->scratch, double, x, rows);
    UNA_NEW(&run->scratch, double, y, rows);
    double *phi = una_phi_with_one(rows, POWERS + 1, &run->scratch);
    UNA_TRY(una_head_init(&head, POWERS + 1, &run->scratch));
    studies_standardise(x, &x_std, una_dataset_numbers(data, 0), rows);
    studies_standardise(y, &y_std, una_dataset_numbers(data, 1), rows);
    for (size_t i = 0; i < rows; i++) {
        double power = 1;
        for (size_t p = 0; p < POWERS; p++) phi[i * (POWERS + 1) + p] = scale * (power *= x[i]);
    }

    UNA_TRY(una_stats_add(&head.stats, phi, y, rows, run));
    head.noise_var = noise_std * noise_std / (y_std * y_std);
    head.prior_var = 1;
    UNA_TRY(una_head_solve(&head, run));
    *right = head.log_evidence;
    *printed = printed_from(&head);
    return UNA_OK;
}

static una_status measure_blow_up(const una_measuring *m)
{
    una_dataset *data;
    const char *scale_text = strchr(m->key->data, ' ') + 1;
    double scale = NAN, *value = m->outcome->value;
    una_parse_number(scale_text, strlen(scale_text), &scale);
    m->outcome->options = m->key->spec;
    UNA_TRY(una_dataset_synthetic(&data, cubic, UNA_CUBIC_ROWS, 1, m->key->seed, m->run));
    UNA_TRY(una_keep_dataset(&m->run->scratch, data));
    return una_studies_blow_up(&value[UNA_STUDIES_EVIDENCE], &value[UNA_STUDIES_PRINTED], data, scale, m->run);
}

/* ---- one fit ------------------------------------------------------------------------------------------------- */

static una_status measure_fresh(double *value, const una_model *model, uint64_t seed, una_run *run)
{
    una_dataset *data;
    una_score score = UNA_INIT(una_score);
    UNA_TRY(una_dataset_synthetic(&data, cubic, TEST_ROWS, 1, seed + fresh, run));
    UNA_TRY(una_keep_dataset(&run->scratch, data));
    UNA_TRY(una_model_score(&score, model, data, run));
    value[UNA_STUDIES_TEST_LOG_LIK] = score.log_lik;
    value[UNA_STUDIES_TEST_RMSE] = score.rmse;
    return UNA_OK;
}

/* The last loss is (1/M) sum over heads and over the training inputs and one copy of each: all rows are one batch, and
 * there is no penalty. */
static double misfit_of(const una_fit_info *info)
{
    const una_curve *curve = &info->curve;
    return curve->count > 0 ? sqrt(curve->loss[curve->count - 1] / (2.0 * UNA_CUBIC_ROWS)) : NAN;
}

/* Whether the page draws a fit of this value. */
static bool is_drawn(const una_row_key *key, const una_asked *asked)
{
    if (key->seed != asked->first || key->split > 0) return false;
    for (const una_study_line *s = una_studies_lines; s->name; s++)
        for (size_t d = 0; d < UNA_STUDIES_DRAWN && s->drawn[d]; d++) {
            size_t length = strlen(s->name), word = strlen(una_studies_word(s->drawn[d]));
            if (una_studies_is_of(key->data, s->name) &&
                strncmp(key->data + length + 1, una_studies_word(s->drawn[d]), word) == 0 &&
                strchr(", ", key->data[length + 1 + word]))
                return true;
        }
    return false;
}

static una_status studies_measure(const una_measuring *m)
{
    const una_row_key *key = m->key;
    double *value = m->outcome->value;
    una_model *model;
    una_dataset *data;
    if (una_studies_is_of(key->data, "blow_up")) return measure_blow_up(m);

    m->run->settings.seed = key->seed + restart * key->split;
    UNA_TRY(una_cubic_fit(&model, &data, key, m->run));
    UNA_TRY(una_cubic_measure(value, model, data, key->seed, m->run));
    UNA_TRY(measure_fresh(value, model, key->seed, m->run));
    value[UNA_STUDIES_COS2] = una_model_info(model)->mean_cos2;
    if (una_studies_is_of(key->data, "tuna_capacity")) value[UNA_STUDIES_MISFIT] = misfit_of(una_model_info(model));
    UNA_TRY(una_outcome_take(m->outcome, model));
    return is_drawn(key, m->asked) ? una_cubic_keep(model, m) : UNA_OK;
}

/* Gap std over the GP's on the rows of the same seed. */
static void studies_compare(double *value, const una_findings *f)
{
    const una_group *gp = una_findings_on(f, NULL, cubic);
    for (size_t i = 0; gp && i < f->count; i++)
        for (size_t j = gp->from; j < gp->from + gp->count; j++)
            if (f->fits[j].key.seed == f->fits[i].key.seed)
                value[i * f->measures + UNA_STUDIES_SHARE] = una_findings_value(f, i, UNA_CUBIC_GAP_STD) /
                                                             una_findings_value(f, j, UNA_CUBIC_GAP_STD);
}

const una_experiment una_experiment_studies = {
    .name = "studies",
    .summary = "what becomes of the uncertainty in the gap when one option is varied: the thesis's appendix",
    .title = "Small studies: what moves the uncertainty in the gap?",
    .lead = "The cubic gap once more: 100 rows of y = x\xC2\xB3 with noise of standard deviation 3, none of them "
            "between "
            "\xE2\x88\x92" "2 and 2. Each study varies one option of one model and watches the epistemic standard "
            "deviation in the gap; a Gaussian process on the same rows is the yardstick.",
    .caption = "Mean and sd over the seeds",
    .over = "fits",
    .options = table,
    .options_size = sizeof(studies_options),
    .measures = measures,
    .entries = entries,
    .plan = studies_plan_fits,
    .measure = studies_measure,
    .compare = studies_compare,
    .claims = una_studies_claims,
    .find = una_studies_find_group,
    .claims_lead = "What was claimed.",
    .claims_caption = una_studies_claims_caption,
    .page = una_studies_page,
};
