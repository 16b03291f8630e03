/* The word that was meant, and the words that there are: what a message about an unknown name adds. */
#ifndef MYR_BASE_NEAREST_H
#define MYR_BASE_NEAREST_H

#include <stddef.h>

enum { MYR_WORD_BYTES = 64, MYR_MOST_WORDS = 192 };

/* Words that do not fit are left out: this is for messages. */
typedef struct myr_words {
    int n;
    char word[MYR_MOST_WORDS][MYR_WORD_BYTES];
} myr_words;

void myr_words_add(myr_words *words, const char *word);
/* All of "a|b|c". */
void myr_words_add_choices(myr_words *words, const char *choices);
/* Is the word one of "a|b|c"? */
int myr_words_among(const char *choices, const char *word);
/* In the order of letters, each once: for names that come from directories. */
void myr_words_insert(myr_words *words, const char *word, size_t length);

/* The word that `wrong` is nearest to, of n words (NULL: none) that stay the caller's; NULL where none is near: a third of the letters may
 * be wrong, and one always; or a name that has all pieces of the other, as unitree_go2 has go2, before a slip of more than one letter.
 * Capitals are as small letters, and '_' and ' ' as '-'. */
const char *myr_nearest(const char *wrong, const char *const *words, size_t n);
const char *myr_words_nearest(const myr_words *words, const char *wrong);

/* "; did you mean 'NEAREST'?" or "": room for MYR_WORD_BYTES + 24 is enough. */
void myr_words_hint(const myr_words *words, const char *wrong, char *text, size_t room);
/* "a, b, c". */
void myr_words_list(const myr_words *words, char *text, size_t room);

#endif
