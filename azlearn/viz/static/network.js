// A network in the page: the logits and the value that PyTorch would compute. Needs no document, so that it
// runs in a Web Worker, too. See page_network.py for what is in `spec`.

import { makeProduct, OUTPUTS, ROWS } from "./product.js";

const SIZES = ["num_planes", "rows", "cols", "num_actions", "channels", "blocks", "policy_filters", "value_filters", "value_hidden"];
const EPSILON = 1e-5;                            // of PyTorch's LayerNorm
const DAMAGED = "The network in this page is damaged. Write the page again:";

const roundUp = (n, unit) => Math.ceil(n / unit) * unit;

// The function evaluate(planes) -> { logits, value }.
//   planes: [num_planes * rows * cols], as game.encode gives them.
//   logits: Float32Array [num_actions], illegal moves not yet masked; value: in (-1, 1), for the player to move.
// An Error in one sentence if the spec is damaged.
export function readNetwork(spec) {
  const numbers = halfFloats(spec?.weights);
  for (const name of SIZES) {
    const size = spec[name];
    if (!(Number.isInteger(size) && size > 0 && size <= numbers.length)) throw new Error(`${DAMAGED} ${name} is ${size}.`);
  }
  const { num_planes, rows, cols, num_actions, channels, blocks, policy_filters, value_filters, value_hidden, value_norm } = spec;
  if (channels % OUTPUTS) throw new Error(`${DAMAGED} channels must be a multiple of ${OUTPUTS}, not ${channels}.`);
  const filters = roundUp(policy_filters + value_filters, OUTPUTS);

  // Points: the board with a border of zeros. A row's right border is the next one's left.
  const stride = cols + 1, first = stride + 1, numRows = roundUp(rows * stride - 1, ROWS), numPoints = numRows + 2 * first;
  const points = Array.from({ length: rows * cols }, (_, cell) => first + Math.floor(cell / cols) * stride + cell % cols);
  const border = Array.from({ length: numPoints }, (_, point) => point).filter(point => !points.includes(point));

  // Where everything is in the memory: the weights in the spec's order, then what is computed.
  let length = 0;
  const place = size => (length += size) - size;
  const layer = (size, width) => ({ weights: place(size * width), bias: place(width), width });
  const stem = layer(9 * num_planes, channels);
  const tower = Array.from({ length: 2 * blocks }, () => layer(9 * channels, channels));
  const heads = layer(channels, filters);
  const policy = layer(policy_filters * points.length, num_actions);
  const hidden = layer(value_filters * points.length, value_hidden);
  const norm = value_norm ? { scale: place(value_hidden), shift: place(value_hidden) } : null;
  const last = layer(value_hidden, 1);
  if (numbers.length !== length) throw new Error(`${DAMAGED} it holds ${numbers.length} numbers, not ${length}.`);
  const [a, b, c] = [0, 0, 0].map(() => place(numPoints * channels));
  const filtered = place(numPoints * filters), logits = place(num_actions), units = place(value_hidden);
  const { floats, convolve } = makeProduct(length);
  floats.set(numbers);

  // Adds a row of numbers, times a factor, to another.
  const addRow = (factor, from, count, to) => {
    for (let i = 0; i < count; i++) floats[to + i] += factor * floats[from + i];
  };

  // After a convolution: its bias, what went around it (0: nothing), and ReLU. The border stays 0.
  const finish = (x, { bias, width }, around) => {
    for (const point of border) floats.fill(0, x + point * width, x + (point + 1) * width);
    for (const point of points) {
      for (let i = 0, at = point * width; i < width; i++, at++) {
        const sum = floats[x + at] + floats[bias + i] + (around ? floats[around + at] : 0);
        floats[x + at] = sum > 0 ? sum : 0;
      }
    }
  };

  // Most planes are nearly empty: so each stone adds its weights to the points around it.
  const enter = (planes, x) => {
    floats.fill(0, x, x + numPoints * channels);
    for (let i = 0; i < planes.length; i++) {
      if (!planes[i]) continue;
      const plane = Math.floor(i / points.length), point = points[i % points.length];
      for (let tap = 0; tap < 9; tap++) {
        const seenFrom = point - (Math.floor(tap / 3) - 1) * stride - (tap % 3 - 1);
        addRow(planes[i], stem.weights + (9 * plane + tap) * channels, channels, x + seenFrom * channels);
      }
    }
    finish(x, stem, 0);
  };

  const convolve3 = (x, layer, y, around) => {
    convolve(x, layer.weights, y + first * channels, numRows, channels, channels, 3, stride);
    finish(y, layer, around);
  };

  // A linear layer over some of the heads' filters at every point.
  const connect = (filter, count, { weights, bias, width }, y) => {
    floats.copyWithin(y, bias, bias + width);
    for (const point of points) {
      for (let i = 0, at = filtered + point * filters + filter; i < count; i++, weights += width) {
        if (floats[at + i]) addRow(floats[at + i], weights, width, y);
      }
    }
  };

  const valueOf = () => {
    const h = floats.subarray(units, units + value_hidden);
    if (norm) {
      const mean = h.reduce((sum, x) => sum + x, 0) / h.length;
      const deviation = Math.sqrt(h.reduce((sum, x) => sum + (x - mean) ** 2, 0) / h.length + EPSILON);
      for (let i = 0; i < h.length; i++) h[i] = (h[i] - mean) / deviation * floats[norm.scale + i] + floats[norm.shift + i];
    }
    return Math.tanh(h.reduce((sum, x, i) => sum + Math.max(x, 0) * floats[last.weights + i], floats[last.bias]));
  };

  return planes => {
    if (planes.length !== num_planes * points.length) throw new Error(`planes must be ${num_planes * points.length} numbers, not ${planes.length}.`);
    let x = a, free = c;
    enter(planes, x);
    for (let block = 0; block < blocks; block++) {
      convolve3(x, tower[2 * block], b, 0);
      convolve3(b, tower[2 * block + 1], free, x);
      [x, free] = [free, x];
    }
    convolve(x + first * channels, heads.weights, filtered + first * filters, numRows, filters, channels, 1, stride);
    finish(filtered, heads, 0);
    connect(0, policy_filters, policy, logits);
    connect(policy_filters, value_filters, hidden, units);
    const answer = { logits: floats.slice(logits, logits + num_actions), value: valueOf() };
    if (![answer.value, ...answer.logits].every(Number.isFinite)) throw new Error("The network answers NaN: its weights are damaged or diverged.");
    return answer;
  };
}

// The softmax over the legal moves: [num_actions], 0 on illegal ones, sum 1; all 0 if none is legal.
export function prior(logits, legal) {
  const highest = logits.reduce((high, logit, action) => legal[action] ? Math.max(high, logit) : high, -Infinity);
  const weights = Array.from(logits, (logit, action) => legal[action] ? Math.exp(logit - highest) : 0);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map(weight => sum ? weight / sum : 0);
}

// Float16 numbers, little-endian, from base64.
function halfFloats(base64) {
  let bytes;
  try {
    bytes = atob(base64);
  } catch {
    throw new Error(`${DAMAGED} its weights are not base64.`);
  }
  const numbers = new Float32Array(bytes.length >> 1);
  for (let i = 0; i < numbers.length; i++) {
    const high = bytes.charCodeAt(2 * i + 1), exponent = high >> 2 & 31, fraction = (high & 3) << 8 | bytes.charCodeAt(2 * i);
    if (exponent === 31) throw new Error(`${DAMAGED} a weight is not a number.`);
    const size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
    numbers[i] = high >> 7 ? -size : size;
  }
  return numbers;
}
