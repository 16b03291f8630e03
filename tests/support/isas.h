/* The instruction sets that a test walks over: those of the library's list that it holds and that run here. */
#ifndef MYR_TESTS_SUPPORT_ISAS_H
#define MYR_TESTS_SUPPORT_ISAS_H

/* Number i of them, the widest first; NULL past the last. There is one at least. */
const char *isa_at(int i);
int isa_count(void);
/* The same behind `auto`, which is number 0. */
const char *isa_or_auto_at(int i);

#endif
