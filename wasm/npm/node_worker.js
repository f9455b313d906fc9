// The worker of a browser, in a thread of node.
import { parentPort } from 'node:worker_threads';

Object.assign(globalThis, { self: globalThis, location: { href: import.meta.url }, importScripts() {}, onmessage: null, postMessage: (answer) => parentPort.postMessage(answer) });
await import('./worker.js');
parentPort.on('message', (data) => globalThis.onmessage({ data }));
