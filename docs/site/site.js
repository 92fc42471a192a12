// Figures and explorers follow JupyterLab's theme attribute, which is set here to the reader's choice.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const { theme } = document.body.dataset, dark = theme === "dark" || (theme !== "light" && system.matches);
    document.body.dataset.jpThemeLight = String(!dark);
  };
  follow();
  new MutationObserver(follow).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
  system.addEventListener("change", follow);

  // Names and levels for screen readers that the theme leaves out.
  const say = (selector, name, value) => {
    for (const element of document.querySelectorAll(selector)) element.setAttribute(name, value);
  };
  say(".sidebar-tree .caption", "aria-level", "2");
  say(".sidebar-drawer", "aria-label", "All pages");
  say(".toc-drawer", "aria-label", "On this page");
  for (const list of document.querySelectorAll("dt.sig > dl")) {  // a signature's lines define nothing
    const lines = document.createElement("div");
    lines.className = "site-lines";
    for (const item of list.children) {
      const line = document.createElement("div");
      line.append(...item.childNodes);
      lines.append(line);
    }
    list.replaceWith(lines);
  }
  for (const head of document.querySelectorAll("th")) {  // a column without a name heads nothing
    const said = head.textContent.replace(/\\[()]/g, "").trim();
    if (head.querySelector(".math")) {
      const words = document.createElement("span");  // a formula drawn as a picture has no text
      words.className = "site-said";
      words.textContent = said;
      head.append(words);
    }
    if (said) continue;
    const cell = document.createElement("td");
    cell.className = head.className;
    head.replaceWith(cell);
  }

  // Makes boxes that scroll sideways reachable by keyboard.
  const reach = () => {
    for (const box of document.querySelectorAll("article pre, .table-wrapper, .cell_output .output, div.math")) {
      if (box.scrollWidth > box.clientWidth + 1) {
        box.tabIndex = 0;
        box.setAttribute("role", "group");
        if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "scrolls sideways");
      } else if (box.getAttribute("aria-label") === "scrolls sideways") {
        for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
      }
    }
  };
  addEventListener("load", reach);
  addEventListener("resize", reach);

  // A prediction is written down before its answer is read, and stands beside it then.
  const place = document.getElementById("predict-first");
  const pointer = place && [...place.querySelectorAll("p")].find(p => /\bSections? \d/.test(p.textContent));
  const number = pointer && pointer.textContent.match(/\bSections? (\d+)/)[1];
  const answer = number && [...document.querySelectorAll("article h2")].find(h => h.textContent.startsWith(`${number} `));
  if (answer) {
    const form = document.createElement("form"), field = document.createElement("textarea"), said = document.createElement("p");
    const button = document.createElement("button");
    form.className = "site-guess";
    field.setAttribute("aria-label", "Your prediction");
    field.placeholder = "Your prediction";
    field.rows = 2;
    button.textContent = "Show the answer";
    said.tabIndex = -1;
    said.className = "site-guess";
    form.append(field, button);
    form.addEventListener("submit", event => {
      event.preventDefault();
      said.textContent = `Your prediction: ${field.value.trim() || "none"}`;
      answer.after(said);
      said.focus({ preventScroll: true });
      answer.scrollIntoView();
    });
    pointer.after(form);
  }
})();
