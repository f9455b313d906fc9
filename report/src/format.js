// Numbers for people: three digits unless asked, powers of ten where that is shorter, a real minus sign.

const raised = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };
const minus = (text) => text.replace(/-/g, '−');

export const power = (exponent) => `10${String(exponent).replace(/./g, (c) => raised[c])}`;

export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  if (exponent >= -3 && exponent < Math.max(digits, 5)) {
    const decimals = Math.max(0, digits - 1 - exponent);
    const text = value.toFixed(decimals);
    return minus(decimals ? text.replace(/\.?0+$/, '') : text);
  }
  const mantissa = minus(Number(value.toExponential(digits - 1).split('e')[0]).toString());
  return mantissa === '1' ? power(exponent) : `${mantissa}·${power(exponent)}`;
}

// Whole numbers with thin spaces between thousands.
const thousands = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
export const whole = (value) => thousands(minus(String(value)));

// The label of a tick, given the distance to the next one.
// `most` is the largest of all ticks: it decides how they are written.
export function tick(value, step, most = Math.abs(value)) {
  if (Math.abs(value) < step / 1e6) return '0';
  if (most >= 1e6 || step < 1e-4) {
    const exponent = Math.floor(Math.log10(Math.max(most, Math.abs(value))) + 1e-9);
    const digits = Math.max(0, exponent - Math.floor(Math.log10(step) + 1e-9));
    const mantissa = Number((value / 10 ** exponent).toFixed(Math.min(digits, 12)));
    return mantissa === 1 && most === Math.abs(value) ? power(exponent) : `${minus(String(mantissa))}·${power(exponent)}`;
  }
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const [integer, part] = minus(value.toFixed(decimals)).split('.');
  return (most >= 1e4 ? thousands(integer) : integer) + (part ? `.${part}` : '');
}

// A number as a shell or a model reads it back.
export const exact = (value) => String(value);

export function bytes(count) {
  return count < 1e6 ? `${Math.ceil(count / 1e3)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

export function seconds(value) {
  if (!(value >= 0)) return '–';
  if (value < 1e-6) return `${number(value * 1e9)} ns`;
  if (value < 1e-3) return `${number(value * 1e6)} µs`;
  if (value < 1) return `${number(value * 1e3)} ms`;
  if (value < 120) return `${number(value)} s`;
  if (value < 7200) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  return `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`;
}

// A unit as H5MD writes it, "u nm2 ps-2", with its powers raised.
export const unit = (text) => (text ?? '').replace(/([^\s\d-])(-?\d+)(?=\s|$)/g, (all, letter, digits) => letter + digits.replace(/./g, (c) => raised[c]));
export const withUnit = (name, text) => (text ? `${name} (${unit(text)})` : name);

// Names that would not fit.
export const short = (text, most = 16) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
