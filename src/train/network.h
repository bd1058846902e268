/* SPDX-License-Identifier: MIT
 *
 * The network of a kind: which body, by the option `body`, and its shape. Shapes lie in memory of the caller's.
 */
#pragma once

#include "model/kind.h"
#include "nn/body.h"
#include "nn/net.h"

/* Rows of the option table for a struct `type` whose member `in` has fields body, flips and shifts; `table`: the body
 * for tables and what it is. */
#define UNA_ROWS_BODY(type, in) UNA_ROWS_BODY_OR(type, in, "mlp", "hidden layers")
#define UNA_ROWS_BODY_OR(type, in, table, layers) \
    UNA_ROW(type, in, body, UNA_TEXT, "auto", 0, 0, false, NULL, \
            "network: " table " (" layers " as below), or for images resnet18 or resnet(stem=imagenet|small, " \
            "width=64, blocks=2-2-2-2); auto = " table " for tables, resnet18 for images"), \
    UNA_ROW(type, in, flips, UNA_FLAG, "no", 0, 0, false, "no|yes", "images: mirror every other one while training"), \
    UNA_ROW(type, in, shifts, UNA_COUNT, "0", 0, 1000, false, NULL, \
            "images: shift them by up to this many pixels while training")

struct una_basis_options;
/* As the options say, in f->keep. Fills in the body where it is automatic, and the number of features; refuses a body
 * that does not suit the inputs. fourier: random Fourier features at the end (SNGP), `features` of them for images too,
 * and residual blocks for tables instead of a perceptron. */
una_status una_network_make(una_network_f32 *net, struct una_basis_options *options, size_t heads, bool fourier,
                            const una_fitting *f);
/* A note where convolutions will be slower than they could be, because a library is not installed. */
void       una_network_note(una_notes *notes, const una_problem *problem, const una_run *run);
/* Whether the rows of a problem are images. */
bool       una_is_of_images(const una_problem *problem);
/* A copy with so many heads. */
una_status una_network_with_heads(una_network_f32 *net, const una_network_f32 *like, size_t heads, una_arena *arena);
/* The shape of the image that the inputs are; height 0: no image. */
una_image_shape una_network_image(const una_network_f32 *net);
/* Saves and loads shape and parameters, of perceptrons and convolutions. Inputs not stored: as many as the model has;
 * heads not stored: one. */
una_status una_network_exchange(una_network_f32 *net, bool with_inputs, bool with_heads, una_archive *ar);
/* The same for convolutions under Fourier features, with one head; such a file goes on with a number "fourier". */
una_status una_network_exchange_fourier(una_network_f32 *net, una_archive *ar);
una_status una_activation_exchange(una_activation *activation, una_archive *ar);
una_status una_network_exchange_parameters(const una_network_f32 *net, float **parameters, una_archive *ar);
