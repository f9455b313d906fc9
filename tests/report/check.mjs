// What the tests of the page share: records made by the command, reading pixels, and counting checks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , rattle, source] = process.argv;
assert.ok(rattle && source, 'usage: node TEST.mjs RATTLE SOURCE_DIR');
export const folder = mkdtempSync(join(tmpdir(), 'rattle-page-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
export const at = (name) => join(folder, name);
export const example = (name) => join(source, 'examples', `${name}.lua`);
export const command = (...words) => execFileSync(rattle, words, { encoding: 'utf8' });

export function record(name, model, ...options) {
  command('run', model, '-o', at(`${name}.h5`), '--quiet', ...options);
  return at(`${name}.h5`);
}
export function model(name, text) {
  writeFileSync(at(`${name}.lua`), text);
  return at(`${name}.lua`);
}
// The page of records, and what the command prints about it.
export function report(name, ...records) {
  const printed = JSON.parse(command('report', ...records, '-o', at(`${name}.html`), '--json', '--force'));
  return { path: at(`${name}.html`), ...printed };
}

// How many pixels of a canvas are near a colour "#rrggbb", and how many differ from the one in its corner; between two parts of its
// width, 0 to 1.
export function pixels(page, selector, colour, from = 0, to = 1) {
  return page.evaluate(([wanted, hex, first, last]) => {
    const canvas = document.querySelector(wanted);
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext('2d');
    pen.drawImage(canvas, 0, 0);
    const left = Math.round(first * copy.width);
    copy.part = Math.round(last * copy.width) - left;
    const { data } = pen.getImageData(left, 0, copy.part, copy.height);
    const aim = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const columns = new Set();
    const rows = new Set();
    let [near, drawn] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const far = (to) => Math.abs(data[i] - to[0]) + Math.abs(data[i + 1] - to[1]) + Math.abs(data[i + 2] - to[2]);
      if (far(data) + Math.abs(data[i + 3] - data[3]) > 12) drawn += 1;
      if (data[i + 3] < 128 || far(aim) > 60) continue;
      near += 1;
      columns.add((i / 4) % copy.part);
      rows.add(Math.floor(i / 4 / copy.part));
    }
    return { near, drawn, columns: columns.size, rows: rows.size, width: copy.width, height: copy.height };
  }, [selector, colour, from, to]);
}
// Some frames later, however long a frame takes: what is resized has been drawn again.
export const frames = (page) => page.evaluate(() => new Promise((done) => {
  const next = (left) => (left ? requestAnimationFrame(() => next(left - 1)) : done());
  next(6);
}));
export const colourOf = (page, name) =>
  page.evaluate((variable) => getComputedStyle(document.documentElement).getPropertyValue(`--${variable}`).trim(), name);

// The expressions that a line ends in at another place than after a bracket or a comma.
export const brokenWords = (page, selector) => page.evaluate((wanted) => [...document.querySelectorAll(wanted)].flatMap((code) => {
  const letters = [];
  for (const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT); walk.nextNode();) {
    for (let i = 0; i < walk.currentNode.length; i++) {
      const range = new Range();
      range.setStart(walk.currentNode, i);
      range.setEnd(walk.currentNode, i + 1);
      letters.push({ letter: walk.currentNode.data[i], top: Math.round(range.getBoundingClientRect().top) });
    }
  }
  return letters.filter(({ letter, top }, i) => letters[i + 1] && letters[i + 1].top !== top && !'(,'.includes(letter)).map(() => code.textContent);
}), selector);

let count = 0;
export async function test(name, body) {
  await body();
  count += 1;
  console.log(`ok    ${name}`);
}
export function finish() {
  assert.ok(count > 0);
  console.log(`${count} tests passed`);
}
export { assert };
