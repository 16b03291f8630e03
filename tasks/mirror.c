/* A task in a mirror: the lines `mirror` of a table. Each names a part of the observation, or the action, and the numbers that take the
 * places of its first, second, .. one, counted from 1, below 0 where the sign changes. In a mirror twice all must be as it was. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tasks/instance.h"
#include "tasks/table.h"

static const myr_table_mirror *mirror_by(const myr_task_table *t, const char *name, int critic) {
    for (int k = 0; k < t->n_mirrors; k++) {
        const char *word = t->mirrors[k].name;
        const int of_critic = !strncmp(word, "critic.", 7);
        if (of_critic == critic && !strcmp(word + (of_critic ? 7 : 0), name)) return &t->mirrors[k];
    }
    return NULL;
}

int myr_mirror_wrong(const int *image, int n) {
    for (int k = 0; k < n; k++) {
        const int known = image[k] && image[k] >= -n && image[k] <= n, other = known ? image[abs(image[k]) - 1] : 0;
        if (other < -n || abs(other) - 1 != k || (other < 0) != (image[k] < 0)) return k;
    }
    return -1;
}

/* n numbers of a line into to[0 ..], which begins as number `first` of its group. */
static myr_status read_image(const myr_task_table *t, const myr_table_mirror *m, int first, int n, int *to) {
    const char *at = t->text + m->begin, *const end = t->text + m->end;
    char word[MYR_TABLE_NAME];
    myr_line in = {.at = at, .end = end};
    int count = 0;
    while (myr_line_word(&in, word)) {
        char *rest;
        const long number = strtol(word, &rest, 10);
        if (*rest || !number || number < -n || number > n)
            return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` is not one of the %d numbers of `%s`, counted from 1, with its sign", t->label,
                            m->line, word, n, m->name);
        if (count < n) to[count] = (int)number;
        count++;
    }
    if (count != n)
        return myr_fail(MYR_E_FORMAT, "%s:%d: `%s` has %d number%s, and its mirror image %s", t->label, m->line, m->name, n,
                        n == 1 ? "" : "s", count < n ? "fewer" : "more");
    const int wrong = myr_mirror_wrong(to, n);
    if (wrong >= 0)
        return myr_fail(MYR_E_FORMAT, "%s:%d: number %d of `%s` is not as it was in a mirror twice", t->label, m->line, wrong + 1, m->name);
    for (int k = 0; k < n; k++) to[k] += to[k] < 0 ? -first : first;
    return MYR_OK;
}

static myr_status all_known(const myr_task_instance *to) {
    const myr_task_table *t = to->table;
    for (int k = 0; k < t->n_mirrors; k++) {
        const char *name = t->mirrors[k].name;
        int known = !strcmp(name, "action");
        for (int i = 0; i < t->n_observed && !known; i++)
            known = mirror_by(t, t->observed[i].name, t->observed[i].critic) == &t->mirrors[k];
        if (!known)
            return myr_fail(MYR_E_FORMAT, "%s:%d: the mirror image is of `%s`, which is neither observed nor `action`", t->label,
                            t->mirrors[k].line, name);
    }
    return MYR_OK;
}

myr_status myr_table_set_mirror(myr_task_instance *to) {
    const myr_task_table *t = to->table;
    if (!t->n_mirrors) return MYR_OK;
    const int seen = to->shape.observations + to->shape.critics;
    to->mirror = myr_allocate_array((size_t)(seen + to->shape.actions) + 1, sizeof *to->mirror);
    if (!to->mirror) return myr_fail(MYR_E_MEMORY, "out of memory for a task");
    for (int k = 0; k < seen; k++) to->mirror[k] = k < to->shape.observations ? k + 1 : k - to->shape.observations + 1;
    myr_status status = all_known(to);
    for (int k = 0; k < to->n_parts && !status; k++) {
        const myr_observed_part *is = &to->parts[k];
        const myr_table_mirror *m = mirror_by(t, is->name, is->critic);
        if (m)
            for (int f = 0, n = myr_present_rows(is); f < is->frames && !status; f++)
                status = read_image(t, m, is->first + f * n, n, to->mirror + myr_seen_at(to, is) + f * n);
        else if (!is->critic)
            status = myr_fail(MYR_E_FORMAT, "%s: the task has a mirror, but no line `mirror %s ..`", t->label, is->name);
    }
    const myr_table_mirror *acts = mirror_by(t, "action", 0);
    if (!status && !acts) status = myr_fail(MYR_E_FORMAT, "%s: the task has a mirror, but no line `mirror action ..`", t->label);
    return status ? status : read_image(t, acts, 0, to->shape.actions, to->mirror + seen);
}
