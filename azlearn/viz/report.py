"""Pages of tables and pictures for a teacher: plain HTML without scripts."""

from importlib.resources import files


def render(template: str, **values) -> str:
    """Returns a page from a Jinja template that extends ``report.html``; values are escaped.

    Args:
        values: ``title``, and what the template uses.
    """
    import jinja2

    base = files("azlearn.viz").joinpath("static/report.html").read_text(encoding="utf-8")
    loader = jinja2.DictLoader({"report.html": base, "page": template})
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, loader=loader)
    return environment.get_template("page").render(**values)
