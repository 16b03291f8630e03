/* Names for one summarizing warning; what does not fit is counted. */
#ifndef MYR_MODEL_NAME_LIST_H
#define MYR_MODEL_NAME_LIST_H

#include "description.h"

typedef struct myr_name_list {
    int count, left_out;
    char text[320];
} myr_name_list;

void myr_name_list_add(myr_name_list *list, const char *name);
/* "NAME LENGTH mm" */
void myr_name_list_add_length(myr_name_list *list, const char *name, double length);
/* "WHERE: WHAT a, b, c and 7 more"; nothing of an empty list. */
myr_status myr_name_list_warn(const myr_name_list *list, myr_texts *warnings, const char *where, const char *what);

#endif
