// Renders records one after the other, walks through them, and says what came of each. STATE: what
// else the widget's model has.
async texts => {
  const out = [], wait = () => new Promise(done => setTimeout(done));
  for (const text of texts) {
    const record = JSON.parse(text), el = document.createElement("div"), heard = [];
    const state = { record, left: record, right: record, labels: [], line: [], ...STATE };
    const model = { get: name => state[name], set(name, value) { state[name] = value; }, on() {}, off() {}, save_changes() {}, send() {} };
    document.body.append(el);
    let thrown = "";
    const end = (() => { try { return widget.render({ model, el }); } catch (error) { thrown = String(error); return () => {}; } })();
    const press = (on, key) => on && on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const tree = el.querySelector('[data-part="tree"]');
    for (const key of ["Home", ..."123456".replace(/./g, ">"), "ArrowDown", "c", "/"]) press(tree, key === ">" ? "ArrowRight" : key);
    const nodes = [...el.querySelectorAll("[data-node]")];  // a click draws the whole tree again
    for (const one of [...el.querySelectorAll("[data-pop], [data-do=icicle]"), ...nodes.slice(0, 3), ...nodes.slice(-2)]) {
      for (const kind of ["pointerover", "click", "focus"]) one.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
    }
    for (const link of el.querySelectorAll("a, iframe, script, img, style")) thrown ||= "an element of its own: " + link.outerHTML;
    for (const one of el.querySelectorAll("*")) for (const { name } of one.attributes) if (name.startsWith("on")) thrown ||= "a handler: " + name;
    if (text.length % 7 === 0) await wait();
    out.push({ said: el.querySelector(".azl-note:not(.azl-error)")?.textContent ?? "", blank: !el.textContent.trim(), thrown });
    end();
    el.remove();
  }
  await new Promise(done => setTimeout(done, 300));
  return { out, ran: window.ran ?? null, polluted: ({}).polluted ?? null };
}
