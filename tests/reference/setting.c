#include "setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double reference_setting(const myr_settings *settings, const char *key) {
    const char *name;
    char text[MYR_NAME_LENGTH], *end;
    for (int i = 0; myr_settings_key(settings, i, &name, NULL, NULL); i++) {
        if (strcmp(name, key) != 0) continue;
        myr_settings_key(settings, i, NULL, text, NULL);
        const double value = strtod(text, &end);
        return *end ? NAN : value;
    }
    return NAN;
}
