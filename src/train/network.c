/* SPDX-License-Identifier: MIT
 *
 * Bodies by name, their shapes, and both in model files. A perceptron's file begins with its depth; 0 there says that
 * convolutions follow.
 */
#include "train/network.h"

#include "train/basis.h"
#include "nn/conv.h"

/* ---- by name --------------------------------------------------------------------------------------------------- */

typedef struct resnet_options { int stem; double width; const char *blocks; } resnet_options;

static const una_option resnet_table[] = {
    { "stem", UNA_WORD, offsetof(resnet_options, stem), "imagenet", 0, 0, false, "imagenet|small",
      "first convolution" },
    { "width", UNA_COUNT, offsetof(resnet_options, width), "64", 8, 1024, false, NULL, "channels of the first stage" },
    { "blocks", UNA_TEXT, offsetof(resnet_options, blocks), "2-2-2-2", 0, 0, false, NULL, "blocks of each stage" },
    { .name = NULL }
};

static una_status read_blocks(una_body_spec *outline, const char *text, una_run *run)
{
    size_t all = 0;
    for (const char *at = text;; at++) {
        size_t blocks = 0, digits = 0;
        for (; *at >= '0' && *at <= '9' && digits < 3; at++, digits++) blocks = 10 * blocks + (size_t)(*at - '0');
        all += blocks;
        if (blocks == 0 || all > UNA_MOST_BLOCKS || outline->stages == UNA_MOST_STAGES || (*at && *at != '-'))
            UNA_FAIL(run, UNA_E_USAGE, "resnet: blocks=%.40s is no list of blocks like 2-2-2-2: 1 to %d stages, %d "
                     "blocks in all at most", text, UNA_MOST_STAGES, UNA_MOST_BLOCKS);
        outline->blocks[outline->stages++] = blocks;
        if (!*at) return UNA_OK;
    }
}

static una_status read_resnet(una_body_spec *outline, const char *body, const char *table, una_run *run)
{
    resnet_options o;
    una_spec spec;
    UNA_TRY(una_spec_parse(&spec, body, &run->scratch, run));
    if (strcmp(spec.name, "resnet") != 0 && strcmp(spec.name, "resnet18") != 0)
        UNA_FAIL(run, UNA_E_USAGE, "there is no body '%.60s'; there are %s, resnet18 and resnet(stem=..., width=..., "
                 "blocks=...)", spec.name, table);
    UNA_TRY(una_options_default(&o, resnet_table, run));
    UNA_TRY(una_options_apply(&o, resnet_table, spec.name, &spec, &run->scratch, run));
    if ((size_t)o.width % UNA_PAD)
        UNA_FAIL(run, UNA_E_USAGE, "resnet: width=%g is no multiple of %d", o.width, UNA_PAD);
    outline->small_stem = o.stem == 1;
    outline->width = (size_t)o.width;
    return read_blocks(outline, o.blocks, run);
}

bool una_is_of_images(const una_problem *problem)
{
    return problem->columns && una_columns_image(problem->columns).height > 0;
}

void una_network_note(una_notes *notes, const una_problem *problem, const una_run *run)
{
    const char *kernels = una_kernels_named_f32(run->settings.kernels)->name;
    if (!una_is_of_images(problem) || strcmp(kernels, "generic") == 0) return;
    if (una_conv_way_here() == UNA_CONV_DNNL_MISSING)
        una_notes_add(notes, "oneDNN is not installed here (libdnnl.so.2; Debian: libdnnl2), so una computed the "
                      "convolutions itself, which takes longer.");
}

una_status una_network_make(una_network_f32 *net, una_basis_options *o, size_t heads, bool fourier,
                            const una_fitting *f)
{
    bool images = una_is_of_images(f->problem);
    const char *table = fourier ? "residual" : "mlp";
    const una_body_f32 *body = fourier ? &una_body_residual_f32 : &una_body_mlp_f32;
    if (!o->body || strcmp(o->body, "auto") == 0) o->body = images ? "resnet18" : table;
    UNA_TRY(una_kernels_need(f->run));
    una_body_spec outline = { .inputs = f->problem->x.cols, .width = (size_t)o->width, .depth = (size_t)o->depth,
                              .features = (size_t)o->features, .heads = heads,
                              .activation = (una_activation)o->activation };
    if (strcmp(o->body, table) != 0) {
        UNA_TRY(read_resnet(&outline, o->body, table, f->run));
        if (!images)
            UNA_FAIL(f->run, UNA_E_USAGE, "body=%.60s is for images, and the table names none; use body=%s, or 'una "
                     "fit' and name the file of the images with --images", o->body, table);
        outline.image = una_columns_image(f->problem->columns);
        body = fourier ? &una_body_conv_fourier_f32 : &una_body_conv_f32;
    }
    UNA_NEW(f->keep, unsigned char, shape, body->shape_size);
    body->shape(shape, &outline);
    *net = (una_network_f32){ body, shape, NULL };
    o->features = (double)body->size(shape).features;
    return UNA_OK;
}

una_status una_network_with_heads(una_network_f32 *net, const una_network_f32 *like, size_t heads, una_arena *arena)
{
    UNA_COPY_BYTES(arena, void, shape, like->shape, like->body->shape_size);
    like->body->set_heads(shape, heads);
    *net = (una_network_f32){ like->body, shape, like->frozen };
    return UNA_OK;
}

una_image_shape una_network_image(const una_network_f32 *net)
{
    bool convolves = net->body == &una_body_conv_f32 || net->body == &una_body_conv_fourier_f32;
    return convolves ? ((const una_conv *)net->shape)->image : (una_image_shape){ 0, 0, 0 };
}

/* ---- in files --------------------------------------------------------------------------------------------------- */

una_status una_activation_exchange(una_activation *activation, una_archive *ar)
{
    int word = (int)*activation;
    UNA_TRY(una_archive_word(ar, "activation", &word, UNA_ACTIVATION_COUNT));
    *activation = (una_activation)word;
    return UNA_OK;
}

static una_status exchange_mlp(una_net *net, bool with_inputs, bool with_heads, una_archive *ar)
{
    UNA_TRY(una_activation_exchange(&net->activation, ar));
    if (!with_inputs) net->size[0] = ar->inputs;
    if (!with_heads) net->size[net->depth + 1] = 1;
    for (size_t l = with_inputs ? 0 : 1; l < net->depth + 1 + with_heads; l++)
        UNA_TRY(una_archive_size(ar, "size", &net->size[l], 1, 1 << 20));
    una_net_shape(net);
    return UNA_OK;
}

/* The image is that of the columns, and comes with them. */
static una_status exchange_conv(una_conv *net, bool with_heads, una_archive *ar)
{
    size_t all = 0;
    UNA_TRY(una_archive_size(ar, "size", &net->image.height, 1, 1 << 18));
    UNA_TRY(una_archive_size(ar, "size", &net->image.width, 1, 1 << 18));
    UNA_TRY(una_archive_size(ar, "size", &net->image.channels, 1, 16));
    UNA_TRY(una_archive_flag(ar, "size", &net->small));
    UNA_TRY(una_archive_size(ar, "size", &net->width, UNA_PAD, 1024));
    UNA_TRY(una_archive_size(ar, "size", &net->stages, 1, UNA_MOST_STAGES));
    for (size_t s = 0; s < net->stages; s++) {
        UNA_TRY(una_archive_size(ar, "size", &net->blocks[s], 1, UNA_MOST_BLOCKS));
        all += net->blocks[s];
    }
    if (all > UNA_MOST_BLOCKS || net->width % UNA_PAD || net->image.height * net->image.width > 1 << 18)
        return una_archive_refuse(ar, "size", "is that of no network");
    net->heads = with_heads ? net->heads : 1;
    if (with_heads) UNA_TRY(una_archive_size(ar, "size", &net->heads, 1, 1 << 20));
    una_conv_shape(net);
    return UNA_OK;
}

/* The shape, whose file begins with `first`: into a new one when loading, from a copy when saving. */
static una_status exchange_shape(una_network_f32 *net, size_t first, bool with_inputs, bool with_heads,
                                 una_archive *ar)
{
    UNA_NEW(ar->arena, unsigned char, bytes, net->body->shape_size);
    void *shape = bytes;
    if (!ar->loading) memcpy(shape, net->shape, net->body->shape_size);
    if (net->body == &una_body_mlp_f32) {
        ((una_net *)shape)->depth = first;
        UNA_TRY(exchange_mlp(shape, with_inputs, with_heads, ar));
    } else {
        ((una_conv *)shape)->fourier = first;
        UNA_TRY(exchange_conv(shape, with_heads, ar));
    }
    if (ar->loading) net->shape = shape;
    if (net->body->size(shape).inputs != ar->inputs) return una_archive_refuse(ar, "size", "does not fit the columns");
    return UNA_OK;
}

una_status una_network_exchange(una_network_f32 *net, bool with_inputs, bool with_heads, una_archive *ar)
{
    bool convolves = net->body == &una_body_conv_f32;
    size_t depth = ar->loading || convolves ? 0 : ((const una_net *)net->shape)->depth;
    UNA_TRY(una_archive_size(ar, "depth", &depth, 0, UNA_MAX_LAYERS));
    if (ar->loading) net->body = depth ? &una_body_mlp_f32 : &una_body_conv_f32;
    return exchange_shape(net, depth, with_inputs, with_heads, ar);
}

una_status una_network_exchange_fourier(una_network_f32 *net, una_archive *ar)
{
    size_t fourier = ar->loading ? 0 : ((const una_conv *)net->shape)->fourier;
    UNA_TRY(una_archive_size(ar, "fourier", &fourier, 1, 4096));
    net->body = &una_body_conv_fourier_f32;
    return exchange_shape(net, fourier, false, false, ar);
}

/* Without padding, which depends on the kernels: files must not. */
una_status una_network_exchange_parameters(const una_network_f32 *net, float **parameters, una_archive *ar)
{
    size_t count = una_matrices_packed(net->body->matrix, net->shape);
    UNA_NEW(ar->arena, float, packed, ar->loading ? 0 : count);
    if (!ar->loading) una_matrices_pack(net->body->matrix, net->shape, *parameters, packed);
    UNA_TRY(una_archive_f32s(ar, "parameters", &packed, count));
    if (!ar->loading) return UNA_OK;
    UNA_NEW_AT(ar->arena, *parameters, net->body->size(net->shape).parameters);
    una_matrices_unpack(net->body->matrix, net->shape, packed, *parameters);
    return UNA_OK;
}
