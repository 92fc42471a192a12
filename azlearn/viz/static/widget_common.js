// Shared by all widgets: names, icons, error messages, the clipboard, themes.

import { html, joined } from "./dom.js";
import { glyph, mark } from "./paint.js";

const NAMES = { connect_four: "Connect Four", tic_tac_toe: "Tic-tac-toe" };
export const gameName = game => NAMES[game.name] || String(game.name || "Game").replace(/_/g, " ").replace(/^./, c => c.toUpperCase());

// Icons as paths, because not every machine has the glyphs.
export const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z", end: "M11 3h2v10h-2zM3 3v10l7-5z",
  sooner: "M8 3v10L2 8zM14 3v10L8 8z", later: "M8 3v10l6-5zM2 3v10l6-5z",
  back: "M11 3v10L4 8z", forward: "M5 3v10l7-5z", play: "M4 2v12l9-6z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
};
export const icon = name => html`<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="${ICONS[name]}" fill="currentColor"/></svg>`;

// "UCT c = 1", "PUCT c = 1.25 · fpu = parent".
export function ruleName(rule) {
  const c = ` c = ${+Number(rule.c).toFixed(3)}`;
  if (rule.name === "uct") return "UCT" + c;
  const less = rule.fpu_reduction ? ` − ${+Number(rule.fpu_reduction).toFixed(3)}·√ΣP` : "";
  return rule.name === "puct" ? `PUCT${c} · fpu = ${String(rule.fpu).replace("-", "−")}${less}` : rule.label || "Custom rule";
}

// Replaces the players' marks in a text with their stones; copied text keeps the marks.
export const withStones = (text, game) => (!game.rows ? text : [0, 1].reduce((parts, p) => parts.flatMap(part => {
  const stone = html`${glyph(game, p)}<span class="azl-sr" aria-hidden="true">${mark(game, p)}</span>`;
  return typeof part === "string" ? joined(part.split(mark(game, p)), stone) : [part];
}), [text]));

// A message shown instead of a widget, or below it.
export function note(text, role = "status") {
  const box = document.createElement("div");
  box.className = "azl azl-note";
  box.setAttribute("role", role);
  if (role === "status") box.dataset.ready = "1";
  box.textContent = text;
  return box;
}

// Removes the message of guard() once the widget has drawn itself again.
export const calm = host => host.querySelectorAll(":scope > .azl-error").forEach(e => e.remove());

// Runs `work`; an error becomes a message in the widget instead of a blank cell.
export function guard(host, work) {
  try {
    return work();
  } catch (error) {
    console.error(error);
    calm(host);
    const said = note(`The viewer failed here: ${error && error.message ? error.message : error}. The search itself is not affected. Run the cell again to restart the viewer.`, "alert");
    said.classList.add("azl-error");
    host.append(said);
    return undefined;
  }
}

// Copies a text. Returns true if the browser allowed it. The focus does not move.
export const toClipboard = async (text, host) => {
  if (navigator.clipboard) {
    const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
    if (done) return true;
  }
  // The older way, for pages that may not use the clipboard API.
  const field = document.createElement("textarea"), focused = document.activeElement;
  field.value = text;
  field.className = "azl-sr";
  host.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (focused) focused.focus({ preventScroll: true });
  return done;
};

// Calls `work` when JupyterLab's or the system's theme has changed; returns a function that stops this.
// JupyterLab takes notebooks off the page during the change, so `work` is called in the next frame.
export function watchTheme(work) {
  let frame = 0;
  const changed = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(work);
  };
  const system = matchMedia("(prefers-color-scheme: dark)"), observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class", "data-md-color-scheme"] });
  system.addEventListener("change", changed);
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
