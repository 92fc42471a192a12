"""Grades students' exercise notebooks: every answer is checked anew, in a process of its own.

Stored outputs and progress files are not believed. A submission may hang, crash, print without end
or attack the machine, so its process has limits. If Bubblewrap (``bwrap``) is installed, it also
sees the file system read-only, has no network, and takes all its child processes with it. The
student's code shares its process with the check, so a student who knows azlearn's source could
falsify a verdict; a remark names each notebook that imports the course's internals.
"""

from azlearn.course.grading.processes import Limits, grade, sandbox
from azlearn.course.grading.report import Grade, grades_of, write_csv, write_pages
from azlearn.course.grading.submissions import Submission, find_submissions

__all__ = [
    "Grade",
    "Limits",
    "Submission",
    "find_submissions",
    "grade",
    "grades_of",
    "sandbox",
    "write_csv",
    "write_pages",
]
