// What the author of the model wants to be seen: the comment at its head.
import { h } from '../dom.js';

// Its paragraphs.
function headOf(text) {
  const lines = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('--')) break;
    lines.push(line.replace(/^-+\s?/, '').trim());
  }
  return lines.join('\n').split(/\n{2,}/).map((paragraph) => paragraph.replace(/\n/g, ' ').trim()).filter((paragraph) => /\w/.test(paragraph));
}

// A paragraph with what stands between grave accents as code.
const shown = (text) => text.split(/`([^`]+)`/).map((part, k) => (k % 2 ? h('code', {}, part) : part));

// `of` is the report or one of its studies.
function paragraphs(of) {
  const all = of.runs ?? [of];
  const text = all[0].model_text;
  return all.every((run) => run.model_text === text) ? headOf(text) : [];
}

export default {
  id: 'story',
  title: 'From the model',
  wide: true,
  shows: (report) => paragraphs(report).length > 0,
  build: (report) => h('div', { class: 'story' }, paragraphs(report).map((text) => h('p', {}, shown(text)))),
};
