"""Terms of the field, as functions of arrays of all robots: they are called within the functions of a `TermTask`, and on arrays.

    from myriapod.terms import legged_gym

    @walk.reward(1.0)
    def tracking(s):
        return legged_gym.tracking_lin_vel(s.command, s.base_linear)

A module for each source: `legged_gym`, `mjlab`, `playground` (MuJoCo Playground's joystick tasks), `isaaclab`, `holosoma`, `gymnasium` (its v5 MuJoCo tasks),
`tracking` (motions, BeyondMimic), `reach` (arms), `cube` (a cube turned in a hand); `rows` has what they share. Names of functions and parameters are the
source's. docs/terms.md lists them."""
