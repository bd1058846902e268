/* SPDX-License-Identifier: MIT
 *
 * What a model's name stands for in a search: few rows, values almost without noise, trained often. Chosen by what was
 * measured (docs/use/STUDIES.md).
 */
#include "bo/search.h"

#include "base/option.h"

typedef struct entry { const char *kind, *options; } entry;

/* Noise, penalty and the noise of training are given: looking for them would cost five trainings each time. */
#define GIVEN "units=standardised, noise=constant, rate=0.01"
#define BASIS GIVEN ", activation=tanh, members=1, relevance=off, noise_std=0.01"
#define SAMPLED GIVEN ", train_noise_std=0.1, noise_std=0.03"

static const entry entries[] = {
    { "gp", "kernel=matern52, length_prior=1, noise_prior=2, noise=constant" },
    { "luna", BASIS ", depth=2, steps=500, penalty=0.02, train_noise_std=0.07, prior_var=1, diversity=30, heads=10, "
              "perturbation_std=0.3, probes=between" },
    { "nlm", BASIS ", depth=3, steps=1000, penalty=0.03, train_noise_std=0.1, prior_var=10" },
    { "sngp", GIVEN ", activation=tanh, train_noise_std=0.1, steps=500, noise_std=0.01" },
    { "mcd", SAMPLED ", dropout=0.1, steps=1000, validate=no, passes=10" },
    { "bbvi", SAMPLED ", activation=tanh, steps=500, validate=no, draws=30" },
    { "ensemble", "members=10, units=standardised, noise_std=0.03, of=nn(" SAMPLED ", penalty=0.001, steps=500)" },
    { NULL, NULL }
};
static const char *const usual = "gp";

una_status una_search_model(const char **spec, const char *given, una_arena *arena, una_run *run)
{
    una_spec own, more = {0};
    una_text text = una_text_in(arena);
    UNA_TRY(una_spec_parse(&own, given ? given : usual, &run->scratch, run));
    for (const entry *e = entries; e->kind; e++)
        if (strcmp(e->kind, own.name) == 0) UNA_TRY(una_spec_parse_items(&more, e->options, &run->scratch, run));

    una_text_add(&text, "%s", own.name);
    for (size_t i = 0; i < own.count; i++) una_spec_add(&text, own.items[i].key, own.items[i].value);
    for (size_t i = 0; i < more.count; i++)
        if (!una_spec_find(&own, more.items[i].key)) una_spec_add(&text, more.items[i].key, more.items[i].value);
    una_spec_close(&text);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_spec_check(text.at, NULL, run));
    *spec = text.at;
    return UNA_OK;
}
