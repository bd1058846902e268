/* SPDX-License-Identifier: MIT
 *
 * The grammar of conditions, compiled into the flat program of where.h:
 *   either     := both { "or" both }
 *   both       := negated { "and" negated }
 *   negated    := "not" negated | comparison
 *   comparison := sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum | "in" "(" item { "," item } ")" ]
 *   sum        := product { ("+" | "-") product }
 *   product    := signed { ("*" | "/") signed }
 *   signed     := "-" signed | primary
 *   primary    := number | column | word | "missing" "(" column ")" | "(" either ")"
 *   column     := name | "`" any name "`"           word := 'word' | "word"          item := ["-"] number | word
 * A word that is a date with the year first, such as '2024-03-31', is a number of days, as it is in tables.
 * Brackets may hold a comparison or a sum, so one ladder reads both, and what each part is (a number, a column, a word,
 * a truth) is checked where parts are joined.
 */
#include "read/where.h"

#include "data/cell_format.h"

static const una_grammar grammar = {
    .what = "condition", .signs = "+-*/(),<>=!", .compares = true, .backquotes = true, .shows = true,
    .nothing = "there is nothing between the quotes; missing(column) is true where a cell is empty",
    .quoting = "stands between backquotes"
};

/* What a part of the condition is. A column is a number or a word as it is compared. */
typedef enum sort { A_NUMBER, A_COLUMN, A_WORD, A_TRUTH } sort;

typedef struct part {
    sort        is;
    size_t      at;              /* in the text                                       */
    size_t      column;          /* of A_COLUMN; its operation is the last            */
    const char *word;            /* of A_WORD; it has no operation                    */
} part;

typedef struct parser {
    una_lexer  lexer;
    una_where *where;
    size_t     depth;            /* of the recursion                                  */
} parser;

/* ---- the program ------------------------------------------------------------------------------------------ */

/* Every operation is one token at least, so there is room. */
static void emit_where_op(parser *p, una_where_op op)
{
    p->where->op[p->where->op_count++] = op;
}

static size_t condition_column(parser *p, const char *name, size_t at)
{
    una_where *w = p->where;
    for (size_t i = 0; i < w->columns; i++)
        if (strcmp(w->column[i].name, name) == 0) return i;
    w->column[w->columns] = (una_where_column){ .name = name, .at = at };
    return w->columns++;
}

static una_status take_for(parser *p, size_t column, size_t at, una_where_holds holds)
{
    una_where_column *c = &p->where->column[column];
    bool words = holds == UNA_HOLDS_WORDS;
    if (c->holds != UNA_HOLDS_ANY && c->holds != holds)
        return una_lexer_fail(&p->lexer, at, "the column '%.60s' is taken for one of %s here and of %s before; quotes "
                              "make a word, and numbers stand without them", c->name, words ? "words" : "numbers",
                              words ? "numbers" : "words");
    if (c->holds == UNA_HOLDS_ANY) c->at = at;
    c->holds = holds;
    return UNA_OK;
}

/* The part as a number: what arithmetic and order need. */
static una_status need_number(parser *p, const part *it, const char *what_for)
{
    if (it->is == A_COLUMN) return take_for(p, it->column, it->at, UNA_HOLDS_NUMBERS);
    if (it->is == A_WORD)
        return una_lexer_fail(&p->lexer, it->at, "'%.60s' is a word, and %s; words are compared with columns by ==, != "
                              "and in, and a column's name stands without quotes or between backquotes", it->word,
                              what_for);
    if (it->is == A_TRUTH)
        return una_lexer_fail(&p->lexer, it->at, "this is a condition, and %s; join conditions by and, or and not",
                              what_for);
    return UNA_OK;
}

static una_status need_truth(parser *p, const part *it, const char *what_for)
{
    if (it->is == A_TRUTH) return UNA_OK;
    const char *word_or_number = it->is == A_WORD ? "word" : "number";
    return una_lexer_fail(&p->lexer, it->at, "%s; compare this %s with something, as in sex == 1", what_for,
                          it->is == A_COLUMN ? "column" : word_or_number);
}

/* ---- tokens ----------------------------------------------------------------------------------------------- */

static bool sees_name(const parser *p, const char *name)
{
    return p->lexer.token.kind == UNA_TOKEN_NAME && strcmp(p->lexer.token.name, name) == 0;
}

static una_status fail_unexpected(const parser *p, const char *wanted)
{
    char words[64];
    const una_token *token = &p->lexer.token;
    return una_lexer_fail(&p->lexer, token->at, "expected %s but found %s", wanted, una_token_words(token, words));
}

/* Every recursion of the grammar passes here with the token before it, and lowers the depth behind it. */
static una_status enter_level(parser *p)
{
    if (++p->depth > UNA_WHERE_DEPTH)
        return una_lexer_fail(&p->lexer, p->lexer.token.at, "the condition is nested more than %d deep; take brackets "
                              "out", (int)UNA_WHERE_DEPTH);
    return una_lexer_next(&p->lexer);
}

/* ---- numbers, columns, words -------------------------------------------------------------------------------- */

/* What joins operands, from the loosest on; each step reads its operands by the next. */
typedef enum ladder { OR, AND, NEGATED, SUM, PRODUCT } ladder;

static una_status parse_joined(parser *p, part *it, ladder step);

/* A column's name, also within missing(); false: the token is none. */
static bool is_column_name(const una_token *token)
{
    static const char *const reserved[] = { "and", "or", "not", "in" };
    if (token->kind == UNA_TOKEN_BACKQUOTED) return true;
    for (size_t i = 0; i < 4 && token->kind == UNA_TOKEN_NAME; i++)
        if (strcmp(token->name, reserved[i]) == 0) return false;
    return token->kind == UNA_TOKEN_NAME;
}

static una_status parse_column_name(parser *p, part *it)
{
    una_token token = p->lexer.token;
    UNA_TRY(una_lexer_next(&p->lexer));
    bool call = token.kind == UNA_TOKEN_NAME && una_lexer_sees(&p->lexer, '(');
    if (call && strcmp(token.name, "missing") != 0)
        return una_lexer_fail(&p->lexer, token.at, "there is no function '%.60s', only missing(column); a product is "
                              "written with *", token.name);
    if (call) {
        UNA_TRY(una_lexer_next(&p->lexer));
        token = p->lexer.token;
        if (!is_column_name(&token))
            return fail_unexpected(p, "the name of a column between the brackets of missing()");
    }
    size_t column = condition_column(p, token.name, token.at);
    *it = (part){ .is = call ? A_TRUTH : A_COLUMN, .at = it->at, .column = column };
    emit_where_op(p, (una_where_op){ .code = call ? UNA_WHERE_MISSING : UNA_WHERE_COLUMN, .column = column });
    if (!call) return UNA_OK;
    UNA_TRY(una_lexer_next(&p->lexer));
    return una_lexer_expect(&p->lexer, ')', "after the column of missing(");
}

/* 2024-03-31, at the beginning of the text and with nothing of a number behind it. */
static bool begins_with_date(const char *text)
{
    size_t year = strspn(text, "0123456789"), month = year == 4 && text[4] == '-' ? strspn(text + 5, "0123456789") : 0;
    if (month < 1 || month > 2 || text[5 + month] != '-') return false;
    size_t day = strspn(text + 6 + month, "0123456789");
    return (day == 1 || day == 2) && text[6 + month + day] != '.';
}

static bool is_date_word(const char *word, double *days)
{
    const una_cell_format date = { .kind = UNA_CELLS_DATE, .decimal = '.', .order = 'd' };
    return begins_with_date(word) && una_cell_format_value(days, &date, word, strlen(word)) == UNA_CELL_NUMBER;
}

static una_status parse_where_primary(parser *p, part *it)
{
    una_token token = p->lexer.token;
    *it = (part){ .is = A_NUMBER, .at = token.at };
    if (token.kind == UNA_TOKEN_NUMBER && begins_with_date(p->lexer.text + token.at))
        return una_lexer_fail(&p->lexer, token.at, "put a date into quotes, as in day >= '%.4s-03-31'; as it is, this "
                              "would be a difference (with blanks around - it is one)", p->lexer.text + token.at);
    if (token.kind == UNA_TOKEN_QUOTED && is_date_word(token.name, &token.number)) token.kind = UNA_TOKEN_NUMBER;
    if (token.kind == UNA_TOKEN_NUMBER) {
        emit_where_op(p, (una_where_op){ .code = UNA_WHERE_NUMBER, .number = token.number });
        return una_lexer_next(&p->lexer);
    }
    if (token.kind == UNA_TOKEN_QUOTED) {
        *it = (part){ .is = A_WORD, .at = token.at, .word = token.name };
        return una_lexer_next(&p->lexer);
    }
    if (is_column_name(&token)) return parse_column_name(p, it);
    if (!una_lexer_sees(&p->lexer, '(')) return fail_unexpected(p, "a column, a number, a word in quotes or a bracket");
    UNA_TRY(enter_level(p));
    UNA_TRY(parse_joined(p, it, OR));
    p->depth--;
    it->at = token.at;
    return una_lexer_expect(&p->lexer, ')', "to close the bracket");
}

/* ---- arithmetic --------------------------------------------------------------------------------------------- */

static const char arithmetic[] = "arithmetic takes numbers";

static una_status parse_where_signed(parser *p, part *it)
{
    size_t at = p->lexer.token.at;
    if (!una_lexer_sees(&p->lexer, '-')) return parse_where_primary(p, it);
    UNA_TRY(enter_level(p));
    UNA_TRY(parse_where_signed(p, it));
    UNA_TRY(need_number(p, it, arithmetic));
    emit_where_op(p, (una_where_op){ .code = UNA_WHERE_NEGATE });
    *it = (part){ .is = A_NUMBER, .at = at };
    p->depth--;
    return UNA_OK;
}

/* ---- comparisons -------------------------------------------------------------------------------------------- */

static bool is_comparison(const una_token *token, una_where_code *code)
{
    if (token->kind != UNA_TOKEN_SIGN) return false;
    switch (token->sign) {
    case '=': *code = UNA_WHERE_EQUAL; return token->equal;
    case '!': *code = UNA_WHERE_UNEQUAL; return token->equal;
    case '<': *code = token->equal ? UNA_WHERE_AT_MOST : UNA_WHERE_BELOW; return true;
    case '>': *code = token->equal ? UNA_WHERE_AT_LEAST : UNA_WHERE_ABOVE; return true;
    default: return false;
    }
}

/* Replaces the operation of the column, the last one, by a search for words. */
static una_status look_for_words(parser *p, const part *column, una_where_code code, size_t first)
{
    una_where *w = p->where;
    UNA_TRY(take_for(p, column->column, column->at, UNA_HOLDS_WORDS));
    w->op_count--;
    emit_where_op(p,
                  (una_where_op){ .code = code, .column = column->column, .first = first, .count = w->words - first });
    return UNA_OK;
}

static una_status compare_word(parser *p, const part *left, const part *right, una_where_code code, size_t sign_at)
{
    const part *word = left->is == A_WORD ? left : right, *column = word == left ? right : left;
    una_where *w = p->where;
    if (code != UNA_WHERE_EQUAL && code != UNA_WHERE_UNEQUAL)
        return una_lexer_fail(&p->lexer, sign_at, "words have no order; compare them by ==, != or in, and write "
                              "numbers without quotes");
    if (column->is != A_COLUMN)
        return una_lexer_fail(&p->lexer, column->at, "the word '%.60s' can only be compared with a column; a column's "
                              "name stands without quotes or between backquotes, and so do numbers", word->word);
    w->word[w->words++] = word->word;
    return look_for_words(p, column, code == UNA_WHERE_EQUAL ? UNA_WHERE_WORDS : UNA_WHERE_OTHER_WORD, w->words - 1);
}

static una_status parse_right(parser *p, part *left, una_where_code code)
{
    size_t sign_at = p->lexer.token.at;
    part right;
    UNA_TRY(una_lexer_next(&p->lexer));
    UNA_TRY(parse_joined(p, &right, SUM));
    if (left->is == A_WORD || right.is == A_WORD) {
        UNA_TRY(compare_word(p, left, &right, code, sign_at));
    } else {
        UNA_TRY(need_number(p, left, "a comparison takes numbers"));
        UNA_TRY(need_number(p, &right, "a comparison takes numbers"));
        emit_where_op(p, (una_where_op){ .code = code });
    }
    *left = (part){ .is = A_TRUTH, .at = left->at };

    una_where_code again;
    if (!is_comparison(&p->lexer.token, &again)) return UNA_OK;
    return una_lexer_fail(&p->lexer, p->lexer.token.at, "comparisons cannot be chained; write 1 < x and x < 3 "
                          "instead of 1 < x < 3");
}

/* One word or number of a list: all items are of the kind of the first. */
static una_status parse_item(parser *p, bool *words, bool first)
{
    una_where *w = p->where;
    una_token token = p->lexer.token;
    double days;
    bool date = token.kind == UNA_TOKEN_QUOTED && is_date_word(token.name, &days);
    bool is_word = token.kind == UNA_TOKEN_QUOTED && !date;
    if (first) *words = is_word;
    if (!first && is_word != *words)
        return una_lexer_fail(&p->lexer, token.at, "the list holds %s, and this is none; a list holds words in quotes, "
                              "or numbers without", *words ? "words" : "numbers");
    if (date) {
        w->number[w->numbers++] = days;
        return una_lexer_next(&p->lexer);
    }
    if (!is_word) return una_lexer_number(&p->lexer, &w->number[w->numbers++], "or a word in quotes");
    w->word[w->words++] = token.name;
    return una_lexer_next(&p->lexer);
}

static una_status parse_list(parser *p, part *left)
{
    una_where *w = p->where;
    size_t first_word = w->words, first_number = w->numbers, at = p->lexer.token.at;
    bool words = false, first = true;
    UNA_TRY(una_lexer_next(&p->lexer));
    if (!una_lexer_sees(&p->lexer, '(')) return fail_unexpected(p, "a list in brackets after in, such as ('a', 'b')");
    do {
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_item(p, &words, first));
        first = false;
    } while (una_lexer_sees(&p->lexer, ','));
    UNA_TRY(una_lexer_expect(&p->lexer, ')', "or \",\" after an item of the list"));

    if (words && left->is != A_COLUMN)
        return una_lexer_fail(&p->lexer, at, "in looks for words in a column; put its name before in, without quotes "
                              "or between backquotes");
    if (words) {
        UNA_TRY(look_for_words(p, left, UNA_WHERE_WORDS, first_word));
    } else {
        UNA_TRY(need_number(p, left, "the list holds numbers"));
        emit_where_op(p, (una_where_op){ .code = UNA_WHERE_NUMBERS, .first = first_number,
                                         .count = w->numbers - first_number });
    }
    *left = (part){ .is = A_TRUTH, .at = left->at };
    return UNA_OK;
}

static una_status parse_comparison(parser *p, part *it)
{
    una_where_code code;
    UNA_TRY(parse_joined(p, it, SUM));
    if (is_comparison(&p->lexer.token, &code)) return parse_right(p, it, code);
    if (sees_name(p, "in")) return parse_list(p, it);
    if (una_lexer_sees(&p->lexer, '='))
        return una_lexer_fail(&p->lexer, p->lexer.token.at, "use == for equality, as in sex == 1");
    if (una_lexer_sees(&p->lexer, '!'))
        return una_lexer_fail(&p->lexer, p->lexer.token.at, "\"!\" is only valid in !=; write not before a condition");
    if (sees_name(p, "not"))
        return una_lexer_fail(&p->lexer, p->lexer.token.at, "put not before a whole comparison, as in not sex in "
                              "(0, 1)");
    return UNA_OK;
}

/* ---- not, and, or --------------------------------------------------------------------------------------------- */

static una_status parse_negated(parser *p, part *it)
{
    size_t at = p->lexer.token.at;
    if (!sees_name(p, "not")) return parse_comparison(p, it);
    UNA_TRY(enter_level(p));
    UNA_TRY(parse_negated(p, it));
    UNA_TRY(need_truth(p, it, "not stands before a condition"));
    emit_where_op(p, (una_where_op){ .code = UNA_WHERE_NOT });
    it->at = at;
    p->depth--;
    return UNA_OK;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* The operation of the token that joins two operands on this step; false: it joins none. */
static bool joins(const parser *p, ladder step, una_where_code *code)
{
    static const struct { ladder step; const char *word; una_where_code code; } known[] = {
        { OR, "or", UNA_WHERE_OR }, { AND, "and", UNA_WHERE_AND }, { SUM, "+", UNA_WHERE_ADD },
        { SUM, "-", UNA_WHERE_SUBTRACT }, { PRODUCT, "*", UNA_WHERE_MULTIPLY }, { PRODUCT, "/", UNA_WHERE_DIVIDE }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        *code = known[i].code;
        bool here = step < SUM ? sees_name(p, known[i].word) : una_lexer_sees(&p->lexer, *known[i].word);
        if (known[i].step == step && here) return true;
    }
    return false;
}

static una_status parse_joined(parser *p, part *it, ladder step)
{
    if (step == NEGATED) return parse_negated(p, it);
    if (step > PRODUCT) return parse_where_signed(p, it);
    una_status (*need)(parser *, const part *, const char *) = step < SUM ? need_truth : need_number;
    const char *join = step == OR ? "or joins conditions" : "and joins conditions";
    const char *what_for = step < SUM ? join : arithmetic;
    una_where_code code;
    UNA_TRY(parse_joined(p, it, step + 1));
    while (joins(p, step, &code)) {
        part other;
        UNA_TRY(need(p, it, what_for));
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_joined(p, &other, step + 1));
        UNA_TRY(need(p, &other, what_for));
        emit_where_op(p, (una_where_op){ .code = code });
        if (step >= SUM) *it = (part){ .is = A_NUMBER, .at = it->at };
    }
    return UNA_OK;
}

static una_status parse_all(parser *p)
{
    part whole;
    UNA_TRY(parse_joined(p, &whole, OR));
    if (p->lexer.token.kind != UNA_TOKEN_END)
        return fail_unexpected(p, whole.is == A_TRUTH ? "and, or or the end" : "==, !=, <, <=, >, >= or in");
    return need_truth(p, &whole, "a condition is true or false");
}

una_status una_where_parse(una_where **where, const char *text, una_arena *arena, una_run *run)
{
    *where = NULL;
    parser p = { .where = UNA_GET(arena, una_where, 1) };
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_lexer_begin(&p.lexer, text, &grammar, arena, run));
    size_t most = strlen(text) + 1;                              /* of anything: each has a character of its own */
    *p.where = (una_where){ .text = una_arena_text(arena, text), .op = UNA_GET(arena, una_where_op, most),
                            .column = UNA_GET(arena, una_where_column, most),
                            .word = UNA_GET(arena, const char *, most), .number = UNA_GET(arena, double, most) };
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(parse_all(&p));
    *where = p.where;
    return UNA_OK;
}

una_status una_where_refuse(const una_where *where, size_t at, const char *sentence, una_run *run)
{
    return una_grammar_fail(&grammar, where->text, at, UNA_E_INPUT, sentence, run);
}
