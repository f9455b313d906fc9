// How to draw the samples again.
import { h } from '../../dom.js';
import { block, saveButton } from '../../copy.js';
import { exact } from '../../format.js';
import { quoted } from '../reproduce.js';

const options = ['step', 'chains', 'samples', 'every', 'warmup', 'seed', 'spread', 'acceptance'];

export function command({ plan, file, model_file: model }) {
  const words = ['rattle', 'sample', model || 'model.lua'];
  for (const parameter of plan.parameters) words.push('-P', parameter);
  words.push('--method', plan.words.get('sampler'));
  // an acceptance of 0 is the one of the sampler
  for (const name of options) if (plan.words.has(name) && !(name === 'acceptance' && Number(plan.words.get(name)) === 0)) words.push(`--${name}`, name === 'step' || name === 'acceptance' ? exact(Number(plan.words.get(name))) : plan.words.get(name));
  if (plan.words.get('multipliers') === '1') words.push('--multipliers');
  words.push('-o', file);
  return words.map((word) => quoted(String(word))).join(' ');
}

export default {
  id: 'resample',
  title: () => 'Sample it again',
  wide: true,
  shows: () => true,
  build(sampling) {
    const file = sampling.model_file || 'model.lua';
    return h('div', {}, block(command(sampling)), h('p', { class: 'note' }, `rattle ${sampling.version}. The same version draws the same samples bit for bit, for any number of threads.`
      + `${sampling.list ? ' The chains began at starts of their own (--starts), which the file holds: rattle resume uses them.' : ''}`),
      h('details', { open: sampling.model_text.length < 3000 }, h('summary', {}, `The model, ${file}`), block(sampling.model_text, saveButton(sampling.model_text, file))));
  },
};
