/* SPDX-License-Identifier: MIT
 *
 * One small tokeniser for all grammars that people write by hand (kernels, formulas, conditions): numbers, names,
 * quoted texts and signs, each with its place in the text, so that every message can say where.
 */
#pragma once

#include "base/base.h"

typedef enum una_token_kind {
    UNA_TOKEN_END, UNA_TOKEN_NUMBER, UNA_TOKEN_NAME, UNA_TOKEN_QUOTED, UNA_TOKEN_BACKQUOTED, UNA_TOKEN_SIGN
} una_token_kind;

typedef struct una_grammar {     /* where grammars differ                                         */
    const char *what;            /* "kernel", "formula" ...: messages begin with it               */
    const char *signs;           /* that it knows                                                 */
    bool        lines;           /* a line's end outside brackets is a sign, otherwise a blank    */
    bool        compares;        /* < > = ! with a = behind them are one sign                     */
    bool        backquotes;      /* names between backquotes, which quoted texts are not          */
    bool        shows;           /* messages show the text around the place                       */
    const char *nothing;         /* said of quotes with nothing between them                      */
    const char *quoting;         /* ends "a name that begins with a digit ..."                    */
    size_t      most;            /* bytes that are read; 0: 64 KiB, more than a person writes     */
} una_grammar;

typedef struct una_token {
    una_token_kind kind;
    char           sign;         /* of a SIGN: one of the grammar's, or a line's end              */
    bool           equal;        /* of a SIGN: a = belongs to it                                  */
    double         number;       /* of a NUMBER: finite and never negative                        */
    const char    *name;         /* of a NAME, or what was quoted, in the lexer's arena           */
    size_t         at;           /* byte offset in the text                                       */
} una_token;

typedef struct una_lexer {
    const char *text;
    const una_grammar *grammar;
    size_t      next;            /* byte offset after the token                                   */
    size_t      open;            /* brackets open now                                             */
    una_token   token;           /* the one being looked at                                       */
    una_arena  *arena;
    una_run    *run;
} una_lexer;

/* Reads the first token; refuses empty texts and texts beyond 64 KiB. */
una_status una_lexer_begin(una_lexer *lexer, const char *text, const una_grammar *grammar, una_arena *arena,
                           una_run *run);
una_status una_lexer_next(una_lexer *lexer);
bool       una_lexer_sees(const una_lexer *lexer, char sign);            /* alone, without a = behind it */
/* Steps over `sign`, or fails with what was expected and what stands there; `after` completes "expected X ...". */
una_status una_lexer_expect(una_lexer *lexer, char sign, const char *after);
/* [-]number, as arguments have it; `what_for` completes "expected a number ...". */
una_status una_lexer_number(una_lexer *lexer, double *value, const char *what_for);
/* "kernel, character 7: <sentence>", or where the text is shown 'condition "sex == >>>and", character 8: <sentence>',
 * as UNA_E_USAGE. Characters are counted from 1, not bytes. */
una_status una_lexer_fail(const una_lexer *lexer, size_t at, const char *format, ...) UNA_PRINTF(3, 4);
/* The same for callers that have the text but no lexer any more, with a status of their own. */
una_status una_grammar_fail(const una_grammar *grammar, const char *text, size_t at, una_status status,
                            const char *sentence, una_run *run);
/* The token in words, for "but found ...". */
const char *una_token_words(const una_token *token, char buffer[64]);
/* "; did you mean \"near\"?" or "" when no name is near. */
const char *una_did_you_mean(char buffer[128], const char *wrong, const char *const *names, size_t count);
