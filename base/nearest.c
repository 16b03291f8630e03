#include "nearest.h"

#include <stdio.h>
#include <string.h>

enum { FAR = 1 << 20 };

static void put(myr_words *words, int at, const char *word, size_t length) {
    if (words->n >= MYR_MOST_WORDS || length >= MYR_WORD_BYTES || length == 0) return;
    memmove(words->word[at + 1], words->word[at], (size_t)(words->n - at) * sizeof words->word[0]);
    memcpy(words->word[at], word, length);
    words->word[at][length] = '\0';
    words->n++;
}

void myr_words_add(myr_words *words, const char *word) { put(words, words->n, word, strlen(word)); }

void myr_words_add_choices(myr_words *words, const char *choices) {
    while (*choices) {
        const size_t length = strcspn(choices, "|");
        put(words, words->n, choices, length);
        choices += length + (choices[length] == '|');
    }
}

int myr_words_among(const char *choices, const char *word) {
    const size_t length = strlen(word);
    while (*choices) {
        const size_t n = strcspn(choices, "|");
        if (n == length && !strncmp(choices, word, n)) return 1;
        choices += n + (choices[n] == '|');
    }
    return 0;
}

void myr_words_insert(myr_words *words, const char *word, size_t length) {
    char text[MYR_WORD_BYTES];
    if (length >= sizeof text) return;
    memcpy(text, word, length);
    text[length] = '\0';
    int at = 0;
    while (at < words->n && strcmp(words->word[at], text) < 0) at++;
    if (at == words->n || strcmp(words->word[at], text) != 0) put(words, at, text, length);
}

/* Letters as names have them: no capitals, and dashes. */
static char plain(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == '_' || c == ' ' ? '-' : c; }

static int smaller(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment: letters changed, missing, too many, or two that changed places. Words too long are never near. */
static int distance(const char *a, const char *b) {
    int cost[MYR_WORD_BYTES][MYR_WORD_BYTES];
    const size_t na = strlen(a), nb = strlen(b);
    if (na >= MYR_WORD_BYTES || nb >= MYR_WORD_BYTES) return FAR;
    for (size_t i = 0; i <= na; i++)
        for (size_t j = 0; j <= nb; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = (int)(i + j);
                continue;
            }
            int best = smaller(cost[i - 1][j], cost[i][j - 1]) + 1;
            best = smaller(best, cost[i - 1][j - 1] + (plain(a[i - 1]) != plain(b[j - 1])));
            if (i > 1 && j > 1 && plain(a[i - 1]) == plain(b[j - 2]) && plain(a[i - 2]) == plain(b[j - 1]))
                best = smaller(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    return cost[na][nb];
}

enum { MOST_PIECES = 12, SHORTEST = 2, SHORTEST_INSIDE = 3 };

/* The pieces of a name between its dashes, dots and other marks, without what counts versions, as v5 does. */
typedef struct pieces {
    int n;
    size_t letters;                                                 /* of all of them */
    char piece[MOST_PIECES][MYR_WORD_BYTES], whole[MYR_WORD_BYTES]; /* whole: one behind the other */
} pieces;

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80; }

static int counts_versions(const char *piece) {
    return piece[0] == 'v' && piece[1] && strspn(piece + 1, "0123456789") == strlen(piece + 1);
}

static void take_apart(const char *name, pieces *p) {
    char now[MYR_WORD_BYTES];
    memset(p, 0, sizeof *p);
    if (strlen(name) >= MYR_WORD_BYTES) return;
    for (size_t at = 0, length = 0;; at++) {
        const char c = plain(name[at]);
        if (is_letter(c)) {
            now[length++] = c;
            continue;
        }
        now[length] = '\0';
        if (length && p->n < MOST_PIECES && !counts_versions(now)) {
            memcpy(p->piece[p->n++], now, length + 1);
            memcpy(p->whole + p->letters, now, length + 1);
            p->letters += length;
        }
        length = 0;
        if (!name[at]) return;
    }
}

static int has_all(const pieces *of, const pieces *in) {
    for (int i = 0; i < of->n; i++) {
        int k = 0;
        while (k < in->n && strcmp(of->piece[i], in->piece[k]) != 0) k++;
        if (k == in->n) return 0;
    }
    return 1;
}

/* Letters that the longer of two names has more, where all of one is in the other: go2 in unitree_go2, hopper in gym-hopper; else FAR. */
static int surplus(const pieces *a, const pieces *b) {
    const pieces *small = a->letters < b->letters ? a : b, *large = small == a ? b : a;
    const int more = (int)(large->letters - small->letters);
    if (small->letters >= SHORTEST && has_all(small, large)) return more;
    return small->letters >= SHORTEST_INSIDE && 2 * small->letters >= large->letters && strstr(large->whole, small->whole) ? more : FAR;
}

const char *myr_nearest(const char *wrong, const char *const *words, size_t n) {
    const int third = (int)(strlen(wrong) / 3);
    int best = (third > 1 ? third : 1) + 1, least = FAR;
    const char *nearest = NULL, *inside = NULL;
    pieces asked, there;
    take_apart(wrong, &asked);
    for (size_t i = 0; i < n; i++) {
        if (!words[i]) continue;
        const int d = distance(wrong, words[i]);
        if (d < best) best = d, nearest = words[i];
        take_apart(words[i], &there);
        const int more = surplus(&asked, &there);
        if (more < least) least = more, inside = words[i];
    }
    return nearest && (best <= 1 || !inside) ? nearest : inside;
}

const char *myr_words_nearest(const myr_words *words, const char *wrong) {
    const char *word[MYR_MOST_WORDS];
    for (int i = 0; i < words->n; i++) word[i] = words->word[i];
    return myr_nearest(wrong, word, (size_t)words->n);
}

void myr_words_hint(const myr_words *words, const char *wrong, char *text, size_t room) {
    const char *nearest = myr_words_nearest(words, wrong);
    text[0] = '\0';
    if (nearest) snprintf(text, room, "; did you mean '%s'?", nearest);
}

void myr_words_list(const myr_words *words, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < words->n && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", words->word[i]);
}
