/* SPDX-License-Identifier: MIT
 *
 * una data: the catalogue of published data sets, and the folder that they are in.
 */
#include "cli.h"

#include <sys/stat.h>

#define FOLDER_FLAG CLI_FLAG("data", CLI_FOLDER, "FOLDER", \
                             "the data folder (default: $UNA_DATA, else $XDG_DATA_HOME/una, else ~/.local/share/una)")

const cli_family cli_data = {
    "data", "published data sets for 'una bench': list, import, get",
    "Experiments use published data that does not come with una. The catalogue knows each set, its files by their "
    "sums, its licence and where it is public. Files lie in one folder: --data FOLDER, else the variable UNA_DATA, "
    "else $XDG_DATA_HOME/una, which is ~/.local/share/una where that is not set; 'una bench' looks there too. A file "
    "gets into it only if its sum is right.",
    "una data list\n"
    "una data import ~/Downloads/data\n"
    "una data get boston concrete yacht\n"
    "una bench uci --sets boston,concrete,yacht"
};

/* ---- the folder -------------------------------------------------------------------------------------------- */

char *cli_data_folder(const cli *c, bool *named)
{
    const char *given = cli_text(c, "data"), *from = getenv("UNA_DATA"), *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    *named = given || (from && *from);
    if (*named) return cli_join("", given ? given : from);
    if (data && *data == '/') return cli_join(data, "una");      /* the standard passes over others */
    return home && *home ? cli_join(home, ".local/share/una") : NULL;
}

static una_status find_folder(const cli *c, char **folder)
{
    bool named;
    struct stat about;
    *folder = cli_data_folder(c, &named);
    if (!*folder || !**folder)
        return cli_fail(c, UNA_E_USAGE, "there is no home to keep data in; name a folder with --data FOLDER");
    if (stat(*folder, &about) != 0 || S_ISDIR(about.st_mode)) return UNA_OK;     /* one that is not there is made */
    return cli_fail(c, UNA_E_IO, "%s is not a folder; name one to keep data in with --data FOLDER", *folder);
}

static una_status find_set(const cli *c, const char *name, size_t *set)
{
    const char **names = cli_alloc(una_data_count(), sizeof *names);
    for (*set = 0; *set < una_data_count(); ++*set) {
        names[*set] = una_data_at(*set)->name;
        if (strcmp(names[*set], name) == 0) return UNA_OK;
    }
    const char *near = cli_nearest(name, names, una_data_count());
    if (near) return cli_fail(c, UNA_E_USAGE, "there is no data set '%s'; did you mean '%s'?", name, near);
    return cli_fail(c, UNA_E_USAGE, "there is no data set '%s'; 'una data list' shows them all", name);
}

/* ---- list -------------------------------------------------------------------------------------------------- */

static const cli_flag folder_flags[] = { FOLDER_FLAG, CLI_FLAG_END };

static const char *const states[] = { "absent", "intact", "damaged" };

typedef struct set_state { size_t count[3]; una_data_state *file; } set_state;    /* count: of files, by state */

static una_status check_data_files(const cli *c, set_state *l, size_t set, const char *folder)
{
    size_t count = una_data_at(set)->file_count;
    *l = (set_state){ .file = cli_alloc(count, sizeof *l->file) };
    for (size_t f = 0; f < count; f++) {
        CLI_TRY(una_data_check(&l->file[f], set, f, folder, c->run));
        l->count[l->file[f]]++;
    }
    return UNA_OK;
}

static const char *word_of_state(const set_state *l)
{
    if (l->count[UNA_DATA_DAMAGED]) return "damaged";
    if (!l->count[UNA_DATA_INTACT]) return "-";
    return l->count[UNA_DATA_ABSENT] ? "in part" : "intact";
}

static const char *target_of_set(const una_data_set *set)
{
    return *set->unit ? cli_formatted("%s (%s)", set->target, set->unit) : set->target;
}

static void print_wrapped_line(const char *title, const char *text)
{
    if (!text || !*text) return;
    printf("%-10s ", title);
    cli_wrap(stdout, 11, 11, text);
}

/* All that is known of one set. */
static void print_whole(const una_data_set *set, const set_state *l, const char *folder)
{
    print_wrapped_line("name", set->name);
    print_wrapped_line("title", set->title);
    printf("%-10s %zu\n%-10s %zu\n", "rows", set->rows, "inputs", set->inputs);
    print_wrapped_line("target", target_of_set(set));
    if (set->splits) printf("%-10s %zu\n", "splits", set->splits);
    print_wrapped_line("licence", set->licence);
    print_wrapped_line("remark", set->remark);
    print_wrapped_line("citation", set->citation);
    printf("%-10s %s\n", "source", set->source ? set->source : "una knows no public address");
    printf("%-10s %s\n", "folder", cli_escaped(folder));
    for (size_t f = 0; f < set->file_count; f++)
        printf("%-10s %s (%llu bytes, %s)\n%-10s sha256 %s\n", f ? "" : "files", set->files[f].path,
               (unsigned long long)set->files[f].bytes, states[l->file[f]], "", set->files[f].sha256);
}

/* What is wrong, file by file, below the table. */
static void print_wrong(const una_data_set *set, const set_state *l, const char *folder)
{
    for (size_t f = 0; f < set->file_count; f++) {
        char *path = cli_join(folder, set->files[f].path);
        if (l->file[f] == UNA_DATA_DAMAGED)
            printf("%s: %s is not the published file; 'una data get %s' downloads it again\n", set->name,
                   cli_escaped(path), set->name);
        else if (l->file[f] == UNA_DATA_ABSENT && l->count[UNA_DATA_INTACT])
            printf("%s: there is no %s\n", set->name, cli_escaped(path));
    }
}

static void json_set(const una_data_set *set, const set_state *l)
{
    cli_json_put(", {'name': %s, 'title': %s, 'rows': %zu, 'inputs': %zu, 'target': %s, 'unit': %s, 'splits': %zu, "
                 "'intact': %d, 'files': [", set->name, set->title, set->rows, set->inputs, set->target, set->unit,
                 set->splits, l->count[UNA_DATA_INTACT] == set->file_count);
    for (size_t f = 0; f < set->file_count; f++)
        cli_json_put(", {'path': %s, 'bytes': %llu, 'sha256': %s, 'state': %s}", set->files[f].path,
                     (unsigned long long)set->files[f].bytes, set->files[f].sha256, states[l->file[f]]);
    cli_json_put("], 'licence': %s, 'citation': %s, 'remark': %s, 'source': %s}", set->licence, set->citation,
                 set->remark, set->source);
}

static void print_list(const set_state *all, const char *folder)
{
    printf("%-18s %6s %7s  %-8s %-15s %s\n", "name", "rows", "inputs", "here", "licence", "target");
    for (size_t s = 0; s < una_data_count(); s++) {
        const una_data_set *set = una_data_at(s);
        size_t column = (size_t)printf("%-18s %6zu %7zu  %-8s %-15s ", set->name, set->rows, set->inputs,
                                       word_of_state(&all[s]), set->licence);
        cli_wrap(stdout, column, column, target_of_set(set));
    }
    printf("\nThe data folder is %s\n", cli_escaped(folder));
    for (size_t s = 0; s < una_data_count(); s++) print_wrong(una_data_at(s), &all[s], folder);
}

static una_status run_list(cli *c)
{
    char *folder;
    size_t from = 0, to = una_data_count();
    set_state *all = cli_alloc(una_data_count(), sizeof *all);
    if (c->operand_count) {
        CLI_TRY(find_set(c, c->operand[0], &from));
        to = from + 1;
    }
    CLI_TRY(find_folder(c, &folder));
    for (size_t s = from; s < to; s++) CLI_TRY(check_data_files(c, &all[s], s, folder));
    if (c->json) {
        cli_json_put("{'folder': %s, 'sets': [", folder);
        for (size_t s = from; s < to; s++) json_set(una_data_at(s), &all[s]);
        cli_json_put("]}\n");
    } else if (c->operand_count) {
        print_whole(una_data_at(from), &all[from], folder);
    } else {
        print_list(all, folder);
    }
    return UNA_OK;
}

const cli_verb cli_data_list = {
    "data list", "which data sets there are, and which of them are here",
    "Lists the catalogue: rows, inputs, target, licence, and whether the data folder has the files with the right "
    "sums. With the name of a set, and with --json, also the title, the citation, the source, and each file with its "
    "sum.",
    { { "[NAME]", CLI_TEXT, "one set; left out, all are listed" } }, folder_flags, CLI_WITH_JSON,
    "una data list\n"
    "una data list boston\n"
    "una data list --data FOLDER --json",
    .run = run_list, .family = &cli_data
};

/* ---- what import and get share ----------------------------------------------------------------------------- */

typedef struct set_import { size_t files, written; char *why; } set_import;    /* why: NULL, or it is refused */

static void tell_json(const set_import *all, const char *folder)
{
    cli_json_put("{'folder': %s, 'sets': [", folder);
    for (size_t s = 0; s < una_data_count(); s++)
        if (all[s].files || all[s].why)
            cli_json_put(", {'name': %s, 'files': %zu, 'written': %zu, 'refused': %s}", una_data_at(s)->name,
                         all[s].files, all[s].written, all[s].why);
    cli_json_put("]}\n");
}

static void print_imports(const cli *c, const set_import *all, const char *folder)
{
    if (c->json) tell_json(all, folder);
    for (size_t s = 0; !c->json && !c->quiet && s < una_data_count(); s++) {
        const set_import *d = &all[s];
        if (!d->files || d->why) continue;
        const char *age = "some of them new";
        if (d->written == 0) age = "there before";
        else if (d->written == d->files) age = "new";
        printf("%-18s %zu file%s in %s, %s\n", una_data_at(s)->name, d->files, d->files == 1 ? "" : "s",
               cli_escaped(folder), age);
    }
}

/* Prints the failure of a set and continues with the next one; the program ends with the first failure. */
static una_status note_failed_import(const cli *c, set_import *d, una_status status, una_status first)
{
    if (status == UNA_OK) return first;
    cli_progress_clear();
    d->why = cli_join("", una_run_message(c->run));
    cli_failed(c, status);
    return first == UNA_OK || status == UNA_CANCELLED ? status : first;
}

/* ---- import ------------------------------------------------------------------------------------------------ */

static una_status check_source(const cli *c, const char *from)
{
    struct stat about;
    if (stat(from, &about) != 0) return cli_fail(c, UNA_E_IO, "there is no folder %s", from);
    if (S_ISDIR(about.st_mode)) return UNA_OK;
    return cli_fail(c, UNA_E_IO, "%s is not a folder; give one that has uci/NAME.csv, mnist/ or faces/ in it", from);
}

static una_status run_data_import(cli *c)
{
    const char *from = c->operand[0];
    char *folder;
    bool any = false;
    set_import *all = cli_alloc(una_data_count(), sizeof *all);
    una_status status = UNA_OK;
    CLI_TRY(check_source(c, from));
    CLI_TRY(find_folder(c, &folder));
    for (size_t s = 0; s < una_data_count() && status != UNA_CANCELLED; s++) {
        set_import *d = &all[s];
        status = note_failed_import(c, d, una_data_import(&d->files, &d->written, s, folder, from, c->run), status);
        any = any || d->files || d->why;
    }
    if (!any)
        return cli_fail(c, UNA_E_INPUT, "%s has no file of the catalogue; they are uci/NAME.csv, "
                        "uci/splits/NAME.json, mnist/*.gz and faces/*, named as 'una data list --json' shows", from);
    print_imports(c, all, folder);
    return status;
}

const cli_verb cli_data_import = {
    "data import", "data sets from a folder into the data folder",
    "Copies the data sets of the catalogue that DIR has (uci/NAME.csv, uci/splits/NAME.json, mnist/*.gz, faces/*) "
    "into the data folder, after the sum of each file was checked. Where a file is not the published one, or a split "
    "does not fit its table, nothing of that set is taken; the others are.",
    { { "DIR", CLI_FOLDER, "folder to take them from" } }, folder_flags,
    CLI_WITH_JSON | CLI_WITH_QUIET,
    "una data import ~/Downloads/data\n"
    "una data import /mnt/shared/data --data data",
    .run = run_data_import, .family = &cli_data
};

/* ---- get --------------------------------------------------------------------------------------------------- */

static const cli_flag get_flags[] = {
    CLI_FLAG("from", CLI_TEXT, "URL", "a folder on a server laid out like the data folder (https, http or file), "
             "instead of the public originals"),
    CLI_FLAG_SWITCH("force", "fetch also what is there and intact"),
    CLI_FLAG("patience", CLI_NUMBER, "SECONDS", "give up on a server that sends almost nothing for this long "
                                                "(default 30)"),
    FOLDER_FLAG, CLI_FLAG_END
};

static una_status read_settings(const cli *c, una_data_settings *how)
{
    const char *patience = cli_text(c, "patience");
    *how = (una_data_settings){ .size = sizeof *how, .from = cli_text(c, "from"), .force = cli_has(c, "force") };
    if (!patience || (cli_is_number(patience, &how->patience) && how->patience > 0)) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--patience %s: give seconds above 0", patience);
}

static una_status run_get(cli *c)
{
    char *folder;
    una_data_settings how;
    size_t *sets = cli_alloc(c->operand_count, sizeof *sets);
    set_import *all = cli_alloc(una_data_count(), sizeof *all);
    una_status status = UNA_OK;
    CLI_TRY(read_settings(c, &how));
    for (size_t i = 0; i < c->operand_count; i++) CLI_TRY(find_set(c, c->operand[i], &sets[i]));
    CLI_TRY(find_folder(c, &folder));
    for (size_t i = 0; i < c->operand_count && status != UNA_CANCELLED; i++) {
        set_import *d = &all[sets[i]];
        if (d->files || d->why) continue;                /* named twice */
        cli_progress_span((double)i / (double)c->operand_count, (double)(i + 1) / (double)c->operand_count);
        una_status got = una_data_get(&d->written, sets[i], folder, &how, c->run);
        d->files = got == UNA_OK ? una_data_at(sets[i])->file_count : 0;
        status = note_failed_import(c, d, got, status);
    }
    cli_progress_clear();
    print_imports(c, all, folder);
    return status;
}

const cli_verb cli_data_get = {
    "data get", "data sets from the public archives",
    "Downloads data sets, brings them into una's form, and puts them into the data folder if every sum is right. What "
    "is there and intact stays and is not fetched again. A download that breaks off, stalls, or sends something else "
    "leaves nothing behind.",
    { { "NAME...", CLI_TEXT, "which sets; 'una data list' shows their names" } }, get_flags,
    CLI_WITH_JSON | CLI_WITH_QUIET,
    "una data get boston\n"
    "una data get boston concrete yacht --data data\n"
    "# from a server of your own with the same files\n"
    "una data get boston --from https://example.org/data",
    .run = run_get, .family = &cli_data
};
