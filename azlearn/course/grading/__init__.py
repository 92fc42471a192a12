"""Grades students' exercise notebooks: every answer is checked anew, in a process of its own.

Stored outputs and progress files are not trusted, and a submission that hangs, crashes or attacks
the machine is stopped (see ``sandbox``). The student's code shares its process with the check, so a
student who knows azlearn's source could falsify a verdict. Therefore code that imports the course's
internals is not run, and a remark says so.
"""

from azlearn.course.grading.processes import grade
from azlearn.course.grading.report import Grade, grades_of, write_csv, write_pages
from azlearn.course.grading.submissions import Submission, find_submissions

__all__ = [
    "Grade",
    "Submission",
    "find_submissions",
    "grade",
    "grades_of",
    "write_csv",
    "write_pages",
]
