// Tells whether Python still receives a widget's messages. A restarted kernel no longer knows the widget.

const GONE = "The kernel was restarted or has stopped: run this cell again.";
const AWAY = "No connection to the kernel. If the server has stopped, start it again and reload the page.";
const OVER = ["restarting", "autorestarting", "terminating", "dead"];

// trouble: a sentence that describes a problem with the kernel, or ""; tell: called when it changes.
export class Kernel {
  constructor(model, tell) {
    const { kernel } = model.widget_manager || {};        // JupyterLab's and Notebook 7's
    Object.assign(this, { model, tell, trouble: "", kernel, heard: () => this.look() });
    this.signals = kernel && kernel.connectionStatusChanged ? [kernel.statusChanged, kernel.connectionStatusChanged, kernel.disposed] : [];
    for (const signal of this.signals) signal.connect(this.heard);
  }

  look() {
    const { kernel } = this, gone = this.trouble === GONE || kernel.isDisposed || OVER.includes(kernel.status);
    this.say(gone ? GONE : kernel.connectionStatus === "connected" ? "" : AWAY);
  }

  say(text) {
    if (text === this.trouble) return;
    this.trouble = text;
    this.tell();
  }

  // Sends a message to Python. Returns false, and sets `trouble`, if Python cannot receive it.
  send(content) {
    try {
      this.model.send(content);
    } catch (error) {
      console.error(error);
      this.say(GONE);
    }
    return !this.trouble;
  }

  close() {
    for (const signal of this.signals) signal.disconnect(this.heard);
  }
}
