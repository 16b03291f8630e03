#include "name_list.h"

#include <stdio.h>
#include <string.h>

void myr_name_list_add(myr_name_list *list, const char *name) {
    const size_t used = strlen(list->text), room = sizeof list->text - used;
    list->count++;
    if (list->left_out || strlen(name) + 3 > room)
        list->left_out++;
    else
        snprintf(list->text + used, room, "%s%s", used ? ", " : "", name);
}

void myr_name_list_add_length(myr_name_list *list, const char *name, double length) {
    char text[160];
    snprintf(text, sizeof text, "%.120s %.2g mm", name, 1e3 * length);
    myr_name_list_add(list, text);
}

myr_status myr_name_list_warn(const myr_name_list *list, myr_texts *warnings, const char *where, const char *what) {
    char more[32] = "";
    if (!list->count) return MYR_OK;
    if (list->left_out) snprintf(more, sizeof more, " and %d more", list->left_out);
    return myr_texts_add(warnings, "%.330s: %s %s%s", where, what, list->text, more);
}

const char *myr_next_name(const char *list, char name[MYR_NAME_BYTES]) {
    const char *end = strchr(list, ',');
    size_t length = end ? (size_t)(end - list) : strlen(list);
    if (length >= MYR_NAME_BYTES) length = MYR_NAME_BYTES - 1;
    memcpy(name, list, length);
    name[length] = 0;
    return end ? end + 1 : NULL;
}
