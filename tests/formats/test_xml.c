/* XML below URDF: what is well-formed and what is not, encodings, limits, and what a hostile file may cost. */
#include "support/model_scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BASE LINK("base")

/* ---- texts of a given length, which may hold NULs and need not end with one ------------------------ */

static myr_status load(const char *text, size_t length, myr_model **model) {
    char *exact = malloc(length ? length : 1); /* so that the address sanitizer sees a step beyond the end */
    memcpy(exact, text, length);
    const myr_status status = myr_model_load_text(exact, length, "robot.urdf", MYR_ROOT_AUTO, model);
    free(exact);
    return status;
}

static void loads_as(const char *text, size_t length, const char *name) {
    myr_model *m = NULL;
    if (load(text, length, &m)) fail_msg("%s", myr_message());
    assert_string_equal(m->name, name);
    assert_int_equal(m->n_bodies, 1);
    myr_model_free(m);
}

static size_t to_utf16(const char *ascii, int is_big, int has_mark, char *out) {
    char *at = out;
    if (has_mark) *at++ = is_big ? '\xfe' : '\xff', *at++ = is_big ? '\xff' : '\xfe';
    for (; *ascii; ascii++) *at++ = is_big ? '\0' : *ascii, *at++ = is_big ? *ascii : '\0';
    return (size_t)(at - out);
}

/* ---- what is refused -------------------------------------------------------------------------------- */

static void markup_is_refused_by_place_and_reason(void **state) {
    (void)state;
    const struct {
        const char *text;
        int line;
        const char *words[4];
    } cases[] = {
        {"", 1, {"not well-formed", "no element"}},
        {" \n\n ", 3, {"not well-formed", "no element"}},
        {"<robot>\n<link name='a'>\n", 3, {"ends too early", "inside <link> of line 2"}},
        {"<robot>\n<link\nname='a'", 2, {"unclosed token", "`<link`", "inside <robot> of line 1"}},
        {"<robot>\n<!-- ", 2, {"unclosed token", "`<!-- `"}},
        {"<robot>\n<![CDATA[ x", 2, {"unclosed CDATA"}},
        {"<robot>\n<link name='a'>\n</robot>", 3, {":3:3: ", "mismatched tag", "`robot>`", "inside <link> of line 2"}},
        {"<robot>\n<link a='1' b='2' a='3'/></robot>", 2, {":2:19: ", "duplicate attribute", "`a='3'/>"}},
        {"<robot>\n<link name=a/></robot>", 2, {"invalid token", "`a/>"}},
        {"<robot>\n<link name='<'/></robot>", 2, {"invalid token", "`<'/>"}},
        {"<robot>\n<link name='a & b'/></robot>", 2, {"invalid token", "` b'/>"}},
        {"<robot>\n<link name='&lt;&amp;&#65;&other;'/></robot>", 2, {"undefined entity", "`&other;"}},
        {"<robot>\n&other;</robot>", 2, {"undefined entity", "`&other;"}},
        {"<robot>\n<link name='&#0;'/></robot>", 2, {"invalid character", "`&#0;"}},
        {"<robot>\n<!-- -- --></robot>", 2, {"invalid token"}},
        {"<robot>\n\x01</robot>", 2, {"invalid token", "byte 0x01"}},
        {"<robot/>\n<robot/>", 2, {"junk after", "`<robot/>`"}},
        {"<robot/>\ntext", 2, {"junk after", "`text`"}},
        {"<robot/>\n<!DOCTYPE robot>", 2, {"junk after"}},
        {"text<robot/>", 1, {"not well-formed"}},
        {"</robot>", 1, {"not well-formed"}},
        {"<?xml version='1.0' standalone='maybe'?><robot/>", 1, {"XML declaration"}},
        {"<u:robot xmlns:u='x'/>", 1, {"<u:robot>", "starts with <robot>"}},
        {"<robot xmlns:xacro='x'>\n<xacro:macro name='a'/></robot>", 2, {"<xacro:macro>", "xacro FILE.xacro"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        scene_refuse(cases[i].text, MYR_ROOT_AUTO, MYR_E_FORMAT, cases[i].line,
                     (const char *const[]){cases[i].words[0], cases[i].words[1], cases[i].words[2], cases[i].words[3], NULL});
}

static void a_text_may_end_anywhere(void **state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>\n<!-- \xc3\xa9 -->\n<robot name='&lt;\xc3\xa9'>" BASE
                               "<![CDATA[<]]><?pi?></robot>";
    for (size_t length = 0; length + 1 < sizeof text; length++) {
        myr_model *m = (myr_model *)&m;
        assert_int_equal(load(text, length, &m), MYR_E_FORMAT);
        assert_null(m);
        if (!strstr(myr_message(), "robot.urdf:") || !strstr(myr_message(), "not well-formed XML: "))
            fail_msg("%zu bytes: %s", length, myr_message());
    }
    loads_as(text, sizeof text - 1, "<\xc3\xa9");
}

/* ---- document types ----------------------------------------------------------------------------------- */

static size_t taken;

static void *count_bytes(size_t bytes, size_t alignment, void *user) {
    (void)user;
    taken += bytes;
    return aligned_alloc(alignment, bytes);
}

static void release(void *memory, void *user) {
    (void)user;
    free(memory);
}

/* Ten levels of ten are 10^10 characters; a thousand attributes of one level would be enough, too. */
static void a_bomb_of_entities_costs_nothing(void **state) {
    (void)state;
    char text[4096], *at = text;
    at += sprintf(at, "<?xml version='1.0'?>\n<!DOCTYPE robot [<!ENTITY e0 'aaaaaaaaaa'>\n");
    for (int i = 1; i <= 10; i++) {
        at += sprintf(at, "<!ENTITY e%d '", i);
        for (int k = 0; k < 10; k++) at += sprintf(at, "&e%d;", i - 1);
        at += sprintf(at, "'>\n");
    }
    sprintf(at, "]>\n<robot name='&e10;'>&e10;" BASE "</robot>");
    const myr_allocator counting = {count_bytes, release, NULL};
    taken = 0;
    myr_set_allocator(&counting);
    myr_model *m = (myr_model *)&m;
    const myr_status status = load(text, strlen(text), &m);
    myr_set_allocator(NULL);
    assert_int_equal(status, MYR_E_FORMAT);
    assert_null(m);
    assert_non_null(strstr(myr_message(), "robot.urdf:2: <!DOCTYPE>"));
    assert_in_range(taken, 1000, 1000000); /* the hook sees the parser's memory, and it is little */
}

/* A pipe loses what is read from it. */
static void nothing_beside_the_text_is_read(void **state) {
    (void)state;
    static const char secret[] = "<!ENTITY here 'secret'>" BASE;
    char directory[] = "/tmp/myriapod-xml-XXXXXX", pipe[64], text[600], left[sizeof secret];
    assert_non_null(mkdtemp(directory));
    snprintf(pipe, sizeof pipe, "%s/pipe", directory);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const int descriptor = open(pipe, O_RDWR | O_NONBLOCK);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, secret, sizeof secret - 1), sizeof secret - 1);
    static const char *const forms[] = {
        "<!DOCTYPE robot [<!ENTITY e SYSTEM 'file://%s'>]>\n<robot>&e;</robot>",
        "<!DOCTYPE robot [<!ENTITY e SYSTEM '%s'>]>\n<robot name='&e;'/>",
        "<!DOCTYPE robot [<!ENTITY %% p SYSTEM 'file://%s'> %%p;]>\n<robot>&here;</robot>",
        "<!DOCTYPE robot SYSTEM '%s'>\n<robot>&here;</robot>",
        "<!DOCTYPE robot PUBLIC 'a' 'file://%s'>\n<robot>&here;</robot>",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(text, sizeof text, forms[i], pipe);
        scene_refuse(text, MYR_ROOT_AUTO, MYR_E_FORMAT, 1, WORDS("<!DOCTYPE>", "not read"));
        assert_null(strstr(myr_message(), "secret"));
    }
    /* an inclusion is an element like others, and says so */
    snprintf(text, sizeof text, "<robot xmlns:xi='http://www.w3.org/2001/XInclude'>" BASE "<xi:include href='%s'/></robot>", pipe);
    myr_model *m = scene_load(text, MYR_ROOT_AUTO);
    scene_warned(m, WORDS("<xi:include>", "unknown element"));
    assert_int_equal(m->n_bodies, 1);
    myr_model_free(m);
    const ssize_t still_there = read(descriptor, left, sizeof left);
    close(descriptor);
    remove(pipe);
    remove(directory);
    assert_int_equal(still_there, sizeof secret - 1);
}

/* ---- encodings ---------------------------------------------------------------------------------------- */

static void encodings_are_read_or_named(void **state) {
    (void)state;
    char text[400], wide[900];
    const struct {
        const char *declared, *name;
    } read[] = {{"utf-8", "\xc3\xa9"},  {"UTF8", "\xc3\xa9"},   {"ISO-8859-1", "\xe9"}, {"latin1", "\xe9"},
                {"iso_8859-1", "\xe9"}, {"us-ascii", "&#233;"}, {"ascii", "&#xe9;"}};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        snprintf(text, sizeof text, "<?xml version='1.0' encoding='%s'?>\n<robot name='%s'>" BASE "</robot>", read[i].declared,
                 read[i].name);
        loads_as(text, strlen(text), "\xc3\xa9");
    }
    static const char plain[] = "<?xml version='1.0' encoding='%s'?>\n<robot name='r'>" BASE "</robot>";
    for (int form = 0; form < 8; form++) { /* a mark outvotes the declaration; without one the declaration must be right */
        const int is_big = form & 1, has_mark = form & 2, is_wrong = has_mark && (form & 4);
        snprintf(text, sizeof text, plain, is_wrong ? "utf-8" : "utf-16");
        loads_as(wide, to_utf16(text, is_big, has_mark, wide), "r");
    }
    snprintf(text, sizeof text, plain, "windows-1252");
    scene_refuse(text, MYR_ROOT_AUTO, MYR_E_FORMAT, 1, WORDS("`windows-1252`", "UTF-8", "iconv -f windows-1252"));
    snprintf(text, sizeof text, plain, "utf-16");
    scene_refuse(text, MYR_ROOT_AUTO, MYR_E_FORMAT, 1, WORDS("encoding", "`utf-16'"));
    scene_refuse("<?xml version='1.0' encoding='ascii'?>\n<robot name='\xc3\xa9'/>", MYR_ROOT_AUTO, MYR_E_FORMAT, 2,
                 WORDS("encoding", "byte 0xC3"));
    static const char *const broken[] = {"\xff", "\xe9", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        snprintf(text, sizeof text, "<robot>\n<link name='%s'/></robot>", broken[i]);
        scene_refuse(text, MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS("not well-formed", "UTF-8", "byte 0x"));
    }
}

static void nuls_behind_the_text_are_padding(void **state) {
    (void)state;
    static const char padded[] = "<robot name='r'>" BASE "</robot>\n\0\0", inside[] = "<robot name='r'>\0" BASE "</robot>";
    loads_as(padded, sizeof padded, "r");
    myr_model *m = NULL;
    assert_int_equal(load(inside, sizeof inside - 1, &m), MYR_E_FORMAT);
    assert_non_null(strstr(myr_message(), "byte 0x00"));
    assert_int_equal(load("\0\0\0", 3, &m), MYR_E_FORMAT);
}

/* ---- limits, lines, and what says nothing ----------------------------------------------------------------- */

static char *nested(int depth) {
    char *text = malloc((size_t)depth * 7 + 200), *at = text + sprintf(text, "<robot>" BASE);
    for (int i = 0; i < depth; i++) at += sprintf(at, "<x>");
    for (int i = 0; i < depth; i++) at += sprintf(at, "</x>");
    sprintf(at, "</robot>");
    return text;
}

static char *with_long(const char *before, size_t count, const char *after) {
    char *text = malloc(strlen(before) + count + strlen(after) + 1), *at = text + sprintf(text, "%s", before);
    memset(at, 'x', count);
    sprintf(at + count, "%s", after);
    return text;
}

static void depth_and_lengths_are_limited(void **state) {
    (void)state;
    char *deep = nested(256), *deeper = nested(257), *deepest = nested(1000000);
    myr_model_free(scene_load(deep, MYR_ROOT_AUTO));
    scene_refuse(deeper, MYR_ROOT_AUTO, MYR_E_LIMIT, 2, WORDS("<x>", "256 deep"));
    scene_refuse(deepest, MYR_ROOT_AUTO, MYR_E_LIMIT, 2, WORDS("<x>", "256 deep"));
    free(deep), free(deeper), free(deepest);
    const struct {
        const char *before;
        size_t most;
        const char *after, *word;
    } cases[] = {{"<robot>\n" BASE "<", 50000, "/></robot>", "a name"},
                 {"<robot>\n" BASE "<gazebo ", 50000, "=''/></robot>", "a name"},
                 {"<robot>\n" BASE "<gazebo a='", 10000000, "'/></robot>", "an attribute"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *fits = with_long(cases[i].before, cases[i].most, cases[i].after);
        char *exceeds = with_long(cases[i].before, cases[i].most + 1, cases[i].after);
        myr_model_free(scene_load(fits, MYR_ROOT_AUTO));
        scene_refuse(exceeds, MYR_ROOT_AUTO, MYR_E_LIMIT, 3, WORDS(cases[i].word, "too long"));
        free(fits), free(exceeds);
    }
}

static void lines_are_counted_as_editors_do(void **state) {
    (void)state;
    enum { LINES = 70000 };
    char *text = malloc(LINES + 100), *at = text + sprintf(text, "<robot>");
    memset(at, '\n', LINES);
    strcpy(at + LINES, "<link/></robot>");
    scene_refuse(text, MYR_ROOT_AUTO, MYR_E_FORMAT, LINES + 1, WORDS("<link>", "`name`"));
    strcpy(at + LINES, "<link></robot>");
    scene_refuse(text, MYR_ROOT_AUTO, MYR_E_FORMAT, LINES + 1, WORDS("mismatched tag"));
    free(text);
    scene_refuse("<robot>\r\n\r\n<link/></robot>", MYR_ROOT_AUTO, MYR_E_FORMAT, 3, WORDS("<link>"));
    scene_refuse("<robot>\n<link\n\n a='1'\n/></robot>", MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS("<link>")); /* where the tag begins */
}

static void what_is_no_element_says_nothing(void **state) {
    (void)state;
    myr_model *plain = scene_load("<robot name='r'>" BASE "</robot>", MYR_ROOT_AUTO);
    myr_model *noisy = scene_load("<?xml version='1.0' standalone='yes'?><!-- <robot> --><?pi <link> ?>\n"
                                  "<robot xmlns='http://x' xmlns:v='http://y' v:name='other' name='&#x72;'>text &amp; &lt;link/&gt;\n"
                                  "<!-- <link name='a'/> --><![CDATA[<link name='b'/>]]><?link name='c'?>\n" BASE
                                  "<gazebo><link name='d'/></gazebo></robot>\n<!-- behind --><?pi?>\n",
                                  MYR_ROOT_AUTO);
    assert_true(myr_model_hash(plain) == myr_model_hash(noisy));
    assert_string_equal(noisy->name, "r");
    assert_int_equal(scene_other_warnings(noisy), 0);
    myr_model_free(plain);
    myr_model_free(noisy);
    myr_model *prefixed = scene_load("<robot>" BASE "<v:link name='a'/></robot>", MYR_ROOT_AUTO);
    scene_warned(prefixed, WORDS("<v:link>", "unknown element"));
    assert_int_equal(prefixed->n_bodies, 1);
    myr_model_free(prefixed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_refused_by_place_and_reason), cmocka_unit_test(a_text_may_end_anywhere),
        cmocka_unit_test(a_bomb_of_entities_costs_nothing),      cmocka_unit_test(nothing_beside_the_text_is_read),
        cmocka_unit_test(encodings_are_read_or_named),           cmocka_unit_test(nuls_behind_the_text_are_padding),
        cmocka_unit_test(depth_and_lengths_are_limited),         cmocka_unit_test(lines_are_counted_as_editors_do),
        cmocka_unit_test(what_is_no_element_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
