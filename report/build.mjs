// Makes template.html, the page that `rattle report` fills, animation.html, that of `rattle animate`, and gallery.html, that of
// `rattle gallery`: bundles a script and a style sheet of src, and puts both into a page with a content security policy that allows these and nothing else.
//
//   node build.mjs            writes them
//   node build.mjs --check    exit status 1 where one of them is not what the sources give
//   node build.mjs --sizes    writes them, and says how much of each script is own code and how much that of libraries
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const read = (name) => readFileSync(here(name), 'utf8');

async function bundle(entry, options) {
  const result = await build({
    absWorkingDir: here('.'),
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    ...options,
  });
  if (process.argv.includes('--sizes')) {
    const bytes = {};
    for (const [path, { bytesInOutput }] of Object.entries(Object.values(result.metafile.outputs)[0].inputs)) {
      const part = /node_modules\/(\w+)/.exec(path)?.[1] ?? 'own';
      bytes[part] = (bytes[part] ?? 0) + bytesInOutput;
    }
    console.log(`  ${entry}: ${Object.entries(bytes).map(([part, count]) => `${part} ${Math.round(count / 1000)} kB`).join(', ')}`);
  }
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// The licences of what is bundled, as they ask.
function licences() {
  const text = ['uplot', 'three'].map((name) => {
    const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
    return `${name} ${version}\n\n${read(`node_modules/${name}/LICENSE`).trim()}`;
  });
  return `<!--\nThis page contains\n\n${text.join('\n\n')}\n-->`.replace(/[^\x00-\x7f]/g, '');
}

async function made({ page, entry, sheet, images, bundled, mark }) {
  const script = (await bundle(entry, { format: 'iife', target: 'es2020' })).replaceAll('</script', '<\\/script');
  const style = await bundle(sheet, { target: 'es2020' });
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}${mark ?? ''}`,
    `style-src ${hash(style)}`,
    ...images,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const parts = { policy, style, script, licences: bundled ? licences() : '' };
  const text = read(page).replace(/@(\w+)@/g, (whole, name) => parts[name] ?? whole);
  if (/[^\x00-\x7f]/.test(text)) throw new Error(`${page}: what is made of it is not ASCII`);
  return text;
}

const pages = {
  'template.html': { page: 'src/page.html', entry: 'src/main.js', sheet: 'src/style.css', images: ['img-src data: blob:'], bundled: true, mark: '<!--rattle-policy-->' },
  'animation.html': { page: 'src/page.html', entry: 'src/animation.js', sheet: 'src/animation.css', images: [], bundled: true, mark: '<!--rattle-policy-->' },
  'gallery.html': { page: 'src/gallery.html', entry: 'src/gallery.js', sheet: 'src/gallery.css', images: [], bundled: false },
};
for (const [name, parts] of Object.entries(pages)) {
  const page = await made(parts);
  if (!process.argv.includes('--check')) {
    writeFileSync(here(name), page);
    console.log(`${name}: ${Math.ceil(page.length / 1000)} kB`);
  } else if (page !== read(name)) {
    console.error(`report/${name} is not what report/src gives: run \`npm ci && npm run build\` in report/ and commit it`);
    process.exit(1);
  }
}
