// What the notebook calls: an explorer for the model's record, or a sentence on why there is none.

import { complaint } from "./check.js";
import { Explorer } from "./explorer.js";
import { guard, note } from "./shell.js";

function render({ model, el }) {
  let explorer = null;
  const stop = () => {
    if (explorer) explorer.close();
    explorer = null;
    el.replaceChildren();
  };
  const start = () => {
    const record = model.get("record"), wrong = complaint(record);
    if (wrong) {
      stop();
      el.append(note(wrong));
    } else if (explorer) {
      guard(explorer.root, () => explorer.load(record));
    } else {
      el.replaceChildren();
      guard(el, () => { explorer = new Explorer(model, el, record); });
    }
  };
  start();
  model.on("change:record", start);
  return () => {
    model.off("change:record", start);
    stop();
  };
}

export default { render };
