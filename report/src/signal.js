// A value that others listen to.
export class Signal {
  constructor(value) {
    this.value = value;
    this.listeners = new Set();
  }
  on(listener) {
    this.listeners.add(listener);
    return listener;
  }
  // `from` is handed on, so that a listener can leave out what it sent itself
  set(value, from) {
    this.value = value;
    for (const listener of this.listeners) listener(value, from);
  }
}
