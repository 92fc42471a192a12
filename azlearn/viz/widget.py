"""Base classes of the widgets. Nothing that the page sends can crash a widget."""

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

    If handling a message fails, the page shows an error message; invalid values are ignored.
    """

    SET_BY_PAGE: tuple[str, ...] = ()

    def __init__(self, **kwargs: Any) -> None:
        self._cell = _cell()
        super().__init__(**kwargs)
        self.on_msg(self._on_message)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        self._cell = _cell()
        return super()._repr_mimebundle_(**kwargs)

    @contextmanager
    def _printing(self) -> Iterator[None]:
        """Redirects text that the reader's own code prints to the cell that shows the widget."""
        with ExitStack() as after:
            for stream in (sys.stdout, sys.stderr):
                if self._cell and hasattr(stream, "set_thread_parent"):
                    token = stream.set_thread_parent(self._cell)
                    after.callback(stream.reset_thread_parent, token)
            yield

    def _handle_message(self, content: dict[str, Any]) -> None:
        """Handles a message. Its exceptions are reported with ``_show_message``."""
        raise NotImplementedError

    def _show_message(self, sentence: str) -> None:
        """Shows a message to the reader on the page."""
        raise NotImplementedError

    def _on_message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Called for each message from the page."""
        try:
            with self._printing():
                self._handle_message(content)
        except ValueError as error:
            self._show_message(str(error))
        except Exception as error:  # for example, a custom game may raise anything
            self._show_message(f"That did not work ({type(error).__name__}: {error}).")

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Accepts the attributes set by the page, if it may set them and they are valid.

        A page that does not know of a new search yet may refer to a node of the old tree.
        """
        fitting = {}
        for name in (n for n in self.SET_BY_PAGE if n in sync_data):
            with suppress(traitlets.TraitError):
                fitting[name] = self.traits()[name]._validate(self, sync_data[name])
        with self._printing():
            return super().set_state(fitting)


class FileWidget(anywidget.AnyWidget):
    """A widget that can also be saved as an HTML file, and shows a still picture without a
    kernel. A subclass defines ``to_picture`` and the attributes below."""

    IN_A_FILE: tuple[str, ...] = ()  # the attributes that a file contains
    STILL = ""  # a sentence below the still picture

    def _title(self) -> str:
        """The title of the saved HTML file."""
        raise NotImplementedError

    def to_html(self, path: str | pathlib.Path | None = None) -> str:
        """Makes one HTML file that contains everything and opens without a kernel or internet.

        Args:
            path: the file to write; None only returns the text.

        Returns:
            The HTML text.

        Raises:
            OSError: the file could not be written; an earlier file is kept.
        """
        return self._written(path)

    def _written(
        self,
        path: str | pathlib.Path | None,
        changed: dict[str, Any] | None = None,
        engine: assets.Engine | None = None,
    ) -> str:
        """Does the work of ``to_html``; ``changed`` replaces some attributes in the file."""
        state = {name: getattr(self, name) for name in self.IN_A_FILE} | (changed or {})
        text = assets.page(self._title(), self._esm, self._css, state, engine)
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
    """A widget for recorded searches."""

    phase = traitlets.Enum(PHASES, "backup").tag(sync=True)
    notice = traitlets.Unicode("").tag(sync=True)

    def _show_message(self, sentence: str) -> None:
        self.notice = sentence


def _cell() -> dict[str, Any] | None:
    """The message that started the current cell; a kernel uses it to place printed text."""
    return getattr(sys.stdout, "parent_header", None)


def whole_number(content: dict[str, Any], name: str) -> int:
    """Returns a whole number from a message.

    Raises:
        ValueError: the value is missing or not a whole number.
    """
    value = content.get(name)
    if type(value) is not int:
        raise ValueError(f"The page sent {value!r:.60} as {name}, which is not a whole number.")
    return value


def not_known(content: dict[str, Any]) -> ValueError:
    """The error to raise for a message with an unknown task."""
    return ValueError(f"The page sent the unknown task {content.get('do')!r:.60}.")
