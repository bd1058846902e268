/* SPDX-License-Identifier: MIT
 *
 * A model file from a stranger cannot crash una, leak, hang or take memory. Files of every kind, with and without text
 * columns, and once more of those that see images, are cut short at every byte and changed at random in many ways. A
 * change is caught by a checksum, so in most cases the checksums are made to agree again afterwards: then the checks of
 * the contents have to stand alone. What is not refused with a sentence must predict, draw, update and save without a
 * crash.
 *   test_modelfile [N]                    N random changes in all; also $UNA_MUTATIONS; default 10,000
 *   test_modelfile --make-fixtures DIR    writes the files of tests/fixtures/ (done once per release)
 */
#include "models/quick.h"
#include "model_blocks.h"

static long mutations = 10000;

/* ---- what is done with a changed file ---------------------------------------------------------------------------- */

typedef struct stranger {
    una_run *run;
    struct fail_after memory;
    const una_dataset *data;
    long refused, loaded;
} stranger;

static void answered(const stranger *s, una_status status, const char *what)
{
    if (status == UNA_OK) return;
    if (status != UNA_E_INPUT && status != UNA_E_NUMERIC && status != UNA_E_USAGE)
        fail_msg("%s: status %d, %s", what, (int)status, una_run_message(s->run));
    if (strlen(una_run_message(s->run)) < 20) fail_msg("%s: no sentence", what);
}

static void use_one(const stranger *s, const una_model *model)
{
    double value[64], f[128];
    una_prediction out = { .size = sizeof out, .mean = value, .std = value + 16, .lower = value + 32 };
    answered(s, una_model_predict(model, s->data, 0.95, &out, s->run), "predict");
    answered(s, una_model_draw(model, s->data, 2, 0, f, s->run), "draw");
}

static void use(const stranger *s, una_model *model)
{
    double cov[8 * 9], f[3 * 2 * 8];
    void *again = NULL;
    size_t size, targets = una_model_target_count(model);
    for (size_t t = 0; t < targets; t++) use_one(s, una_model_target(model, t));
    if (targets <= 3) answered(s, una_model_covariance(model, s->data, 1, cov, s->run), "covariance");
    if (targets <= 3) answered(s, una_model_draw(model, s->data, 2, 0, f, s->run), "draw of all");
    answered(s, una_model_joint_log_lik(cov, NULL, model, s->data, s->run), "joint density");
    answered(s, una_model_update(model, s->data, s->run), "update");
    answered(s, una_model_save_memory(model, &again, &size, s->run), "save");
    una_memory_free(again, s->run);
    assert_true(una_model_input_count(model) > 0);
    assert_non_null(una_model_info(model)->spec);
}

static void try_bytes(stranger *s, const bytes *b)
{
    long live = s->memory.live;
    una_model *model = NULL;
    una_status status = una_model_load_memory(&model, b->at, b->size, s->run);

    if (status == UNA_OK) {
        s->loaded++;
        use(s, model);
        una_model_free(model);
    } else {
        s->refused++;
        assert_null(model);
        assert_int_equal(status, UNA_E_INPUT);
        if (strlen(una_run_message(s->run)) < 20) fail_msg("%s", "refused without a sentence");
    }
    assert_int_equal(s->memory.live, live);
}

/* ---- the files to start from ------------------------------------------------------------------------------------- */

typedef struct original { bytes file; bool mixed, images; const char *kind; } original;

static original kept_file(una_model *model, bool mixed, una_run *run)
{
    void *saved;
    size_t size;
    assert_ok(una_model_save_memory(model, &saved, &size, run), run);
    original o = { .file = { malloc(size), size, size }, .mixed = mixed, .kind = una_model_info(model)->kind };
    if (!o.file.at) fail_msg("%s", "no memory for the test's own bytes");
    memcpy(o.file.at, saved, size);
    una_memory_free(saved, run);
    una_model_free(model);
    return o;
}

static original shaped_file(const una_kind *kind, bool mixed, bool wider)
{
    una_run *run = quiet_run();
    const char *set[2];
    una_fit_settings settings = mixed ? mixed_settings : (una_fit_settings)UNA_INIT(una_fit_settings);
    settings.set = set;
    if (has_option(kind, "width")) set[settings.set_count++] = wider ? "width=4" : "width=3";
    else if (has_option(kind, "degree")) set[settings.set_count++] = wider ? "degree=2" : "degree=1";
    if (has_option(kind, "steps")) set[settings.set_count++] = "steps=4";

    una_dataset *data = mixed ? mixed_data(30, run) : wave_data(30, 0, run);
    original o = kept_file(fitted(quick_spec(kind->name, NULL), data, &settings, run), mixed, run);
    o.kind = kind->name;
    una_dataset_free(data);
    una_run_free(run);
    return o;
}

/* Two targets: x2 stands for the second, so that the rows of the others serve. */
static original pair_file(const char *spec, bool joint)
{
    static const char *const targets[] = { "x2", "y" };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(30, 0, run);
    una_model *model = fitted(spec, data, &SIZED(una_fit_settings, .targets = targets, .target_count = 2), run);
    double noise[] = { 1, 0.5, 0.5, 1 };
    if (joint) model->coupling = (una_target_coupling){ .outputs = 2, .joint = true, .noise = noise };
    original o = kept_file(model, false, run);
    una_dataset_free(data);
    una_run_free(run);
    return o;
}

static original image_model(const una_kind *kind)
{
    una_run *run = quiet_run();
    quick_images = true;
    una_dataset *data = quick_data(30, 0, run);
    original o = kept_file(quick_fit(kind, data, run), false, run);
    o.images = true;
    o.kind = kind->name;
    quick_images = false;
    una_dataset_free(data);
    una_run_free(run);
    return o;
}

static original small_file(const una_kind *kind, bool mixed)
{
    return shaped_file(kind, mixed, false);
}

static size_t originals(original *list, size_t most)
{
    size_t count = 0;
    for (size_t k = 0; una_kinds[k]; k++) {
        for (quick_choice = 0; quick_choice < quick_choices(una_kinds[k]->name) && count + 2 <= most; quick_choice++) {
            list[count++] = small_file(una_kinds[k], false);
            list[count++] = small_file(una_kinds[k], true);
        }
    }
    if (count + 3 <= most) {
        list[count++] = pair_file("linear(degree=1)", true);
        list[count++] = pair_file("nlm(width=3, steps=4, members=2)", false);
        list[count++] = pair_file("nlm(width=3, steps=4, members=2)", true);
    }
    quick_choice = 0;
    for (size_t k = 0; una_kinds[k] && count < most; k++)
        if (una_kinds[k]->fit_to.images) list[count++] = image_model(una_kinds[k]);
    return count;
}

/* All of the front, then a sample of the bytes; networks of convolutions are large. */
static size_t next_byte(const original *o, size_t at)
{
    return at + (at <= 300 ? 1 : o->images ? 151 : long_tier() ? 1 : sanitized ? 5 : 7);
}

/* A run whose memory is limited and counted, and rows that the file's model can read. */
static una_dataset *meet(stranger *s, const original *o)
{
    *s = (stranger){ .memory = { .left = -1 } };
    una_run_settings settings = failing_settings(&s->memory);
    settings.memory_limit = 32 << 20;
    if (una_run_new(&s->run, &settings) != UNA_OK) fail_msg("%s", "no run could be made");
    una_dataset *data = o->mixed    ? mixed_data(8, s->run)
                        : o->images ? image_data(8, 100, s->run)
                                    : wave_data(8, 100, s->run);
    s->data = data;
    return data;
}

static void part(stranger *s, una_dataset *data)
{
    una_dataset_free(data);
    una_run_free(s->run);
    assert_int_equal(s->memory.live, 0);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void every_truncation_is_refused(void **state)
{
    (void)state;
    original list[64];
    size_t count = originals(list, 64);

    for (size_t i = 0; i < count; i++) {
        stranger s;
        una_dataset *data = meet(&s, &list[i]);
        for (size_t size = 0; size < list[i].file.size; size = next_byte(&list[i], size)) {
            /* A copy of exactly that size, so that a reader of one byte more is caught. */
            bytes short_one = { malloc(size ? size : 1), size, size };
            assert_non_null(short_one.at);
            if (size) memcpy(short_one.at, list[i].file.at, size);
            try_bytes(&s, &short_one);
            free(short_one.at);
        }

        assert_int_equal(s.loaded, 0);
        try_bytes(&s, &list[i].file);
        assert_int_equal(s.loaded, 1);
        part(&s, data);
        free(list[i].file.at);
    }
}

static void a_byte_too_many_is_refused(void **state)
{
    (void)state;
    original o = small_file(una_kinds[0], false);
    stranger s;
    una_dataset *data = meet(&s, &o);
    bytes longer = { calloc(o.file.size + 1, 1), o.file.size + 1, 0 };
    assert_non_null(longer.at);
    memcpy(longer.at, o.file.at, o.file.size);
    try_bytes(&s, &longer);
    assert_int_equal(s.loaded, 0);
    free(longer.at);
    part(&s, data);
    free(o.file.at);
}

/* Every single byte, changed: the checksums see it. */
static void every_byte_is_guarded(void **state)
{
    (void)state;
    original list[64];
    size_t count = originals(list, 64);

    for (size_t i = 0; i < count; i++) {
        stranger s;
        una_dataset *data = meet(&s, &list[i]);
        for (size_t at = 0; at < list[i].file.size; at = next_byte(&list[i], at)) {
            list[i].file.at[at] ^= 0x10;
            try_bytes(&s, &list[i].file);
            list[i].file.at[at] ^= 0x10;
        }

        assert_int_equal(s.loaded, 0);
        part(&s, data);
        free(list[i].file.at);
    }
}

static void random_changes(void **state)
{
    (void)state;
    original list[64];
    size_t count = originals(list, 64);
    long refused = 0, loaded = 0;

    for (size_t i = 0; i < count; i++) {
        stranger s;
        una_dataset *data = meet(&s, &list[i]);
        bytes changed = { malloc(2 * list[i].file.size + 4096), 0, 2 * list[i].file.size + 4096 };
        assert_non_null(changed.at);

        for (long n = 0; n < mutations / (long)count / (list[i].images ? 3 : 1) + 1; n++) {
            una_rng rng = una_rng_at(i, UNA_FOR_TEST, (uint64_t)n);
            memset(changed.at, (int)una_rng_below(&rng, 256), changed.room);
            memcpy(changed.at, list[i].file.at, changed.size = list[i].file.size);
            for (size_t times = 1 + una_rng_below(&rng, 2); times > 0; times--) change_once(&changed, &rng);
            if (una_rng_below(&rng, 10) < 8) mend(&changed);
            bytes exact = { malloc(changed.size), changed.size, changed.size };
            assert_non_null(exact.at);
            memcpy(exact.at, changed.at, changed.size);
            try_bytes(&s, &exact);
            free(exact.at);
        }

        refused += s.refused;
        loaded += s.loaded;
        part(&s, data);
        free(changed.at);
        free(list[i].file.at);
    }

    print_message("%ld changed files: %ld refused, %ld loaded and used\n", refused + loaded, refused, loaded);
    assert_true(refused > mutations / 4 && loaded > mutations / 100);       /* both roads were walked */
}

/* ---- parts of two good files: each block is right, they only do not belong together ------------------------------ */

static bool same_name(const bytes *a, const block *i, const bytes *b, const block *j)
{
    size_t length = a->at[i->from + 4];
    return length == b->at[j->from + 4] && memcmp(a->at + i->from + 5, b->at + j->from + 5, length) == 0;
}

/* The blocks of a before its i-th, then those of b from its j-th on. */
static bytes spliced(const bytes *a, const block *i, const bytes *b, const block *j)
{
    size_t size = i->from + b->size - j->from;
    bytes out = { malloc(size), size, size };
    if (!out.at) fail_msg("%s", "no memory for the test's own bytes");
    memcpy(out.at, a->at, i->from);
    memcpy(out.at + i->from, b->at + j->from, b->size - j->from);
    mend(&out);
    return out;
}

/* Every pair of files, cut wherever both have a block of the same name. */
static void two_files_do_not_mix(void **state)
{
    (void)state;
    original list[64];
    static block first[MOST_BLOCKS], second[MOST_BLOCKS];
    size_t count = originals(list, 32);
    for (size_t k = 0; una_kinds[k] && count + 2 <= 64; k++) {
        list[count++] = shaped_file(una_kinds[k], false, true);
        list[count++] = shaped_file(una_kinds[k], true, true);
        if (strcmp(una_kinds[k]->name, "nlm") == 0 && count < 64) list[count++] = image_model(una_kinds[k]);
    }

    for (size_t n = 0; n < count * count; n++) {
        if (!long_tier() && (n / count + n % count) % 5 != sanitized) continue;      /* others with the sanitizers */
        const original *one = &list[n / count], *two = &list[n % count];
        if ((one->images || two->images) && n % 3 != 0) continue;        /* they are large */
        size_t blocks = read_blocks(&one->file, first), others = read_blocks(&two->file, second), from = 0;
        stranger s;
        una_dataset *data = meet(&s, one);

        for (size_t i = 0; i < blocks; i++) {
            for (size_t j = from; j < others; j++) {
                if (!same_name(&one->file, &first[i], &two->file, &second[j])) continue;
                bytes mixture = spliced(&one->file, &first[i], &two->file, &second[j]);
                long loaded = s.loaded;
                try_bytes(&s, &mixture);
                /* A head of another width never fits. */
                if (named(&one->file, &first[i], "head.features") &&
                    number_at(&one->file, first[i].payload, 8) != number_at(&two->file, second[j].payload, 8))
                    assert_int_equal(s.loaded, loaded);
                free(mixture.at);
                from = j + 1;
                break;
            }
        }
        part(&s, data);
    }

    for (size_t i = 0; i < count; i++) free(list[i].file.at);
}

/* Columns of one model before the state of another: the inputs do not agree. */
static void columns_must_fit_the_state(void **state)
{
    (void)state;
    static block first[MOST_BLOCKS], second[MOST_BLOCKS];
    for (size_t k = 0; una_kinds[k]; k++) {
        original plain = small_file(una_kinds[k], false), mixed = small_file(una_kinds[k], true);
        size_t i = read_blocks(&plain.file, first), j = read_blocks(&mixed.file, second);
        while (i > 0 && !named(&plain.file, &first[i - 1], "notes")) i--;
        while (j > 0 && !named(&mixed.file, &second[j - 1], "notes")) j--;
        assert_true(i > 0 && j > 0);

        bytes a = spliced(&plain.file, &first[i], &mixed.file, &second[j]),
            b = spliced(&mixed.file, &second[j], &plain.file, &first[i]);
        stranger s;
        una_dataset *data = meet(&s, &plain);
        try_bytes(&s, &a);
        try_bytes(&s, &b);
        assert_int_equal(s.loaded, 0);

        part(&s, data);
        free(a.at);
        free(b.at);
        free(plain.file.at);
        free(mixed.file.at);
    }
}

/* ---- files of this release load for ever ------------------------------------------------------------------------- */

static const struct { const char *name, *spec; } fixtures[] = {
    { "luna_0_1", "luna(width=8, heads=4, steps=400)" },
    { "linear_0_1", "linear(degree=3)" },
    { "ensemble_0_1", "ensemble(style=bootstrap, members=2, of=nlm(width=5, steps=60))" },   /* before members.h */
};
/* Of before committees, each a single state; by the program of that time (una fit, una predict --keep). */
static const char *const older[] = { "nn_0_1", "mcd_0_1", "bbvi_0_1", "sngp_0_1", "sngp_gp_0_1", "sngp_laplace_0_1",
                                     "hmc_0_1", "tuna_0_1", "nlm_0_1", "gp_0_1", "ensemble_nn_0_1" };
enum { FIXTURE_ROWS = 25 };

/* Sums of floats keep their order in the generic kernels, but a machine that fuses multiply
 * and add repeats otherwise. */
#if defined(__x86_64__) && !defined(__FMA__)
static const double fixture_rtol = 1e-12;
#else
static const double fixture_rtol = 1e-5;
#endif

static una_run *generic_run(void)
{
    una_run *run = NULL;
    if (una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .kernels = "generic")) != UNA_OK)
        fail_msg("%s", "no run");
    return run;
}

static int make_fixtures(const char *folder)
{
    for (size_t i = 0; i < COUNT_OF(fixtures); i++) {
        char path[4096];
        una_run *run = generic_run();
        una_dataset *data = wave_data(220, 0, run), *test = wave_data(FIXTURE_ROWS, 2000, run);
        una_model *model = fitted(fixtures[i].spec, data, NULL, run);
        double *p = predicted(model, test, run);

        snprintf(path, sizeof path, "%s/%s.una", folder, fixtures[i].name);
        if (una_model_save(model, path, run) != UNA_OK) return 1;

        snprintf(path, sizeof path, "%s/%s.csv", folder, fixtures[i].name);
        FILE *out = fopen(path, "w");
        if (!out) return 1;
        fprintf(out, "x1,x2,mean,std,std_epistemic,std_noise,lower,upper\n");
        for (size_t r = 0; r < FIXTURE_ROWS; r++) {
            fprintf(out, "%.17g,%.17g", una_dataset_numbers(test, 0)[r], una_dataset_numbers(test, 1)[r]);
            for (size_t j = 0; j < 6; j++) fprintf(out, ",%.17g", p[j * FIXTURE_ROWS + r]);
            fprintf(out, "\n");
        }
        if (fclose(out) != 0) return 1;

        free(p);
        una_model_free(model);
        una_dataset_free(data);
        una_dataset_free(test);
        una_run_free(run);
    }
    return 0;
}

static void loads_and_predicts(const char *name)
{
    char path[2][256];
    una_run *run = generic_run();
    una_model *model = NULL;
    una_dataset *wanted = NULL;

    snprintf(path[0], sizeof path[0], "tests/fixtures/%s.una", name);
    snprintf(path[1], sizeof path[1], "tests/fixtures/%s.csv", name);
    assert_status(una_model_load(&model, path[0], run), UNA_OK, run);
    assert_status(una_dataset_read(&wanted, path[1], run), UNA_OK, run);
    assert_int_equal(una_dataset_row_count(wanted), FIXTURE_ROWS);
    una_model *copy = copied_model(model, run);                          /* saved again it is as it was */
    for (size_t t = 0; t < una_model_target_count(model); t++) {
        double *p = predicted(una_model_target(model, t), wanted, run);
        for (size_t j = 0; j < 6; j++)
            assert_arrays_near(p + j * FIXTURE_ROWS, una_dataset_numbers(wanted, 2 + 6 * t + j), FIXTURE_ROWS,
                               fixture_rtol, 0);
        assert_same_predictions(una_model_target(copy, t), una_model_target(model, t), wanted, 0, run);
        free(p);
    }
    una_model_free(copy);
    una_model_free(model);
    una_dataset_free(wanted);
    una_run_free(run);
}

static void files_of_this_release_load(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fixtures); i++) loads_and_predicts(fixtures[i].name);
    for (size_t i = 0; i < COUNT_OF(older); i++) loads_and_predicts(older[i]);
    /* By una fit and una predict --keep: */
    loads_and_predicts("two_targets_0_1");               /* of one head */
    loads_and_predicts("auto_0_1");                      /* five networks and a process, whose noise varies */
}

int main(int count, char **argument)
{
    if (count == 3 && strcmp(argument[1], "--make-fixtures") == 0) return make_fixtures(argument[2]);
    const char *given = count > 1 ? argument[1] : getenv("UNA_MUTATIONS");
    if (given && atol(given) > 0) mutations = atol(given);
    else if (getenv("UNA_TEST_LONG")) mutations = 1000000;

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(a_byte_too_many_is_refused),
        cmocka_unit_test(every_byte_is_guarded),
        cmocka_unit_test(random_changes),
        cmocka_unit_test(two_files_do_not_mix),
        cmocka_unit_test(columns_must_fit_the_state),
        cmocka_unit_test(files_of_this_release_load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
