"""What the reproductions share: one folder for plots and tables, one sentence per claim. Needs matplotlib (bench/setup_venv.sh)."""
import argparse
import csv
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def arguments(description, choices):
    """--only FIGURES, --quick, --results FOLDER."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=choices, default=choices, metavar="WHAT", help=f"some of {', '.join(choices)}")
    parser.add_argument("--quick", action="store_true", help="short and coarse: shows that it works")
    parser.add_argument("--results", type=pathlib.Path, default=SOURCE / "bench" / "results", help="folder for plots and tables")
    return parser


class Report:
    """Plots, tables and sentences of one paper, into one folder."""

    def __init__(self, folder, quick):
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as pyplot

        self.pyplot = pyplot
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.quick = quick
        self.failed = []

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
        """A statement of the paper, and whether it holds here."""
        self.say(f"  {'holds ' if holds else 'DIFFERS'} {text}")
        if not holds:
            self.failed.append(text)
