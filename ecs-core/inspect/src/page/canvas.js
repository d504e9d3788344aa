// Drawing on canvases, in the colors of the styles.

/** Returns a canvas's context, cleared and in the size of its element, and a function for the colors. */
export function begin(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const paint = canvas.getContext('2d');
  paint.scale(devicePixelRatio, devicePixelRatio);
  paint.font = '11px system-ui';
  const style = getComputedStyle(document.documentElement);
  return { paint, width, height, color: (name) => style.getPropertyValue(name) };
}

/** Fills a box, and calls a function that draws inside of it. */
export function fillBox(paint, color, { x, y, width, height }, inside) {
  paint.save();
  paint.beginPath();
  paint.rect(x, y, width, height);
  paint.clip();
  paint.fillStyle = color;
  paint.fillRect(x, y, width, height);
  inside();
  paint.restore();
}

/** Returns the box at the place of an event. */
export const boxAt = (boxes, { offsetX, offsetY }) =>
  boxes.find(({ x, y, width, height }) => offsetX >= x && offsetX <= x + width && offsetY >= y && offsetY <= y + height);
