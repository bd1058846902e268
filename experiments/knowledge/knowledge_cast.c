/* SPDX-License-Identifier: MIT
 *
 * The models of each part of the experiment. Options were chosen on seeds from 1000 on, never on those that are
 * reported. In a part, roles that are compared differ in nothing but what the comparison is about.
 */
#include "knowledge/knowledge.h"

#define SINE_KNOWN "formula=\"a*sin(w*x+p); a~normal(2,0.2); w~normal(1.2566,0.0251); p~uniform(0,6.2832)\", "
#define SINE_GRID "grid=\"x=-10:20:121\", features=20"
#define SQUARE "grid=\"x1=-4:4:13, x2=-4:4:13\", penalty=0.1"
#define PRIOR(heads, features) "tuna(prior=rbf(length=1), grid=\"x=-3:3:61\", heads=" #heads ", features=" #features
#define PRIORS(heads, features, title, quick) \
    { "prior", title, PRIOR(heads, features) ")", quick }, \
    { "prior", title ", matched", PRIOR(heads, features) ", match_prior=yes)", quick }
#define TUNED(start, title) \
    { "tune", title, "tuna(prior=rbf(length=" #start "), grid=\"x=-4:4:81\")", ", steps=2000" }, \
    { "tune", title ", tuned", "tuna(prior=rbf(length=" #start "), tune_prior=evidence, grid=\"x=-4:4:81\")", \
      ", steps=2000" }

const una_role una_knowledge_cast[] = {
    { "sine", "TUNA, sine references", "tuna(" SINE_KNOWN SINE_GRID ", activation=sin)", ", steps=3000" },
    { "sine", "TUNA, RBF draws", "tuna(prior=rbf(length=1.5), " SINE_GRID ", activation=sin)", ", steps=3000" },
    { "sine", "TUNA, sine references, ReLU", "tuna(" SINE_KNOWN SINE_GRID ")", NULL },
    { "sine", "TUNA, RBF draws, ReLU", "tuna(prior=rbf(length=1.5), " SINE_GRID ")", NULL },

    { "strip", "TUNA, kernel on x1", "tuna(prior=rbf(length=1, on=x1), " SQUARE ")", "" },
    { "strip", "TUNA, isotropic kernel", "tuna(prior=rbf(length=1), " SQUARE ")", "" },
    { "strip", "GP, kernel on x1", "gp(kernel=rbf(length=1, on=x1))", "" },
    { "strip", "GP, isotropic kernel", "gp(kernel=rbf(length=1), ard=no)", "" },

    PRIORS(5, 50, "5 heads, 50 features", ", steps=2000"),
    PRIORS(10, 50, "10 heads, 50 features", NULL),
    PRIORS(20, 50, "20 heads, 50 features", NULL),
    PRIORS(40, 50, "40 heads, 50 features", ", steps=2000"),
    PRIORS(80, 50, "80 heads, 50 features", NULL),
    PRIORS(160, 50, "160 heads, 50 features", ", steps=2000"),
    PRIORS(40, 5, "40 heads, 5 features", ", steps=2000"),
    PRIORS(40, 10, "40 heads, 10 features", NULL),
    PRIORS(40, 20, "40 heads, 20 features", NULL),
    PRIORS(40, 100, "40 heads, 100 features", NULL),

    TUNED(0.1, "length 0.1"),
    TUNED(1, "length 1"),
    TUNED(10, "length 10"),
    { NULL, NULL, NULL, NULL }
};

una_status una_role_spec(const char **spec, const una_role *role, bool quick, una_arena *arena)
{
    size_t length = strlen(role->spec) - 1;              /* without the closing bracket */
    *spec = NULL;
    if (quick && !role->quick) return UNA_OK;
    *spec = una_phrase(arena, "%.*s%s)", (int)length, role->spec, quick ? role->quick : "");
    return una_arena_check(arena);
}

/* Whether a key is of that role: keys have specs in canonical form. */
static una_status is_role(bool *is, const una_role *role, const una_row_key *key, una_run *run)
{
    *is = false;
    for (int quick = 0; quick < 2 && !*is && strcmp(role->part, key->data) == 0; quick++) {
        const char *text, *spec = NULL;
        UNA_TRY(una_role_spec(&text, role, quick != 0, &run->scratch));
        if (text) UNA_TRY(una_row_key_spec(&spec, NULL, NULL, text, &run->scratch, run));
        *is = spec && strcmp(spec, key->spec) == 0;
    }
    return UNA_OK;
}

/* *role: that of a group; the end of the table where it has none. */
static una_status role_of(const una_role **role, const una_group *group, una_run *run)
{
    bool is = false;
    for (*role = una_knowledge_cast; (*role)->part; ++*role) {
        UNA_SCOPED(run, is_role(&is, *role, una_group_key(group), run));
        if (is) return UNA_OK;
    }
    return UNA_OK;
}

una_status una_role_group(const una_group **group, const char *part, const char *name, const una_findings *f,
                          una_run *run)
{
    for (*group = NULL; (*group = una_findings_next(f, *group, part));) {
        const una_role *role;
        UNA_TRY(role_of(&role, *group, run));
        if (role->part && strcmp(role->name, name) == 0) return UNA_OK;
    }
    return UNA_OK;
}

una_status una_role_title(const char **title, const una_group *group, una_arena *arena, una_run *run)
{
    const una_role *role;
    UNA_TRY(role_of(&role, group, run));
    *title = role->part ? role->name : una_arena_text(arena, una_group_key(group)->spec);
    return una_arena_check(arena);
}
