// What a model draws itself is on its page: links, springs, boxes, surfaces, in their colours, light and dark, with and without WebGL.
import { start } from './browser.mjs';
import { assert, colourOf, example, finish, frames, model, pixels, record, report, test } from './check.mjs';

const browser = await start();
const text = `local a, pa = pair("a")
local l, pl = pair("l")
hamiltonian(pa^2/(2*l^2) + pl^2/2 - l*cos(a) + 20*(l - 1)^2)
start { a = 1, l = 1 }
integrate { method = "midpoint", step = 0.02, stop = 10 }
local A = {l*sin(a), -l*cos(a)}
draw { angles = {a} }
`;
const stage = '.stage canvas';
const near = async (page, name) => (await pixels(page, stage, await colourOf(page, name))).near;

function withoutWebGL() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function context(kind, ...rest) {
    return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
  };
}

await test('each thing has its colour, and what is not said is not there', async () => {
  const { path } = report('things', record('things', model('things', `${text}
draw { spring = {{0, 0}, A}, colour = "green" }
draw { box = A, size = {0.4, 0.4, 0.1}, angle = a, colour = "orange" }
draw { sphere = {0.8, -0.4}, size = 0.2, colour = "#123456" }`)));
  const { page, faults } = await browser.open(path);
  assert.ok(await near(page, 'run-3') > 100, 'the spring');
  const area = async () => (await pixels(page, stage, '#000000')).drawn;
  assert.ok(await area() > 8000, 'the box and the disc');
  assert.ok(await near(page, 'run-5') < 5, 'a colour that nothing has, but for a mixture at an edge');
  const before = await page.locator(stage).screenshot();
  await page.locator('.controls input').fill('500');
  await frames(page);
  assert.ok(!(await page.locator(stage).screenshot()).equals(before), 'it does not move');
  await page.click('button[title="switch to dark colours"]');
  await frames(page);
  assert.ok(await near(page, 'run-3') > 100, 'the spring in the dark');
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a line of the grid stands above each number, before anything has moved', async () => {
  const { path } = report('grid', record('grid', model('grid', `${text}
draw { point = A }`)));
  const { page } = await browser.open(path);
  const share = await page.evaluate(([canvas, grid, stage]) => {
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const pen = copy.getContext('2d');
    pen.drawImage(canvas, 0, 0);
    const of = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    // a line between two pixels is a half in each
    const part = (data, i) => (of(stage)[0] - data[4 * i]) / (of(stage)[0] - of(grid)[0]);
    const isGrid = (x, y) => {
      const { data } = pen.getImageData(x - 2, y, 5, 1);
      return [0, 1, 2, 3, 4].some((i) => part(data, i) > 0.3 && part(data, i) < 1.2);
    };
    const { left, width } = canvas.getBoundingClientRect();
    const middle = (label) => { const box = label.getBoundingClientRect(); return box.x + box.width / 2 - left; };
    const places = [...document.querySelectorAll('.labels .below')].filter(({ hidden }) => !hidden).map((label) => Math.round((middle(label) * canvas.width) / width));
    return places.map((x) => [0.1, 0.13, 0.17, 0.21, 0.24].filter((y) => isGrid(x, Math.round(y * copy.height))).length);
  }, [await page.$('.stage canvas'), await colourOf(page, 'grid'), await colourOf(page, 'stage')]);
  assert.ok(share.length > 3 && share.every((seen) => seen >= 3), `${share}`);
  await page.close();
});

await test('a damper that reaches far away does not make all else small', async () => {
  const { path } = report('far', record('far', model('far', `${text}
draw { point = A }
draw { damper = {A, {30, 0}}, colour = "green" }`)));
  const { page } = await browser.open(path);
  const numbers = await page.locator('.labels .below').evaluateAll((all) => all.filter(({ hidden }) => !hidden).map(({ textContent }) => Number(textContent.replace('−', '-'))));
  assert.ok(numbers.length > 2 && Math.max(...numbers) < 10, `${numbers}`);
  await page.close();
});

// A body swings on the rail with amplitude 1, and so the rail is 2 long, and a twenty-fifth of that more at either end.
for (const plain of [false, true]) {
  await test(`a rail is as long as the motion on it${plain ? ', without WebGL' : ''}`, async () => {
    const { path } = report(`rail-${plain}`, record(`rail-${plain}`, model(`rail-${plain}`, `local x, px = pair("x")
hamiltonian(px^2/2 + x^2/2)
start { x = 1 }
integrate { method = "verlet", step = 0.01, stop = 20 }
draw { rail = {{0, 0}, {30, 0}}, at = x/30, colour = "green", size = 0.04 }
draw { link = {{-1.08, 0.6}, {1.08, 0.6}}, colour = "orange", size = 0.04 }
draw { sphere = {x, 0.3}, size = 0.1, colour = "blue" }`)));
    const { page, faults } = await browser.open(path, plain ? { init: withoutWebGL } : {});
    const [rail, link] = [await pixels(page, stage, await colourOf(page, 'run-3')), await pixels(page, stage, await colourOf(page, 'run-2'))];
    assert.ok(link.columns > 200 && Math.abs(rail.columns - link.columns) <= 4, `${rail.columns} and ${link.columns} columns`);
    assert.deepEqual(faults, []);
    await page.close();
  });
}

// A point goes to and fro on a quarter of a circle that turns with a body: half of it is right of the middle, half above.
for (const plain of [false, true]) {
  await test(`a guide is where the point goes on the body that has it${plain ? ', without WebGL' : ''}`, async () => {
    const { path } = report(`guide-${plain}`, record(`guide-${plain}`, model(`guide-${plain}`, `local x, px = pair("x")
hamiltonian(px^2/2 + x^2/2)
start { x = 1 }
integrate { method = "verlet", step = 0.01, stop = 20 }
local turn = math.pi/4*x
draw { guide = {2*cos(turn), 2*sin(turn)}, at = {0, 0}, angle = math.pi/2, colour = "green" }
draw { link = {{-1.414, 1}, {1.414, 1}}, colour = "orange", size = 0.04 }
draw { sphere = {0, 2.2}, size = 0.1, colour = "blue" }`)));
    const { page, faults } = await browser.open(path, plain ? { init: withoutWebGL } : {});
    const [guide, link] = [await pixels(page, stage, await colourOf(page, 'run-3')), await pixels(page, stage, await colourOf(page, 'run-2'))];
    // pixels at the steep ends of a thin line are pale
    assert.ok(link.columns > 200 && guide.columns > 0.9 * link.columns && guide.columns < link.columns + 4, `${guide.columns} and ${link.columns} columns`);
    assert.deepEqual(faults, []);
    await page.close();
  });
}

await test('without WebGL too', async () => {
  const { path } = report('flat', record('flat', model('flat', `${text}
draw { link = {{0, 0}, A}, colour = "green" }
draw { point = A, colour = "orange" }`)));
  const { page, faults } = await browser.open(path, { init: withoutWebGL });
  assert.ok(await near(page, 'run-3') > 100, 'the link');
  assert.ok(await near(page, 'run-2') > 50, 'the point');
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a surface is drawn as large as it is', async () => {
  const { path } = report('drawn', record('drawn', example('drawn'), '--stop', '2'));
  const { page, faults } = await browser.open(path, { dark: true });
  const shown = await page.evaluate(() => {
    const { motion } = JSON.parse(document.getElementById('data').textContent).runs[0];
    return { kinds: motion.things.map(({ kind }) => kind), counts: motion.surfaces[0].counts };
  });
  assert.deepEqual(shown, { kinds: ['spring', 'mark', 'link', 'point', 'point'], counts: [33, 33, 33] });
  const seen = await pixels(page, stage, await colourOf(page, 'run-3'));
  assert.ok(seen.drawn > 0.1 * seen.width * seen.height, JSON.stringify(seen));
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a mechanism draws itself', async () => {
  const { path } = report('top', record('top', example('top'), '--stop', '0.2'));
  const { page, faults } = await browser.open(path);
  const kinds = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).runs[0].motion.things.map(({ kind }) => kind));
  assert.deepEqual(kinds, ['cylinder', 'link', 'mark']);
  assert.deepEqual(faults, []);
  await page.close();
});

await browser.stop();
finish();
