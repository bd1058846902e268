/* SPDX-License-Identifier: MIT
 *
 * A search space over the options of a model, as people write it:
 *
 *   over  := axis { "," axis }
 *   axis  := key "=" value { "|" value }            one of these numbers, words or specs
 *          | key "=" low ":" high ":" N             N numbers, evenly spaced
 *          | key "=" low ":" high ":log" N          N numbers, evenly spaced by their logarithm
 *          | key "=" low ":" high [":log"]          any number between: for searches that draw
 *
 * Of several models:
 *
 *   overs := part { ";" part }
 *   part  := over                                   for every model that has such an option
 *          | name ":" over                          for the models of that name; it goes before what is for all
 *
 * Numbers of an option that counts something are whole. The others of a spacing have six digits, drawn ones four, so
 * that a spec can be read and typed.
 */
#ifndef UNA_OVER_H
#define UNA_OVER_H

#include "base/option.h"

typedef struct una_over_axis {
    const char        *key;
    const char        *text;             /* the piece that it was made from, for messages                         */
    const char *const *value;            /* [count]; NULL: any number of the range                                */
    size_t             count;
    bool               rising;           /* every value is a number, each larger than the one before              */
    double             low, high;        /* a range                                                               */
    bool               log, whole;
    bool               posterior;        /* features do not know of it: una_model_relearn can set it               */
} una_over_axis;

typedef struct una_over {
    una_spec  model;                     /* what is varied                                                        */
    una_over_axis *axis;
    size_t    count;
} una_over;

enum { UNA_MOST_FITS = 1000000 };        /* of one search                                                         */

/* UNA_E_USAGE names the piece and the remedy. Every value, and both ends of every range, are checked with the model.
 * All in `arena`. */
una_status una_over_parse(una_over *over, const char *text, const char *model, una_arena *arena, una_run *run);
/* Of several models; overs [count]. One without axes stays as it is; there must be one axis at least, and a model for
 * each. */
una_status una_over_parse_models(una_over *overs, const char *text, const char *const *models, size_t count,
                                 una_arena *arena, una_run *run);

/* How many combinations there are; 0: without end, for an axis is a range. More than 2^63 count as that. */
uint64_t   una_over_combinations(const una_over *over);
/* UNA_E_USAGE: there is a range without a number of values, or there are more than UNA_MOST_FITS. */
una_status una_over_check_grid(const una_over *over, una_run *run);
/* value [axes] of a combination; the last axis changes fastest. */
void       una_over_at(const char **value, const una_over *over, uint64_t combination);
/* value [axes] at random; texts in `arena`. */
void       una_over_draw(const char **value, const una_over *over, una_rng *rng, una_arena *arena);
/* The text of a number of an axis that is a range: within it, whole where it must be, four digits. */
const char *una_over_axis_text(const una_over_axis *axis, double number, una_arena *arena);

/* The spec with these values (NULL: as the model has it): checked, in the one form of writing (una_row_key_spec).
 * results: may be NULL. */
una_status una_over_spec(const char **spec, unsigned *results, const una_over *over, const char *const *value,
                         una_arena *arena, una_run *run);

#endif
