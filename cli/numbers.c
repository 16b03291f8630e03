/* Numbers: of flags, and in order. */
#include "numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "cli.h"

int64_t cli_whole(const char *flag, const char *word, int64_t most) {
    char *end;
    errno = 0;
    const long long n = strtoll(word, &end, 10);
    if (end == word || *end || errno || n < 1 || n > most)
        exit(cli_usage("--%s is \"%s\"; it may be 1 to %lld", flag, word, (long long)most));
    return n;
}
