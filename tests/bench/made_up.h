/* SPDX-License-Identifier: MIT
 *
 * Findings out of the air, for claims. Whoever includes this has defined MEASURES (those of the experiment, and the
 * seconds) and EXPERIMENT, its const una_experiment.
 */
#ifndef UNA_TEST_MADE_UP_H
#define UNA_TEST_MADE_UP_H

#include "test_support.h"

#include "bench/claims.h"

enum { MOST_ROWS = 64 };

typedef struct made_up {
    una_row      fits[MOST_ROWS];
    double       value[MOST_ROWS * MEASURES], mean[MOST_ROWS * MEASURES], sd[MOST_ROWS * MEASURES];
    una_group    groups[MOST_ROWS];
    una_findings findings;
} made_up;

/* A group of four seeds: at seed s the measure is `base` + s/100 + wobble (-1)^s. */
static void add_group(made_up *m, const char *kind, const char *spec, const char *data, size_t measure, double base,
                      double wobble)
{
    una_findings *f = &m->findings;
    m->groups[f->group_count] = (una_group){ kind, f->count, 4, f };
    for (size_t s = 0; s < 4; s++) {
        double value = base + (double)s / 100 + (s % 2 ? -wobble : wobble);
        m->fits[f->count] = (una_row){ .key = { EXPERIMENT.name, data, 0, spec, s, 1 } };
        for (size_t i = 0; i < MEASURES; i++) m->value[f->count * MEASURES + i] = NAN;
        m->value[f->count * MEASURES + measure] = value;
        m->mean[f->group_count * MEASURES + measure] += value / 4;
        f->count++;
    }
    f->group_count++;
    f->fits = m->fits, f->value = m->value, f->mean = m->mean, f->sd = m->sd, f->groups = m->groups;
    f->measures = MEASURES;
}

/* The verdict on the first claim with these words; numbers [512]: what it says. */
static int claim_result(const made_up *m, const char *words, char *numbers, una_run *run)
{
    una_findings findings = m->findings;
    findings.experiment = &EXPERIMENT;
    for (const una_claim *claim = EXPERIMENT.claims; claim->sentence; claim++) {
        una_text text = una_text_in(&run->scratch);
        int holds = -2;
        if (!strstr(claim->sentence, words)) continue;
        assert_ok(una_claim_judge(&holds, &text, claim, &findings, run), run);
        snprintf(numbers, 512, "%s", text.at);
        return holds;
    }
    fail_msg("no claim %s", words);
    return -2;
}

#endif
