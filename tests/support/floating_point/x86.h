/* Strange floating-point environments of x86-64: MXCSR of the lanes, and the x87 unit, which the C library's conversions read. */
#include <stdio.h>
#include <xmmintrin.h>

typedef struct environment {
    const char *name;
    unsigned mxcsr;
    unsigned short x87;
} environment;

enum { FLUSH = 0x8040, ROUND_DOWN = 0x2000, ROUND_UP = 0x4000, MASKED = 0x1f80 };
static const environment environments[] = {
    {"the default", MASKED, 0x037f},
    {"all exceptions trapped", 0, 0x0340},
    {"all exceptions trapped, rounding up, subnormals flushed, x87 in single precision", FLUSH | ROUND_UP, 0x0840},
    {"rounding down, an old overflow", MASKED | FLUSH | ROUND_DOWN | 0x08, 0x077f},
};

static void put_environment(const environment *e) {
    __asm__ volatile("fldcw %0" ::"m"(e->x87) : "memory");
    _mm_setcsr(e->mxcsr);
}

/* Where a trap was taken: no more of them. */
static void end_traps(void) { _mm_setcsr(MASKED); }

/* Is it what `e` was? The default is in force when it returns; text: what differs. */
static int environment_is(const environment *e, char *text, size_t room) {
    const unsigned mxcsr = _mm_getcsr();
    unsigned short control, flags;
    __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(control), "=m"(flags)::"memory");
    put_environment(&environments[0]);
    snprintf(text, room, "MXCSR 0x%04x, was 0x%04x; x87 control 0x%04x, was 0x%04x; x87 flags 0x%02x", mxcsr, e->mxcsr, control, e->x87,
             flags & 0x3fu);
    return mxcsr == e->mxcsr && control == e->x87 && !(flags & 0x3f);
}
