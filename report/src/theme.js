// Light and dark, and the colours that drawings take from the style sheet.

const listeners = new Set();
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : dark.matches;
}

let kept = null;
export function colour(name) {
  kept ??= getComputedStyle(document.documentElement);
  return kept.getPropertyValue(`--${name}`).trim();
}

export const runColour = (i) => colour(`run-${(i % 8) + 1}`);

// From dark to light, for quantities from low to high: cividis, as rattle plot has it.
const CIVIDIS = [[0x00, 0x20, 0x4d], [0x41, 0x4d, 0x6b], [0x7c, 0x7b, 0x78], [0xbc, 0xaf, 0x6f], [0xff, 0xea, 0x46]];
export function shade(part) {
  const at = 4 * Math.min(Math.max(part, 0), 1);
  const k = Math.min(3, Math.floor(at));
  return `rgb(${CIVIDIS[k].map((low, i) => Math.round(low + (at - k) * (CIVIDIS[k + 1][i] - low))).join(' ')})`;
}

// The colour with an opacity; colours in the style sheet are #rrggbb.
export function faded(hex, opacity) {
  const part = (at) => parseInt(hex.slice(at, at + 2), 16);
  return `rgba(${part(1)}, ${part(3)}, ${part(5)}, ${opacity})`;
}

export function onTheme(listener) {
  listeners.add(listener);
}

function changed() {
  kept = null;
  for (const listener of listeners) listener();
}

export function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  changed();
}

// Listeners receive true before and false after printing: pictures take the size that they have on paper.
const printers = new Set();
export const PAPER = 330; // width of half a page, in CSS pixels
export let printing = false;
export function onPrint(listener) {
  printers.add(listener);
}
function setPrinting(on) {
  printing = on;
  for (const listener of printers) listener(on);
}

// Paper is light.
let before = null;
export function watchTheme() {
  dark.addEventListener('change', changed);
  window.addEventListener('beforeprint', () => {
    before = document.documentElement.dataset.theme ?? '';
    setTheme('light');
    setPrinting(true);
  });
  window.addEventListener('afterprint', () => {
    setPrinting(false);
    setTheme(before);
  });
}
