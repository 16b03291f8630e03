/* A robot that touches itself. */
#ifndef MYR_TESTS_SUPPORT_HUGGER_H
#define MYR_TESTS_SUPPORT_HUGGER_H

/* A torso with arms long enough to hug it and to meet each other. */
#define HUGGER_ARM(name, side)                                                                                                             \
    "<body name='" name "' pos='0 " side " .1'><joint name='" name " hip' axis='1 0 0' range='-100 100'/>"                                 \
    "<joint name='" name " turn' axis='0 0 1' range='-170 170'/><geom type='capsule' size='.03 .08' pos='0 0 -.1' mass='.5'/>"             \
    "<body name='" name " fore' pos='0 0 -.22'><joint name='" name " knee' axis='0 1 0' range='-150 150'/>"                                \
    "<geom type='capsule' size='.025 .1' pos='0 0 -.1' mass='.3'/><geom type='box' size='.03 .02 .02' pos='0 0 -.24' mass='.1'/>"          \
    "</body></body>"
#define HUGGER_AND(more)                                                                                                                   \
    "<mujoco model='hugger'><compiler angle='degree'/><worldbody><body name='torso' pos='0 0 .45'><freejoint/>"                            \
    "<geom type='box' size='.1 .06 .15' mass='3'/>" HUGGER_ARM("left", ".13") HUGGER_ARM(                                                  \
        "right",                                                                                                                           \
        "-.13") "</body></worldbody><actuator>"                                                                                            \
                "<position joint='left hip' kp='20'/><position joint='left turn' kp='20'/><position joint='left knee' kp='20'/>"           \
                "<position joint='right hip' kp='20'/><position joint='right turn' kp='20'/><position joint='right knee' kp='20'/>"        \
                "</actuator>" more "</mujoco>"
#define HUGGER HUGGER_AND("")

#endif
