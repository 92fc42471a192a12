// Replaces the notebook's model on a page without a kernel. It stores the widget's values, and if the page can search,
// it answers the sliders' messages as Python would.

// engine: {text, games, networks, here}: the worker's script; for each name a function that returns the game; for each
// name a network; and the address of the page's script. It is null if the page only replays.
export class PageModel {
  constructor(state, engine = null) {
    Object.assign(this, { state, engine, heard: {}, running: null });
    const can = engine && state.search && engine.games[state.search.game];
    if (!can || (state.search.evaluate.network && !engine.networks[state.search.evaluate.network])) state.knobs = {};
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.take({ [name]: value });
  }

  // Sets several values before any listener is called.
  take(values) {
    const changed = Object.keys(values).filter(name => this.state[name] !== values[name]);
    Object.assign(this.state, values);
    for (const name of changed) this.tell(`change:${name}`);
  }

  tell(event, ...details) {
    for (const f of this.heard[event] || []) f(...details);
  }

  on(event, f) { (this.heard[event] ||= []).push(f); }
  off(event, f) { this.heard[event] = (this.heard[event] || []).filter(g => g !== f); }
  save_changes() {}

  send(content) {
    if (content.do === "stop" && this.running) this.running.postMessage({ do: "stop" });
    if (content.do === "turn" && this.engine) this.turn(content.knobs);
  }

  // The search as Python described it, with the network's weights.
  async search() {
    const { search } = this.state, { network } = search.evaluate;
    return network ? { ...search, evaluate: { ...search.evaluate, spec: await loaded(this.engine, network) } } : search;
  }

  // Sends a worker its job once the network is loaded, unless another worker has replaced it.
  async start(worker, jobOf, failed) {
    try {
      const search = await this.search();
      if (this.running === worker) worker.postMessage({ job: jobOf(search) });
    } catch (error) {
      if (this.running === worker) failed(error.message);
    }
  }

  // Runs the search again with other settings and cancels a running search.
  turn(changes) {
    const knobs = { ...this.state.knobs };
    for (const name in changes) if (knobs[name]) knobs[name] = { ...knobs[name], value: changes[name] };
    this.close();
    const before = this.shown || this.state.knobs, worker = (this.running = startWorker(this.engine, this.state.search.game));
    this.shown = before;
    this.take({ knobs, running: true, progress: 0 });
    worker.onmessage = ({ data }) => {
      if ("progress" in data) return this.set("progress", data.progress);
      this.close();
      if (data.error) return this.refuse(data.error, before);
      this.shown = knobs;
      return this.replace(data.record, knobs);
    };
    const failed = why => {
      this.close();
      this.refuse(why, before);
    };
    worker.onerror = event => {
      event.preventDefault();
      failed(event.message);
    };
    this.start(worker, search => ({ ...jobOf(search, knobs), about: this.state.record.game }), failed);
  }

  refuse(why, knobs) {
    this.take({ knobs, running: false, notice: `The search failed: ${String(why).replace(/[.\s]+$/, "")}. The previous tree is shown.` });
    this.tell("msg:custom", { do: "refused" });
  }

  replace(record, knobs) {
    const before = this.state.record, rows = before.steps.leaf.length, next = record.steps.leaf.length, { moves } = knobs;
    const isSame = !moves || !this.state.opening || moves.value.join() === this.state.opening.join();
    this.take({
      opening: moves ? moves.value : this.state.opening,
      step: this.state.step === rows || !isSame ? next : Math.min(this.state.step, next),
      selected: this.state.selected === null || this.state.selected === undefined || !isSame ? null : samePosition(before, this.state.selected, record),
      running: false, progress: 1, notice: "", record,
    });
  }

  close() {
    if (this.running) this.running.terminate();
    this.running = null;
  }
}

const loading = new Map();

// Loads a network, which is in the page itself or in a file next to the page's script.
export function loaded({ networks, here }, name) {
  if (typeof networks[name] !== "string") return Promise.resolve(networks[name]);
  if (!loading.has(name)) {
    loading.set(name, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(networks[name], here);
      script.onload = () => resolve(globalThis.azlearnNetworks[name]);
      script.onerror = () => {
        loading.delete(name);
        script.remove();
        reject(new Error(`The network ${name} could not be loaded`));
      };
      document.head.append(script);
    }));
  }
  return loading.get(name);
}

export function startWorker({ text, games }, name) {
  text = `(() => {\n${text}\nserve(self, (${games[name]})());\n})();`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" })), worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

// The job for the worker: the search as Python described it, with the values of the knobs.
function jobOf(search, knobs) {
  const value = name => (knobs[name] ? knobs[name].value : undefined), select = { ...search.select }, job = { ...search, select };
  for (const name of ["c", "fpu"]) if (value(name) !== undefined) select[name] = value(name);
  if (value("noise") !== undefined) job.noise = { ...(search.noise || {}), fraction: value("noise") };
  if (value("moves")) Object.assign(job, { moves: value("moves"), state: null });
  return Object.assign(job, { simulations: value("num_simulations"), seed: value("seed") });
}

// Finds the node after the same moves in another record, or the last node on the way.
function samePosition(record, node, other) {
  const { parent, action } = record.nodes, moves = [];
  for (let i = node; i > 0; i = parent[i]) moves.unshift(action[i]);
  let found = 0;
  for (const move of moves) {
    const next = other.nodes.parent.findIndex((up, i) => up === found && i > 0 && other.nodes.action[i] === move);
    if (next < 0) break;
    found = next;
  }
  return found;
}
