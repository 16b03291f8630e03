"""What the reproductions share: one folder for plots and tables, one sentence per claim. Needs matplotlib (bench/setup_venv.sh)."""
import argparse
import csv
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(description, paper, what, prepare=None):
    """The program of a paper: --only some of `what` {name: function of the report}, --quick, --build, --results; `prepare(build)` comes first."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(what), default=list(what), metavar="WHAT", help=f"some of {', '.join(what)}")
    parser.add_argument("--quick", action="store_true", help="short and coarse: shows that it works")
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory with `bench/` in it")
    parser.add_argument("--results", type=pathlib.Path, default=SOURCE / "bench" / "results", help="folder for plots and tables")
    args = parser.parse_args()
    if prepare:
        prepare(args.build)
    report = Report(args.results / paper, args.build, args.quick)
    for name in args.only:
        report.say(f"{name}: {what[name].__doc__.splitlines()[0]}")
        what[name](report)
    sys.exit(f"{len(report.failed)} claims differ" if report.failed else 0)


class Report:
    """Plots, tables and sentences of one paper, into one folder."""

    def __init__(self, folder, build, quick):
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as pyplot

        self.pyplot = pyplot
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.build = build
        self.quick = quick
        self.failed = []
        (self.folder / "claims.txt").write_text("", encoding="utf-8")

    def plots(self, columns, title, width=5.0, height=3.6):
        figure, axes = self.pyplot.subplots(1, columns, figsize=(width * columns, height), squeeze=False, constrained_layout=True)
        figure.suptitle(title, fontsize=10)
        for axis in axes[0]:
            axis.grid(True, alpha=0.3)
        return figure, axes[0]

    def save(self, name, figure):
        figure.savefig(self.folder / f"{name}.png", dpi=110)
        self.pyplot.close(figure)

    def table(self, name, header, rows):
        with open(self.folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(rows)

    def say(self, text):
        print(text, flush=True)
        with open(self.folder / "claims.txt", "a", encoding="utf-8") as file:
            file.write(text + "\n")

    def claim(self, holds, text):
        """A statement of the paper that should hold here."""
        self.say(f"  {'holds ' if holds else 'DIFFERS'} {text}")
        if not holds:
            self.failed.append(text)

    def differs(self, seen, text):
        """A statement of the paper that does not hold here, with the reason found. That it does not is held to as well."""
        self.say(f"  {'differs' if seen else 'DIFFERS no more'} from the print: {text}")
        if not seen:
            self.failed.append(text)
