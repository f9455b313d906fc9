// The model at work: a worker that holds the module, one order at a time, ended when it takes too long or breaks, and hired anew.

const MOST_MEMORY = 128e6; // bytes that a worker may keep: memory of a module never shrinks

// gzip in base64
async function compile(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return WebAssembly.compile(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

export const isThere = () => Boolean(document.getElementById('live-module'));

// What all workers have: the module, compiled once, and their text.
let shared;
const parts = () => shared ??= {
  compiled: compile(document.getElementById('live-module').textContent),
  text: URL.createObjectURL(new Blob([document.getElementById('live-worker').textContent], { type: 'text/javascript' })),
};

export class Engine {
  // patience: ms without an answer, more than the limits of the worker itself; hear(answer): { run ... } or { failed: sentence };
  // busy(true or false)
  constructor(patience, hear, busy = () => {}) {
    Object.assign(this, { patience, hear, busy, number: 0, wanted: null, working: null });
    this.hire();
  }
  hire() {
    this.dismiss();
    const { compiled, text } = parts();
    const worker = new Worker(text);
    this.worker = worker;
    worker.onmessage = ({ data }) => worker === this.worker && this.answer(data);
    worker.onerror = (event) => worker === this.worker && this.breaks(event.message || 'the worker ended');
    compiled.then((module) => worker.postMessage({ module }), (error) => this.hear({ failed: `This browser cannot run the model: ${error.message}` }));
  }
  // The worker is at nothing afterwards, and is not there.
  dismiss() {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    return this.working ? this.done() : undefined;
  }
  // Orders of before are not wanted any more.
  drop() {
    this.wanted = null;
    if (this.working) this.hire();
  }
  // The latest order waits while one is being worked on.
  ask(order) {
    this.wanted = order;
    if (!this.worker) this.hire();
    this.next();
  }
  next() {
    if (!this.ready || this.working || !this.wanted) return;
    this.working = { ...this.wanted, id: ++this.number, asked: performance.now() };
    this.wanted = null;
    this.busy(true);
    this.worker.postMessage(this.working);
    this.timer = setTimeout(() => this.end(`There was no answer within ${this.patience / 1000} s: the model or a step of it does not end. It was stopped; change a setting to try again.`), this.patience);
  }
  answer(data) {
    if (data.ready) {
      this.ready = true;
      this.readyAt ??= performance.now();
      return this.next();
    }
    if (data.broken) return this.breaks(data.broken);
    if (data.id !== this.working?.id) return undefined;
    const order = this.done();
    if (data.memory > MOST_MEMORY) this.hire();
    this.hear({ ...data, order, waited: performance.now() - order.asked });
    return this.next();
  }
  done() {
    clearTimeout(this.timer);
    const order = this.working;
    this.working = null;
    this.busy(false);
    return order;
  }
  breaks(why) {
    const memory = /memory|out of bounds/i.test(why);
    this.end(`The calculation broke off${memory ? ', probably for want of memory' : ''} (${why}). Nothing else is affected; change a setting to try again.`);
  }
  // A worker that never came to be ready is hired anew by the next order only.
  end(sentence) {
    const { ready } = this;
    const order = this.dismiss();
    if (ready) this.hire();
    this.hear({ failed: sentence, order });
  }
}
