/* SPDX-License-Identifier: MIT
 *
 * Keys: compared, written, and their specs brought into one form.
 */
#include "store/key.h"

#include "base/option.h"

#include <inttypes.h>

bool una_row_key_same(const una_row_key *a, const una_row_key *b)
{
    return a->split == b->split && a->seed == b->seed && a->results == b->results && strcmp(a->spec, b->spec) == 0 &&
           strcmp(a->data, b->data) == 0 && strcmp(a->study, b->study) == 0;
}

size_t una_row_key_data(const char *data)
{
    enum { SUM = 9 };                            /* # and eight hexadecimal digits */
    size_t length = strlen(data), from = length > SUM ? length - SUM : 0;
    bool has_sum = from > 0 && data[from] == '#' && strspn(data + from + 1, "0123456789abcdef") == SUM - 1;
    return has_sum ? from : length;
}

/* FNV-1a. */
static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t una_row_key_hash(const una_row_key *key)
{
    char numbers[96];
    int length = snprintf(numbers, sizeof numbers, "%" PRIu64 " %" PRIu64 " %u", key->split, key->seed, key->results);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    hash = fnv1a(hash, key->study, strlen(key->study) + 1);      /* with the zero byte, so that texts do not run
                                                                    together */
    hash = fnv1a(hash, key->data, strlen(key->data) + 1);
    hash = fnv1a(hash, key->spec, strlen(key->spec) + 1);
    return fnv1a(hash, numbers, (size_t)length);
}

const char *una_row_key_describe(const una_row_key *key, una_arena *arena)
{
    una_text text = una_text_in(arena);
    una_text_add(&text, "%.*s on %.*s, split %" PRIu64 ", seed %" PRIu64, (int)strcspn(key->spec, "("), key->spec,
                 (int)una_row_key_data(key->data), key->data, key->split, key->seed);
    return text.at && !arena->failed ? text.at : key->spec;
}

/* ---- tables --------------------------------------------------------------------------------------------------- */

static uint32_t sum_text(uint32_t sum, const char *text)
{
    return text ? una_crc32(sum, text, strlen(text) + 1) : una_crc32(sum, "\1", 1);
}

uint32_t una_table_sum(const una_dataset *data)
{
    uint32_t sum = 0;
    size_t rows = una_dataset_row_count(data);
    for (size_t c = 0; c < una_dataset_column_count(data); c++) {
        const double *number = una_dataset_numbers(data, c);
        const char *const *word = una_dataset_words(data, c);
        sum = sum_text(sum, una_dataset_column_name(data, c));
        if (number) sum = una_crc32(sum, number, rows * sizeof *number);
        for (size_t i = 0; !number && i < rows; i++) sum = sum_text(sum, word[i]);
    }
    return sum;
}

una_status una_row_key_table(const char **name, const una_dataset *data, const char *target, una_arena *arena,
                             una_run *run)
{
    size_t column = una_dataset_column_count(data) - 1;
    if (target) UNA_TRY(una_dataset_find(&column, data, target, run));
    const char *origin = una_dataset_origin(data), *slash = strrchr(origin, '/');
    una_text text = una_text_in(arena);
    una_text_add(&text, "%s %s#%08" PRIx32, slash ? slash + 1 : origin, una_dataset_column_name(data, column),
                 una_table_sum(data));
    *name = text.at;
    return una_arena_check(arena);
}

/* ---- specs --------------------------------------------------------------------------------------------------- */

una_status una_option_named(una_option_info *info, const char *kind, const char *key, una_run *run)
{
    size_t k = 0;
    una_status status = UNA_OK;
    una_mark texts = una_arena_mark(&run->texts);
    *info = (una_option_info){0};
    while (k < una_kind_count() && strcmp(una_kind_name(k), kind) != 0) k++;
    for (size_t o = 0; k < una_kind_count() && o < una_kind_option_count(k) && status == UNA_OK && !info->name; o++) {
        una_option_info one = UNA_INIT(una_option_info);
        status = una_kind_option(&one, k, o, run);
        if (status == UNA_OK && strcmp(one.name, key) == 0) *info = one;
    }
    una_arena_release(&run->texts, texts);       /* the range, which the run would keep for as long as it lives */
    info->range = NULL;
    return status;
}

/* A key is a text, and what a file holds may change behind it; also inside of other specs. The spec has been checked,
 * so a value that cannot be read as one is none. */
static una_status refuse_files(const char *text, una_arena *arena, una_run *run)
{
    una_spec spec;
    if (una_spec_parse(&spec, text, arena, run) != UNA_OK) {
        UNA_TRY(una_arena_check(arena));
        una_clear_message(run);
        return UNA_OK;
    }

    for (size_t i = 0; i < spec.count; i++) {
        const una_spec_item *item = &spec.items[i];
        una_option_info option;
        UNA_TRY(una_option_named(&option, spec.name, item->key, run));
        if (*item->value && option.name && strcmp(option.type, "file") == 0)
            UNA_FAIL(run, UNA_E_USAGE, "%s: %s=%.80s names a file, which may change while its rows stay; experiments "
                     "take specs without files", spec.name, item->key, item->value);
        UNA_TRY(refuse_files(item->value, arena, run));
    }
    return UNA_OK;
}

static una_status write_spec(const char **spec, const char **kind, unsigned *results, const char *text,
                             una_arena *arena, una_run *run)
{
    const char *written;
    UNA_TRY(una_spec_check(text, results, run));
    UNA_SCOPED(run, refuse_files(text, &run->scratch, run));
    UNA_TRY(una_spec_text(&written, text, run));
    *spec = una_arena_text(arena, written);
    if (!kind) return una_arena_check(arena);

    una_text name = una_text_in(arena);
    una_text_add(&name, "%.*s", (int)strcspn(written, "("), written);
    *kind = name.at;
    return una_arena_check(arena);
}

/* What the run would keep for as long as it lives goes at once: there may be a million specs. */
una_status una_row_key_spec(const char **spec, const char **kind, unsigned *results, const char *text, una_arena *arena,
                            una_run *run)
{
    una_mark texts = una_arena_mark(&run->texts);
    una_status status = write_spec(spec, kind, results, text, arena, run);
    if (arena != &run->texts) una_arena_release(&run->texts, texts);
    return status;
}
