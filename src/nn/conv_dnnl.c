/* SPDX-License-Identifier: MIT
 *
 * Convolutions by oneDNN, in float, loaded by the first call that makes some. Its own threads stay out of it: every
 * call is made for one piece by the thread at hand, so that no sum depends on how many there are. Maps stay as they are
 * ([rows, height, width, channels]); weights are copied into the forms that it likes once a step. A call that fails
 * leaves NAN, which ends the training.
 */
#include "nn/conv.h"

#ifdef UNA_HAS_dnnl

#include "base/library.h"

#include <dnnl.h>

#if DNNL_VERSION_MAJOR != 2
#error "these are the calls of oneDNN 2"
#endif

typedef struct una_conv_ops_f32 ops_f32;

/* Its calls, without the dnnl_ of their names. OpenMP's are those of the runtime that it brings along. */
#define DNNL_CALLS(_) \
    _(convolution_backward_data_desc_init) _(convolution_backward_weights_desc_init) \
    _(convolution_forward_desc_init) _(engine_create) _(engine_destroy) _(memory_create) _(memory_desc_get_size) \
    _(memory_desc_init_by_tag) _(memory_destroy) _(memory_get_data_handle) _(memory_set_data_handle) \
    _(post_ops_append_sum) _(post_ops_create) _(post_ops_destroy) _(primitive_attr_create) _(primitive_attr_destroy) \
    _(primitive_attr_set_post_ops) _(primitive_attr_set_scratchpad_mode) _(primitive_create) \
    _(primitive_desc_create) _(primitive_desc_destroy) _(primitive_desc_query_md) _(primitive_destroy) \
    _(primitive_execute) _(reorder_primitive_desc_create) _(stream_create) _(stream_destroy) _(stream_wait)

typedef struct calls {
#define CALL(name) __typeof__(dnnl_##name) *name;
    DNNL_CALLS(CALL)
    int  (*omp_get_max_threads)(void);
    void (*omp_set_num_threads)(int threads);
} calls;

static const una_symbol symbols[] = {
#define SYMBOL(name) { "dnnl_" #name, offsetof(calls, name) },
    DNNL_CALLS(SYMBOL)
    UNA_SYMBOL(calls, omp_get_max_threads), UNA_SYMBOL(calls, omp_set_num_threads)
};

static const una_library library = { "libdnnl.so.2", "fast convolutions", "libdnnl2", symbols,
                                     UNA_COUNT_OF(symbols) };

una_conv_way una_conv_way_here(void)
{
    return una_library_is_there(&library) ? UNA_CONV_DNNL : UNA_CONV_DNNL_MISSING;
}

typedef struct layer {                   /* one convolution                                                 */
    dnnl_primitive_t forward, back, learn;
    dnnl_primitive_t to_forward, to_back, from_learn;    /* weights: copied to the forms of these, and from */
    dnnl_memory_t    plain, plain_gradient;              /* as they stand among the parameters              */
    dnnl_memory_t    weights, back_weights;
    dnnl_stream_t    stream;             /* of copies                                                       */
    size_t           gradient_size;      /* numbers                                                         */
} layer;

typedef struct place {                   /* one convolution in one piece                                    */
    dnnl_memory_t in, out, din, gradient;        /* out: also of its gradient                               */
    float        *sum;                   /* the gradient's numbers                                          */
} place;

typedef struct with_dnnl {
    ops_f32        calls;                /* first                                                           */
    calls          dnnl;
    una_conv_ops_size_f32 size;
    size_t         count;                /* of convolutions: the network may be gone when this ends         */
    dnnl_engine_t  engine;
    dnnl_stream_t *stream;               /* [pieces]                                                        */
    dnnl_memory_t *scratch;              /* [pieces]                                                        */
    layer         *layer;                /* [count]                                                         */
    place         *place;                /* [pieces, count]                                                 */
    size_t         most_scratch;         /* bytes                                                           */
    dnnl_memory_desc_t scratch_form;
} with_dnnl;

/* ---- one thread ------------------------------------------------------------------------------------------------- */

static int go_alone(const with_dnnl *d)
{
    int before = d->dnnl.omp_get_max_threads();
    d->dnnl.omp_set_num_threads(1);
    return before;
}

typedef struct call { dnnl_primitive_t what; dnnl_stream_t stream; dnnl_exec_arg_t argument[4]; int count; } call;

static void onednn_execute(const with_dnnl *d, call c, float *result)
{
    int before = go_alone(d);
    dnnl_status_t status = d->dnnl.primitive_execute(c.what, c.stream, c.count, c.argument);
    if (status == dnnl_success) status = d->dnnl.stream_wait(c.stream);
    if (status != dnnl_success) *result = NAN;
    d->dnnl.omp_set_num_threads(before);
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

static void point_memory_at(const with_dnnl *d, dnnl_memory_t memory, const float *numbers)
{
    union { const float *from; void *to; } at = { .from = numbers };     /* oneDNN knows no const here */
    d->dnnl.memory_set_data_handle(memory, at.to);
}

static float *numbers_of(const with_dnnl *d, dnnl_memory_t memory)
{
    void *at = NULL;
    d->dnnl.memory_get_data_handle(memory, &at);
    return at;
}

#define FROM(x, x_at, y, y_at, to, to_at) \
    (dnnl_exec_arg_t[]){ { DNNL_ARG_##x, x_at }, { DNNL_ARG_##y, y_at }, { DNNL_ARG_##to, to_at } }

/* Three arguments of one piece, to whose scratch memory the call may write; `result` is what it makes. */
static void execute_in_piece(const with_dnnl *d, size_t piece, dnnl_primitive_t what, const dnnl_exec_arg_t of[3],
                             float *result)
{
    const dnnl_exec_arg_t scratch = { DNNL_ARG_SCRATCHPAD, d->scratch[piece] };
    onednn_execute(d, (call){ what, d->stream[piece], { of[0], of[1], of[2], scratch }, 4 }, result);
}

static place *place_of(const with_dnnl *d, size_t piece, size_t c)
{
    return &d->place[piece * d->size.net->count + c];
}

static void copy_to(const with_dnnl *d, dnnl_primitive_t copy, dnnl_stream_t stream, dnnl_memory_t from, dnnl_memory_t to)
{
    onednn_execute(d, (call){ copy, stream, { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } }, 2 }, numbers_of(d, to));
}

static void copy_weights(ops_f32 *ops, size_t c, const float *parameters)
{
    with_dnnl *d = (with_dnnl *)ops;
    layer *l = &d->layer[c];
    point_memory_at(d, l->plain, parameters + d->size.net->convolution[c].weights);
    copy_to(d, l->to_forward, l->stream, l->plain, l->weights);
    if (l->to_back) copy_to(d, l->to_back, l->stream, l->plain, l->back_weights);
}

static void onednn_forward(ops_f32 *ops, size_t piece, size_t c, const float *in, float *out, size_t rows)
{
    with_dnnl *d = (with_dnnl *)ops;
    const layer *l = &d->layer[c];
    const place *p = place_of(d, piece, c);
    (void)rows;
    point_memory_at(d, p->in, in);
    point_memory_at(d, p->out, out);
    execute_in_piece(d, piece, l->forward, FROM(SRC, p->in, WEIGHTS, l->weights, DST, p->out), out);
}

static void onednn_back(ops_f32 *ops, size_t piece, size_t c, const float *dout, float *din, size_t rows)
{
    with_dnnl *d = (with_dnnl *)ops;
    const layer *l = &d->layer[c];
    const place *p = place_of(d, piece, c);
    (void)rows;
    point_memory_at(d, p->out, dout);
    point_memory_at(d, p->din, din);
    execute_in_piece(d, piece, l->back, FROM(DIFF_DST, p->out, WEIGHTS, l->back_weights, DIFF_SRC, p->din), din);
}

static void onednn_weight_gradient(ops_f32 *ops, size_t piece, size_t c, const float *in, const float *dout,
                                   size_t rows)
{
    with_dnnl *d = (with_dnnl *)ops;
    const place *p = place_of(d, piece, c);
    (void)rows;
    point_memory_at(d, p->in, in);
    point_memory_at(d, p->out, dout);
    execute_in_piece(d, piece, d->layer[c].learn, FROM(SRC, p->in, DIFF_DST, p->out, DIFF_WEIGHTS, p->gradient), p->sum);
}

static void onednn_collect(ops_f32 *ops, size_t c, float *gradient)
{
    with_dnnl *d = (with_dnnl *)ops;
    layer *l = &d->layer[c];
    const place *first = place_of(d, 0, c);
    for (size_t i = 1; i < d->size.pieces; i++)
        d->size.kernels->add(l->gradient_size, place_of(d, i, c)->sum, first->sum);
    point_memory_at(d, l->plain_gradient, gradient + d->size.net->convolution[c].weights);
    copy_to(d, l->from_learn, l->stream, first->gradient, l->plain_gradient);
}

/* ---- making and ending ------------------------------------------------------------------------------------------ */

static void end_memories(const with_dnnl *d, const dnnl_memory_t *memory, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memory[i]) d->dnnl.memory_destroy(memory[i]);
}

static void end_layer(const with_dnnl *d, layer *l)
{
    dnnl_primitive_t primitives[] = { l->forward, l->back, l->learn, l->to_forward, l->to_back, l->from_learn };
    end_memories(d, (dnnl_memory_t[]){ l->plain, l->plain_gradient, l->weights, l->back_weights }, 4);
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (primitives[i]) d->dnnl.primitive_destroy(primitives[i]);
    if (l->stream) d->dnnl.stream_destroy(l->stream);
}

static void onednn_end(void *what)
{
    with_dnnl *d = what;
    for (size_t c = 0; c < d->count; c++) end_layer(d, &d->layer[c]);
    for (size_t i = 0; i < d->size.pieces * d->count; i++) {
        const place *p = &d->place[i];
        end_memories(d, (dnnl_memory_t[]){ p->in, p->out, p->din, p->gradient }, 4);
    }
    end_memories(d, d->scratch, d->size.pieces);
    for (size_t i = 0; i < d->size.pieces; i++)
        if (d->stream[i]) d->dnnl.stream_destroy(d->stream[i]);
    if (d->engine) d->dnnl.engine_destroy(d->engine);
}

/* Forwards a failure of oneDNN's. */
#define DNNL_TRY(call)                                          \
    do {                                                        \
        dnnl_status_t dnnl_try_status = (call);                 \
        if (dnnl_try_status != dnnl_success) return dnnl_try_status; \
    } while (0)

typedef struct forms { dnnl_memory_desc_t in, weights, plain, out; } forms;
typedef struct sizes { dnnl_dims_t in, weights, out, stride, pad; } sizes;

static dnnl_status_t describe_convolution(forms *f, sizes *s, const una_convolution *c, const with_dnnl *d)
{
    const una_windows *at = &c->at;
    const dnnl_dim_t rows = (dnnl_dim_t)d->size.rows, in = (dnnl_dim_t)at->in_channels, out = (dnnl_dim_t)c->channels;
    const dnnl_dim_t kernel = (dnnl_dim_t)at->kernel, stride = (dnnl_dim_t)at->stride, pad = (dnnl_dim_t)at->pad;
    *s = (sizes){ .in = { rows, in, (dnnl_dim_t)at->in_height, (dnnl_dim_t)at->in_width },
                  .weights = { out, in, kernel, kernel },
                  .out = { rows, out, (dnnl_dim_t)at->out_height, (dnnl_dim_t)at->out_width },
                  .stride = { stride, stride },
                  .pad = { pad, pad } };
    DNNL_TRY(d->dnnl.memory_desc_init_by_tag(&f->in, 4, s->in, dnnl_f32, dnnl_nhwc));
    DNNL_TRY(d->dnnl.memory_desc_init_by_tag(&f->weights, 4, s->weights, dnnl_f32, dnnl_format_tag_any));
    DNNL_TRY(d->dnnl.memory_desc_init_by_tag(&f->plain, 4, s->weights, dnnl_f32, dnnl_hwio));
    return d->dnnl.memory_desc_init_by_tag(&f->out, 4, s->out, dnnl_f32, dnnl_nhwc);
}

/* A primitive of `how`, and how much scratch memory it takes. */
static dnnl_status_t make_primitive(dnnl_primitive_t *primitive, dnnl_primitive_desc_t *form,
                                    const dnnl_convolution_desc_t *how, dnnl_primitive_desc_t hint, with_dnnl *d)
{
    dnnl_primitive_attr_t attributes;
    DNNL_TRY(d->dnnl.primitive_attr_create(&attributes));
    dnnl_status_t status = d->dnnl.primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    if (status == dnnl_success) status = d->dnnl.primitive_desc_create(form, how, attributes, d->engine, hint);
    d->dnnl.primitive_attr_destroy(attributes);
    DNNL_TRY(status);

    const dnnl_memory_desc_t *scratch = d->dnnl.primitive_desc_query_md(*form, dnnl_query_scratchpad_md, 0);
    size_t need = d->dnnl.memory_desc_get_size(scratch);
    if (need > d->most_scratch) {
        d->most_scratch = need;
        d->scratch_form = *scratch;
    }
    return d->dnnl.primitive_create(primitive, *form);
}

/* Copies from one form to another; sum: added to what is there. */
static dnnl_status_t make_copy(dnnl_primitive_t *copy, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to,
                               bool sum, const with_dnnl *d)
{
    dnnl_primitive_attr_t attributes;
    dnnl_post_ops_t after = NULL;
    dnnl_primitive_desc_t form = NULL;
    DNNL_TRY(d->dnnl.primitive_attr_create(&attributes));
    dnnl_status_t status = sum ? d->dnnl.post_ops_create(&after) : dnnl_success;
    if (status == dnnl_success && sum) status = d->dnnl.post_ops_append_sum(after, 1);
    if (status == dnnl_success && sum) status = d->dnnl.primitive_attr_set_post_ops(attributes, after);
    if (status == dnnl_success)
        status = d->dnnl.reorder_primitive_desc_create(&form, from, d->engine, to, d->engine, attributes);
    if (status == dnnl_success) status = d->dnnl.primitive_create(copy, form);
    if (form) d->dnnl.primitive_desc_destroy(form);
    if (after) d->dnnl.post_ops_destroy(after);
    d->dnnl.primitive_attr_destroy(attributes);
    return status;
}

typedef struct three { dnnl_primitive_desc_t forward, back, learn; } three;

static dnnl_status_t make_primitives(layer *l, three *t, const forms *f, const sizes *s, with_dnnl *d)
{
    dnnl_convolution_desc_t how;
    DNNL_TRY(d->dnnl.convolution_forward_desc_init(&how, dnnl_forward_training, dnnl_convolution_direct, &f->in,
                                                &f->weights, NULL, &f->out, s->stride, s->pad, s->pad));
    DNNL_TRY(make_primitive(&l->forward, &t->forward, &how, NULL, d));
    DNNL_TRY(d->dnnl.convolution_backward_data_desc_init(&how, dnnl_convolution_direct, &f->in, &f->weights, &f->out,
                                                      s->stride, s->pad, s->pad));
    DNNL_TRY(make_primitive(&l->back, &t->back, &how, t->forward, d));
    if (!d->size.learns) return dnnl_success;
    DNNL_TRY(d->dnnl.convolution_backward_weights_desc_init(&how, dnnl_convolution_direct, &f->in, &f->weights, NULL,
                                                         &f->out, s->stride, s->pad, s->pad));
    return make_primitive(&l->learn, &t->learn, &how, t->forward, d);
}

/* Memories of a form: their own, or (DNNL_MEMORY_NONE) wherever they will be pointed at. */
static dnnl_status_t make_copies(layer *l, const three *t, const forms *f, const with_dnnl *d)
{
    const dnnl_memory_desc_t *forward_form = d->dnnl.primitive_desc_query_md(t->forward, dnnl_query_weights_md, 0);
    const dnnl_memory_desc_t *back_form = d->dnnl.primitive_desc_query_md(t->back, dnnl_query_weights_md, 0);
    DNNL_TRY(d->dnnl.stream_create(&l->stream, d->engine, dnnl_stream_default_flags));
    DNNL_TRY(d->dnnl.memory_create(&l->plain, &f->plain, d->engine, DNNL_MEMORY_NONE));
    DNNL_TRY(d->dnnl.memory_create(&l->weights, forward_form, d->engine, DNNL_MEMORY_ALLOCATE));
    DNNL_TRY(d->dnnl.memory_create(&l->back_weights, back_form, d->engine, DNNL_MEMORY_ALLOCATE));
    DNNL_TRY(make_copy(&l->to_forward, &f->plain, forward_form, false, d));
    DNNL_TRY(make_copy(&l->to_back, &f->plain, back_form, false, d));
    if (!d->size.learns) return dnnl_success;

    const dnnl_memory_desc_t *learnt = d->dnnl.primitive_desc_query_md(t->learn, dnnl_query_diff_weights_md, 0);
    l->gradient_size = d->dnnl.memory_desc_get_size(learnt) / sizeof(float);
    DNNL_TRY(d->dnnl.memory_create(&l->plain_gradient, &f->plain, d->engine, DNNL_MEMORY_NONE));
    return make_copy(&l->from_learn, learnt, &f->plain, true, d);
}

static dnnl_status_t make_places(with_dnnl *d, size_t c, const three *t, const forms *f)
{
    const dnnl_memory_desc_t *learnt = NULL;
    if (d->size.learns) learnt = d->dnnl.primitive_desc_query_md(t->learn, dnnl_query_diff_weights_md, 0);
    for (size_t i = 0; i < d->size.pieces; i++) {
        place *p = place_of(d, i, c);
        DNNL_TRY(d->dnnl.memory_create(&p->in, &f->in, d->engine, DNNL_MEMORY_NONE));
        DNNL_TRY(d->dnnl.memory_create(&p->out, &f->out, d->engine, DNNL_MEMORY_NONE));
        DNNL_TRY(d->dnnl.memory_create(&p->din, &f->in, d->engine, DNNL_MEMORY_NONE));
        if (!d->size.learns) continue;
        DNNL_TRY(d->dnnl.memory_create(&p->gradient, learnt, d->engine, DNNL_MEMORY_ALLOCATE));
        p->sum = numbers_of(d, p->gradient);
    }
    return dnnl_success;
}

static dnnl_status_t make_layer(with_dnnl *d, size_t c)
{
    forms f;
    sizes s;
    three t = {0};
    DNNL_TRY(describe_convolution(&f, &s, &d->size.net->convolution[c], d));
    dnnl_status_t status = make_primitives(&d->layer[c], &t, &f, &s, d);
    if (status == dnnl_success) status = make_copies(&d->layer[c], &t, &f, d);
    if (status == dnnl_success) status = make_places(d, c, &t, &f);
    if (t.forward) d->dnnl.primitive_desc_destroy(t.forward);
    if (t.back) d->dnnl.primitive_desc_destroy(t.back);
    if (t.learn) d->dnnl.primitive_desc_destroy(t.learn);
    return status;
}

static dnnl_status_t make_all(with_dnnl *d)
{
    DNNL_TRY(d->dnnl.engine_create(&d->engine, dnnl_cpu, 0));
    for (size_t c = 0; c < d->size.net->count; c++) DNNL_TRY(make_layer(d, c));
    for (size_t i = 0; i < d->size.pieces; i++) {
        DNNL_TRY(d->dnnl.stream_create(&d->stream[i], d->engine, dnnl_stream_default_flags));
        DNNL_TRY(d->dnnl.memory_create(&d->scratch[i], &d->scratch_form, d->engine, DNNL_MEMORY_ALLOCATE));
    }
    return dnnl_success;
}

una_status una_conv_dnnl_new_f32(ops_f32 **ops, const una_conv_ops_size_f32 *size, una_arena *arena)
{
    size_t count = size->net->count;
    UNA_NEW(arena, with_dnnl, d, 1);
    *d = (with_dnnl){ .calls = { copy_weights, onednn_forward, onednn_back, onednn_weight_gradient, onednn_collect },
                      .size = *size, .count = count, .stream = UNA_GET(arena, dnnl_stream_t, size->pieces),
                      .scratch = UNA_GET(arena, dnnl_memory_t, size->pieces), .layer = UNA_GET(arena, layer, count),
                      .place = UNA_GET(arena, place, size->pieces * count) };
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_library_load(&d->dnnl, &library, arena->run));
    UNA_TRY(una_arena_at_end(arena, onednn_end, d));

    int before = go_alone(d);
    dnnl_status_t status = make_all(d);
    d->dnnl.omp_set_num_threads(before);
    *ops = &d->calls;
    if (status == dnnl_success) return UNA_OK;
    UNA_FAIL(arena->run, status == dnnl_out_of_memory ? UNA_E_MEMORY : UNA_E_NUMERIC, "oneDNN makes no convolutions "
             "here (its status is %d); --kernels generic does without it", (int)status);
}

#else

una_conv_way una_conv_way_here(void)
{
    return UNA_CONV_PLAIN;
}

#endif
