// `rattle animate`: the page that plays, by itself and in a frame of another page; pictures and films, by what they show.
//   node test_animate.mjs RATTLE SOURCE_DIR
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { start } from './browser.mjs';
import { assert, at, command, example, finish, folder, model, record, test } from './check.mjs';

const browser = await start();
// Uniform motion to the right, 2 units a second.
const free = record('free', model('free', 'local x, px = pair("x")\nlocal y, py = pair("y")\nmass(x, 1) mass(y, 1)\npotential(0*y)\nstart { x = 0, y = 0, px = 2, py = 0 }\nintegrate { step = 0.01, stop = 4 }\n'));
const pendulum = record('pendulum', example('pendulum'), '--stop', '20');
const clock = (page) => page.locator('.clock').innerText();
const time = async (page) => Number((await clock(page)).replace('t = ', '').replace('−', '-'));

await test('a page of two records: side by side in one scale, each with its name, and nothing else', async () => {
  command('animate', free, pendulum, '-o', at('two.html'), '--quiet');
  const { page, faults } = await browser.open(at('two.html'));
  const boxes = await page.locator('.pane .stage').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  assert.equal(boxes.length, 2);
  assert.ok(boxes[0].right <= boxes[1].left + 1 && Math.abs(boxes[0].width - boxes[1].width) <= 1);
  assert.deepEqual(await page.locator('.caption').allInnerTexts(), ['free', 'pendulum']);
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight));
  const [left, right] = await page.locator('.labels').evaluateAll((all) => all.map((one) => [...one.children].filter(({ hidden }) => !hidden).map(({ textContent }) => textContent).join(' ')));
  assert.equal(left, right);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('it plays by itself, and again from the beginning; not for who wants less motion', async () => {
  const { page, faults } = await browser.open(at('two.html'));
  const still = await clock(page);
  await page.waitForTimeout(300);
  assert.equal(await clock(page), still);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.reload();
  await page.waitForFunction(() => Number(document.querySelector('.clock').textContent.slice(4)) > 0.3);
  await page.evaluate(() => {
    const bar = document.querySelector('.controls input');
    bar.value = 999.9;
    bar.dispatchEvent(new Event('input'));
    document.querySelector('.play').click();
  });
  await page.waitForFunction(() => Number(document.querySelector('.clock').textContent.slice(4)) < 5);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('in a frame of another page it plays too, in 400 x 300 pixels', async () => {
  writeFileSync(at('around.html'), '<!doctype html><html data-ready="yes"><title>around</title><iframe src="two.html" width="400" height="300"></iframe></html>');
  const page = await browser.context.newPage();
  await page.goto(`file://${at('around.html')}`);
  const frame = page.frame({ url: /two\.html/ });
  await frame.waitForFunction(() => Number(document.querySelector('.clock').textContent.slice(4)) > 0.2);
  assert.ok(await frame.evaluate(() => document.documentElement.scrollWidth <= 400));
  await page.close();
});

await test('the time at first and the rate are those that are asked for', async () => {
  command('animate', free, '--at', '1.5', '--rate', '0.25', '-o', at('slow.html'), '--quiet');
  const { page, faults } = await browser.open(at('slow.html'));
  assert.equal(await time(page), 1.5);
  assert.match(await page.locator('select[aria-label="speed"] option:checked').innerText(), /^0.25 t\/s/);
  assert.deepEqual(faults, []);
  await page.close();
});

// The middle of the particle in a picture: of the pixels that are blue in columns that are more than a trail.
async function particle(png) {
  const page = await browser.context.newPage();
  const found = await page.evaluate(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let [count, sumX, sumY] = [0, 0, 0];
    for (let x = 0; x < image.width; x++) {
      const rows = [];
      for (let y = 0; y < image.height; y++) if (data[4 * (y * image.width + x) + 2] - data[4 * (y * image.width + x)] > 100) rows.push(y);
      if (rows.length < 7) continue;
      for (const y of rows) [count, sumX, sumY] = [count + 1, sumX + x, sumY + y];
    }
    return { width: image.width, height: image.height, x: sumX / count, y: sumY / count };
  }, readFileSync(png).toString('base64'));
  await page.close();
  return found;
}

await test('pictures at equal times have the particle at equal distances', async () => {
  const places = [];
  for (const t of [1, 2, 3]) {
    command('animate', free, '--at', String(t), '--size', '640x360', '-o', at(`at${t}.png`), '--quiet');
    places.push(await particle(at(`at${t}.png`)));
  }
  const [a, b, c] = places;
  assert.deepEqual([a.width, a.height], [640, 360]);
  assert.ok(b.x - a.x > 50, `${a.x} ${b.x}`);
  assert.ok(Math.abs(c.x - 2 * b.x + a.x) < 1.5 && Math.abs(c.y - a.y) < 1, JSON.stringify(places));
});

const has = (name) => {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
  } catch {
    return null;
  }
};
if (has('ffmpeg') && has('ffprobe')) {
  for (const [ending, codec] of [['webm', 'vp9'], ['mp4', 'h264'], ['gif', 'gif']]) {
    await test(`a film as .${ending} has its pictures, at its rate, and the last one shows the last time`, async () => {
      const film = at(`film.${ending}`);
      const said = command('animate', free, '--rate', '2', '--seconds', '1', '--fps', '10', '--at', '1', '--size', '320x180', '-o', film);
      assert.match(said, /, 10 pictures\n$/);
      const [name, width, height, rate, count] = execFileSync('ffprobe', ['-v', 'error', '-count_frames', '-show_entries', 'stream=codec_name,width,height,r_frame_rate,nb_read_frames', '-of', 'csv=p=0', film], { encoding: 'utf8' }).trim().split(',');
      assert.deepEqual([name, width, height, rate, count], [codec, '320', '180', '10/1', '10']);
      // the time of picture 9 is 1 + 2*0.9
      execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', film, '-vf', 'select=eq(n\\,9)', '-frames:v', '1', at('last.png')]);
      command('animate', free, '--at', '2.8', '--size', '320x180', '-o', at('same.png'), '--quiet', '--force');
      const [last, same] = [await particle(at('last.png')), await particle(at('same.png'))];
      assert.ok(same.x > 160 && same.x < 272, JSON.stringify(same)); // at 5.6 of 8 units
      assert.ok(Math.abs(last.x - same.x) < 1.5 && Math.abs(last.y - same.y) < 1.5, JSON.stringify([last, same]));
    });
  }
  await test('a film ends where the motion does', () => {
    assert.match(command('animate', free, '--rate', '2', '--at', '3', '--fps', '10', '--size', '320x180', '-o', at('short.webm')), /, 6 pictures\n$/);
  });
} else console.log('left out: films, for want of ffmpeg');

await test('nothing is left behind', () => {
  assert.ok(!execFileSync('ls', [folder], { encoding: 'utf8' }).includes('.part'));
});

await browser.stop();
finish();
