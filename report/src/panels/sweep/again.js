// How to run the cases again.
import { h } from '../../dom.js';
import { block, saveButton } from '../../copy.js';
import { quoted } from '../reproduce.js';

export function command({ plan, file, model_file: model, list }) {
  const words = ['rattle', 'sweep', model || 'model.lua'];
  for (const [name, text] of plan.lines) {
    if (name === 'param') words.push('-P', text);
    else if (text === '') words.push(`--${name}`);
    else words.push(`--${name}`, text);
  }
  if (list) words.push('--cases', 'cases.csv');
  words.push('-o', file);
  return words.map((word) => quoted(String(word))).join(' ');
}

export default {
  id: 'resweep',
  title: () => 'Run it again',
  wide: true,
  shows: () => true,
  build(sweep) {
    const file = sweep.model_file || 'model.lua';
    return [block(command(sweep)), h('p', { class: 'note' }, `rattle ${sweep.version}. The same version gives the same rows bit for bit, for any number of threads.`),
      h('details', { open: sweep.model_text.length < 3000 }, h('summary', {}, `The model, ${file}`), block(sweep.model_text, saveButton(sweep.model_text, file)))];
  },
};
