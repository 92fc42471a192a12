"""Searches with a mistake in their backup, which records and pictures must show as it is."""

from azlearn.course.faulty_searches import CountsTwice, WrongSign

__all__ = ["CountsTwice", "WrongSign"]
