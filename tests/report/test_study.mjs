// Pages of studies: orders, growth, work.
import { start } from './browser.mjs';
import { assert, at, brokenWords, colourOf, command, example, finish, pixels, record, report, test, frames } from './check.mjs';

const browser = await start();
function study(kind, ...options) {
  command('study', kind, example('pendulum'), '-o', at(`${kind}.h5`), '--quiet', ...options);
  return at(`${kind}.h5`);
}
const shades = async (page) => Promise.all([1, 2, 3].map((i) => colourOf(page, `run-${i}`)));

await test('order: the table, the lines and the verdicts', async () => {
  const { path, studies, records } = report('order', study('order', '--effort', '0.1', '--methods', 'shake(verlet), rattle(verlet), kahan_li6(rattle(verlet))'));
  assert.deepEqual([studies, records], [1, 0]);
  const { page, faults } = await browser.open(path);
  assert.deepEqual(await page.locator('#study tbody .verdict').allTextContents(), ['✓ confirmed', '✓ confirmed', '✓ confirmed']);
  assert.match((await page.locator('#study tbody tr').allTextContents())[1], /^rattle\(verlet\)✓ confirmed.*2(1\.99|2\.00)/);
  // verdicts are in sight on a phone, and slopes have at most four decimals
  await page.setViewportSize({ width: 400, height: 844 });
  await frames(page);
  for (const verdict of await page.locator('#study tbody .verdict').all()) {
    const { x, width } = await verdict.boundingBox();
    assert.ok(x >= 0 && x + width <= 400, `${x}, ${width}`);
  }
  for (const cell of await page.locator('#study tbody td').allTextContents()) assert.doesNotMatch(cell, /\.\d{5}/);
  await page.setViewportSize({ width: 1280, height: 900 });
  await frames(page);
  for (const shade of await shades(page)) {
    const seen = await pixels(page, '#errors .uplot canvas', shade);
    assert.ok(seen.near > 150, JSON.stringify(seen));
  }
  const before = await page.locator('#errors .uplot canvas').screenshot();
  await page.locator('#errors select').selectOption('energy');
  assert.ok(!before.equals(await page.locator('#errors .uplot canvas').screenshot()));
  assert.match(await page.textContent('#method'), /Andersen/);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a comparison has a line for each method, and what grew', async () => {
  const { page: side, faults: mine } = await browser.open(report('compare', study('compare', '--stop', '20', '--methods', 'rk4(dirac), rattle(verlet)')).path);
  assert.deepEqual(await side.locator('#study tbody .verdict').allTextContents(), ['✗ drifts', '✓ bounded']);
  const cells = await side.locator('#study tbody tr').nth(1).locator('td').allTextContents();
  assert.equal(cells.length, 9);
  assert.match(cells[3], /10⁻¹[⁵⁶]$/); // |g| of RATTLE
  const seen = await pixels(side, '#errors .uplot canvas', await colourOf(side, 'run-1'));
  assert.ok(seen.columns > 0.3 * seen.width, JSON.stringify(seen));
  assert.match(await side.locator('#again pre, #again code').first().textContent(), /--step 0\.025 --every \d+ /);
  assert.deepEqual(mine, []);
  await side.close();
});

await test('advice names the method and its step', async () => {
  const { page: side, faults: mine } = await browser.open(report('advise', study('advise', '--stop', '5', '--error', '1e-8', '--methods', 'rattle(verlet), kahan_li6(rattle(verlet))')).path);
  assert.match(await side.locator('#study').textContent(), /kahan_li6\(rattle\(verlet\)\) with step [0-9.]+ for an error of 10⁻⁸: (sure|fairly sure|unsure)/);
  const words = await side.locator('#study .advice').textContent();
  assert.match(words, /measured [1-9.]+·10⁻/);
  assert.doesNotMatch(await side.locator('#study').textContent(), /\de[+-]\d|\^|\+-/);
  assert.match(await side.locator('#study .advice sup').first().textContent(), /^[1-9](\.[0-9])?$/);
  // on a phone it stands before all else, and expressions break after brackets and commas alone
  await side.setViewportSize({ width: 400, height: 844 });
  await frames(side);
  assert.match(await side.locator('#study p').first().textContent(), /^kahan_li6\(rattle\(verlet\)\) with step/);
  assert.equal(await side.evaluate(() => document.documentElement.scrollWidth), 400);
  const broken = await brokenWords(side, '.claims code, .advice code, .expression code, .note code');
  assert.deepEqual(broken, []);
  assert.match(await side.locator('#again pre, #again code').first().textContent(), /--error 1e-0?8/);
  assert.deepEqual(mine, []);
  await side.close();
});

await test('the command that is shown makes the same study again', async () => {
  const { page } = await browser.open(at('order.html'));
  const text = await page.locator('#again pre').first().textContent();
  assert.match(text, /^rattle study order pendulum\.lua -P gravity=1 --method 'shake\(verlet\)' .* --stop [0-9.]+ --reference \S+ -o order\.h5$/);
  await page.close();
});

await test('drift: growth, energy over time, frequencies', async () => {
  const { page, faults } = await browser.open(report('drift', study('drift', '--stop', '300', '--methods', 'rk4(dirac), rattle(verlet)')).path);
  assert.deepEqual(await page.locator('#study tbody .verdict').allTextContents(), ['✗ drifts', '✓ bounded']);
  const [first, second] = await shades(page);
  for (const id of ['errors', 'samples', 'frequencies']) {
    for (const shade of [first, second]) {
      const seen = await pixels(page, `#${id} .uplot canvas`, shade);
      assert.ok(seen.near > 60, `${id}: ${JSON.stringify(seen)}`);
    }
  }
  assert.match(await page.textContent('#frequencies .note'), /rk4\(dirac\): f = 0\.30[12]/);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('work, together with a record: lines, and the cheapest for each error', async () => {
  const files = [record('run', example('pendulum'), '--stop', '20'), study('work', '--effort', '0.1', '--methods', 'rattle(verlet), kahan_li8(rattle(verlet))')];
  const { path, studies, records } = report('work', ...files);
  assert.deepEqual([studies, records], [1, 1]);
  const { page, faults } = await browser.open(path);
  assert.ok((await page.locator('#cheapest tbody tr').count()) >= 3);
  assert.match(await page.textContent('#cheapest tbody tr:last-child'), /kahan_li8/);
  assert.ok((await page.locator('#method .math sub').allTextContents()).some((text) => text.startsWith('17')), 'c_17 has the index 17');
  for (const shade of (await shades(page)).slice(0, 2)) assert.ok((await pixels(page, '#errors .uplot canvas', shade)).near > 100);
  assert.ok((await pixels(page, '#energy canvas', await colourOf(page, 'run-1'))).near > 300);
  assert.deepEqual(faults, []);
  await page.setViewportSize({ width: 390, height: 844 });
  await frames(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.close();
});

await browser.stop();
finish();
