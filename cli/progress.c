/* Stepping in pieces: a progress bar on a terminal, and Ctrl-C that ends the run with the figures so far. */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A piece long enough that starting the threads costs nothing, short enough for the eye and for Ctrl-C. */
static const double piece_s = 0.2;

static volatile sig_atomic_t interrupted;
static struct sigaction before_interrupt, before_terminate;

static void on_signal(int number) {
    interrupted = 1;
    sigaction(number, number == SIGINT ? &before_interrupt : &before_terminate, NULL); /* the second one is in earnest */
}

void progress_begin(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    interrupted = 0;
    sigaction(SIGINT, &action, &before_interrupt);
    sigaction(SIGTERM, &action, &before_terminate);
    if (before_interrupt.sa_handler == SIG_IGN) sigaction(SIGINT, &before_interrupt, NULL); /* nohup and background jobs mean it */
    if (before_terminate.sa_handler == SIG_IGN) sigaction(SIGTERM, &before_terminate, NULL);
}

void progress_end(void) {
    sigaction(SIGINT, &before_interrupt, NULL);
    sigaction(SIGTERM, &before_terminate, NULL);
}

int progress_interrupted(void) { return interrupted; }

double progress_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int is_terminal(void) {
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

static void duration(double s, char text[16]) {
    if (s < 99.5) {
        snprintf(text, 16, "%.0f s", s);
    } else if (s < 3600.0) {
        snprintf(text, 16, "%d:%02d min", (int)(s / 60), (int)s % 60);
    } else {
        snprintf(text, 16, "%.1f h", s < 1e9 ? s / 3600 : 1e9 / 3600);
    }
}

/* robots: 0 where nothing is stepped. */
static void draw(const char *label, int64_t done, int64_t steps, double elapsed_s, double robots) {
    struct winsize window;
    const int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    const double part = (double)done / (double)steps;
    char left[16], line[160], rate[64] = "";
    duration(done ? elapsed_s / part * (1 - part) : 0.0, left);
    if (robots > 0) snprintf(rate, sizeof rate, "%.3g M robot-steps/s  ", done ? 1e-6 * robots * (double)done / elapsed_s : 0.0);
    snprintf(line, sizeof line, " %3d %%  %s%s left", (int)(100 * part), rate, left);
    int width = columns - (int)strlen(label) - (int)strlen(line) - 4;
    if (width > 40) width = 40;
    fprintf(stderr, "\r%s ", label);
    if (width > 4) {
        const int full = (int)(part * width);
        fputc('[', stderr);
        for (int i = 0; i < width; i++) fputc(i < full ? '#' : '.', stderr);
        fputc(']', stderr);
    }
    fprintf(stderr, "%s\033[K", line);
    fflush(stderr);
}

/* Steps of the next piece, at most eight times the last one: that may have been fast by chance. */
static int64_t next_piece(double step_s, int64_t last) {
    const double wanted = piece_s / (step_s + 1e-12);
    if (wanted >= 8.0 * (double)last) return 8 * last;
    return wanted < 1 ? 1 : (int64_t)wanted;
}

myr_status progress_step(myr_batch *batch, const char *label, int64_t steps, double *step_s, int64_t *done, const progress_pause *pause) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    const int bar = is_terminal() && steps > 0;
    const double start_s = progress_now();
    int64_t piece = *step_s > 0 ? next_piece(*step_s, INT64_MAX / 8) : 1;
    myr_status status = MYR_OK;
    *done = 0;
    while (*done < steps && !interrupted) {
        while (pause && pause->next(pause->context) <= *done)
            if (pause->look(pause->context, batch, *done)) goto end;
        const int64_t stop = pause ? pause->next(pause->context) : INT64_MAX;
        if (bar) draw(label, *done, steps, progress_now() - start_s, (double)info.envs);
        if (piece > steps - *done) piece = steps - *done;
        if (piece > stop - *done) piece = stop - *done;
        const double piece_start_s = progress_now();
        status = myr_batch_step(batch, piece);
        if (status != MYR_OK) break;
        *done += piece;
        *step_s = (progress_now() - piece_start_s) / (double)piece;
        piece = next_piece(*step_s, piece);
    }
end:
    if (bar) fputs("\r\033[K", stderr);
    return status;
}

void progress_show(const char *label, int64_t done, int64_t total, double start_s) {
    static double last_s;
    const double now = progress_now();
    if (!is_terminal() || total <= 0 || (done < total && now - last_s < piece_s)) return;
    last_s = now;
    if (done < total)
        draw(label, done, total, now - start_s, 0);
    else
        fputs("\r\033[K", stderr);
}
