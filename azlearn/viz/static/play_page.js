// The entry of a page to play on: the table, and an explorer for the opponent's search.

import { Explorer } from "./explorer.js";
import { PageModel } from "./page_model.js";
import { TableModel } from "./page_table.js";
import { PlayTable } from "./play.js";
import { guard } from "./widget_common.js";

// Replaces the notebook: the explorer below the table shows the record of a search.
const host = {
  async getWidget(record) {
    return {
      render({ el, signal }) {
        const explorer = guard(el, () => new Explorer(new PageModel({ record, alone: "part" }), el, record));
        signal.addEventListener("abort", () => explorer && explorer.close());
      },
    };
  },
};

function render({ model, el }) {
  const table = guard(el, () => new PlayTable(new TableModel(model.state, model.engine), el, host));
  return () => table && table.close();
}

export default { render };
