// The page of one record: it opens from a file, draws, plays, zooms, exports, and neither fails nor asks for anything.
import { readFileSync } from 'node:fs';
import { start } from './browser.mjs';
import { assert, colourOf, command, example, finish, pixels, record, report, test } from './check.mjs';

const browser = await start();
const { path, bytes } = report('pendulum', record('pendulum', example('pendulum')));
const { page, faults } = await browser.open(path);

await test('a small run makes a file of about a megabyte', () => {
  assert.ok(bytes < 1.1e6, `${bytes} bytes`);
  assert.match(command('info', path.replace(/html$/, 'h5')), /4093/);
});

await test('the policy allows one script and one style, and nothing from elsewhere', () => {
  const text = readFileSync(path, 'utf8');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)[1];
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data: blob:;/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(text.match(/<script>/g).length, 1);
});

await test('the title and the figures are there', async () => {
  assert.equal(await page.title(), 'Planar pendulum');
  assert.equal(await page.textContent('h1'), 'Planar pendulum');
  const told = await page.textContent('#summary');
  for (const part of ['rattle(verlet)', 'order 2, symmetric, symplectic', '0 to 1023', '8.6·10⁻⁴']) assert.ok(told.includes(part), part);
});

await test('the energy error is drawn over the whole width', async () => {
  const seen = await pixels(page, '#energy canvas', await colourOf(page, 'run-1'));
  assert.ok(seen.columns > 0.7 * seen.width, JSON.stringify(seen));
  assert.ok(seen.rows > 0.4 * seen.height, JSON.stringify(seen));
});

const stage = '.stage canvas';
const play = '.controls .play';
await test('the motion is drawn: a ball and its path', async () => {
  const seen = await pixels(page, stage, await colourOf(page, 'run-1'));
  assert.ok(seen.drawn > 2000 && seen.drawn < 0.2 * seen.width * seen.height, JSON.stringify(seen));
});

const clock = () => page.textContent('.clock');
await test('it plays, and pauses', async () => {
  const [before, picture] = [await clock(), await page.locator(stage).screenshot()];
  await page.click(play);
  await page.waitForFunction((old) => document.querySelector('.clock').textContent !== old, before);
  await page.waitForTimeout(400);
  await page.click(play);
  const paused = await clock();
  assert.notEqual(paused, before);
  assert.ok(!picture.equals(await page.locator(stage).screenshot()), 'the picture has not changed');
  await page.waitForTimeout(300);
  assert.equal(await clock(), paused);
});

await test('space plays too, and the bar scrubs', async () => {
  await page.locator('h1').click();
  const before = await clock();
  await page.keyboard.press('Space');
  await page.waitForFunction((old) => document.querySelector('.clock').textContent !== old, before);
  await page.keyboard.press('Space');
  await page.locator('.controls input').fill('1000');
  assert.equal(await clock(), 't = 174.75');
});

const extent = () => page.evaluate(() => document.querySelector('#energy .u-axis') && document.querySelector('#energy .chart').getAttribute('aria-label'));
await test('a chart zooms by dragging and by keys', async () => {
  assert.match(await extent(), /Energy error/);
  const overlay = page.locator('#energy .u-over');
  const box = await overlay.boundingBox();
  const look = () => page.locator('#energy canvas').screenshot();
  const whole = await look();
  await page.mouse.move(box.x + 100, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(5, 5);
  const near = await look();
  assert.ok(!near.equals(whole), 'dragging has not zoomed');
  await page.locator('#energy .chart').focus();
  await page.keyboard.press('0');
  assert.ok((await look()).equals(whole), '0 has not gone back');
  await page.keyboard.press('+');
  assert.ok(!(await look()).equals(whole), '+ has not zoomed');
  await page.keyboard.press('0');
});

for (const [name, button, name_of_file] of [
  ['a chart', '#energy button[title*="PNG"]', 'planar-pendulum-energy.png'],
  ['the motion', '#motion button[title*="PNG"]', 'planar-pendulum-motion.png'],
]) {
  await test(`${name} is saved as PNG`, async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
    assert.equal(download.suggestedFilename(), name_of_file);
    const image = readFileSync(await download.path());
    assert.equal(image.subarray(1, 4).toString(), 'PNG');
    assert.ok(image.length > 5000 && image.readUInt32BE(16) > 400, `${image.length} bytes`);
  });
}

await test('light and dark', async () => {
  const light = await colourOf(page, 'card');
  await page.click('button[title="switch to dark colours"]');
  assert.notEqual(await colourOf(page, 'card'), light);
  const seen = await pixels(page, '#energy canvas', await colourOf(page, 'run-1'));
  assert.ok(seen.near > 1000, JSON.stringify(seen));
});

await test('nothing runs over the edge of a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});

await test('no error, no request', () => assert.deepEqual(faults, []));
await browser.stop();
finish();
