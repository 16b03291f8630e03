#!/usr/bin/env python3
"""Which geoms touch and with what friction, against MuJoCo: random files of shapes that all lie in each other and in the floor, with masks, priorities,
condim, classes, <pair> and <exclude>. Every contact of mj_collision must be a pair of geoms here, with the same coefficient, and there must be no
other pairs here.

    python bench/agree/mjcf_friction.py [--first SEED] [--count N]

Needs the packages myriapod, mujoco and numpy. Not compared: pairs within one tree, and of trees that are all fixed to the world, unless a <pair> names
them (the setting self-collision decides about these); torsion; margins; and the second of two frictions, which warnings name."""
import argparse
import random
import warnings

import mujoco
import myriapod

LEAST = 1e-5  # MuJoCo's, for 0


def attributes(r, values, chance):
    return " ".join(f'{k}="{r.choice(v)}"' for k, v in values.items() if r.random() < chance)


def text_of(seed):
    r = random.Random(seed)
    geom = {"friction": ["0", ".2", ".5", ".7 .01", "1.3 .02 .001"], "condim": [1, 1, 3, 4], "priority": [-1, 0, 0, 1, 2]}
    masks = {"contype": [0, 1, 2, 3], "conaffinity": [0, 1, 2, 5]}
    pair = {"friction": [".3 .3", ".9 .9 .1", "0 0", ".6"], "condim": [1, 3, 3, 6]}
    usual = f"<geom {attributes(r, geom, 0.3)}/><pair {attributes(r, pair, 0.3)}/>"
    usual = f'<default>{usual}<default class="k"><geom {attributes(r, geom, 0.5)}/><pair {attributes(r, pair, 0.5)}/></default></default>'
    names = []

    def shape(kind):
        names.append(f"g{len(names)}")
        size = {"sphere": "1", "box": "1 .9 .8", "capsule": ".8 .5", "cylinder": ".9 .7", "ellipsoid": "1 .8 .9"}[kind]
        at = " ".join(f"{r.uniform(-0.1, 0.1):.3f}" for _ in range(3))
        klass = 'class="k"' if r.random() < 0.3 else ""
        return f'<geom name="{names[-1]}" type="{kind}" size="{size}" pos="{at}" mass="1" {klass} {attributes(r, geom, 0.4)} {attributes(r, masks, 0.25)}/>'

    kinds, trees, bodies = ["sphere", "box", "capsule", "cylinder", "ellipsoid"], "", []
    for i in range(r.randint(2, 4)):
        joint = r.choice(["<freejoint/>", "<freejoint/>", "<joint/>", ""])
        bodies.append(f"b{i}")
        inside = "".join(shape(r.choice(kinds)) for _ in range(r.randint(1, 2)))
        if r.random() < 0.4:
            bodies.append(f"c{i}")
            inside += f'<body name="c{i}"><joint/>{shape(r.choice(kinds))}</body>'
        trees += f'<body name="b{i}">{joint}{inside}</body>'
    plane = ""
    if r.random() < 0.8:
        names.append("floor")
        plane = f'<geom name="floor" type="plane" size="9 9 1" {attributes(r, geom, 0.4)} {attributes(r, masks, 0.25)}/>'
    contact, seen = "", set()
    for _ in range(r.choice([0, 0, 1, 3, 5])):
        a, b = sorted(r.sample(names, 2))
        if (a, b) not in seen:
            seen.add((a, b))
            klass = 'class="k"' if r.random() < 0.3 else ""
            contact += f'<pair geom1="{a}" geom2="{b}" {klass} {attributes(r, pair, 0.5)}/>'
    for _ in range(r.choice([0, 0, 1, 2])):
        a, b = r.sample(["world", *bodies], 2)
        contact += f'<exclude body1="{a}" body2="{b}"/>'
    return f"<mujoco>{usual}<worldbody>{plane}{trees}</worldbody><contact>{contact}</contact></mujoco>", seen


def theirs_of(text, named):
    """{pair of names: friction} of the contacts, the floor being None; what is not compared is left out. And whether there is a floor."""
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    free = [m.body_rootid[b] if m.body_jntnum[m.body_rootid[b]] and m.jnt_type[m.body_jntadr[m.body_rootid[b]]] == 0 else -1 for b in range(m.nbody)]
    found = {}
    for c in d.contact:
        one, other = (m.geom(g).name for g in (c.geom1, c.geom2))
        body = [int(m.geom_bodyid[g]) for g in (c.geom1, c.geom2)]
        key = frozenset(None if n == "floor" else n for n in (one, other))
        roots = [int(m.body_rootid[b]) for b in body]
        same = roots[0] == roots[1] or (free[body[0]] < 0 and free[body[1]] < 0)
        if same and None not in key and tuple(sorted((one, other))) not in named:
            continue
        if m.body_weldid[body[0]] == m.body_weldid[body[1]]:
            continue  # a contact of one thing with itself
        found[key] = 0.0 if c.dim == 1 or c.friction[0] <= LEAST else float(c.friction[0])
    floor = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_GEOM, "floor")
    return found, floor >= 0 and (m.geom_contype[floor] or m.geom_conaffinity[floor] or any("floor" in pair for pair in named))


def ours_of(text):
    model = myriapod.Model.from_text(text, "random.xml")
    geoms = [g.name for g in model.geoms]
    return {frozenset((geoms[s.geom], None if s.other < 0 else geoms[s.other])): s.friction for s in model.slots}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    a = parser.parse_args()
    warnings.simplefilter("ignore")
    files = pairs = wrong = refused = 0
    for seed in range(a.first, a.first + a.count):
        text, named = text_of(seed)
        try:
            ours = ours_of(text)
        except myriapod.Error as error:
            refused += 1
            print(f"seed {seed}: refused: {error}")
            continue
        theirs, grounded = theirs_of(text, named)
        ours = {k: v for k, v in ours.items() if grounded or None not in k}  # where the file has no floor there is one here
        files += 1
        pairs += len(theirs)
        for key in set(theirs) | set(ours):
            if theirs.get(key) != ours.get(key):
                wrong += 1
                print(f"seed {seed}: {sorted(map(str, key))}: {ours.get(key)} here, {theirs.get(key)} in MuJoCo")
    print(f"{files} files, {pairs} pairs of geoms that touch in MuJoCo, {wrong} differ; {refused} files refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
