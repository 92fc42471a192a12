// Sliders that rerun the search: filled in where the explorer's model has knobs.

export class Knobs {
  constructor(model, host) {
    Object.assign(this, { model, host });
  }

  close() {
    this.host.replaceChildren();
  }
}
