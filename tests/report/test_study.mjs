// Pages of studies: orders, growth, work.
import { readFileSync } from 'node:fs';
import { start } from './browser.mjs';
import { assert, at, brokenWords, colourOf, command, example, finish, model, pixels, record, report, test, frames } from './check.mjs';

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

// The frames of the motion of a page's only study: place(clip, frame) is [[x, y], ...] of its particles.
function motionOf(path) {
  const text = readFileSync(path, 'utf8');
  const part = (id) => new RegExp(`id="${id}"[^>]*>([\\s\\S]*?)</script>`).exec(text)[1];
  const bytes = Buffer.from(part('numbers'), 'base64');
  const { motion } = JSON.parse(part('data')).studies[0];
  const kinds = { d: [8, 'readDoubleLE'], w: [2, 'readUInt16LE'], i: [4, 'readInt32LE'] };
  const read = ([kind, at, count]) => Array.from({ length: count }, (_, k) => bytes[kinds[kind][1]](at + kinds[kind][0] * k));
  const [place, low, high] = [motion.place, motion.low, motion.high].map(read);
  const clips = motion.clips.map((clip) => ({ ...clip, time: read(clip.time), values: read(clip.values) }));
  const number = (clip, frame, c) => low[c] + ((high[c] - low[c]) * clip.values[frame * motion.columns + c]) / 65534;
  return { clips, place: (clip, frame) => [0, 1].map((i) => [0, 1].map((d) => number(clip, frame, place[3 * i + d]))) };
}

await test('modes move, by their shapes and on the constraints', async () => {
  command('study', 'modes', example('double_pendulum'), '-o', at('modes.h5'), '--quiet');
  const { path } = report('modes', at('modes.h5'));
  const { clips, place } = motionOf(path);
  assert.deepEqual(clips.map(({ first }) => first), [0, 1]);
  for (const [i, sign] of [-1, 1].entries()) {
    // two equal rods and bobs: w^2 = (2 -+ sqrt 2) g/l, x2/x1 = 1 +- sqrt 2
    const [clip, last] = [clips[i], clips[i].count - 1];
    assert.ok(Math.abs(clip.time[last] / (2 * Math.PI) - ((2 + sign * Math.SQRT2) * 9.81) ** -0.5) < 1e-12);
    const [[x1], [x2]] = place(clip, 0);
    const most = Math.max(Math.abs(x1), Math.abs(x2));
    assert.ok(most > 0.1 && most < 0.5 && Math.abs(x2 / x1 - 1 + sign * Math.SQRT2) < most ** 2, `${x1}, ${x2}`);
    assert.deepEqual(place(clip, last), place(clip, 0));
    for (let frame = 0; frame <= last; frame += 6) {
      const [a, b] = place(clip, frame);
      assert.ok(Math.abs(Math.hypot(...a) - 1) < 1e-4 && Math.abs(Math.hypot(b[0] - a[0], b[1] - a[1]) - 1) < 1e-4, `${a}, ${b}`);
    }
  }
  const { page, faults } = await browser.open(path);
  const picture = async () => {
    await frames(page);
    return page.locator('#statics .stage canvas').screenshot();
  };
  const before = await picture();
  await page.locator('#statics .controls input').fill('500');
  const half = await picture();
  assert.ok(!before.equals(half));
  await page.locator('#statics .controls select').first().selectOption('1');
  assert.ok(!(await picture()).equals(before));
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a table of modes without damping is whole on a phone, one with it has its decay; many coordinates are folded', async () => {
  const wide = async (name, of, tools) => {
    command('study', ...tools, of, '-o', at(`${name}.h5`), '--quiet');
    const { page, faults } = await browser.open(report(name, at(`${name}.h5`)).path, { width: 400, height: 800 });
    const heads = await page.locator('#statics .scroll').first().locator('th[scope=col]').allTextContents();
    const hidden = await page.evaluate(() => [...document.querySelectorAll('#statics .scroll')].filter((e) => e.scrollWidth > e.clientWidth).length);
    const folded = await page.locator('#statics details').count();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 400), 'the page scrolls sideways');
    assert.deepEqual(faults, []);
    await page.close();
    return { heads, hidden, folded };
  };
  assert.deepEqual(await wide('free', example('double_pendulum'), ['modes']), { heads: ['mode', 'frequency (radians)', 'cycles', 'motion'], hidden: 0, folded: 0 });
  const damped = model('damped_mode', 'local x, p = pair("x") mass { x = 1 } potential(2*x^2) force { x = -0.4*p } start { x = 0.1 }');
  assert.deepEqual((await wide('damped_mode', damped, ['modes'])).heads, ['mode', 'frequency (radians)', 'cycles', 'decay', 'damping ratio', 'motion']);
  assert.equal((await wide('many_at_rest', example('governor'), ['equilibrium'])).folded, 2);
});

await test('modes that cannot be shown in motion say why', async () => {
  const disc = model('disc', 'local a, p = pair("a") hamiltonian(p^2/2 + 5*a^2) start { a = 0.1 }');
  command('study', 'modes', disc, '-o', at('still.h5'), '--quiet');
  const { page, faults } = await browser.open(report('still', at('still.h5')).path);
  assert.match(await page.textContent('#statics'), /does not say what moves.*\(draw\)/);
  assert.equal(await page.locator('#statics .stage').count(), 0);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a family of equilibria: its curve, its events, and the command that makes it again', async () => {
  // a bead on a hoop that turns: 1 - cos(a) is what it climbs; it leaves the bottom where w^2 = g/r
  const hoop = model('hoop', `local w = parameter("w", 1)
local a, p = pair("a")
hamiltonian(p^2/2 - 4*cos(a) - w^2*sin(a)^2/2)
start { a = 0 }
integrate { method = "verlet", step = 0.01, stop = 1 }`);
  command('study', 'modes', hoop, '--along', 'w=1:3', '-o', at('family.h5'), '--quiet');
  const { page, faults } = await browser.open(report('family', at('family.h5')).path);
  assert.deepEqual(await page.locator('#family li').allTextContents(), ['branch at w = 2']);
  const shown = page.locator('#family select');
  assert.equal(await shown.evaluate(({ options, value }) => options[value].textContent), 'softest stiffness'); // it stays at the bottom
  const drawn = () => Promise.all(['run-1', 'run-2', 'run-3'].map(async (name) => (await pixels(page, '#family .uplot canvas', await colourOf(page, name))).near));
  for (const near of await drawn()) assert.ok(near > 4, `${await drawn()}`);
  const said = (await page.locator('#again pre, #again code').first().textContent()).trim();
  assert.match(said, /^rattle study modes hoop\.lua --along w=1:3 -o family\.h5/);
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
