/* SPDX-License-Identifier: MIT
 *
 * Images of the faces at which a model is most and least certain, for the page. Only the HTML page has them, for
 * people who have the data set; no other file has any.
 */
#include "bias/bias.h"

#include "draw/picture.h"

typedef struct people { const una_dataset *faces; const double *sex, *age, *index; } people;

static una_status find_people(people *p, const una_dataset *faces, una_run *run)
{
    static const char *const names[] = { "sex", "age_thesis", "index" };
    const double **column[] = { &p->sex, &p->age, &p->index };
    p->faces = faces;
    for (size_t i = 0; i < 3; i++) {
        size_t at;
        UNA_TRY(una_dataset_find(&at, faces, names[i], run));
        *column[i] = una_dataset_numbers(faces, at);
    }
    return UNA_OK;
}

/* SIZE_MAX: no face. */
static size_t person_of(const people *p, double item)
{
    for (size_t i = 0; p->index && i < una_dataset_row_count(p->faces); i++)
        if (p->index[i] == item) return i;
    return SIZE_MAX;
}

static una_status add_pictures(una_page *page, const people *p, const double *first, const char *lead,
                               const char *caption, una_run *run)
{
    una_arena *arena = page->html.text.arena;
    una_picture picture[UNA_BIAS_FACES];
    size_t count = 0, sizes[3];
    UNA_TRY(una_dataset_image(sizes, NULL, p->faces, 0, run));
    for (size_t i = 0; i < UNA_BIAS_FACES; i++) {
        size_t row = person_of(p, first[i]);
        if (row == SIZE_MAX || sizes[0] == 0) continue;
        const char *known = p->sex[row] == 1 ? "man" : "woman";
        UNA_NEW(arena, double, numbers, sizes[0] * sizes[1] * sizes[2]);
        const char *words = una_phrase(arena, "%s, %.0f", p->sex[row] == 1 || p->sex[row] == 0 ? known : "unknown",
                                       p->age[row]);
        UNA_TRY(una_dataset_image(sizes, numbers, p->faces, row, run));
        picture[count++] = (una_picture){ sizes[0], sizes[1], sizes[2], numbers, words };
    }
    UNA_TRY(una_arena_check(arena));
    return count ? una_html_pictures(&page->html, picture, count, lead, caption, run) : UNA_OK;
}

/* Of the first model of a study that has ignorance. */
static const una_group *subject_of(const una_findings *f, const char *data)
{
    const una_group *g = NULL;
    while ((g = una_findings_next(f, g, data)) && !isfinite(una_findings_value(f, g->from, UNA_BIAS_EXCESS))) {}
    return g;
}

una_status una_bias_faces(una_page *page, const una_findings *f, const char *data, const una_asked *asked, una_run *run)
{
    const una_bias_data *shared = asked->shared;
    const una_group *group = subject_of(f, data);
    people p;
    if (!shared || !shared->faces || !group) return UNA_OK;
    UNA_TRY(find_people(&p, shared->faces, run));
    if (!p.sex || !p.age) return UNA_OK;
    const double *value = f->value + group->from * f->measures;
    const char *caption = una_phrase(page->html.text.arena, "%s, of all who were asked (first seed); age by the label.",
                                     group->model);
    bool sex = strcmp(data, "sex") == 0;
    UNA_TRY(add_pictures(page, &p, value + UNA_BIAS_UNSURE,
                         sex ? "Trained on men: those the model is least sure of." :
                         "Trained below 30 and above 40: those the model is least sure of.", caption, run));
    return add_pictures(page, &p, value + UNA_BIAS_SURE, "And those it is surest of.", caption, run);
}
