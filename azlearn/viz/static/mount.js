// The entry point of the notebook widget: an explorer for the model's record.

import { Explorer } from "./explorer.js";
import { guard } from "./widget_common.js";

function render({ model, el }) {
  let explorer = null;
  const start = () => {
    const record = model.get("record");
    if (explorer) return guard(explorer.root, () => explorer.load(record));
    el.replaceChildren();
    return guard(el, () => { explorer = new Explorer(model, el, record); });
  };
  start();
  model.on("change:record", start);
  return () => {
    model.off("change:record", start);
    if (explorer) explorer.close();
    el.replaceChildren();
  };
}

export default { render };
