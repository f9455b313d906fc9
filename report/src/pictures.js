// Pictures of the motion at equal steps of time, as PNG in base64, a line each, in an element that `rattle animate` reads.
import { h } from './dom.js';
import { colour } from './theme.js';

// What the page shows: canvases, and the texts above them.
function draw(pen, stages, texts) {
  const ratio = window.devicePixelRatio || 1;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = colour('stage');
  pen.fillRect(0, 0, pen.canvas.width, pen.canvas.height);
  pen.scale(ratio, ratio);
  for (const { canvas } of stages) {
    const { x, y, width, height } = canvas.getBoundingClientRect();
    pen.drawImage(canvas, x, y, width, height);
    if (x > 0) {
      pen.fillStyle = colour('line');
      pen.fillRect(x - 1, y, 1, height);
    }
  }
  pen.textBaseline = 'middle';
  for (const text of [...texts, ...stages.flatMap((stage) => [...(stage.labels?.children ?? [])])]) {
    if (text.hidden) continue;
    const style = getComputedStyle(text);
    const box = text.getBoundingClientRect();
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    pen.fillStyle = style.color;
    pen.textAlign = style.textAlign === 'center' ? 'center' : 'left';
    pen.fillText(text.textContent, pen.textAlign === 'center' ? box.x + box.width / 2 : box.x, box.y + box.height / 2);
  }
}

// seconds: how long they last; 0: one picture
export function pictures({ player, stages, show, texts, rate, seconds, fps, width, height }) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = h('canvas', { width: width * ratio, height: height * ratio });
  const pen = canvas.getContext('2d');
  const [first, last] = [player.time.value, player.extent[1]];
  const step = rate / fps;
  const count = Math.max(1, Math.min(Math.round(seconds * fps), Math.floor((last - first) / step + 1e-9) + 1));
  const lines = [];
  for (let k = 0; k < count; k++) {
    show(first + k * step);
    draw(pen, stages, texts);
    lines.push(canvas.toDataURL('image/png').replace('data:image/png;base64,', ''));
  }
  document.body.append(h('pre', { id: 'pictures' }, `${lines.join('\n')}\n`));
}
