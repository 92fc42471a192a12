// A preview of the node under the pointer: a larger board and its numbers, next to the node.

import { html, put } from "./dom.js";
import { bigBoard, status, whoHtml } from "./bigboard.js";
import { num, signed, thousands } from "./paint.js";
import { guard } from "./widget_common.js";

const WAIT = 140, WIDTH = 190, TEXT = 150, LARGE = 150;       // a node this wide needs no larger board

export class Preview {
  constructor(explorer) {
    Object.assign(this, { x: explorer, node: -1, waiting: 0 });
    const tree = explorer.$("tree");
    tree.addEventListener("pointerover", e => guard(explorer.root, () => this.over(e)));
    for (const end of ["pointerleave", "pointerdown"]) tree.addEventListener(end, () => this.hide());
  }

  over(e) {
    const at = e.pointerType === "touch" ? null : e.target.closest("[data-node]"), node = at ? Number(at.dataset.node) : -1;
    if (node === this.node) return;
    this.hide();
    this.node = node;
    if (node >= 0) this.waiting = setTimeout(() => guard(this.x.root, () => this.show()), WAIT);
  }

  hide() {
    clearTimeout(this.waiting);
    this.node = -1;
    if (this.box) this.box.remove();
    this.box = null;
  }

  show() {
    const { x, node: i } = this, { replay, record, sheet, view, moment } = x, spot = sheet.box(i), tree = x.$("tree");
    if (!spot || !replay.exists(i, moment.row, moment.phase)) return;
    const box = (this.box = document.createElement("div")), q = replay.q(i, view), seer = view === "first" ? 0 : i ? replay.toPlay[replay.parent[i]] : replay.toPlay[0];
    const line = replay.path(i).slice(1).map(k => replay.label(k)).join(" "), up = i ? replay.parent[i] : 0;
    const n = i ? html`<b>${thousands(replay.N[i])}</b> of ${thousands(up ? replay.N[up] : replay.total(0))}` : html`<b>${thousands(replay.total(0))}</b>`;
    const m = i && record.rule.name !== "custom" && !replay.more(up) ? replay.moves(up).find(move => move.child === i) : null;
    const bonus = m && Number.isFinite(m.u) ? html`<dt>U</dt><dd>${num(m.u)}</dd>` : "";
    box.className = "azl-pop azl-preview";
    box.setAttribute("aria-hidden", "true");
    put(box, html`${record.game.rows && spot.w < LARGE ? bigBoard(replay, i, { width: WIDTH - 26, height: Math.min(170, tree.clientHeight - TEXT) }) : ""}<dl class="azl-facts"><dt>moves</dt><dd>${line || "the root"}</dd><dt>N</dt><dd>${n}</dd><dt>Q</dt><dd>${signed(q)} for ${whoHtml(record.game, seer)}</dd>${bonus}</dl><p class="azl-quiet">${status(replay, i)}. Click to pin it in the panel.</p>`);
    tree.append(box);
    const { clientWidth: width, clientHeight: height } = tree, right = spot.x + spot.w + 10;
    box.style.left = `${Math.max(4, right + box.offsetWidth < width ? right : spot.x - 10 - box.offsetWidth)}px`;
    box.style.top = `${Math.max(4, Math.min(height - box.offsetHeight - 4, spot.y))}px`;
  }
}
