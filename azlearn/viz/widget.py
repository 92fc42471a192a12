"""What every widget here makes of what its page says: nothing that comes from there ends it."""

import pathlib
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import anywidget
import traitlets

from azlearn.viz import assets
from azlearn.viz.tour import PHASES


class PageWidget(anywidget.AnyWidget):
    """A widget whose page sends messages and sets some attributes.

    Whatever a message comes to, it is told in a sentence; a value that does not fit is left out.
    """

    SET_BY_PAGE: tuple[str, ...] = ()

    def __init__(self, **kwargs: Any) -> None:
        self._cell = _cell()
        super().__init__(**kwargs)
        self.on_msg(self._heard)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        self._cell = _cell()
        return super()._repr_mimebundle_(**kwargs)

    @contextmanager
    def _printing(self) -> Iterator[None]:
        """What a reader's own code prints meanwhile goes to the cell that shows the widget."""
        with ExitStack() as after:
            for stream in (sys.stdout, sys.stderr):
                if self._cell and hasattr(stream, "set_thread_parent"):
                    token = stream.set_thread_parent(self._cell)
                    after.callback(stream.reset_thread_parent, token)
            yield

    def _handle_message(self, content: dict[str, Any]) -> None:
        """Does what a message asks for. Whatever it raises is told with ``_tell``."""
        raise NotImplementedError

    def _tell(self, sentence: str) -> None:
        """Shows a sentence on the page."""
        raise NotImplementedError

    def _heard(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """A message from the page."""
        try:
            with self._printing():
                self._handle_message(content)
        except ValueError as error:
            self._tell(str(error))
        except Exception as error:  # also a reader's own game may fail in any way
            self._tell(f"That did not work ({type(error).__name__}: {error}).")

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes over what the page has set, as far as it may set it and it fits.

        A page that has not yet heard of a new search may name a node that only the old tree had.
        """
        fitting = {}
        for name in (n for n in self.SET_BY_PAGE if n in sync_data):
            with suppress(traitlets.TraitError):
                fitting[name] = self.traits()[name]._validate(self, sync_data[name])
        with self._printing():
            return super().set_state(fitting)


class FileWidget(anywidget.AnyWidget):
    """A widget that can also be a file, and a still picture where no kernel runs. A subclass gives
    ``to_picture`` and the names below."""

    IN_A_FILE: tuple[str, ...] = ()  # the attributes that a file holds
    STILL = ""  # a sentence below the still picture

    def _title(self) -> str:
        """Of its file."""
        raise NotImplementedError

    def to_html(self, path: str | pathlib.Path | None = None) -> str:
        """One file with everything inside: it opens without a kernel and without a network.

        Args:
            path: where to write it; None only gives the text back.

        Returns:
            The HTML text.

        Raises:
            OSError: the file could not be written; one that was there before is kept.
        """
        state = {name: getattr(self, name) for name in self.IN_A_FILE}
        text = assets.page(self._title(), self._esm, self._css, state)
        if path is not None:
            assets.write_page(path, text)
        return text

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        picture = self.to_picture()
        picture.caption = f"{picture.caption} {self.STILL}".strip()
        data.update(picture.bundle())
        data["text/plain"] = repr(self)
        return data, metadata


class TreeWidget(FileWidget, PageWidget):
    """A widget of recorded searches."""

    phase = traitlets.Enum(PHASES, "backup").tag(sync=True)
    notice = traitlets.Unicode("").tag(sync=True)

    def _tell(self, sentence: str) -> None:
        self.notice = sentence


def _cell() -> dict[str, Any] | None:
    """The message of the cell that runs, by which a kernel says where a text belongs."""
    return getattr(sys.stdout, "parent_header", None)


def whole_number(content: dict[str, Any], name: str) -> int:
    """A number that came with a message.

    Raises:
        ValueError: it is none, or not a whole one.
    """
    value = content.get(name)
    if type(value) is not int:
        raise ValueError(f"The page sent {value!r:.60} as {name}, which is no whole number.")
    return value


def not_known(content: dict[str, Any]) -> ValueError:
    """What to raise for a message that asks for nothing that is known."""
    return ValueError(f"The page asked for {content.get('do')!r:.60}, which nothing here does.")
