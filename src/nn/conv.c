/* SPDX-License-Identifier: MIT
 *
 * Maps, convolutions and parameters of a residual network. See conv.h.
 */
#include "nn/conv.h"

static una_windows make_windows(size_t height, size_t width, size_t channels, size_t kernel, size_t stride)
{
    size_t pad = kernel / 2;
    return (una_windows){ height, width, channels, (height + 2 * pad - kernel) / stride + 1,
                          (width + 2 * pad - kernel) / stride + 1, kernel, stride, pad };
}

typedef struct map { size_t height, width, channels; } map;

static map add_convolution(una_conv *net, map in, size_t channels, size_t kernel, size_t stride)
{
    una_convolution *c = &net->convolution[net->count++];
    *c = (una_convolution){ .channels = channels,
                            .at = make_windows(in.height, in.width, in.channels, kernel, stride) };
    return (map){ c->at.out_height, c->at.out_width, channels };
}

static map add_stem(una_conv *net, map image)
{
    map out = add_convolution(net, image, net->width, net->small ? 3 : 7, net->small ? 1 : 2);
    if (net->small) return out;
    net->pool = make_windows(out.height, out.width, out.channels, 3, 2);
    return (map){ net->pool.out_height, net->pool.out_width, out.channels };
}

static map add_block(una_conv *net, map in, size_t channels, size_t stride)
{
    bool same = in.channels == channels && stride == 1;
    una_conv_block *b = &net->block[net->block_count++];
    *b = (una_conv_block){ net->count, net->count + 1, same ? SIZE_MAX : net->count + 2 };
    map out = add_convolution(net, add_convolution(net, in, channels, 3, stride), channels, 3, 1);
    if (!same) add_convolution(net, in, channels, 1, stride);
    return out;
}

static size_t next_offset(size_t *at, size_t count)
{
    size_t from = *at;
    *at += count;
    return from;
}

static void place_parameters(una_conv *net)
{
    size_t at = 0;
    for (size_t i = 0; i < net->count; i++) {
        una_convolution *c = &net->convolution[i];
        c->weights = next_offset(&at, c->at.kernel * c->at.kernel * c->at.in_channels * c->channels);
        c->scale = next_offset(&at, c->channels);
        c->shift = next_offset(&at, c->channels);
    }
    net->head = next_offset(&at, (net->features + 1) * UNA_PADDED(net->heads));
    net->carried = at;
    for (size_t i = 0; i < net->count; i++) {
        una_convolution *c = &net->convolution[i];
        c->mean = next_offset(&at, c->channels);
        c->var = next_offset(&at, c->channels);
    }
    net->parameters = at;
}

void una_conv_shape(una_conv *net)
{
    size_t channels = net->width;
    net->count = net->block_count = 0;
    map at = add_stem(net, (map){ net->image.height, net->image.width, net->image.channels });
    for (size_t s = 0; s < net->stages; s++, channels *= 2)
        for (size_t b = 0; b < net->blocks[s]; b++) at = add_block(net, at, channels, s > 0 && b == 0 ? 2 : 1);
    net->channels = at.channels;
    net->features = net->fourier ? net->fourier : at.channels;
    place_parameters(net);
    net->phase = net->channels * UNA_PADDED(net->fourier);
    net->frozen = (net->channels + 1) * UNA_PADDED(net->fourier);
}

bool una_conv_matrix(const void *shape, size_t index, una_matrix *m)
{
    const una_conv *net = shape;
    size_t wide = UNA_PADDED(net->heads), both = 2 * net->count;
    const una_convolution *c = &net->convolution[index < both ? index / 2 : (index - both - 1) % net->count];
    size_t window = c->at.kernel * c->at.kernel * c->at.in_channels;
    if (index > both + net->count + (net->fourier > 0)) return false;
    if (index == both)
        *m = (una_matrix){ "heads", false, net->head, net->features + 1, net->heads, wide, net->features };
    else if (index > both + net->count)
        *m = (una_matrix){ "spread", true, 0, net->channels + 1, net->features, UNA_PADDED(net->features),
                           net->channels };
    else if (index > both) *m = (una_matrix){ "statistics", false, c->mean, 2, c->channels, c->channels, 0 };
    else if (index % 2) *m = (una_matrix){ "normalisation", false, c->scale, 2, c->channels, c->channels, 0 };
    else *m = (una_matrix){ "convolution", false, c->weights, window, c->channels, c->channels, window };
    return true;
}
