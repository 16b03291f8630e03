#include "mesh_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model_scene.h"

const char *const mesh_cube = "# a cube of 0.2 m\n"
                              "v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv -0.1 0.1 -0.1\nv 0.1 0.1 -0.1\n"
                              "v -0.1 -0.1 0.1\nv 0.1 -0.1 0.1\nv -0.1 0.1 0.1\nv 0.1 0.1 0.1\n"
                              "f 1 3 4 2\nf 5//1 6//1 8//1 7//1\nf 1/1 2/2 6/3 5/4\nf 3/1/1 7/1/1 8/1/1 4/1/1\nf -8 -4 -2 -6\nf 2 4 8 6\n";

const char *mesh_folder(void) {
    static char folder[64];
    if (*folder) return folder;
    snprintf(folder, sizeof folder, "/tmp/myriapod_meshes_XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

const char *mesh_path(const char *name) {
    static char path[8][200];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", mesh_folder(), name);
    return path[turn];
}

void mesh_write(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(mesh_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

void mesh_write_text(const char *name, const char *text) { mesh_write(name, text, strlen(text)); }

void mesh_clean(void) {
    char command[120];
    snprintf(command, sizeof command, "rm -r %s", mesh_folder());
    assert_int_equal(system(command), 0);
}

myr_status mesh_load(const char *mesh, const char *attributes, const myr_load_options *options, myr_model **out) {
    char text[2000], label[200];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\n"
             "<collision><geometry><mesh filename='%s' %s/></geometry></collision></link></robot>",
             mesh, attributes);
    snprintf(label, sizeof label, "%s/robot.urdf", mesh_folder());
    return myr_model_open_text(text, strlen(text), label, options, out);
}
