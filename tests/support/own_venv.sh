# To be sourced: a virtual environment of a test's own, for a package that cannot be in the tests' common one, with the package that check_python has installed.
#   own_venv NAME REQUIREMENT...      sets venv, and PYTHONPATH to where `myriapod` is; ends the test as skipped where no index answers
own_venv() {
    venv=$MYRIAPOD_BUILD/$1-venv
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    PIP_NO_COMPILE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet "${@:2}" cffi pytest || { echo "skipped: no package index answers"; exit 77; }
    local package
    package=$(cd "$MYRIAPOD_BUILD" && "$MYRIAPOD_VENV/bin/python" -c 'import myriapod, pathlib; print(pathlib.Path(myriapod.__file__).parent)')
    mkdir -p "$venv/package"
    ln -sfn "$package" "$venv/package/myriapod"
    export PYTHONPATH=$venv/package
}
