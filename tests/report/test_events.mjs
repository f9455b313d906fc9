// What was recorded at events is on the page: a section of points, a table, units on axes.
import { start } from './browser.mjs';
import { assert, colourOf, example, finish, frames, model, pixels, record, report, test } from './check.mjs';

const browser = await start();

await test('a Poincare section, and a table of its first points', async () => {
  const { path } = report('section', record('section', example('section'), '--stop', '400'));
  const { page, faults } = await browser.open(path);
  const seen = await pixels(page, '#events canvas', await colourOf(page, 'run-1'));
  assert.ok(seen.near > 100 && seen.columns > 40, JSON.stringify(seen));
  const lines = await page.locator('#events tbody tr').count();
  assert.equal(lines, 8);
  const row = await page.locator('#events tbody tr').first().locator('td').allTextContents();
  assert.deepEqual([row[0], row[1], row[5]], ['4.7414632', 'rising', '−1']);
  assert.match(await page.textContent('#events .note'), /^\d+ events; the table has the first 8/);
  const before = await page.locator('#events canvas').screenshot();
  await page.locator('#events .axis select').first().selectOption('time:time');
  await frames(page);
  assert.ok(!(await page.locator('#events canvas').screenshot()).equals(before), 'the other axis is not drawn');
  assert.deepEqual(faults, []);
  await page.close();
});

await test('several events, units, and names that are no markup', async () => {
  const path = record('several', model('several', `local x, px = pair("x")
local y, py = pair("y")
units { length = "<b>", mass = "u", time = "ps" }
hamiltonian((px^2 + py^2)/2 + (x^2 + 2*y^2)/2)
event("<img src=x onerror=alert(1)>", x)
event("fall", y, { direction = -1 })
start { x = 1, y = 1 }
integrate { method = "verlet", step = 0.1, stop = 40 }`), '--at', '1,2');
  const { page, faults } = await browser.open(report('several', path).path);
  assert.equal(await page.locator('#events select').first().locator('option').count(), 3);
  const axes = () => Promise.all([0, 1].map((i) => page.locator('#events .axis select').nth(i).inputValue()));
  assert.deepEqual(await axes(), ['coordinate:y', 'momentum:py'], 'the event holds x: the pair that changes is the section');
  await page.locator('#events select').first().selectOption('fall');
  assert.deepEqual(await axes(), ['coordinate:x', 'momentum:px']);
  assert.match(await page.textContent('#events thead'), /time \(ps\)/);
  assert.match(await page.textContent('#events thead'), /x \(<b>\)/);
  assert.equal(await page.locator('#events img, #events b').count(), 0);
  assert.deepEqual([...new Set(await page.locator('#events tbody td:nth-child(2)').allTextContents())], ['falling']);
  assert.deepEqual(faults, []);
  await page.close();
});

await browser.stop();
finish();
