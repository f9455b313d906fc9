// Pictures for slides: a canvas with a title, saved as PNG.
import { h } from './dom.js';
import { colour } from './theme.js';

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// entries: [[text, colour], ...] under the title.
export function savePicture(source, title, entries, name) {
  const ratio = window.devicePixelRatio || 1;
  const [pad, head] = [16 * ratio, (entries.length ? 64 : 44) * ratio];
  const canvas = h('canvas', { width: source.width + 2 * pad, height: source.height + head + pad });
  const pen = canvas.getContext('2d');
  pen.fillStyle = colour('card');
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = colour('ink');
  pen.font = `600 ${16 * ratio}px ${font}`;
  pen.fillText(title, pad, 28 * ratio);
  pen.font = `${13 * ratio}px ${font}`;
  let x = pad;
  for (const [text, shade] of entries) {
    pen.fillStyle = shade;
    pen.fillRect(x, 40 * ratio, 14 * ratio, 10 * ratio);
    pen.fillStyle = colour('ink');
    pen.fillText(text, x + 20 * ratio, 50 * ratio);
    x += pen.measureText(text).width + 44 * ratio;
  }
  pen.drawImage(source, pad, head);
  canvas.toBlob((blob) => save(blob, name), 'image/png');
}

export const fileName = (...parts) =>
  `${parts.filter(Boolean).join('-').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'report'}.png`;
