/* SPDX-License-Identifier: MIT
 *
 * Which rows a row of the thesis's protocol depends on, and what follows from them: the noise, and the training that
 * the rule chooses.
 */
#include "published/protocol.h"

#include "select/select.h"

const char *const una_protocol_prepared[] = {
    [UNA_SEARCH_RMSE] = "valid_rmse", [UNA_SEARCH_COS2] = "mean_cos2", [UNA_SEARCH_NOISE] = "noise_std",
    [UNA_SEARCH_STEPS] = "steps", [UNA_SEARCH_LOG_LIK] = "valid_log_lik_0", "valid_log_lik_1", "valid_log_lik_2",
    "valid_log_lik_3", "valid_log_lik_4", NULL
};

/* An NLM with alpha = 0.1 and gamma = 1e-5, at the end of its training. */
static const char noise_spec[] = "nlm(kept=last, penalty=1e-05, prior_var=0.1)";

/* ---- keys ------------------------------------------------------------------------------------------------------ */

static bool is_search(const char *study)
{
    return strncmp(study, "search(of=", strlen("search(of=")) == 0;
}

bool una_protocol_is_search(const una_row_key *key)
{
    return is_search(key->study);
}

/* "gap(preset=thesis)" becomes "search(of=gap, preset=thesis)", and a study of that form stays as it is. */
static const char *study_of_search(const char *study, const char *more, una_arena *arena)
{
    una_text text = una_text_in(arena);
    const char *name = is_search(study) ? study + strlen("search(of=") : study;
    size_t length = strcspn(name, "(,"), rest = length + strspn(name + length, "(, ");
    una_text_add(&text, "search(of=%.*s%s, %s", (int)length, name, more, name + rest);
    return text.at;
}

una_status una_protocol_noise_key(una_row_key *noise, const una_row_key *key, una_arena *arena, una_run *run)
{
    *noise = *key;
    noise->study = study_of_search(key->study, ", for=noise", arena);
    UNA_TRY(una_arena_check(arena));
    return una_row_key_spec(&noise->spec, NULL, &noise->results, noise_spec, arena, run);
}

una_status una_protocol_search_key(una_row_key *search, const una_row_key *key, const una_protocol *p, size_t index,
                                   una_arena *arena, una_run *run)
{
    *search = *key;
    search->study = study_of_search(key->study, "", arena);
    UNA_TRY(una_arena_check(arena));
    return una_protocol_spec(&search->spec, &search->results, p, key->spec, index, arena, run);
}

bool una_protocol_is_noise(const una_row_key *key)
{
    return una_protocol_is_search(key) && strstr(key->study, "for=noise");
}

/* ---- rounds ---------------------------------------------------------------------------------------------------- */

static bool needs_noise(const una_row_key *key, una_rows_group group)
{
    return group == UNA_GROUP_GAP || isnan(una_protocol_hand_noise(key->data));
}

static una_status add_noise(una_plan *more, const una_row_key *key, una_arena *keep, una_run *run)
{
    una_row_key noise;
    UNA_TRY(una_protocol_noise_key(&noise, key, keep, run));
    una_plan_add(more, noise);
    return UNA_OK;
}

static una_status add_search(una_plan *more, const una_row_key *key, const una_protocol *p, una_arena *keep,
                             una_run *run)
{
    size_t count;
    UNA_TRY(una_protocol_count(&count, p, key->spec, keep, run));
    for (size_t i = 0; i < count; i++) {
        una_row_key search;
        UNA_TRY(una_protocol_search_key(&search, key, p, i, keep, run));
        una_plan_add(more, search);
    }
    return UNA_OK;
}

/* First the noise, then the grids; grids of sets whose noise is known are made at once. */
una_status una_protocol_prepare(una_plan *more, size_t number, const una_plan *wanted, const una_asked *asked,
                                una_rows_group group, una_run *run)
{
    for (size_t i = 0; number < 2 && i < wanted->count; i++) {
        const una_row_key *key = &wanted->keys[i];
        const una_protocol *p = una_protocol_of(key->spec, group);
        if (!una_published_is_thesis(key) || !p) continue;
        bool wait = needs_noise(key, group);
        if (wait && number == 0) UNA_TRY(add_noise(more, key, asked->keep, run));
        else if (wait == (number == 1)) UNA_TRY(add_search(more, key, p, asked->keep, run));
    }
    return una_arena_check(asked->keep);
}

/* ---- what follows ---------------------------------------------------------------------------------------------- */

static una_status protocol_find_row(una_row *row, una_store *store, const una_row_key *key, una_arena *arena,
                                    una_run *run)
{
    bool found;
    UNA_TRY(una_store_find(&found, row, store, key, arena, run));
    if (found) return UNA_OK;
    UNA_FAIL(run, UNA_E_IO, "a row of the search (%.200s) has gone from the store while it was in use; run again",
             key->spec);
}

static double protocol_measure_value(const una_row *row, size_t measure)
{
    size_t at = una_row_find(row, una_protocol_prepared[measure]);
    return at == SIZE_MAX ? NAN : row->value[at];
}

una_status una_protocol_noise(double *noise, const una_row_key *key, una_rows_group group, una_store *store,
                              una_run *run)
{
    una_row row;
    una_row_key wanted;
    *noise = una_protocol_hand_noise(key->data);
    if (!needs_noise(key, group)) return UNA_OK;
    UNA_TRY(una_protocol_noise_key(&wanted, key, &run->scratch, run));
    UNA_TRY(protocol_find_row(&row, store, &wanted, &run->scratch, run));
    *noise = protocol_measure_value(&row, UNA_SEARCH_NOISE);
    return UNA_OK;
}

static size_t prior_count(const una_protocol *p)
{
    size_t count = 0;
    while (count < UNA_PROTOCOL_PRIORS && p->prior[count]) count++;
    return count;
}

una_status una_protocol_choose(una_protocol_choice *choice, const una_row_key *key, const una_protocol *p,
                               una_store *store, una_arena *arena, una_run *run)
{
    size_t trainings, best, priors = prior_count(p), each = priors ? priors : 1;
    *choice = (una_protocol_choice){ NULL, NULL };
    UNA_TRY(una_protocol_count(&trainings, p, key->spec, arena, run));
    UNA_NEW(arena, una_candidate, candidates, trainings * each);
    UNA_NEW(arena, const char *, specs, trainings);

    for (size_t i = 0; i < trainings; i++) {
        una_row_key search;
        una_row row;
        UNA_TRY(una_protocol_search_key(&search, key, p, i, arena, run));
        UNA_TRY(protocol_find_row(&row, store, &search, arena, run));
        specs[i] = search.spec;
        for (size_t k = 0; k < each; k++)
            candidates[i * each + k] = (una_candidate){ .log_lik = protocol_measure_value(&row, UNA_SEARCH_LOG_LIK + k),
                .rmse = protocol_measure_value(&row, UNA_SEARCH_RMSE),
                .mean_cos2 = protocol_measure_value(&row, UNA_SEARCH_COS2) };
    }
    UNA_TRY(una_select(&best, p->rule, candidates, trainings * each, run));
    if (best == SIZE_MAX) return UNA_OK;
    *choice = (una_protocol_choice){ specs[best / each], priors ? p->prior[best % each] : NULL };
    return UNA_OK;
}
