/* SPDX-License-Identifier: MIT
 *
 * Which models an experiment runs: its own, those of --models, or all. A bare name stands for the
 * experiment's own specs of that kind.
 */
#include "bench/experiment.h"

#include "base/option.h"

enum { MOST_MODELS = 64 };

typedef struct choosing {
    const una_asked *asked;
    una_bench_model *models;             /* [MOST_MODELS]                                                   */
    size_t           count;
    una_run         *run;
} choosing;

/* Checks all specs before the first fit, which may take hours. */
static una_status add_spec(choosing *c, const char *text)
{
    una_bench_model model;
    const una_experiment *e = c->asked->experiment;
    UNA_TRY(e->contestant ? e->contestant(&model, text, c->asked, c->run)
                          : una_row_key_spec(&model.spec, &model.kind, &model.results, text, c->asked->keep, c->run));
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->models[i].spec, model.spec) == 0) return UNA_OK;
    if (c->count == MOST_MODELS) UNA_FAIL(c->run, UNA_E_USAGE, "at most %d models fit into one run", MOST_MODELS);
    model.results += c->asked->experiment->results;
    c->models[c->count++] = model;
    return UNA_OK;
}

static una_status add_kind(choosing *c, const char *kind)
{
    bool known = false;
    for (const una_entry *e = c->asked->experiment->entries; e->kind; e++) {
        if (strcmp(e->kind, kind) != 0) continue;
        UNA_TRY(add_spec(c, c->asked->quick && e->quick && *e->quick ? e->quick : e->spec));
        known = true;
    }
    return known ? UNA_OK : add_spec(c, kind);
}

static una_status add_usual(choosing *c)
{
    for (const una_entry *e = c->asked->experiment->entries; e->kind; e++)
        if ((c->asked->experiment->contestant || una_kind_at(e->kind) < una_kind_count()) &&
            (e->quick || !c->asked->quick))
            UNA_TRY(add_kind(c, e->kind));
    for (size_t k = 0; c->asked->experiment->every_kind && k < una_kind_count(); k++)
        UNA_TRY(add_kind(c, una_kind_name(k)));
    return UNA_OK;
}

una_status una_models_asked(una_asked *asked, const char *const *models, size_t count, una_run *run)
{
    choosing c = { .asked = asked, .run = run };
    UNA_NEW_AT(asked->keep, c.models, MOST_MODELS);
    if (count == 0) UNA_TRY(add_usual(&c));
    for (size_t i = 0; i < count; i++) {
        una_spec spec;
        UNA_TRY(una_spec_parse(&spec, models[i], asked->keep, run));
        UNA_TRY(spec.count == 0 ? add_kind(&c, spec.name) : add_spec(&c, models[i]));
    }
    asked->models = c.models;
    asked->model_count = c.count;
    return UNA_OK;
}
