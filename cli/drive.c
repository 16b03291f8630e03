/* What drives the robots of a run beside the task: gains from a file, and controls, a sine or a file of them. */
#include "drive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"

static const double two_pi = 6.283185307179586;

/* ---- gains ---------------------------------------------------------------------------------------- */

static int bad_gain(double value) { return !(value >= 0) || isinf(value); }

static int read_all(const json_t *value, const char *key, double *out, int nu, cli_text *message) {
    const int many = json_is_array(value);
    if (many && json_array_size(value) != (size_t)nu)
        return cli_say(message, "\"%s\" has %zu numbers, but the model has %d actuators", key, json_array_size(value), nu);
    for (int u = 0; u < nu; u++) {
        const json_t *one = many ? json_array_get(value, (size_t)u) : value;
        if (cli_json_number(one, &out[u]) != 0 || bad_gain(out[u]))
            return cli_say(message, "\"%s\" is %s, but a gain is a number that is not negative", key, cli_json_quote(one).text);
    }
    return 0;
}

static int read_one(const myr_model *model, const char *name, const json_t *gains, double *both[2], cli_text *message) {
    int found;
    if (myr_model_find_actuator(model, name, &found) != MYR_OK) return cli_say(message, "%s", myr_message());
    if (!json_is_object(gains))
        return cli_say(message, "\"%.100s\" is %s, but must be {\"kp\": .., \"kd\": ..}", name, cli_json_quote(gains).text);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)gains, key, value) {
        const int k = strcmp(key, "kp") == 0 ? 0 : strcmp(key, "kd") == 0 ? 1 : -1;
        if (k < 0) return cli_say(message, "\"%.100s\" has \"%.100s\"; there are kp and kd", name, key);
        if (cli_json_number(value, &both[k][found]) != 0 || bad_gain(both[k][found]))
            return cli_say(message, "\"%.100s\": \"%s\" is %s, but a gain is a number that is not negative", name, key,
                           cli_json_quote(value).text);
    }
    return 0;
}

static int read_gains(const json_t *root, const myr_model *model, double *both[2], int nu, cli_text *message) {
    const char *key;
    json_t *value;
    if (!json_is_object(root))
        return cli_say(message, "gains are {\"kp\": .., \"kd\": ..} or {\"actuators\": {NAME: {\"kp\": .., \"kd\": ..}}}");
    json_object_foreach((json_t *)(uintptr_t)root, key, value) {
        const int k = strcmp(key, "kp") == 0 ? 0 : strcmp(key, "kd") == 0 ? 1 : -1;
        if (k >= 0 && read_all(value, key, both[k], nu, message) != 0) return -1;
        if (k < 0 && strcmp(key, "actuators") != 0) return cli_say(message, "there is no \"%.100s\": gains have kp, kd and actuators", key);
    }
    if (!json_object_size(root)) return cli_say(message, "there are no gains in it");
    const json_t *named = json_object_get(root, "actuators");
    if (named && !json_is_object(named)) return cli_say(message, "\"actuators\" is %s", cli_json_quote(named).text);
    json_object_foreach((json_t *)(uintptr_t)named, key, value) if (read_one(model, key, value, both, message) != 0) return -1;
    return 0;
}

/* One row for every environment. */
static myr_status set_everywhere(drive *d, myr_field field, const double *row) {
    for (int64_t env = 0; env < d->envs; env++) memcpy(d->all + env * d->nu, row, (size_t)d->nu * sizeof *row);
    return myr_batch_set(d->batch, field, NULL, d->envs, MYR_F64, d->all);
}

static int set_gains(drive *d, const myr_model *model) {
    cli_text message = {""};
    size_t length = 0;
    const size_t numbers = (size_t)d->envs * (size_t)d->nu;
    double *both[2] = {cli_allocate((size_t)d->nu, sizeof **both), cli_allocate((size_t)d->nu, sizeof **both)};
    char *text = cli_read_file(d->gains, &length, &message);
    json_t *root = text ? cli_json_parse(text, length, d->gains, &message) : NULL;
    int status = root ? CLI_OK : cli_error("--gains: %s", message.text);
    free(text);
    for (int k = 0; k < 2 && numbers && status == CLI_OK; k++) { /* what the file leaves out stays: it is the same everywhere */
        if (myr_batch_get(d->batch, k ? MYR_KD : MYR_KP, NULL, d->envs, MYR_F64, d->all) != MYR_OK)
            status = cli_error("%s", myr_message());
        else
            memcpy(both[k], d->all, (size_t)d->nu * sizeof **both);
    }
    if (status == CLI_OK && read_gains(root, model, both, d->nu, &message) != 0)
        status = cli_error("--gains: %s: %s", d->gains, message.text);
    for (int k = 0; k < 2 && numbers && status == CLI_OK; k++)
        if (set_everywhere(d, k ? MYR_KD : MYR_KP, both[k]) != MYR_OK) status = cli_error("--gains: %s: %s", d->gains, myr_message());
    json_decref(root);
    for (int k = 0; k < 2; k++) free(both[k]);
    return status;
}

/* ---- controls ------------------------------------------------------------------------------------- */

static int read_sine(drive *d) {
    char *end;
    const char *word = d->target + strlen("sine:");
    d->amplitude = strtod(word, &end);
    d->hz = 1;
    int good = end != word && isfinite(d->amplitude);
    if (good && *end == ',') {
        word = end + 1;
        d->hz = strtod(word, &end);
        good = end != word && d->hz >= 0 && isfinite(d->hz);
    }
    return good && !*end ? CLI_OK : cli_usage("--target is \"%s\"; a sine is sine:AMPLITUDE or sine:AMPLITUDE,HZ", d->target);
}

/* Lines of nu numbers, between them commas or blanks; what follows a # is for people. */
static int read_rows(drive *d) {
    cli_text message = {""};
    size_t length = 0, room = 0;
    char *text = cli_read_file(d->target, &length, &message);
    int status = text ? CLI_OK : cli_error("--target: %s", message.text), line = 0;
    if (text && strlen(text) != length) status = cli_error("--target: %s: byte %zu is 0: this is not a text file", d->target, strlen(text));
    for (char *at = text, *next; status == CLI_OK && at && *at; at = next) {
        char *stop = strchr(at, '\n');
        next = stop ? stop + 1 : at + strlen(at);
        if (stop) *stop = '\0';
        line++;
        if ((stop = strchr(at, '#'))) *stop = '\0';
        int n = 0;
        for (at += strspn(at, ", \t\r"); *at && status == CLI_OK; at += strspn(at, ", \t\r")) {
            char *end;
            const double value = strtod(at, &end);
            if (end == at || !isfinite(value) || n == d->nu) {
                status = n == d->nu ? cli_error("--target: %s:%d: more than %d numbers, one for each actuator", d->target, line, d->nu)
                                    : cli_error("--target: %s:%d: \"%.20s\" is not a finite number", d->target, line, at);
                break;
            }
            if ((size_t)(d->n_rows + 1) * (size_t)d->nu > room) {
                double *more = cli_allocate(room = 2 * room + 64 * (size_t)d->nu, sizeof *more);
                if (d->n_rows) memcpy(more, d->rows, (size_t)d->n_rows * (size_t)d->nu * sizeof *more);
                free(d->rows);
                d->rows = more;
            }
            d->rows[d->n_rows * d->nu + n++] = value;
            at = end;
        }
        if (status == CLI_OK && n && n < d->nu)
            status = cli_error("--target: %s:%d: %d number%s, but there are %d actuators", d->target, line, n, n == 1 ? "" : "s", d->nu);
        d->n_rows += n == d->nu && n > 0;
    }
    free(text);
    if (status == CLI_OK && !d->n_rows) status = cli_error("--target: %s: there are no numbers in it", d->target);
    return status;
}

int drive_acts(const drive *d) { return d->batch && (d->n_rows || d->amplitude != 0); }

int drive_open(drive *d, const myr_model *model, myr_batch *batch, const myr_settings *settings) {
    myr_batch_info info;
    myr_model_info size;
    myr_batch_get_info(batch, &info);
    myr_model_get_info(model, &size);
    d->batch = batch, d->envs = info.envs, d->nu = size.nu;
    d->step_s = info.dt_s * (double)settings->decimation;
    const int still = !d->target || strcmp(d->target, "home") == 0;
    if (!d->gains && still) return CLI_OK;
    if (!d->nu) return cli_error("%s: the model \"%s\" has no actuators", d->gains ? "--gains" : "--target", size.name);
    myr_task_info task;
    if (!still && myr_task_get(info.task, &task) == MYR_OK && task.sets_targets)
        return cli_usage("--target: the task %s sets the targets itself; use --task none or hold", task.name);
    d->all = cli_allocate((size_t)d->envs * (size_t)d->nu, sizeof *d->all);
    d->middle = cli_allocate((size_t)d->nu, sizeof *d->middle);
    if (myr_batch_get(batch, MYR_CONTROL, NULL, d->envs, MYR_F64, d->all) != MYR_OK) return cli_error("%s", myr_message());
    memcpy(d->middle, d->all, (size_t)d->nu * sizeof *d->middle); /* at home they are the same everywhere */
    int status = d->gains ? set_gains(d, model) : CLI_OK;
    if (status == CLI_OK && !still) status = strncmp(d->target, "sine:", 5) == 0 ? read_sine(d) : read_rows(d);
    return status;
}

/* A sine goes round once over the environments, so that no two of them do the same. */
static void sines(drive *d, double t) {
    for (int64_t env = 0; env < d->envs; env++) {
        const double s = d->amplitude * sin(two_pi * (d->hz * t + (double)env / (double)d->envs));
        for (int u = 0; u < d->nu; u++) d->all[env * d->nu + u] = d->middle[u] + s;
    }
}

int drive_take(drive *d, int64_t step) {
    const int64_t now = d->done + step;
    myr_status status;
    if (d->n_rows) {
        if (now >= d->n_rows) return CLI_OK; /* the last one stays */
        status = set_everywhere(d, MYR_CONTROL, d->rows + now * d->nu);
    } else {
        sines(d, (double)now * d->step_s);
        status = myr_batch_set(d->batch, MYR_CONTROL, NULL, d->envs, MYR_F64, d->all);
    }
    return status == MYR_OK ? CLI_OK : cli_error("--target: %s", myr_message());
}

void drive_next_phase(drive *d, int64_t steps) { d->done += steps; }

void drive_close(drive *d) {
    free(d->rows), free(d->middle), free(d->all);
    d->rows = d->middle = d->all = NULL;
}
