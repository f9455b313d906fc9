// Long runs and many particles: the page stays small, loses no extreme, and works.
import { rmSync } from 'node:fs';
import { start } from './browser.mjs';
import { assert, at, colourOf, example, finish, model, pixels, record, report, test } from './check.mjs';

const browser = await start();

await test('ten million samples', async () => {
  const path = record('long', model('long', `title "Ten million samples"
local x, px = pair("x")
hamiltonian(px^2/2 - cos(x))
observe("spike", 1/(1 + 1e12*(x - 2.5)^2))
start { x = 2.5, px = 0 }
integrate { method = "verlet", step = 0.02, steps = 10000000 }`));
  const { path: html, bytes, samples } = report('long', path);
  rmSync(path);
  assert.equal(samples, 10000001);
  assert.ok(bytes < 1.1e6, `${bytes} bytes`);
  const { page, faults } = await browser.open(html);
  for (const id of ['energy', 'quantities', 'phase', 'motion', 'spectrum']) {
    const seen = await pixels(page, `#${id} canvas`, await colourOf(page, 'run-1'));
    assert.ok(seen.near > 100, `${id}: ${JSON.stringify(seen)}`);
  }
  // the first sample alone has the spike's full height of 1
  assert.match(await page.textContent('#quantities .note'), /spike: \S+ to 1,/);
  assert.deepEqual(await page.locator('#motion .choice button').allTextContents(), ['beginning', 'whole run', 'end']);
  await page.locator('#motion .choice button').nth(2).click();
  assert.match(await page.textContent('.clock'), /^t = 199\s98[0-9]\.\d\d/);
  assert.match(await page.textContent('#phase .note'), /^The line is the end of the run, from t = 199970;/);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a hundred thousand particles', async () => {
  const path = record('many', example('chain'), '-P', 'N=100000', '--steps', '24', '--every', '2');
  const { path: html, bytes } = report('many', path);
  rmSync(path);
  assert.ok(bytes < 16e6, `${bytes} bytes`);
  const { page, faults } = await browser.open(html);
  const seen = await pixels(page, '#motion canvas', await colourOf(page, 'run-1'));
  assert.ok(seen.columns > 0.6 * seen.width, JSON.stringify(seen)); // the chain is held out level
  const before = await page.textContent('.clock');
  await page.locator('.controls .play').click();
  await page.waitForFunction((old) => document.querySelector('.clock').textContent !== old, before);
  assert.deepEqual(faults, []);
  await page.close();
});

rmSync(at('long.html'));
await browser.stop();
finish();
