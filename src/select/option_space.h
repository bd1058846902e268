/* SPDX-License-Identifier: MIT
 *
 * A search space over the options of a model, as people write it:
 *
 *   space  := axis { "," axis }
 *   axis   := key "=" value { "|" value }           one of these numbers, words or specs
 *          | key "=" low ":" high ":" N             N numbers, evenly spaced
 *          | key "=" low ":" high ":log" N          N numbers, evenly spaced by their logarithm
 *          | key "=" low ":" high [":log"]          any number between: for searches that draw
 *
 * Of several models:
 *
 *   spaces := part { ";" part }
 *   part   := space                                 for every model that has such an option
 *          | name ":" space                         for the models of that name; it overrides a part for all
 *
 * Numbers of an option that counts something are whole. Other numbers of a spacing have six digits and drawn numbers
 * have four, so that a spec can be read and typed.
 */
#pragma once

#include "base/option.h"
#include "store/worker.h"

typedef struct una_option_axis {
    const char        *key;
    const char        *text;             /* the text it was read from, for messages                               */
    const char *const *value;            /* [count]; NULL: any number of the range                                */
    size_t             count;
    bool               rising;           /* every value is a number, and they increase                            */
    double             low, high;        /* a range                                                               */
    bool               log, whole;
    bool               posterior;        /* only the posterior depends on it: una_model_relearn can set it         */
} una_option_axis;

typedef struct una_option_space {
    una_spec  model;                     /* the model and its fixed options                                       */
    una_option_axis *axis;
    size_t    count;
} una_option_space;

enum { UNA_MOST_FITS = 1000000 };        /* of one search                                                         */

/* UNA_E_USAGE names the wrong part and the remedy. Every value and both ends of every range are checked with the model.
 * Results live in `arena`. Of several models: spaces [count]. A model may have no axis, but there must be at least one
 * axis in all, and each part must concern some model. */
una_status una_option_space_parse(una_option_space *spaces, const char *text, const char *const *models, size_t count,
                                  una_arena *arena, una_run *run);

/* The number of combinations; 0: infinite, because an axis is a range. More than 2^63 count as 2^63. */
uint64_t   una_option_space_combinations(const una_option_space *space);
/* UNA_E_USAGE: a range has no number of values, or there are more than UNA_MOST_FITS combinations. */
una_status una_option_space_check_grid(const una_option_space *space, una_run *run);
/* The values [axes] of a combination; the last axis changes fastest. */
void       una_option_space_at(const char **value, const una_option_space *space, uint64_t combination);
/* Adds the keys of all combinations to a plan: like `like`, with their specs. */
una_status una_option_space_keys(una_plan *plan, const una_option_space *space, una_row_key like, una_run *run);
/* Random values [axes]; texts in `arena`. */
void       una_option_space_draw(const char **value, const una_option_space *space, una_rng *rng, una_arena *arena);
/* A number as text for an axis that is a range: clamped to it, whole where it must be, else with four digits. */
const char *una_option_axis_text(const una_option_axis *axis, double number, una_arena *arena);

/* The checked spec with these values (NULL: as the model has it), in canonical form (una_row_key_spec). results may be
 * NULL. */
una_status una_option_space_spec(const char **spec, unsigned *results, const una_option_space *space,
                                 const char *const *value, una_arena *arena, una_run *run);
