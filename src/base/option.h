/* SPDX-License-Identifier: MIT
 *
 * One table per option set drives defaults, range checks, specs, help, docs and the saved model.
 *
 *   spec  := name [ "(" key "=" value { "," key "=" value } ")" ]
 *   value := number | word | spec | "quoted text" | expression with balanced brackets
 *
 * Nesting goes to depth 4. Blanks may stand anywhere between the parts; in quotes, \" and \\ stand for " and \.
 * A value of which only a part is quoted is an expression and keeps its quotes. A number option may be `auto` where
 * its table row says so: the field then holds UNA_AUTO until the model fills it in. What una_options_text prints can
 * be passed back as it is.
 */
#pragma once

#include "base/base.h"

typedef enum una_option_type {
    UNA_REAL,      /* double                                        */
    UNA_COUNT,     /* double holding a whole number >= 0            */
    UNA_WORD,      /* int: index into choices "relu|tanh|..."       */
    UNA_TEXT,      /* const char *: spec, kernel, formula           */
    UNA_FLAG,      /* int: no|yes                                   */
    UNA_FILE       /* const char *: a path, or "" for none          */
} una_option_type;

typedef struct una_option {
    const char     *name;
    una_option_type type;
    size_t          offset;      /* of the field in the options struct                              */
    const char     *initial;     /* as a person would write it: "50", "relu", "auto", ""            */
    double          low, high;   /* closed range of numbers; low > 0 may be written as DBL_MIN       */
    bool            may_auto;    /* numbers only: `auto` allowed                                    */
    const char     *choices;     /* words: "relu|tanh"; numbers: "inf" where that is allowed, else NULL */
    const char     *help;        /* one line                                                        */
} una_option;                    /* a table ends with name == NULL                                  */

#define UNA_AUTO (-HUGE_VAL)     /* a number still to be chosen */
#define UNA_IS_AUTO(x) ((x) == UNA_AUTO)

typedef struct una_spec_item { const char *key, *value; } una_spec_item;   /* quotes removed */
typedef struct una_spec {
    const char    *name;
    una_spec_item *items;
    size_t         count;
} una_spec;

/* Parses "name(key=value, ...)" or, with name "" wanted, a bare "key=value, key=value" list. */
una_status una_spec_parse(una_spec *spec, const char *text, una_arena *arena, una_run *run);
una_status una_spec_parse_items(una_spec *spec, const char *text, una_arena *arena, una_run *run);

/* Whether a value means the same without quotes around it. */
bool una_spec_is_plain(const char *value);
/* The value as it stands in a spec, with quotes where it needs them. */
void una_spec_value(una_text *text, const char *value);
/* Adds "(key=value" or ", key=value" to a spec that is being written, and what closes it. */
void una_spec_add(una_text *text, const char *key, const char *value);
void una_spec_close(una_text *text);
/* The value of an option of a spec; NULL: it is not there. */
const char *una_spec_find(const una_spec *spec, const char *key);

/* Texts point into the table. */
una_status una_options_default(void *options, const una_option *table, una_run *run);
/* Sets one option; messages name the owner ("luna"), the key, the value, the range, and the nearest name. */
una_status una_option_set(void *options, const una_option *table, const char *owner, const char *key,
                          const char *value, una_arena *arena, una_run *run);
una_status una_options_apply(void *options, const una_option *table, const char *owner, const una_spec *spec,
                             una_arena *arena, una_run *run);
/* "owner(key=value, ...)" with every option; JSON object of the same. */
void una_options_text(una_text *text, const void *options, const una_option *table, const char *owner);
void una_options_json(una_text *text, const void *options, const una_option *table);
/* Texts for help: type, range. */
void una_option_describe(una_option_info *info, const una_option *option, una_arena *arena);
/* The field of a number (REAL or COUNT), or of a word or flag; NULL: the table has none of that name. */
double *una_option_number(void *options, const una_option *table, const char *name);
int    *una_option_word(void *options, const una_option *table, const char *name);
/* Word index by name, -1 if unknown. */
int  una_choice(const char *choices, const char *word);
