/* SPDX-License-Identifier: MIT
 *
 * Images of the faces at which a model is most and least certain, for the page. Only the HTML page has them, for
 * people who have the data set; no other file has any.
 */
#include "bias/bias.h"

#include "draw/picture.h"

typedef struct people { const una_dataset *faces; size_t sex, age, index; } people;

static una_status find_people(people *p, const una_dataset *faces, una_run *run)
{
    *p = (people){ .faces = faces };
    UNA_TRY(una_dataset_find(&p->sex, faces, "sex", run));
    UNA_TRY(una_dataset_find(&p->age, faces, "age_thesis", run));
    return una_dataset_find(&p->index, faces, "index", run);
}

/* SIZE_MAX: no face. */
static size_t person_of(const people *p, double item)
{
    const double *index = una_dataset_numbers(p->faces, p->index);
    for (size_t i = 0; index && i < una_dataset_row_count(p->faces); i++)
        if (index[i] == item) return i;
    return SIZE_MAX;
}

static const char *face_caption(const people *p, size_t row, una_arena *arena)
{
    double sex = una_dataset_numbers(p->faces, p->sex)[row], age = una_dataset_numbers(p->faces, p->age)[row];
    const char *known = sex == 1 ? "man" : "woman";
    return una_phrase(arena, "%s, %.0f", sex == 1 || sex == 0 ? known : "unknown", age);
}

static una_status add_pictures(una_page *page, const people *p, const una_findings *f, const una_group *group,
                               size_t first, const char *lead, una_run *run)
{
    una_arena *arena = page->html.text.arena;
    una_picture picture[UNA_BIAS_FACES];
    size_t count = 0, sizes[3];
    UNA_TRY(una_dataset_image(sizes, NULL, p->faces, 0, run));
    for (size_t i = 0; i < UNA_BIAS_FACES; i++) {
        size_t row = person_of(p, una_findings_value(f, group->from, first + i));
        if (row == SIZE_MAX || sizes[0] == 0) continue;
        double *numbers = UNA_GET(arena, double, sizes[0] * sizes[1] * sizes[2]);
        const char *words = face_caption(p, row, arena);
        UNA_TRY(una_arena_check(arena));
        UNA_TRY(una_dataset_image(sizes, numbers, p->faces, row, run));
        picture[count++] = (una_picture){ sizes[0], sizes[1], sizes[2], numbers, words };
    }
    const char *caption = una_phrase(arena, "%s, of all who were asked (first seed); age by the label.", group->model);
    UNA_TRY(una_arena_check(arena));
    return count ? una_html_pictures(&page->html, picture, count, lead, caption, run) : UNA_OK;
}

/* Of the first model of a study that has ignorance. */
static const una_group *subject_of(const una_findings *f, const char *data)
{
    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        if (strcmp(f->fits[group->from].key.data, data) == 0
            && isfinite(una_findings_value(f, group->from, UNA_BIAS_EXCESS))) return group;
    }
    return NULL;
}

una_status una_bias_faces(una_page *page, const una_findings *f, const char *data, const una_asked *asked, una_run *run)
{
    const una_bias_data *shared = asked->shared;
    const una_group *group = subject_of(f, data);
    people p;
    if (!shared || !shared->faces || !group) return UNA_OK;
    UNA_TRY(find_people(&p, shared->faces, run));
    if (!una_dataset_numbers(p.faces, p.sex) || !una_dataset_numbers(p.faces, p.age)) return UNA_OK;
    bool sex = strcmp(data, "sex") == 0;
    UNA_TRY(add_pictures(page, &p, f, group, UNA_BIAS_UNSURE,
                         sex ? "Trained on men: those the model is least sure of." :
                         "Trained below 30 and above 40: those the model is least sure of.", run));
    return add_pictures(page, &p, f, group, UNA_BIAS_SURE, "And those it is surest of.", run);
}
