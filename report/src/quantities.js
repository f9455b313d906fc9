import { withUnit } from './format.js';

// The quantities that can be chosen, in groups, by the names they have in every run.
// The energy less its first value; where energy comes in, W is the work of forces, drives, moving constraints and heat baths.
export const energyName = (run) => (run.balance ? 'H − W − H(0)' : 'H − H(0)');
export const title = (channel) => ({ energy: energyName(channel.run), H: 'H', work: 'W', constraint: '|g|', hidden: '|ψ|', multiplier: `λ of ${channel.name}` })[channel.kind] ?? channel.name;
// With the unit that the model gives; angles are in radians.
export function labelled(channel, name = title(channel)) {
  const { units, angles } = channel.run;
  const isAngle = channel.kind === 'coordinate' && angles.includes(channel.name);
  const isEnergy = channel.kind === 'H' || channel.kind === 'work';
  return withUnit(name, isAngle ? 'rad' : units[isEnergy ? 'energy' : channel.kind]);
}
const key = (channel) => `${channel.kind}:${channel.name}`;
const groups = [['observed', 'observed'], ['coordinate', 'coordinates'], ['momentum', 'momenta'], ['multiplier', 'multipliers'],
  ['H', 'energies'], ['work', 'energies'], ['energy', 'errors'], ['constraint', 'errors'], ['hidden', 'errors']];

// [[group, [[key, title], ...]], ...] for a list
export function menu(runs) {
  const found = new Map();
  for (const [kind, group] of groups) {
    for (const run of runs) for (const channel of run.of(kind)) {
      if (!found.has(group)) found.set(group, new Map());
      found.get(group).set(key(channel), title(channel));
    }
  }
  return [...found].map(([group, entries]) => [group, [...entries]]);
}
export const find = (run, wanted) => run.channels.find((channel) => key(channel) === wanted);
export { key };
