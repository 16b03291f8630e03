/* Contact problems from paths: which kind of file, which files of a folder. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "problems.h"

/* HDF5 begins with this at 0, 512, 1024, 2048, ... */
static int is_hdf5(const char *bytes, size_t length) {
    static const char signature[] = "\211HDF\r\n\032\n";
    for (size_t at = 0; at + 8 <= length; at = at ? 2 * at : 512)
        if (memcmp(bytes + at, signature, 8) == 0) return 1;
    return 0;
}

static int read_bytes(const char *bytes, size_t length, const char *file, problem_set *set, cli_text *message) {
    if (is_hdf5(bytes, length)) return problems_fclib_apart(bytes, length, file, set, message);
    size_t first = 0;
    while (first < length && isspace((unsigned char)bytes[first])) first++;
    if (first < length && (isdigit((unsigned char)bytes[first]) || strchr("+-.", bytes[first])) && bytes[first])
        return problems_siconos(bytes, length, file, set, message);
    if (first < length && (bytes[first] == '{' || bytes[first] == '[')) return problems_json(bytes, length, file, set, message);
    return cli_say(message, "\"%s\" is %s: neither JSON with \"problems\" nor Siconos' text nor FCLib's HDF5", file,
                   first < length ? "of no kind that is read" : "empty");
}

static int read_file(const char *path, problem_set *set, cli_text *message) {
    size_t length = 0;
    char *bytes = cli_read_file(path, &length, message);
    if (!bytes) return -1;
    char **files = cli_allocate(set->n_files + 1, sizeof *files);
    if (set->n_files) memcpy(files, set->file, set->n_files * sizeof *files);
    free(set->file);
    set->file = files;
    char *name = set->file[set->n_files++] = cli_allocate(strlen(path) + 1, 1);
    memcpy(name, path, strlen(path));
    const int status = read_bytes(bytes, length, name, set, message);
    free(bytes);
    return status;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int read_folder(const char *folder, problem_set *set) {
    struct dirent **names = NULL;
    const int n = scandir(folder, &names, not_hidden, by_name);
    const size_t before = set->n;
    if (n < 0) return cli_error("cannot read the folder \"%s\": %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        const size_t room = strlen(folder) + strlen(names[i]->d_name) + 2;
        char *path = cli_allocate(room, 1);
        struct stat what;
        cli_text message;
        snprintf(path, room, "%s/%s", folder, names[i]->d_name);
        if (stat(path, &what) == 0 && S_ISREG(what.st_mode) && read_file(path, set, &message)) cli_warning("left aside: %s", message.text);
        free(path);
        free(names[i]);
    }
    free(names);
    if (set->n == before) return cli_error("the folder \"%s\" has no problem that can be read", folder);
    return CLI_OK;
}

int problems_load(const char *const *paths, size_t n, problem_set *set) {
    for (size_t i = 0; i < n; i++) {
        struct stat what;
        cli_text message;
        if (stat(paths[i], &what) == 0 && S_ISDIR(what.st_mode)) {
            if (read_folder(paths[i], set)) return CLI_BAD_INPUT;
        } else if (read_file(paths[i], set, &message)) {
            return cli_error("%s", message.text);
        }
    }
    return CLI_OK;
}
