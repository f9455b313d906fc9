// Records that have little or strange things in them still make a sensible page.
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { start } from './browser.mjs';
import { assert, at, colourOf, command, example, finish, model, pixels, record, report, test, frames } from './check.mjs';

const browser = await start();
const odd = process.argv[4]; // writes a record with what is not finite
const shows = async (page, id, least = 50) => {
  const seen = await pixels(page, `#${id} canvas`, await colourOf(page, 'run-1'));
  assert.ok(seen.near > least, `${id}: ${JSON.stringify(seen)}`);
};
async function open(name, path) {
  const { page, faults } = await browser.open(report(name, path).path);
  assert.equal(await page.locator('.notice.failed', { hasText: 'could not be drawn' }).count(), 0);
  return { page, faults, close: () => page.close() };
}

await test('what is not finite is left out and counted', async () => {
  execFileSync(odd, [at('odd.h5')]);
  const { page, faults, close } = await open('odd', at('odd.h5'));
  await page.locator('#quantities select').selectOption('coordinate:x');
  assert.match(await page.textContent('#quantities .note'), /100 samples are not finite/);
  for (const id of ['energy', 'quantities', 'phase', 'motion']) await shows(page, id);
  // from 0.4 to 0.5 of the time there is nothing to draw
  const along = (u) => page.evaluate((part) => {
    const [over, canvas] = ['.u-over', 'canvas'].map((what) => document.querySelector(`#quantities ${what}`).getBoundingClientRect());
    return (over.left + part * over.width - canvas.left) / canvas.width;
  }, u);
  const shade = await colourOf(page, 'run-1');
  assert.equal((await pixels(page, '#quantities canvas', shade, await along(0.42), await along(0.48))).near, 0);
  assert.ok((await pixels(page, '#quantities canvas', shade, await along(0.52), await along(0.58))).near > 50);
  const ball = async (part) => {
    await page.locator('.controls input').fill(String(part));
    await frames(page);
    return (await pixels(page, '#motion canvas', shade)).near;
  };
  const [before, amid, after] = [await ball(300), await ball(450), await ball(600)];
  assert.ok(before > amid + 50 && after > amid + 50, `${[before, amid, after]}`);
  assert.match(await page.textContent('#reproduce'), /no model text/);
  assert.deepEqual(faults, []);
  await close();
});

await test('a quantity that is never finite', async () => {
  const path = record('never', model('never', `local x, px = pair("x")
hamiltonian(px^2/2 + x^2/2)
observe("never", log(-1 - x^2))
start { x = 1 }
integrate { method = "verlet", step = 0.1, stop = 20 }`));
  const { page, faults, close } = await open('never', path);
  await page.locator('#quantities select').selectOption('observed:never');
  assert.match(await page.textContent('#quantities .note'), /201 samples are not finite/);
  assert.equal(await page.locator('#phase select').first().inputValue(), 'coordinate:x');
  assert.deepEqual(faults, []);
  await close();
});

await test('a quantity that is 0 but for round-off, and a coordinate that stands', async () => {
  const path = record('tiny', model('tiny', `local x, px = pair("x") local y, py = pair("y")
hamiltonian((px^2 + py^2 + x^2 + y^2)/2)
observe("tiny", 4e-35*y) observe("tinier", 1e-300*y)
start { y = 1 }
integrate { method = "verlet", step = 0.1, stop = 20 }`));
  const { page, faults, close } = await open('tiny', path);
  const axes = page.locator('#phase select');
  await axes.nth(0).selectOption('observed:tinier');
  await axes.nth(1).selectOption('observed:tiny');
  await shows(page, 'phase');
  assert.deepEqual(faults, []);
  await close();
});

await test('the first portrait is of what moves', async () => {
  const path = record('stands', model('stands', `local x, px = pair("x") local y, py = pair("y")
hamiltonian((px^2 + py^2 + x^2 + y^2)/2)
start { y = 1 }
integrate { method = "verlet", step = 0.1, stop = 20 }`));
  const { page, faults, close } = await open('stands', path);
  assert.equal(await page.locator('#phase select').first().inputValue(), 'coordinate:y');
  assert.deepEqual(faults, []);
  await close();
});

await test('one sample: a run that fails in its first step', async () => {
  const name = at('one.h5');
  assert.throws(() => command('run', example('pendulum'), '-o', name, '--quiet', '--step', '30', '--steps', '2'), /status|Command failed/);
  const { page, faults, close } = await open('one', name);
  assert.match(await page.textContent('.notice.failed'), /^The run failed\. step too long: the constraint solver lost the solution/);
  assert.match(await page.textContent('#summary'), /Cost–.* in total, without a step/);
  assert.equal(await page.locator('#spectrum').count(), 0);
  await shows(page, 'quantities', 12);
  await shows(page, 'motion');
  assert.match(await page.textContent('#claims'), /no step was made/);
  assert.deepEqual(faults, []);
  await close();
});

await test('a method that keeps H, and is not symplectic', async () => {
  const { page, faults, close } = await open('kept', record('kept', example('double_pendulum'), '--method', 'discrete_gradient'));
  const rows = await page.locator('#claims tbody tr').allTextContents();
  assert.match(rows[3], /^H keptyes✓ heldlargest error [0-9.]+·10⁻¹[³⁴], relative/);
  assert.match(rows[4], /^symplecticno/);
  assert.deepEqual(faults, []);
  await close();
});

await test('no constraints', async () => {
  const { page, faults, close } = await open('kepler', record('kepler', example('kepler')));
  assert.deepEqual(await page.locator('#constraints, #multipliers, #nondegeneracy').count(), 0);
  for (const id of ['motion', 'phase', 'energy']) await shows(page, id);
  assert.deepEqual(faults, []);
  await close();
});

await test('backwards in time', async () => {
  const { page, faults, close } = await open('back', record('back', example('pendulum'), '--step', '-0.025', '--stop', '-50'));
  for (const id of ['motion', 'phase', 'energy', 'multipliers']) await shows(page, id, 100);
  const first = await page.textContent('.clock');
  await page.locator('.controls input').fill('1000');
  assert.deepEqual([first, await page.textContent('.clock')], ['t = −50.00', 't = 0']);
  assert.deepEqual(faults, []);
  await close();
});

await test('space: a rotation matrix is a body, rods of a ring are rods', async () => {
  const ring = await open('ring', record('ring', example('ring'), '--stop', '2'));
  const rods = await pixels(ring.page, '#motion canvas', await colourOf(ring.page, 'rod'));
  assert.ok(rods.near > 200, JSON.stringify(rods));
  const body = await open('body', record('body', example('rigid_body'), '--stop', '2'));
  const seen = await pixels(body.page, '#motion canvas', '#ffffff');
  assert.ok(seen.drawn > 8000, JSON.stringify(seen)); // a box, not a dot
  const picture = await body.page.locator('#motion canvas').screenshot();
  await body.page.locator('.stage').focus();
  await body.page.keyboard.press('ArrowLeft');
  await frames(body.page);
  assert.ok(!picture.equals(await body.page.locator('#motion canvas').screenshot()), 'it has not turned');
  assert.deepEqual([...ring.faults, ...body.faults], []);
  await Promise.all([ring.close(), body.close()]);
});

await test('numbers of the axes in space are round, stay in the picture and do not touch, on a phone too', async () => {
  const file = model('deep', `local x, px = pair('x1')
local y, py = pair('y1')
local z, pz = pair('z1')
hamiltonian((px^2 + py^2 + pz^2)/2 + z/100000)
start { x1 = -10, y1 = -7.25, z1 = -11.625, px1 = 1, py1 = 1, pz1 = 0.617 }
integrate { method = 'verlet', step = 0.1, stop = 20 }`);
  const { page, faults, close } = await open('deep', record('deep', file));
  for (const width of [400, 320, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await frames(page);
    for (const key of ['', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) {
      await page.locator('.stage').focus();
      if (key) await page.keyboard.press(key);
      await frames(page);
      const [stage, labels] = await page.evaluate(() => [document.querySelector('.stage').getBoundingClientRect().toJSON(),
        [...document.querySelectorAll('.labels span')].filter((label) => !label.hidden).map((label) => ({ text: label.textContent, ...label.getBoundingClientRect().toJSON() }))]);
      assert.ok(labels.length > 4, JSON.stringify(labels));
      assert.deepEqual(labels.filter((label) => label.left < stage.left || label.right > stage.right).map((label) => label.text), [], `${width} px`);
      const numbers = labels.filter((label) => /\d/.test(label.text) && /^[−\d.]*$/.test(label.text));
      assert.ok(numbers.length > 4, JSON.stringify(labels));
      assert.deepEqual(numbers.filter((label) => Number(label.text.replace('−', '-')) % 5), [], 'multiples of the step');
      const touch = (a, b) => a !== b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      assert.deepEqual(labels.filter((a) => labels.some((b) => touch(a, b))).map((label) => label.text), [], `${width} px`);
    }
  }
  assert.deepEqual(faults, []);
  await close();
});

await test('multipliers of one joint at a time, with their unit', async () => {
  const crank = readFileSync(example('slider_crank'), 'utf8').replace('title', 'units { length = "m", mass = "kg", time = "s" }\ntitle');
  const { page, faults, close } = await open('crank', record('crank', model('crank', crank), '--steps', '600'));
  const shown = () => page.locator('#multipliers .legend button span:nth-child(2)').allTextContents();
  assert.deepEqual(await shown(), ['bearing.x', 'bearing.y']);
  await page.locator('#multipliers select').selectOption('wrist');
  assert.deepEqual(await shown(), ['wrist.x', 'wrist.y']);
  await page.locator('#multipliers select').selectOption('all of them');
  assert.equal((await shown()).length, 9);
  assert.match(await page.textContent('#multipliers .note'), /, in kg m² s⁻² for a unit of g/);
  assert.deepEqual(faults, []);
  await close();
});

await test('without WebGL the motion is drawn flat, and plays', async () => {
  const init = () => {
    const context = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith('webgl') ? null : context.call(this, kind, ...rest);
    };
  };
  for (const name of ['ring', 'body', 'kepler']) {
    const { page, faults } = await browser.open(at(`${name}.html`), { init });
    await shows(page, 'motion', 60);
    const before = await page.locator('#motion canvas').screenshot();
    await page.locator('.controls input').fill('400');
    await frames(page);
    assert.ok(!before.equals(await page.locator('#motion canvas').screenshot()), name);
    assert.deepEqual(faults, []);
    await page.close();
  }
});

await browser.stop();
finish();
