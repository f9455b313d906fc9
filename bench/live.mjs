// How long a live page takes: least and median of some tries, in headless Chromium without a GPU.
//   node bench/live.mjs RATTLE SOURCE_DIR [MODEL.lua [PARAMETER]]      default: examples/double_pendulum.lua length1
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { start } from '../tests/report/browser.mjs';

const [, , rattle, source, model = join(source, 'examples', 'double_pendulum.lua'), parameter = 'length1'] = process.argv;
const file = join(process.env.TMPDIR ?? '/tmp', `rattle-live-${process.pid}.html`);
execFileSync(rattle, ['live', model, '-o', file, '--quiet', '--force']);
const browser = await start();
const [ready, first, answers, drawn] = [[], [], [], []];
let page;
for (let i = 0; i < 5; i++) {
  await page?.close();
  ({ page } = await browser.open(file));
  await page.waitForSelector('.live-charts .card');
  const [at, shown] = await page.evaluate(() => [window.rattleLive[0].engine.readyAt, window.rattleLive[0].shownAt]);
  ready.push(at);
  first.push(shown);
}
for (let i = 0; i < 60; i++) {
  const [answer, all] = await page.evaluate(async ([name, value]) => {
    const [live] = window.rattleLive;
    const bar = document.querySelector(`input[type=range][aria-label="${name}"]`);
    const before = live.current;
    const began = performance.now();
    bar.value = value;
    bar.dispatchEvent(new Event('input'));
    while (live.current === before) await new Promise((done) => { setTimeout(done, 0); });
    return [live.current.waited, live.shownAt - began];
  }, [parameter, 1 + 0.01 * (i + 1)]);
  answers.push(answer);
  drawn.push(all);
}
await browser.stop();
const row = (name, list) => {
  const sorted = [...list].sort((a, b) => a - b);
  console.log(`${name.padEnd(52)} ${sorted[0].toFixed(0).padStart(6)} ${sorted[sorted.length >> 1].toFixed(0).padStart(6)} ms`);
};
console.log(`${model}: ${Math.ceil(statSync(file).size / 1000)} kB${' '.repeat(10)}least, median`);
row('from the navigation: the module is ready', ready);
row('from the navigation: the first motion is there', first);
row('from a slider: the answer of the worker', answers);
row('from a slider: the motion is there', drawn);
