// The model at work: a worker that holds the module, one order at a time, ended when it takes too long or breaks, and hired anew.

const PATIENCE = 12000; // ms without an answer: the limits of the worker itself are below
const MOST_MEMORY = 128e6; // bytes that a worker may keep: memory of a module never shrinks

// gzip in base64, compiled once for all workers
async function compile(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return WebAssembly.compile(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

export const isThere = () => Boolean(document.getElementById('live-module'));

export class Engine {
  // hear(answer): { run ... } or { failed: sentence }; busy(true or false)
  constructor(hear, busy) {
    Object.assign(this, { hear, busy, number: 0, wanted: null, working: null, ended: 0 });
    this.compiled = compile(document.getElementById('live-module').textContent);
    this.text = URL.createObjectURL(new Blob([document.getElementById('live-worker').textContent], { type: 'text/javascript' }));
    this.hire();
  }
  hire() {
    this.worker?.terminate();
    const worker = new Worker(this.text);
    this.worker = worker;
    this.ready = false;
    worker.onmessage = ({ data }) => worker === this.worker && this.answer(data);
    worker.onerror = (event) => worker === this.worker && this.breaks(event.message || 'the worker ended');
    this.compiled.then((module) => worker.postMessage({ module }), (error) => this.hear({ failed: `This browser cannot run the model: ${error.message}` }));
  }
  // The latest order waits while one is being worked on.
  ask(order) {
    this.wanted = order;
    this.next();
  }
  next() {
    if (!this.ready || this.working || !this.wanted) return;
    this.working = { ...this.wanted, id: ++this.number, asked: performance.now() };
    this.wanted = null;
    this.busy(true);
    this.worker.postMessage(this.working);
    this.timer = setTimeout(() => this.end(`There was no answer within ${PATIENCE / 1000} s: the model or a step of it does not end. It was stopped; change a setting to try again.`), PATIENCE);
  }
  answer(data) {
    if (data.ready) {
      this.ready = true;
      this.readyAt ??= performance.now();
      return this.next();
    }
    if (data.broken) return this.breaks(data.broken);
    if (data.id !== this.working?.id) return undefined;
    const order = data.follows ? this.working : this.done();
    this.hear({ ...data, order, waited: performance.now() - order.asked });
    if (data.follows) return this.busy(false); // the worker is at the check
    if (data.memory > MOST_MEMORY) this.hire();
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
  end(sentence) {
    const order = this.working ? this.done() : undefined;
    this.ended++;
    this.hire();
    this.hear({ failed: sentence, order });
  }
}
