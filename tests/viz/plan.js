// The layout of one moment as plain numbers, for test_layout.py; made as explorer.js makes it.
const records = {}, replays = new Map();
function plan([name, step, phase, [width, height], more = {}]) {
  if (!replays.has(name)) replays.set(name, new Replay(records[name]));
  const replay = replays.get(name), { steps, game } = replay.record, row = step - 1;
  const first = phase === "select" || phase === "expand" ? replay.opening[row] : row;
  replay.seek(row < 0 ? 0 : phase === "backup" ? step : first);
  const path = row < 0 ? [0] : replay.path(steps.leaf[row]), now = row < 0 ? -1 : replay.opening[row];
  const ahead = new Set(phase === "backup" ? [] : path), count = i => replay.N[i] + (ahead.has(i) ? 1 : 0);
  const focus = { selected: -1, closed: new Set(), filter: { depth: Infinity, visits: 0 }, path, now, count, phase, ...more };
  focus.opened = new Set(more.opened || []);
  const layout = arrange(replay, boardSize(game), { width, height }, focus);
  const moment = { row, phase, path, count, view: "mover", selected: focus.selected, decision: 0, describe: String };
  const things = scene(replay, layout, moment);
  const { mode, stone, scale, drawn, of } = layout;
  return { mode, stone, scale, drawn, of, path, now, list: things.map(t => ({
    kind: t.kind, id: t.id ?? -1, x: t.x, y: t.y, w: t.w, h: t.h, form: t.form, up: t.up ? t.up.id ?? -1 : -2,
    action: t.id > 0 ? replay.action[t.id] : -1, born: t.id >= 0 ? replay.born[t.id] : -1, ids: t.ids || [], levels: t.levels || 0,
    unborn: Boolean(t.unborn), lead: t.lead ? t.lead.value === Infinity ? "inf" : t.lead.value : null })) };
}
