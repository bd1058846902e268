/* SPDX-License-Identifier: MIT
 *
 * Model files of strangers: loaded from memory, asked, updated, scored, saved and loaded again.
 *   - Loading takes at most 64 times the file's bytes and 1 MB. All memory that the library takes for a model comes from
 *     the run's allocator, which is what is counted; no part of loading goes by Jansson or another library.
 *   - What loads answers a few rows with finite numbers, or with a sentence. Saved, it loads again, and answers with the
 *     same bits; saved once more it is the same bytes. After an update that failed it answers as before.
 *   - A file may be valid and ask for more work than anybody has time for: after a second of it the run is cancelled,
 *     and whatever goes on for four more has not heard. (So the clock decides only what is cancelled.)
 * Which of the dearer questions are asked hangs on a sum of the bytes, so that every file is quick and all are asked;
 * so does whether memory fails, which it does for one file in sixteen, after some allocations.
 * The mutator knows the blocks (tests/model_blocks.h), changes some, and makes all checksums agree; two files of the
 * corpus are crossed block by block.
 *   UNA_FUZZ_MEMORY=8000000000     what the run may take; 256 MB if it does not say
 */
#include "page.h"
#include "table.h"

#include "../tests/model_blocks.h"
#include "model/kind.h"
#include "model/several.h"
#include "una_report.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out,
                                 size_t room, unsigned int seed);

enum { ROWS = 6, MOST_COLUMNS = 32, MOST_NUMBERS = 1 << 20, MOST_PARTS = 256, MOST_TARGETS = 3,
       POOL = 256, MOST_POOLED = 1 << 14 };

static void remember(const uint8_t *data, size_t size);

/* ---- enough is enough ---------------------------------------------------------------------------------------- */

static volatile int enough;
static fuzz_world *volatile present;

static void on_time(int number)
{
    (void)number;
    if (enough++ == 0) present->cancelled = true;
    FUZZ_CHECK(enough < 6, "four seconds after it was cancelled it goes on");
}

static void count_time(bool begins)
{
    const struct itimerval second = { { begins, 0 }, { begins, 0 } };
    if (begins) {
        struct sigaction action = {0};
        action.sa_handler = on_time;
        sigemptyset(&action.sa_mask);
        sigaction(SIGVTALRM, &action, NULL);
        enough = 0;
    }
    setitimer(ITIMER_VIRTUAL, &second, NULL);
}

/* ---- rows that the model can be asked about -------------------------------------------------------------------- */

typedef struct subject {
    fuzz_world  *world;
    una_model   *model;
    una_dataset *data;                   /* NULL: images, or too many columns                               */
    double      *x, *y;                  /* [ROWS, inputs] encoded; [ROWS, targets]                         */
    size_t       targets;
} subject;

/* Time or memory is over: what follows may fail, and only that. */
static bool excused(const subject *s)
{
    return enough || s->world->starved;
}

static const una_columns *columns_of(const subject *s)
{
    return &una_model_target(s->model, 0)->columns;
}

static double place_of(size_t row, size_t column)
{
    return ((double)((row * 7 + column * 3) % 11) - 5) / 4;
}

/* A table with all columns and targets; rows differ, and where words never seen have a level one row has such. */
static void make_table(subject *s)
{
    static double number[MOST_COLUMNS + MOST_TARGETS][ROWS];
    static const char *word[MOST_COLUMNS][ROWS];
    const char *names[MOST_COLUMNS + MOST_TARGETS];
    const double *numbers[MOST_COLUMNS + MOST_TARGETS] = {0};
    const char *const *words[MOST_COLUMNS + MOST_TARGETS] = {0};
    const una_columns *c = columns_of(s);
    size_t count = c->source_count, input = 0;
    if (count > MOST_COLUMNS || s->targets > MOST_TARGETS || una_columns_image(c).height) return;

    for (size_t k = 0; k < count; k++) {
        const una_source *source = &c->sources[k];
        const una_input *first = &c->inputs[input];
        names[k] = source->name;
        input += una_source_inputs(source);
        for (size_t r = 0; r < ROWS; r++) {
            if (source->is_text) word[k][r] = source->levels[(r + k) % source->level_count];
            else number[k][r] = first->centre + first->scale * place_of(r, k);
        }
        if (source->is_text && source->has_other) word[k][1] = "a word that nobody has seen";
        if (source->is_text) words[k] = word[k];
        else numbers[k] = number[k];
    }
    for (size_t t = 0; t < s->targets; t++) {
        const una_columns *own = &una_model_target(s->model, t)->columns;
        names[count + t] = own->target;
        numbers[count + t] = number[count + t];
        for (size_t r = 0; r < ROWS; r++) number[count + t][r] = una_target_value(own, place_of(r, t + 5));
    }
    for (size_t k = 0; k < count + s->targets; k++)
        for (size_t r = 0; numbers[k] && r < ROWS; r++)
            if (!isfinite(number[k][r])) return;
    FUZZ_EXPLAIN(una_dataset_from_columns(&s->data, names, numbers, words, count + s->targets, ROWS, s->world->run),
              s->world);
}

static bool make_rows(subject *s)
{
    size_t inputs = columns_of(s)->input_count;
    s->targets = una_model_target_count(s->model);
    if (inputs > MOST_NUMBERS / ROWS || s->targets > 64) return false;
    s->x = calloc(ROWS * inputs, sizeof *s->x);
    s->y = calloc(ROWS * s->targets, sizeof *s->y);
    FUZZ_CHECK(s->x && s->y, "no memory");
    for (size_t i = 0; i < ROWS * inputs; i++) s->x[i] = place_of(i / inputs, i % inputs);
    for (size_t i = 0; i < ROWS * s->targets; i++) s->y[i] = place_of(i / s->targets, i % s->targets + 5);
    make_table(s);
    return true;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* [targets, 6, ROWS] finite numbers in order, or NULL after a sentence; released with free. */
static double *answers_of(const subject *s, const una_model *model)
{
    double *all = calloc(s->targets * 6 * ROWS, sizeof *all);
    FUZZ_CHECK(all, "no memory");
    for (size_t t = 0; t < s->targets; t++) {
        const una_model *part = una_model_target(model, t);
        double *n = all + t * 6 * ROWS;
        una_prediction p = { sizeof p, n, n + ROWS, n + 2 * ROWS, n + 3 * ROWS, n + 4 * ROWS, n + 5 * ROWS };
        una_status status = s->data ? FUZZ_EXPLAIN(una_model_predict(part, s->data, 0.9, &p, s->world->run), s->world)
                          : FUZZ_EXPLAIN(una_model_answer_encoded(part, s->x, ROWS, &(una_bands){ .level = 0.9, .out = p }, s->world->run), s->world);
        if (status != UNA_OK) {
            free(all);
            return NULL;
        }
        fuzz_finite(n, 6 * ROWS, "predictions");
        for (size_t r = 0; r < ROWS; r++)
            FUZZ_CHECK(p.std[r] >= 0 && p.std_epistemic[r] >= 0 && p.std_noise[r] >= 0 && p.lower[r] <= p.upper[r],
                       "row %zu: std %g, %g, %g, from %g to %g", r, p.std[r], p.std_epistemic[r], p.std_noise[r],
                       p.lower[r], p.upper[r]);
    }
    return all;
}

static void same_answers(const subject *s, const una_model *model, const double *before, const char *what)
{
    double *after = answers_of(s, model);
    FUZZ_CHECK(!after == !before || excused(s), "%s: answers come and go", what);
    if (after && before) fuzz_same(after, before, s->targets * 6 * ROWS, what);
    free(after);
}

static void save_and_load(const subject *s, const una_model *model, const double *answers)
{
    void *saved = NULL, *again = NULL;
    size_t size, second;
    una_model *loaded = NULL;
    una_run *run = s->world->run;
    if (FUZZ_EXPLAIN(una_model_save_memory(model, &saved, &size, run), s->world) != UNA_OK) return;
    fuzz_memory_from(s->world);
    size_t held = s->world->held;
    una_status status = FUZZ_EXPLAIN(una_model_load_memory(&loaded, saved, size, run), s->world);
    FUZZ_CHECK(status == UNA_OK || excused(s) || status == UNA_E_MEMORY, "it is saved, and not loaded: %s",
               una_run_message(run));
    FUZZ_CHECK(s->world->peak - held <= 64 * size + 1000000, "%zu bytes of memory for what was saved in %zu",
               s->world->peak - held, size);
    if (status == UNA_OK && FUZZ_EXPLAIN(una_model_save_memory(loaded, &again, &second, run), s->world) == UNA_OK)
        FUZZ_CHECK(size == second && memcmp(saved, again, size) == 0, "saved again it is other bytes");
    if (status == UNA_OK) same_answers(s, loaded, answers, "predictions of a saved model");
    una_model_free(loaded);
    una_memory_free(again, run);
    una_memory_free(saved, run);
}

static void draw(const subject *s)
{
    double f[2 * ROWS * MOST_TARGETS];
    for (int prior = 0; s->targets <= MOST_TARGETS && prior < 2; prior++) {
        for (size_t t = 0; !s->data && t < s->targets; t++) {
            size_t inputs = columns_of(s)->input_count;
            una_view x = { s->x, ROWS, inputs, inputs };
            const una_drawing how = { .draws = 2, .prior = prior };
            if (FUZZ_EXPLAIN(una_several_draw(s->model, t, x, &how, f, s->world->run), s->world) == UNA_OK)
                fuzz_finite(f, 2 * ROWS, "draws");
        }
        if (s->data && FUZZ_EXPLAIN(una_model_draw(s->model, s->data, 2, prior, f, s->world->run), s->world) == UNA_OK)
            fuzz_finite(f, 2 * ROWS * s->targets, "draws");
    }
}

static void score(const subject *s)
{
    for (size_t t = 0; s->data && t < s->targets; t++) {
        una_score score = UNA_INIT(una_score);
        double below[ROWS];
        const una_model *part = una_model_target(s->model, t);
        if (FUZZ_EXPLAIN(una_model_score_rows(&score, below, part, s->data, s->world->run), s->world) != UNA_OK) return;
        const double all[] = { score.rmse, score.log_lik, score.crps, score.coverage_50, score.coverage_90,
                               score.coverage_95, score.calibration_error, score.mean_std_epistemic,
                               score.mean_std_noise };
        fuzz_finite(all, COUNT_OF(all), "scores");
        fuzz_finite(below, ROWS, "probabilities");
    }
}

static void spread(const subject *s)
{
    const double level[] = { 0.01, 0.5, 0.99 };
    double q[3 * ROWS], cov[ROWS * MOST_TARGETS * MOST_TARGETS], log_lik;
    size_t rows;
    una_run *run = s->world->run;
    if (!s->data) return;
    for (size_t t = 0; t < s->targets; t++) {
        const una_model *part = una_model_target(s->model, t);
        if (FUZZ_EXPLAIN(una_model_quantiles(part, s->data, level, 3, q, run), s->world) != UNA_OK) continue;
        fuzz_finite(q, 3 * ROWS, "quantiles");
        for (size_t i = 0; i < 3 * ROWS; i++) FUZZ_CHECK(i % 3 == 0 || q[i - 1] <= q[i], "quantiles out of order");
    }
    for (int noise = 0; noise < 2; noise++)
        if (FUZZ_EXPLAIN(una_model_covariance(s->model, s->data, noise, cov, run), s->world) == UNA_OK)
            fuzz_finite(cov, ROWS * s->targets * s->targets, "covariances");
    if (FUZZ_EXPLAIN(una_model_joint_log_lik(&log_lik, &rows, s->model, s->data, run), s->world) == UNA_OK)
        FUZZ_CHECK(rows == 0 || isfinite(log_lik), "a density of %g", log_lik);
}

static void slopes(const subject *s)
{
    const una_model *part = una_model_target(s->model, 0);
    const una_columns *c = &part->columns;
    size_t sources = c->source_count, parts = una_model_part_count(part);
    double x[MOST_COLUMNS], dmean[MOST_COLUMNS], dstd[MOST_COLUMNS];
    if (!s->data) return;
    for (size_t i = 0; i < sources; i++) {
        if (!una_dataset_numbers(s->data, i)) return;
        x[i] = una_dataset_numbers(s->data, i)[0];
    }
    if (FUZZ_EXPLAIN(una_model_slope(part, x, dmean, dstd, s->world->run), s->world) == UNA_OK) {
        fuzz_finite(dmean, sources, "slopes of the mean");
        fuzz_finite(dstd, sources, "slopes of the ignorance");
    }
    if (parts > MOST_PARTS) return;
    double weight[MOST_PARTS], mean[MOST_PARTS], std[MOST_PARTS];
    una_parts asked = { .size = sizeof asked, .weight = weight, .mean = mean, .std = std };
    if (FUZZ_EXPLAIN(una_model_parts(part, x, 1, &asked, s->world->run), s->world) != UNA_OK) return;
    fuzz_finite(weight, parts, "weights");
    fuzz_finite(mean, parts, "means of parts");
    fuzz_finite(std, parts, "stds of parts");
}

/* One function of many, and what the posterior would be without its rows. */
static void others(const subject *s)
{
    una_model *other = NULL;
    una_run *run = s->world->run;
    if (FUZZ_EXPLAIN(una_model_sample(&other, una_model_target(s->model, 0), 3, run), s->world) == UNA_OK &&
        s->targets == 1) {
        double *answers = answers_of(s, other);
        save_and_load(s, other, answers);
        free(answers);
    }
    una_model_free(other);
    if (s->data && FUZZ_EXPLAIN(una_model_relearn(&other, s->model, s->data, NULL, 0, run), s->world) == UNA_OK) {
        double *answers = answers_of(s, other);
        free(answers);
        una_model_free(other);
    }
}

/* Its page and one of its charts: names and numbers in them are a stranger's. */
static void show(const subject *s, unsigned choice)
{
    static const char *const what[] = { "bands", "effect", "observed", "calibration", "residuals", "ignorance",
                                        "importance" };
    const una_model *model = s->model;
    const char *html = fuzz_path("page.html"), *svg = fuzz_path("chart.svg");
    una_plot_settings plot = { .size = sizeof plot, .what = what[choice % COUNT_OF(what)] };
    una_run *run = s->world->run;
    if (!s->data) return;
    if (choice / 7 % 2 == 0 &&
        FUZZ_EXPLAIN(una_report_write(html, &model, NULL, 1, s->data, NULL, NULL, run), s->world) == UNA_OK)
        fuzz_page(html, "the report");
    if (choice / 7 % 2 == 1 && FUZZ_EXPLAIN(una_plot_write(svg, model, s->data, &plot, run), s->world) == UNA_OK)
        fuzz_page(svg, "the chart");
}

/* Rows that are encoded already. */
static una_status take_rows(subject *s, una_run *run)
{
    una_taking taking = { .x = s->x, .y = s->y, .rows = ROWS };
    UNA_TRY(una_new_rows_begin(&taking.news, s->model, false, &run->scratch));
    return una_several_take(s->model, &taking, run);
}

static void update(subject *s, const double *before)
{
    una_run *run = s->world->run;
    size_t rows = una_model_target(s->model, 0)->info.rows;
    una_status status = s->data ? FUZZ_EXPLAIN(una_model_update(s->model, s->data, run), s->world)
                      : FUZZ_EXPLAIN(take_rows(s, run), s->world);
    if (status != UNA_OK) {
        FUZZ_CHECK(una_model_target(s->model, 0)->info.rows == rows, "rows are counted that were refused");
        if (s->data) same_answers(s, s->model, before, "after an update that failed");
        return;
    }
    double *answers = answers_of(s, s->model);
    save_and_load(s, s->model, answers);
    free(answers);
}

static void use(subject *s, unsigned choice)
{
    double *answers = answers_of(s, s->model);
    save_and_load(s, s->model, answers);
    if (choice % 256 == 255 && !excused(s)) show(s, choice / 256);
    switch (excused(s) ? UINT32_MAX : choice % 7) {
    case 0: draw(s); break;
    case 1: score(s); break;
    case 2: spread(s); break;
    case 3: slopes(s); break;
    case 4: others(s); break;
    case 5:
    case 6: update(s, answers); break;
    default: break;
    }
    free(answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint64_t memory;
    const clock_t begun = clock();
    fuzz_world world;
    subject s = { .world = &world };
    if (!memory) memory = getenv("UNA_FUZZ_MEMORY") ? strtoull(getenv("UNA_FUZZ_MEMORY"), NULL, 10) : 256000000;
    uint32_t sum = (una_crc32(0, data, size) * 2654435761u) >> 8;
    long granted = sum % 16 ? 0 : fuzz_allocations((uint8_t)(128 | sum >> 16));
    if (!fuzz_begin(&world, (fuzz_limits){ .memory = memory, .allocations = granted })) return 0;
    present = &world;
    world.run->settings.cancel = &enough;
    count_time(true);

    fuzz_memory_from(&world);
    una_status status = FUZZ_EXPLAIN(una_model_load_memory(&s.model, data, size, world.run), &world);
    fuzz_memory(&world, size, "loading");
    FUZZ_CHECK(status == UNA_OK || status == UNA_E_INPUT || excused(&s) || status == UNA_E_MEMORY, "loading: %d",
               (int)status);
    if (status == UNA_OK && make_rows(&s)) use(&s, sum >> 8);
    if (status == UNA_OK && clock() - begun < CLOCKS_PER_SEC / 100) remember(data, size);

    count_time(false);
    free(s.x);
    free(s.y);
    una_dataset_free(s.data);
    una_model_free(s.model);
    fuzz_end(&world);
    return 0;
}

/* ---- changes ------------------------------------------------------------------------------------------------------ */

/* The block stands twice, at its place or at another's. */
static void copy_block(bytes *b, const bytes *from, const block *k, size_t to)
{
    size_t size = k->end - k->from;
    if (b->room - b->size < size) return;
    unsigned char *copy = malloc(size);
    if (!copy) return;
    memcpy(copy, from->at + k->from, size);
    open_up(b, to, size);
    memcpy(b->at + to, copy, size);
    free(copy);
}

/* The header is for people: nothing that is loaded may hang on it. */
static void change_header(bytes *b, una_rng *rng)
{
    static const char *const texts[] = { "{}", "", "{\"kind\": \"luna\"}", "no JSON" };
    size_t first = first_block(b), length = strlen(texts[0]);
    const char *text = texts[una_rng_below(rng, COUNT_OF(texts))];
    if (!first) return;
    length = strlen(text);
    size_t now = first - FRONT - CRC;
    if (length > now) {
        if (b->room - b->size < length - now) return;
        open_up(b, FRONT, length - now);
    } else {
        cut(b, FRONT, now - length);
    }
    memcpy(b->at + FRONT, text, length);
    set_number(b, 12, 4, length);
}

/* One number up or down a little, or some digits of it. */
static void nudge(bytes *b, const block *k, una_rng *rng)
{
    unsigned char type = b->at[k->type];
    size_t items = (size_t)number_at(b, k->count, 8), pick = items ? una_rng_below(rng, items) : 0;
    if (items == 0) return;
    if (type == 'u') {
        set_number(b, k->payload, 8, number_at(b, k->payload, 8) + una_rng_below(rng, 5) - 2);
    } else if (type == 'd' || type == 'D') {
        double value;
        uint64_t bits = number_at(b, k->payload + 8 * pick, 8);
        memcpy(&value, &bits, sizeof value);
        value = una_rng_below(rng, 3) ? value * pow(10, 20 * una_rng_normal(rng)) : una_rng_normal(rng) - value;
        memcpy(&bits, &value, sizeof bits);
        set_number(b, k->payload + 8 * pick, 8, bits);
    } else if (type == 'F') {
        float value = (float)(una_rng_normal(rng) * pow(10, 6 * una_rng_normal(rng)));
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        set_number(b, k->payload + 4 * pick, 4, bits);
    } else {
        b->at[k->payload + pick] = (unsigned char)("\x1b\"\\\xff a0=,\n"[una_rng_below(rng, 10)]);
    }
}

/* All numbers of a block at once: what they must satisfy together often still holds. */
static void scale_block(bytes *b, const block *k, una_rng *rng)
{
    unsigned char type = b->at[k->type];
    size_t items = (size_t)number_at(b, k->count, 8);
    double factor = una_rng_below(rng, 8) ? pow(10, 10 * una_rng_normal(rng)) : 0;
    for (size_t i = 0; i < items && strchr("dDF", type); i++) {
        double value;
        float small;
        uint64_t bits = number_at(b, k->payload + (type == 'F' ? 4 : 8) * i, type == 'F' ? 4 : 8);
        uint32_t small_bits = (uint32_t)bits;
        memcpy(&value, &bits, sizeof value);
        memcpy(&small, &small_bits, sizeof small);
        value *= factor;
        small *= (float)factor;
        memcpy(&bits, &value, sizeof bits);
        memcpy(&small_bits, &small, sizeof small_bits);
        if (type == 'd' || type == 'D') set_number(b, k->payload + 8 * i, 8, bits);
        else if (type == 'F') set_number(b, k->payload + 4 * i, 4, small_bits);
    }
}

/* Files that loaded and were quick: most changes begin with one of them, for of those that are refused most are refused
 * early, and slow ones would breed. */
static struct { unsigned char *at; size_t size; } pool[POOL];
static size_t pooled;

static void remember(const uint8_t *data, size_t size)
{
    if (size > MOST_POOLED) return;
    size_t place = pooled++ % POOL;
    unsigned char *copy = malloc(size);
    FUZZ_CHECK(copy, "no memory");
    memcpy(copy, data, size);
    free(pool[place].at);
    pool[place].at = copy;
    pool[place].size = size;
}

static void change(bytes *b, una_rng *rng)
{
    static block list[MOST_BLOCKS];
    size_t blocks = read_blocks(b, list), way = una_rng_below(rng, 20);
    const block *one = blocks ? &list[una_rng_below(rng, blocks)] : NULL;
    if (!one || way < 2) change_once(b, rng);
    else if (way == 2) copy_block(b, b, one, list[una_rng_below(rng, blocks)].from);
    else if (way == 3) change_header(b, rng);
    else if (way < 7) change_value(b, one, rng);
    else if (way < 12) scale_block(b, one, rng);
    else nudge(b, one, rng);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    bytes b = { data, size, room };
    size_t known = pooled < POOL ? pooled : POOL, times = 1 + una_rng_below(&rng, 3);
    size_t pick = known && una_rng_below(&rng, 10) ? una_rng_below(&rng, known) : POOL;
    if (pick < POOL && pool[pick].size <= room) memcpy(data, pool[pick].at, b.size = pool[pick].size);
    if (first_block(&b) == 0 || una_rng_below(&rng, 20) == 0) {
        b.size = LLVMFuzzerMutate(data, b.size, room);
        if (una_rng_below(&rng, 2)) mend(&b);
        return b.size;
    }
    for (; times > 0 && b.size > 0; times--) change(&b, &rng);
    if (una_rng_below(&rng, 30)) mend(&b);
    return b.size;
}

/* Of two files, what they have in common: a block of the first that the second has as well, with as many items. */
static const block *find_like(const bytes *a, const block *k, const bytes *b, const block *list, size_t count)
{
    size_t head = k->payload - k->from;                  /* tag, name, type and count */
    for (size_t i = 0; i < count; i++)
        if (list[i].payload - list[i].from == head && memcmp(a->at + k->from, b->at + list[i].from, head) == 0)
            return &list[i];
    return NULL;
}

/* Some blocks of one file get what stands in the other; or one takes the place of any; or from some block on all do. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out,
                                 size_t room, unsigned int seed)
{
    static block here[MOST_BLOCKS], there[MOST_BLOCKS];
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 1);
    if (one_size > room) return 0;
    memcpy(out, one, one_size);
    bytes a = { out, one_size, room }, b = { (unsigned char *)(uintptr_t)two, two_size, two_size };
    size_t as = read_blocks(&a, here), bs = read_blocks(&b, there), way = una_rng_below(&rng, 4);
    if (as == 0 || bs == 0) return 0;
    const block *taken = &there[una_rng_below(&rng, bs)], *place = &here[una_rng_below(&rng, as)];

    if (way > 1) {
        size_t share = 1 + una_rng_below(&rng, 8);
        for (size_t i = 0; i < as; i++) {
            const block *like = una_rng_below(&rng, share) ? NULL : find_like(&a, &here[i], &b, there, bs);
            if (like) memcpy(out + here[i].payload, two + like->payload, like->end - like->payload);
        }
    } else if (way == 1) {                               /* all that follows, and the end */
        size_t tail = two_size - taken->from;
        if (place->from + tail > room) return 0;
        memcpy(out + place->from, two + taken->from, tail);
        a.size = place->from + tail;
    } else {
        size_t from = place->from;
        cut(&a, from, place->end - place->from);
        copy_block(&a, &b, taken, from);
    }
    mend(&a);
    return a.size;
}
