// The boxes that toolbar buttons open: one at a time. Escape or a click elsewhere closes the open one.

export class Popover {
  constructor(explorer) {
    this.x = explorer;
    this.open = "";
    this.outside = e => { if (this.open && !e.composedPath().some(t => t.dataset && (t.dataset.part === this.open || t.dataset.pop))) this.close(); };
    document.addEventListener("pointerdown", this.outside);
  }

  button(name) {
    return this.x.root.querySelector(`[data-pop="${name}"]`);
  }

  toggle(name) {
    if (this.open === name) return this.close();
    this.close();
    const box = this.x.$(name), button = this.button(name), { root } = this.x;
    box.hidden = false;
    const room = root.clientWidth - box.offsetWidth - 8, left = button.getBoundingClientRect().left - root.getBoundingClientRect().left;
    box.style.left = `${Math.max(8, Math.min(room, left))}px`;
    button.setAttribute("aria-expanded", "true");
    this.open = name;
    const first = box.querySelector("input, select, button");
    if (first) first.focus({ preventScroll: true });
    return undefined;
  }

  // Returns the focus to the button, because keys must not fall through to the notebook.
  close() {
    if (!this.open) return;
    const box = this.x.$(this.open), button = this.button(this.open), inside = box.contains(document.activeElement);
    this.open = "";
    box.hidden = true;
    if (!button) return;
    button.setAttribute("aria-expanded", "false");
    if (inside) button.focus({ preventScroll: true });
  }

  end() {
    document.removeEventListener("pointerdown", this.outside);
  }
}
