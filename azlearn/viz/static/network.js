// A network in the page: the logits and the value that PyTorch would compute. Needs no document, so that it
// runs in a Web Worker, too. See page_network.py for what is in `spec`.

import { makeProduct, OUTPUTS, ROWS } from "./product.js";

const SIZES = ["num_planes", "rows", "cols", "num_actions", "channels", "blocks", "policy_filters", "value_filters", "value_hidden"];
const EPSILON = 1e-5;                            // of PyTorch's LayerNorm
const DAMAGED = "The network in this page is damaged; write the page again:";

const roundUp = (n, unit) => Math.ceil(n / unit) * unit;

// The function evaluate(planes) -> { logits, value }.
//   planes: [num_planes * rows * cols], as game.encode gives them.
//   logits: Float32Array [num_actions], illegal moves not yet masked; value: in (-1, 1), for the player to move.
// An Error in one sentence if the spec is damaged.
export function readNetwork(spec) {
  const integers = numbersIn(spec, "integers", Int16Array), fractions = numbersIn(spec, "fractions", Float32Array);
  for (const name of SIZES) {
    const size = spec[name];
    if (!(Number.isInteger(size) && size > 0 && size <= integers.length)) throw new Error(`${DAMAGED} ${name} is ${size}.`);
  }
  const { num_planes, rows, cols, num_actions, channels, blocks, policy_filters, value_filters, value_hidden, value_norm } = spec;
  if (channels % OUTPUTS) throw new Error(`${DAMAGED} channels must be a multiple of ${OUTPUTS}, not ${channels}.`);
  const cells = rows * cols, filters = roundUp(policy_filters + value_filters, OUTPUTS);

  // Where the spec's numbers are in the memory: the integers in their order, then the fractions.
  let [numIntegers, numFractions] = [0, 0];
  const integer = size => (numIntegers += size) - size, fraction = size => integers.length + (numFractions += size) - size;
  const layer = (size, width) => ({ weights: integer(size * width), scale: fraction(width), bias: fraction(width), width });
  const stem = layer(9 * num_planes, channels);
  const tower = Array.from({ length: 2 * blocks }, () => layer(9 * channels, channels));
  const heads = layer(channels, filters);
  const policy = layer(policy_filters * cells, num_actions);
  const hidden = layer(value_filters * cells, value_hidden);
  const norm = value_norm ? { scale: fraction(value_hidden), bias: fraction(value_hidden) } : null;
  const last = layer(value_hidden, 1);
  checkLength("integers", integers, numIntegers);
  checkLength("fractions", fractions, numFractions);

  // Points: the board with a border of zeros. A row's right border is the next one's left.
  const stride = cols + 1, first = stride + 1, numRows = roundUp(rows * stride - 1, ROWS), numPoints = numRows + 2 * first;
  const points = Array.from({ length: cells }, (_, cell) => first + Math.floor(cell / cols) * stride + cell % cols);
  const onBoard = new Set(points), border = Array.from({ length: numPoints }, (_, point) => point).filter(point => !onBoard.has(point));

  // Behind them is what is computed: the points of three layers at a time, and the heads.
  let length = numIntegers + numFractions;
  const place = size => (length += size) - size;
  const a = place(numPoints * channels), b = place(numPoints * channels), c = place(numPoints * channels);
  const filtered = place(numPoints * filters), logits = place(num_actions), units = place(value_hidden);
  const { floats, convolve } = makeProduct(length);
  floats.set(integers);
  floats.set(fractions, numIntegers);

  // Adds a row of numbers, times a factor, to another.
  const addRow = (factor, from, count, to) => {
    for (let i = 0; i < count; i++) floats[to + i] += factor * floats[from + i];
  };

  // After a convolution: its scale and bias, what went around it (0: nothing), and ReLU. The border stays 0.
  const finish = (x, { scale, bias, width }, around) => {
    for (const point of border) floats.fill(0, x + point * width, x + (point + 1) * width);
    for (const point of points) {
      for (let i = 0, at = point * width; i < width; i++, at++) {
        const sum = floats[x + at] * floats[scale + i] + floats[bias + i] + (around ? floats[around + at] : 0);
        floats[x + at] = sum < 0 ? 0 : sum;           // NaN stays
      }
    }
  };

  // Most planes are nearly empty: so each stone adds its weights to the points around it.
  const enter = (planes, x) => {
    floats.fill(0, x, x + numPoints * channels);
    for (let i = 0; i < planes.length; i++) {
      if (planes[i] === 0) continue;
      const plane = Math.floor(i / cells), point = points[i % cells];
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
  const connect = (filter, count, { weights, scale, bias, width }, y) => {
    floats.fill(0, y, y + width);
    for (const point of points) {
      for (let i = 0, at = filtered + point * filters + filter; i < count; i++, weights += width) {
        if (floats[at + i] !== 0) addRow(floats[at + i], weights, width, y);
      }
    }
    for (let i = 0; i < width; i++) floats[y + i] = floats[y + i] * floats[scale + i] + floats[bias + i];
  };

  // PyTorch's LayerNorm.
  const normalize = (x, { scale, bias }, width) => {
    const values = floats.subarray(x, x + width), mean = values.reduce((sum, v) => sum + v, 0) / width;
    const deviation = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / width + EPSILON);
    for (let i = 0; i < width; i++) values[i] = (values[i] - mean) / deviation * floats[scale + i] + floats[bias + i];
  };

  const valueOf = () => {
    connect(policy_filters, value_filters, hidden, units);
    if (norm) normalize(units, norm, value_hidden);
    let sum = 0;
    for (let i = 0; i < value_hidden; i++) sum += Math.max(0, floats[units + i]) * floats[last.weights + i];
    return Math.tanh(sum * floats[last.scale] + floats[last.bias]);
  };

  return planes => {
    if (planes.length !== num_planes * cells) throw new Error(`planes must be ${num_planes * cells} numbers, not ${planes.length}.`);
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
    const answer = { logits: floats.slice(logits, logits + num_actions), value: valueOf() };
    if (![answer.value, ...answer.logits].every(Number.isFinite)) throw new Error("The network returned NaN: its weights are damaged or diverged.");
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

function checkLength(name, numbers, wanted) {
  if (numbers.length !== wanted) throw new Error(`${DAMAGED} ${name} holds ${numbers.length} numbers instead of ${wanted}.`);
}

// Little-endian numbers from base64.
function numbersIn(spec, name, Numbers) {
  let text;
  try {
    text = atob(spec[name]);
  } catch {
    throw new Error(`${DAMAGED} ${name} is not base64.`);
  }
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const numbers = new Numbers(bytes.buffer, 0, Math.floor(bytes.length / Numbers.BYTES_PER_ELEMENT));
  if (!numbers.every(Number.isFinite)) throw new Error(`${DAMAGED} ${name} holds something that is not a finite number.`);
  return numbers;
}
