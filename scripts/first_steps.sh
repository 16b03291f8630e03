# To be sourced after bare_debian.sh: what a stranger does first with the Python package. It steps, learns for three iterations, and draws a picture.
#   first_steps PYTHON       a path inside the bare system
first_steps() {
    rm -rf "$root/root/learnt"
    cp "$source/examples/hello.py" "$root/root/hello.py"
    "${run[@]}" "$1" /root/hello.py | tee "$root/root/hello.txt"
    grep -q "robot 0 stands 0.5" "$root/root/hello.txt"
    "${run[@]}" "$1" -m myriapod.train anymal-flat --iterations 3 --envs 64 --quiet --log /root/learnt
    "${run[@]}" "$1" -m myriapod.play anymal-flat /root/learnt/policy.npz --seconds 0.5 --png /root/learnt/walk.png
    [ "$(head -c 4 "$root/root/learnt/walk.png" | tail -c 3)" = PNG ]
    "${run[@]}" "$1" -c 'import myriapod, sys; print("Python", sys.version.split()[0], "myriapod", myriapod.__version__, "with", myriapod.math_version)'
}
