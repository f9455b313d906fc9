// Formulas as the table of methods writes them: _ and ^ lower and raise what follows, Greek letters stand by name.
import { h } from './dom.js';

const words = { __proto__: null, sum: '∑', o: '∘', eps: 'ε' };
const letters = 'alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ phi φ chi χ psi ψ omega ω '
  + 'Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Sigma Σ Phi Φ Psi Ψ Omega Ω';
for (const [, name, letter] of letters.matchAll(/(\w+) (\S)/g)) words[name] = letter;

// One piece from `at` on: its nodes and where the next begins.
function piece(text, at) {
  const mark = text[at];
  if (mark === '_' || mark === '^') {
    const [inner, next] = group(text, at + 1);
    return [h(mark === '_' ? 'sub' : 'sup', {}, inner), next];
  }
  const word = /^[A-Za-z]+/.exec(text.slice(at))?.[0];
  if (!word) return [mark === '-' ? '−' : mark === '*' ? '∗' : mark, at + 1];
  const next = at + word.length;
  const index = /^\d+(?![\w.])/.exec(text.slice(next))?.[0]; // z0, k1
  const shown = words[word] ?? word;
  const letter = shown.length === 1 && !'∑∘'.includes(shown) ? h('i', {}, shown) : shown;
  return index && word.length === 1 ? [[letter, h('sub', {}, index)], next + index.length] : [letter, next];
}

// What a _ or ^ applies to: {...}, or one number, word or character.
function group(text, at) {
  const digits = /^\d+(?:\.\d+)?/.exec(text.slice(at))?.[0];
  if (digits) return [digits, at + digits.length];
  if (text[at] !== '{') return at < text.length ? piece(text, at) : ['', at];
  let [depth, end] = [1, at + 1];
  while (end < text.length && depth > 0) {
    if (text[end] === '{') depth++;
    if (text[end] === '}') depth--;
    end++;
  }
  return [math(text.slice(at + 1, depth ? end : end - 1)), end];
}

export function math(text) {
  const nodes = [];
  for (let at = 0; at < text.length;) {
    const [made, next] = piece(text, at);
    nodes.push(made);
    at = next;
  }
  return nodes;
}
