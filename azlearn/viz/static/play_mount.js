// What the notebook calls: a play table for the model's view.

import { PlayTable } from "./play.js";
import { guard } from "./widget_common.js";

function render({ model, el, host }) {
  const table = guard(el, () => new PlayTable(model, el, host));
  return () => table && table.close();
}

export default { render };
