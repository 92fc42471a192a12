"""`azlearn grade`: check the exercise notebooks that students hand in."""

from collections import Counter
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import check_is_new, command_errors, show_table


def grade(
    folder: Annotated[Positional[Path], arg(metavar="FOLDER")],
    out: Annotated[Path, arg(metavar="FILE.csv")] = Path("grades.csv"),
    seed: int = 1,
    seconds: Annotated[float, arg(metavar="S")] = 60.0,
    memory: Annotated[int, arg(metavar="MB")] = 8192,
) -> int:
    """Check every answer in students' notebooks, and write a table, and a page for each student.

    Each notebook runs in a process of its own with limits. Stored outputs and progress files are
    not trusted. Install Bubblewrap (bwrap) to protect your files and network as well.

    Args:
        folder: the exercise notebooks: one subfolder per student, or files such as
            anna_03_exercises.ipynb.
        out: new CSV file with one row per student and exercise. The pages are written to a folder
            with the same name, without .csv: class.html, and students/ to hand back.
        seed: seed of the hidden cases, which the students' own checks never saw.
        seconds: time limit for each answer.
        memory: limit on the address space of each notebook's process.
    """
    from azlearn.course import grading
    from azlearn.progress_bar import progress_bar
    from azlearn.sandbox import Limits, warn_if_open

    with command_errors():
        check_is_new(out, "--out")
        pages = out.with_suffix("")
        if out.suffix != ".csv":
            raise ValueError(f"{out} does not end in .csv. Choose another file with --out.")
        if pages.exists() and not pages.is_dir():
            raise ValueError(
                f"{pages}, the folder for the pages, is a file. Choose another file with --out."
            )
        submissions, skipped = grading.find_submissions(folder)
        if warning := warn_if_open():
            print(warning)
        limits = Limits(seconds, memory << 20)
        with progress_bar(total=len(submissions), desc="notebooks") as bar:
            grading.grade(submissions, seed, limits, lambda _: bar.update())
        grades = grading.grades_of(submissions)
        grading.write_csv(grades, out)
        grading.write_pages(submissions, grades, skipped, pages)
    for sentence in skipped:
        print(f"Not graded: {sentence}")
    for one in submissions:
        for remark in one.remarks:
            print(f"{one.path.relative_to(folder)}: {remark}")
    counts = Counter(grade.result.outcome for grade in grades)
    students = len({one.student for one in submissions})
    title = f"{len(submissions)} notebooks of {students} students"
    show_table(title, ("outcome", "answers"), counts.most_common())
    print(f"Wrote {out} and {pages / 'class.html'}.")
    return 0
