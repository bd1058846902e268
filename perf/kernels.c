/* SPDX-License-Identifier: MIT
 *
 * The kernel lab: every kernel of the training step, in float, at the shapes of the Boston case (128 rows, 13 inputs,
 * 50 units in 56 columns, slopes in blocks of 8 probes x 13 directions). First it must agree with the reference set,
 * then it is timed: the least of many short runs, as a rate and as a share of what the machine was measured to give -
 * for products a loop of fused multiply-adds in registers, for the rest a copy in the cache. Prints a Markdown table;
 * fails when a kernel disagrees. libxsmm's product stands beside ours where it was found at build time, and in a second
 * table SLEEF's tanh and exp: for information, una uses neither.
 */

#include "kern/kern.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#ifdef UNA_HAS_libxsmm
#include <libxsmm.h>
#endif

enum { POINTS = 8, EACH = 13, UNITS = 50, WIDE = 56, SLOPES = POINTS * EACH, BATCH = 128, HEADS = 50, PARAMETERS = 6600,
       ROOM = 8192, LANES = UNA_PADDED(EACH), LIST = UNA_LIST_LENGTH(UNITS) };

typedef una_kernels_f32 kernels;

/* Everything a kernel may read or write; made again from the same seed before each comparison. */
static struct field {
    _Alignas(64) float a[ROOM], b[ROOM], c[ROOM];
    _Alignas(64) float z[POINTS * WIDE], h[POINTS * WIDE], d[POINTS * WIDE], dz[POINTS * WIDE], bias[64];
    _Alignas(64) float u[SLOPES * WIDE], s[SLOPES * WIDE], e[SLOPES * WIDE], g[SLOPES * WIDE], delta[SLOPES];
    _Alignas(64) float m[ROOM], v[ROOM];
    _Alignas(64) double inverse[HEADS];
    _Alignas(64) float fans[(UNITS + 1) * LANES], step[LANES], inverses[LANES], flat[(WIDE + 1) * LANES], reach[UNITS];
    uint16_t some[LIST], list[LIST];     /* half of the units, as at a usual probe; what fan_relu lists             */
    _Alignas(64) float bend[WIDE], tables[4][(UNITS + 2) * WIDE], dw[WIDE], db[WIDE], dabove[UNITS * WIDE], dbias[WIDE];
    uint16_t unit[UNITS], place[SLOPES], far[SLOPES];
} f;

static const una_slope_rows_f32 slope_rows = { { POINTS, EACH, WIDE }, f.z, f.h, f.d, NULL, f.u, EACH * WIDE, f.delta,
                                               f.s, f.e, f.dz };
static const una_fans_f32 some_fans = { f.some, f.fans };

static void fill(float *x, size_t n, una_rng *rng)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)una_rng_normal(rng);
}

static void set_out(const kernels *reference, una_activation act)
{
    una_rng rng = una_rng_at(0, UNA_FOR_TEST, 0);
    memset(&f, 0, sizeof f);
    fill(f.a, ROOM, &rng);
    fill(f.b, ROOM, &rng);
    fill(f.c, ROOM, &rng);
    fill(f.z, POINTS * WIDE, &rng);
    fill(f.u, SLOPES * WIDE, &rng);
    fill(f.g, SLOPES * WIDE, &rng);
    for (size_t i = 0; i < SLOPES; i++) f.delta[i] = (float)(0.1 + 0.1 * una_rng_uniform(&rng));
    for (size_t i = 0; i < ROOM; i++) f.v[i] = f.b[i] * f.b[i];
    for (size_t i = 0; i < HEADS; i++) f.a[i * WIDE + i] = 8;    /* as S of the similarity: a diagonal that dominates */

    reference->activate(act, POINTS, WIDE, f.bias, (una_activated_f32){ f.z, f.h, f.d, NULL });
    reference->slopes->secant(act, &slope_rows);
    reference->fans->steps(EACH, LANES, f.delta, f.step, f.inverses);

    for (size_t j = 0; j < UNITS; j += 2) UNA_LISTED(f.some)[f.some[0]++] = (uint16_t)j;
    UNA_LISTED(f.some)[f.some[0]] = UNA_LIST_END;
    fill(f.fans, UNITS * LANES, &rng);
    for (size_t j = 0; j < UNITS; j++) f.unit[j] = (uint16_t)j;
}

/* ---- the experiments --------------------------------------------------------------------------------- */

typedef enum unit { FLOPS, BYTES, ITEMS } unit;
typedef struct bench {
    const char *name, *shape;
    void (*call)(const kernels *set, const struct bench *b);
    size_t m, n, k;
    una_activation act;
    unit unit;
    double work;                         /* of one call; 0: 2 m n k */
    float *out;
    size_t outs;
    double allowed;                      /* difference to the reference, over the largest entry */
} bench;


static void do_product(const kernels *set, const bench *b)
{
    set->product(b->m, b->n, b->k, UNA_ROWS(f.a, b->k), UNA_ROWS(f.b, b->n), UNA_INTO(f.c, b->n));
}
static void do_transposed(const kernels *set, const bench *b)
{
    set->product(b->m, b->n, b->k, UNA_COLUMNS(f.a, b->m), UNA_ROWS(f.b, b->n), UNA_ONTO(f.c, b->n));
}
static void do_gram(const kernels *set, const bench *b)
{
    (void)b;
    set->gram(SLOPES, UNITS, f.s, WIDE, f.c, WIDE);
    for (size_t i = 0; i < UNITS; i++)
        for (size_t j = i + 1; j < WIDE; j++) f.c[i * WIDE + j] = 0;     /* above the diagonal anything goes */
}
static void do_fan_product(const kernels *set, const bench *b)
{
    set->fans->product(LANES, some_fans, (una_factor_f32){ f.b, b->k, b->k == 1 ? WIDE : 1 }, f.some, f.c);
}
static void do_fan_outer(const kernels *set, const bench *b)
{
    (void)b;
    set->fans->outer(EACH, some_fans, some_fans, WIDE, false, f.flat, f.c);
}
static void do_fan_relu(const kernels *set, const bench *b)
{
    (void)b;
    const una_fan_layer_f32 layer = { LANES, UNITS, f.step, f.inverses, f.z, f.list, f.e };
    set->fans->relu(&layer, f.some, f.fans, false, f.c);
}
/* Rows and slopes of one input, forward and back, by a broken line. */
static void do_line(const kernels *set, const bench *b)
{
    const una_line_f32 line = { UNITS, WIDE, f.b, f.b + WIDE, f.b + 2 * WIDE, f.bend, f.unit, f.tables[0],
                                f.tables[1] };
    const una_line_gradient_f32 to = { f.tables[2], f.tables[3], f.dw, f.db, f.dabove, f.dbias };
    memset(f.tables[2], 0, 2 * sizeof f.tables[2]);
    set->line->make(&line, f.bias);
    set->line->rows(&line, b->m, f.a, f.place, f.c, f.m, f.v);
    const una_line_steps_f32 steps = { b->m, f.a, f.delta, 1, f.place, f.far };
    set->line->slopes(&line, &steps, f.u);
    set->line->slopes_back(&line, &steps, f.g, &to);
    set->line->rows_back(&line, b->m, f.a, f.place, f.g, &to);
    set->line->finish(&line, &to);
}
static void do_secant(const kernels *set, const bench *b)
{
    set->slopes->secant(b->act, &slope_rows);
}
static void do_secant_back(const kernels *set, const bench *b)
{
    (void)b;
    set->slopes->secant_back(&slope_rows, f.g);
}
static void do_activate(const kernels *set, const bench *b)
{
    set->activate(b->act, BATCH, WIDE, f.bias, (una_activated_f32){ f.a, f.b, f.c, NULL });
}
static void do_adam(const kernels *set, const bench *b)
{
    (void)b;
    set->adam(PARAMETERS, f.c, f.m, f.v, f.a, &(una_adam_f32){ 1e-3f, 0.9f, 0.999f, 0.1f, 0.001f });
}
static void do_normals(const kernels *set, const bench *b)
{
    set->normals(b->m, (const uint32_t[2]){ 1, 2 }, (const uint32_t[4]){ 0, 6, 0, 0 }, 0.1f, 1e-4f, f.c);
}
static void do_similarity(const kernels *set, const bench *b)
{
    (void)b;
    f.c[HEADS * WIDE] = (float)set->slopes->similarity(HEADS, WIDE, f.a, 1, f.c, f.inverse);
}

/* ---- peaks -------------------------------------------------------------------------------------------- */

static double now(void)                  /* microseconds */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

enum { CHAINS = 12, TURNS = 20000 };

#if defined(__x86_64__)
static volatile float sink;
/* Twelve sums that do not wait for one another; each has a name of its own so that it stays in a register, and begins
 * elsewhere so that the compiler cannot take two for one. */
#define EACH_SUM(X) X(s0, 0) X(s1, 1) X(s2, 2) X(s3, 3) X(s4, 4) X(s5, 5) X(s6, 6) X(s7, 7) \
    X(s8, 8) X(s9, 9) X(s10, 10) X(s11, 11)
#define SPIN(set, flags, type, all, lanes)                                        \
    __attribute__((target(flags))) static double spin_##set(void)                  \
    {                                                                              \
        type by = all(0.5f), plus = all(1);                                        \
        EACH_SUM(SPIN_BEGIN_##set)                                                 \
        for (int t = 0; t < TURNS; t++) {                                          \
            EACH_SUM(SPIN_TURN_##set)                                              \
        }                                                                          \
        EACH_SUM(SPIN_END_##set)                                                   \
        return 2.0 * (lanes) * CHAINS * TURNS;                                     \
    }
#define SPIN_BEGIN_avx512(s, i) __m512 s = _mm512_set1_ps(i);
#define SPIN_TURN_avx512(s, i) s = _mm512_fmadd_ps(s, by, plus);
#define SPIN_END_avx512(s, i) sink = _mm512_cvtss_f32(s);
#define SPIN_BEGIN_avx2(s, i) __m256 s = _mm256_set1_ps(i);
#define SPIN_TURN_avx2(s, i) s = _mm256_fmadd_ps(s, by, plus);
#define SPIN_END_avx2(s, i) sink = _mm256_cvtss_f32(s);
SPIN(avx512, "avx512f", __m512, _mm512_set1_ps, 16)
SPIN(avx2, "avx2,fma", __m256, _mm256_set1_ps, 8)
#endif

/* GFLOP/s of fused multiply-adds that never leave the registers; 0 where unknown. */
static double flop_peak(const char *set)
{
    double best = 0;
#if defined(__x86_64__)
    for (int again = 0; again < 40; again++) {
        double start = now();
        double work = strcmp(set, "avx512") == 0 ? spin_avx512() : strcmp(set, "avx2") == 0 ? spin_avx2() : 0;
        best = fmax(best, work / (now() - start) * 1e-3);
    }
#else
    (void)set;
#endif
    return best;
}

/* GB/s read and written by a copy of the size of the slopes of a block. */
static double byte_peak(void)
{
    double best = 0;
    for (int again = 0; again < 200; again++) {
        double start = now();
        for (int i = 0; i < 50; i++) {
            memcpy(f.s, f.u, sizeof f.s);
            __asm__ volatile("" ::: "memory");
        }
        best = fmax(best, 50 * 2.0 * sizeof f.s / (now() - start) * 1e-3);
    }
    return best;
}

/* ---- measuring ------------------------------------------------------------------------------------------- */

static double difference(const float *a, const float *b, size_t n)
{
    double worst = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(a[i]) || isnan(b[i])) return INFINITY;
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
        size = fmax(size, fabs((double)b[i]));
    }
    return worst / size;
}

/* Least microseconds of one call, of 60 runs of about 100. */
static double least_time(const kernels *set, const bench *b, void (*call)(const kernels *, const bench *))
{
    double start = now(), least = INFINITY;
    call(set, b);
    for (int i = 0; i < 9; i++) call(set, b);
    double one = (now() - start) / 10;
    int times = one > 100 ? 1 : (int)(100 / (one > 0.02 ? one : 0.02)) + 1;
    for (int again = 0; again < 60; again++) {
        start = now();
        for (int i = 0; i < times; i++) call(set, b);
        least = fmin(least, (now() - start) / times);
    }
    return least;
}

static double work_of(const bench *b)
{
    if (b->unit == FLOPS && b->work == 0) return 2.0 * (double)b->m * (double)b->n * (double)b->k;
    return b->work;
}

static void print_row(const bench *b, const char *set, double off, double rate, double peak, double generic)
{
    static const char *const units[] = { "GFLOP/s", "GB/s", "M/s" };
    printf("| %s | %s | %s | %.1e | %.1f %s | ", b->name, b->shape, set, off, rate, units[b->unit]);
    if (peak > 0) printf("%.0f %% | ", 100 * rate / peak);
    else printf("- | ");
    printf("%.1f |\n", rate / generic);
}

#ifdef UNA_HAS_libxsmm
static libxsmm_smmfunction theirs;
static void do_libxsmm(const kernels *set, const bench *b)
{
    (void)set;
    (void)b;
    theirs(f.b, f.a, f.c);               /* column-major: C' = B'A' */
}
#endif

static int run_bench(const bench *b, const kernels *const sets[3], const double flop_peaks[3], double copy)
{
    static float truth[ROOM];
    double generic = 1, scale = b->unit == ITEMS ? 1 : 1e-3;     /* work a microsecond: M/s, or G/s */
    int bad = 0;

    for (int i = 0; i < 3; i++) {
        if (!sets[i]) continue;
        set_out(sets[0], b->act);
        b->call(sets[i], b);
        double work = work_of(b);
        if (i == 0) memcpy(truth, b->out, b->outs * sizeof *truth);
        double off = difference(b->out, truth, b->outs), rate = work / least_time(sets[i], b, b->call) * scale;
        if (i == 0) generic = rate;
        bad |= !(off <= b->allowed);
        double peak = i == 0 || b->unit == ITEMS ? 0 : b->unit == FLOPS ? flop_peaks[i] : copy;
        print_row(b, sets[i]->name, off, rate, peak, generic);
    }

#ifdef UNA_HAS_libxsmm
    const float one = 1, zero = 0;
    theirs = NULL;
    if (b->call == do_product)
        theirs = libxsmm_smmdispatch((int)b->n, (int)b->m, (int)b->k, NULL, NULL, NULL, &one, &zero, NULL, NULL);
    if (theirs) {
        set_out(sets[0], b->act);
        do_libxsmm(NULL, b);
        double off = difference(b->out, truth, b->outs), rate = work_of(b) / least_time(NULL, b, do_libxsmm) * scale;
        print_row(b, "libxsmm", off, rate, sets[2] ? flop_peaks[2] : flop_peaks[1], generic);
    }
#endif
    return bad;
}

#define PRODUCT(m, n, k) \
    { "product", #m " x " #k " by " #k " x " #n, do_product, m, n, k, UNA_RELU, FLOPS, 0, f.c, m * n, 1e-6 }
#define SLOPE_CELLS ((double)SLOPES * WIDE)

static const bench benches[] = {
    PRODUCT(104, 16, 16), PRODUCT(104, 24, 24), PRODUCT(104, 32, 32), PRODUCT(104, 40, 40), PRODUCT(104, 48, 48),
    PRODUCT(104, 56, 50), PRODUCT(104, 64, 64), PRODUCT(128, 56, 13), PRODUCT(128, 56, 50), PRODUCT(100, 32, 50),
    { "product, A transposed", "50 x 128 by 128 x 56", do_transposed, 50, WIDE, BATCH, UNA_RELU, FLOPS, 0,
      f.c, 50 * WIDE, 1e-6 },
    { "gram", "50 x 104 by 104 x 50, half of it", do_gram, 0, 0, 0, UNA_RELU, FLOPS,
      (double)SLOPES * UNITS * (UNITS + 1), f.c, UNITS * WIDE, 1e-6 },
    { "fan_product", "25 of 50 units to 25 x 16", do_fan_product, 0, 0, WIDE, UNA_RELU, FLOPS, 2.0 * 25 * 25 * LANES,
      f.c, 25 * LANES, 1e-6 },
    { "fan_product, back", "25 of 50 units to 25 x 16", do_fan_product, 0, 0, 1, UNA_RELU, FLOPS, 2.0 * 25 * 25 * LANES,
      f.c, 25 * LANES, 1e-6 },
    { "fan_outer", "25 by 25 of 50 units, 13 directions", do_fan_outer, 0, 0, 0, UNA_RELU, FLOPS, 2.0 * 25 * 25 * EACH,
      f.c, UNITS * WIDE, 1e-6 },
    { "fan_relu", "25 x 16", do_fan_relu, 0, 0, 0, UNA_RELU, BYTES, 8.0 * 25 * LANES, f.c, 12 * LANES, 1e-6 },
    { "line, forward and back", "100 rows and slopes, 50 to 56", do_line, 100, 0, 0, UNA_RELU, ITEMS, 200, f.dabove,
      UNITS * WIDE, 1e-5 },
    { "secant relu", "8 x 13 x 56", do_secant, 0, 0, 0, UNA_RELU, BYTES, 12 * SLOPE_CELLS, f.s, SLOPES * WIDE, 1e-5 },
    { "secant tanh", "8 x 13 x 56", do_secant, 0, 0, 0, UNA_TANH, ITEMS, SLOPE_CELLS, f.s, SLOPES * WIDE, 1e-5 },
    { "secant_back", "8 x 13 x 56", do_secant_back, 0, 0, 0, UNA_RELU, BYTES, 12 * SLOPE_CELLS, f.g, SLOPES * WIDE,
      1e-6 },
    { "activate relu", "128 x 56", do_activate, 0, 0, 0, UNA_RELU, BYTES, 16.0 * BATCH * WIDE, f.b, BATCH * WIDE,
      1e-6 },
    { "activate tanh", "128 x 56", do_activate, 0, 0, 0, UNA_TANH, ITEMS, (double)BATCH * WIDE, f.b, BATCH * WIDE,
      1e-6 },
    { "adam", "6600", do_adam, 0, 0, 0, UNA_RELU, BYTES, 28.0 * PARAMETERS, f.c, PARAMETERS, 1e-6 },
    { "normals", "1664", do_normals, BATCH * EACH, 0, 0, UNA_RELU, ITEMS, BATCH * EACH, f.c, BATCH * EACH, 1e-5 },
    { "similarity", "50 heads", do_similarity, 0, 0, 0, UNA_RELU, ITEMS, HEADS * HEADS, f.c, HEADS * WIDE + 1, 1e-6 },
};

/* ---- tanh and exp beside SLEEF's -------------------------------------------------------------------------- */

enum { CELLS = BATCH * WIDE };

static void do_exp(const kernels *set, const bench *b)
{
    (void)b;
    set->pairs->exp(CELLS, 1, f.a, 1, f.b);
}

static const bench tanh_bench = { .name = "tanh with bias and derivative", .act = UNA_TANH, .call = do_activate },
                   exp_bench = { .name = "exp", .act = UNA_RELU, .call = do_exp };

/* Largest error in units in the last place of a float, against double, over 64 x 7168 evenly spaced numbers. */
static double last_places(const kernels *set, const bench *b, void (*call)(const kernels *, const bench *))
{
    enum { PASSES = 64 };
    bool is_tanh = b->act == UNA_TANH;
    double worst = 0, reach = is_tanh ? 9 : 87;

    for (size_t pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < CELLS; i++)
            f.a[i] = (float)(reach * (2 * (double)(i * PASSES + pass) / (CELLS * PASSES) - 1));
        call(set, b);
        for (size_t i = 0; i < CELLS; i++) {
            double truth = is_tanh ? tanh((double)f.a[i]) : exp((double)f.a[i]);
            worst = fmax(worst, fabs((double)f.b[i] - truth) / ldexp(1, truth == 0 ? -126 : ilogb(truth) - 23));
        }
    }

    return worst;
}

static void run_series(const kernels *set, const char *by, const bench *b, void (*call)(const kernels *, const bench *))
{
    double off = last_places(set, b, call);
    set_out(una_kernels_named_f32("generic"), b->act);
    printf("| %s | %s | %.1f | %.1f M/s |\n", b->name, by, off, CELLS / least_time(set, b, call));
}

#if defined(UNA_HAS_sleef) && defined(__x86_64__)
/* The same jobs: tanh with bias and derivative, exp. Declared here because sleef.h hides what the file as a whole is
 * not compiled for. */
#define SLEEF(function, flags, type, lanes, mm)                                                \
    __attribute__((target(flags))) type function(type);                                        \
    __attribute__((target(flags))) static void do_##function(const kernels *set, const bench *b) \
    {                                                                                          \
        (void)set;                                                                             \
        for (size_t i = 0; b->act == UNA_TANH && i < BATCH; i++)                               \
            for (size_t j = 0; j < WIDE; j++) f.a[i * WIDE + j] += f.bias[j];                  \
        for (size_t i = 0; i < CELLS; i += (lanes)) {                                          \
            type value = function(mm##_loadu_ps(f.a + i));                                     \
            mm##_storeu_ps(f.b + i, value);                                                    \
            if (b->act == UNA_TANH) mm##_storeu_ps(f.c + i, mm##_fnmadd_ps(value, value, mm##_set1_ps(1))); \
        }                                                                                      \
    }
SLEEF(Sleef_tanhf16_u10avx512f, "avx512f", __m512, 16, _mm512)
SLEEF(Sleef_tanhf16_u35avx512f, "avx512f", __m512, 16, _mm512)
SLEEF(Sleef_expf16_u10avx512f, "avx512f", __m512, 16, _mm512)
SLEEF(Sleef_tanhf8_u10avx2, "avx2,fma", __m256, 8, _mm256)
SLEEF(Sleef_tanhf8_u35avx2, "avx2,fma", __m256, 8, _mm256)
SLEEF(Sleef_expf8_u10avx2, "avx2,fma", __m256, 8, _mm256)

#define SLEEF_ROW(bench, text, function) \
    if (b == &(bench)) run_series(NULL, "SLEEF " text, b, do_##function)
static void run_sleef(const kernels *const sets[3], const bench *b)
{
    if (sets[2]) {
        SLEEF_ROW(tanh_bench, "u10, avx512", Sleef_tanhf16_u10avx512f);
        SLEEF_ROW(tanh_bench, "u35, avx512", Sleef_tanhf16_u35avx512f);
        SLEEF_ROW(exp_bench, "u10, avx512", Sleef_expf16_u10avx512f);
    } else if (sets[1]) {
        SLEEF_ROW(tanh_bench, "u10, avx2", Sleef_tanhf8_u10avx2);
        SLEEF_ROW(tanh_bench, "u35, avx2", Sleef_tanhf8_u35avx2);
        SLEEF_ROW(exp_bench, "u10, avx2", Sleef_expf8_u10avx2);
    }
}
#else
static void run_sleef(const kernels *const sets[3], const bench *b)
{
    (void)sets;
    (void)b;
}
#endif

int main(void)
{
    const kernels *const sets[3] = {
        una_kernels_named_f32("generic"), una_kernels_named_f32("avx2"), una_kernels_named_f32("avx512") };
    double peaks[3] = { 0 };
    int bad = 0;
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);   /* as in training: numbers below the normal range are zero */
#endif

    for (int i = 1; i < 3; i++)
        if (sets[i]) peaks[i] = flop_peak(sets[i]->name);
    set_out(sets[0], UNA_RELU);
    double copy = byte_peak();

    for (int i = 1; i < 3; i++)
        if (sets[i]) printf("Multiply-adds in registers, %s: %.1f GFLOP/s. ", sets[i]->name, peaks[i]);
    printf("Copy in the cache: %.1f GB/s.\n\n", copy);
    printf("| kernel | shape | set | difference | rate | of peak | x generic |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) bad |= run_bench(&benches[i], sets, peaks, copy);

    printf("\n| function, 128 x 56 floats | by | error, last places | rate |\n|---|---|---|---|\n");
    const bench *const functions[] = { &tanh_bench, &exp_bench };
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            if (sets[i]) run_series(sets[i], sets[i]->name, functions[k], functions[k]->call);
        run_sleef(sets, functions[k]);
    }

    if (bad) fprintf(stderr, "kernels: a kernel disagrees with the reference\n");
    return bad;
}
