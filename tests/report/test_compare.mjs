// The page of several records: they are laid over each other and distinguished.
import { start } from './browser.mjs';
import { assert, colourOf, example, finish, pixels, record, report, test } from './check.mjs';

const browser = await start();
const records = [['one', 'rattle(verlet)', '0.025'], ['two', 'shake(verlet)', '0.025'], ['three', 'rk4(dirac)', '0.2']].map(([name, method, step]) =>
  record(name, example('pendulum'), '--method', method, '--step', step, '--every', '4', '--stop', '80'));
const { path, records: count } = report('all', ...records);
const { page, faults } = await browser.open(path);

await test('three records make three columns', async () => {
  assert.equal(count, 3);
  assert.deepEqual(await page.locator('.compare thead th').allTextContents(), ['one', 'two', 'three']);
  assert.deepEqual(await page.locator('.compare code').allTextContents(), ['rattle(verlet)', 'shake(verlet)', 'rk4(dirac)']);
});

const shades = [await colourOf(page, 'run-1'), await colourOf(page, 'run-2'), await colourOf(page, 'run-3')];
const seenOf = async (id) => Promise.all(shades.map(async (shade) => (await pixels(page, `#${id} canvas`, shade)).near));

// shake and rattle have the same positions, so that elsewhere one hides the other
await test('each is drawn in its own colour', async () => {
  for (const id of ['energy', 'phase']) {
    const seen = await seenOf(id);
    assert.ok(seen.every((near) => near > 60), `${id}: ${seen}`);
  }
});

await test('the legend hides and shows', async () => {
  const before = await seenOf('energy');
  await page.locator('#energy .entry').nth(1).click();
  const after = await seenOf('energy');
  assert.ok(after[1] < 0.05 * before[1] && after[2] > 0.9 * before[2], `${before} -> ${after}`);
  await page.locator('#energy .entry').nth(1).click();
  assert.deepEqual(await seenOf('energy'), before);
});

await test('what a method does not claim is not held against it, and drift is seen', async () => {
  const row = async (i) => (await page.locator('#claims tbody tr').nth(i).locator('.verdict').allTextContents()).map((text) => text.trim());
  assert.deepEqual(await row(1), ['✓ held', '✓ held', 'not claimed']);
  assert.deepEqual(await row(2), ['✓ held', 'not claimed', 'not claimed']);
  assert.deepEqual(await row(3), ['✓ no drift observed', 'no drift observed', 'drifts']);
});

await test('methods, sources and commands are those of each', async () => {
  assert.deepEqual(await page.locator('#method .expression').allTextContents(), ['rattle(verlet)', 'shake(verlet)', 'rk4(dirac)']);
  assert.equal(await page.locator('#reproduce .block pre').count(), 6);
});

await test('a chart zoomed is all charts zoomed', async () => {
  const looks = () => Promise.all(['constraints', 'multipliers'].map((id) => page.locator(`#${id} canvas`).screenshot()));
  const before = await looks();
  await page.locator('#energy button[title="zoom in"]').click();
  const after = await looks();
  before.forEach((picture, i) => assert.ok(!picture.equals(after[i])));
  await page.locator('#energy button[title="show the whole run"]').click();
  (await looks()).forEach((picture, i) => assert.ok(picture.equals(before[i])));
});

await test('parameters that are equal take no row, and those that differ are in the first panel', async () => {
  const rows = (at) => at.locator('#summary .compare tbody th').allTextContents();
  assert.ok(!(await rows(page)).includes('Parameters'));
  const two = ['1', '2.5'].map((gravity, i) => record(`gravity${i}`, example('double_pendulum'), '-P', `gravity=${gravity}`, '--stop', '1'));
  const other = await browser.open(report('parameters', ...two).path);
  const row = other.page.locator('#summary .compare tbody tr', { hasText: 'Parameters' });
  assert.deepEqual(await row.locator('b').allTextContents(), ['gravity = 1', 'gravity = 2.5']);
  const alone = await browser.open(report('alone', two[1]).path);
  const tile = alone.page.locator('#summary .tiles div', { hasText: 'Parameters' });
  assert.match(await tile.locator('b').innerText(), /^gravity = 2\.5\s[^]*length1 = 1\s/);
  assert.deepEqual([...other.faults, ...alone.faults], []);
});

await test('no error, no request', () => assert.deepEqual(faults, []));
await browser.stop();
finish();
