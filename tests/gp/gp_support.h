/* SPDX-License-Identifier: MIT
 *
 * What several tests of this room share: a run and an arena as the state of each test; texts at random and failing
 * memory for its parsers.
 */
#ifndef UNA_TEST_GP_SUPPORT_H
#define UNA_TEST_GP_SUPPORT_H

#include "base/base.h"
#include "test_support.h"

typedef struct room { una_run *run; una_arena arena; } room;

static inline int set_up(void **state)
{
    room *r = calloc(1, sizeof *r);
    if (!r) return -1;
    r->run = quiet_run();
    una_arena_init(&r->arena, r->run);
    *state = r;
    return 0;
}

static inline int tear_down(void **state)
{
    room *r = *state;
    una_arena_free(&r->arena);
    una_run_free(r->run);
    free(r);
    return 0;
}

/* Odd rounds: fewer than `most` of the letters. Even rounds: one of two seeds, up to three of its letters replaced. */
static inline void random_text(char text[160], int round, size_t most, const char *letters, const char *const seeds[2],
                               una_rng *rng)
{
    size_t length, letter_count = strlen(letters);
    if (round % 2) {
        length = una_rng_below(rng, most);
        for (size_t i = 0; i < length; i++) text[i] = letters[una_rng_below(rng, letter_count)];
        text[length] = 0;
    } else {
        length = (size_t)snprintf(text, 160, "%s", seeds[una_rng_below(rng, 2)]);
        for (size_t i = una_rng_below(rng, 4); i-- > 0;)
            text[una_rng_below(rng, length)] = letters[una_rng_below(rng, letter_count)];
    }
}

/* Parses a text, and asserts what must hold of what it gives. */
typedef una_status text_trial(room *r, const char *text, una_rng *rng);

/* Texts at random are parsed or refused with a sentence; both happen often. */
static inline void try_texts(room *r, uint64_t seed, size_t most, const char *letters, const char *const seeds[2],
                             text_trial *trial)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    size_t good = 0;
    for (int round = 0; round < 20000; round++) {
        char text[160];
        random_text(text, round, most, letters, seeds, &rng);
        una_mark mark = una_arena_mark(&r->arena);
        una_status status = trial(r, text, &rng);
        good += status == UNA_OK;
        if (status != UNA_OK) assert_true(status == UNA_E_USAGE && *una_run_message(r->run) != 0);
        una_arena_release(&r->arena, mark);
    }
    assert_true(good > 1000 && good < 15000);
}

typedef struct parsing {
    una_status (*parse)(const char *text, una_arena *arena, una_run *run);
    const char *text;
} parsing;

static inline una_status parse_job(void *context, una_run *run)
{
    const parsing *p = context;
    una_arena arena;
    una_arena_init(&arena, run);
    una_status status = p->parse(p->text, &arena, run);
    if (status == UNA_E_USAGE) status = UNA_OK;      /* the refusal itself is what is swept here */
    una_arena_free(&arena);
    return status;
}

/* Arenas ask for whole blocks; an arena that refuses at every single request reaches each branch. Returns the first
 * status that is not UNA_E_MEMORY. */
static inline una_status parse_starved(const parsing *p)
{
    una_status status = UNA_E_MEMORY;
    for (size_t spare = 0; status == UNA_E_MEMORY && spare < 250; spare++) {
        una_run *run = NULL;
        struct fail_after memory = { .left = -1 };
        una_run_settings settings = failing_settings(&memory);
        una_arena arena;
        assert_ok(una_run_new(&run, &settings), run);
        una_arena_init(&arena, run);

        una_arena_get(&arena, (16u << 10) - 64 * spare, 1);
        memory.left = 0;
        status = p->parse(p->text, &arena, run);

        una_arena_free(&arena);
        una_run_free(run);
    }
    return status;
}

#endif
