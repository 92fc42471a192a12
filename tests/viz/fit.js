// What the tests of the explorer's fit read off a page: window.overflow(selector) gives what lies
// outside its box, window.cut(selector) texts that are cut, window.outside(selector, pane) the parts of a widget that are not in the pane.
(() => {
  const box = e => e.getBoundingClientRect(), style = e => getComputedStyle(e);
  const shown = e => e.getClientRects().length > 0 && style(e).visibility !== "hidden";
  const flows = e => shown(e) && style(e).position !== "absolute";
  const name = e => `${e.tagName} .${e.className.baseVal ?? e.className} ${e.dataset.part || ""}`;
  const leaves = (b, r) => b.left < r.left - 1 || b.right > r.right + 1 || b.top < r.top - 1 || b.bottom > r.bottom + 1;
  const HOSTS = ":scope > header, :scope > footer, .azl-panel, .azl-say, .azl-crumbs, .azl-under";
  const APART = ".azl-sr, .azl-pop, svg svg, .azl-bar-out, .azl-half";

  window.overflow = selector => {
    const root = document.querySelector(selector), faults = [];
    const inside = (e, r, what) => {
      if (box(e).width && leaves(box(e), r)) faults.push(`${name(e)} "${e.textContent.slice(0, 30)}" leaves ${what}`);
    };
    for (const part of root.children) if (flows(part)) inside(part, box(root), "the widget");
    for (const host of root.querySelectorAll(HOSTS)) {
      if (!shown(host) || (host.closest(".azl-half") || root) !== root) continue;
      for (const e of host.querySelectorAll("button, select, td, th, p, dd, dt, svg, b, span")) {
        if (shown(e) && !(root.contains(e.closest(APART)) && e.closest(APART) !== root)) inside(e, box(host), name(host));
      }
      const more = host.scrollHeight - host.clientHeight;
      if (more > 1 && !host.matches("header, .azl-say")) faults.push(`${name(host)} is ${more} too high`);
    }
    for (const row of root.querySelectorAll(":scope > header, .azl-row")) {
      if (row.closest(".azl-half")) continue;        // these may wrap
      const middles = [...row.children].filter(flows).map(e => box(e).top + box(e).height / 2);
      if (Math.max(...middles) - Math.min(...middles) > 8) faults.push(`${name(row)} has wrapped`);
    }
    return faults;
  };

  // Texts of which a part is cut away.
  window.cut = selector => [...document.querySelectorAll(`${selector} :is(button, b, i, span, th, p, dd)`)]
    .filter(e => shown(e) && !e.closest(".azl-sr") && e.clientWidth > 1 && style(e).overflow !== "visible")
    .filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 3).map(e => `${name(e)} "${e.textContent}" is cut`);

  window.outside = (selector, pane) => {
    const root = document.querySelector(selector), host = document.querySelector(pane);
    const parts = root.querySelectorAll(".azl-tree, .azl-side, .azl-phases, .azl-time");
    return [...root.children, ...parts].filter(flows).filter(e => box(e).top < box(host).top - 1 || box(e).bottom > box(host).bottom + 1)
      .map(e => `${name(e)}: ${box(e).top} to ${box(e).bottom} in ${box(host).top} to ${box(host).bottom}`);
  };
})();
