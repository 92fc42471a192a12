// What takes nearly all of a network's time: the products inside its convolutions. They run in WebAssembly,
// on four numbers at once, and in plain JavaScript where the page's policy or an old browser has no such instructions.

// What the innermost loop computes together: four points, eight outputs.
export const ROWS = 4;
export const OUTPUTS = 8;

// Numbers for a network, and a function that convolves them.
//   floats: Float32Array [length], all zero. Everything below is an index into it, or a count.
//   convolve(input, weights, output, rows, width, channels, taps, stride):
//     output[q, o] = Σ_y Σ_x Σ_i input[q + y · stride + x, i] · weights[o / 8, y, x, i, o mod 8]
//     input: [points, channels], from the point that the upper left tap of row 0 sees; output: [rows, width];
//     taps: 3 or 1, for each of y and x. rows is a multiple of ROWS, width of OUTPUTS.
export function makeProduct(length) {
  try {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(length / 16384) });
    const module = new WebAssembly.Module(assembled());
    const { convolve } = new WebAssembly.Instance(module, { page: { memory } }).exports;
    return {
      floats: new Float32Array(memory.buffer, 0, length),
      convolve(input, weights, output, rows, width, channels, taps, stride) {
        const reach = taps * channels;           // taps of one row lie side by side
        convolve(4 * input, 4 * weights, 4 * output, rows, 4 * width, 4 * channels, taps, 4 * reach, 4 * (stride * channels - reach));
      },
    };
  } catch {
    const floats = new Float32Array(length);
    return { floats, convolve: (...sizes) => convolveSlowly(floats, ...sizes) };
  }
}

function convolveSlowly(floats, input, weights, output, rows, width, channels, taps, stride) {
  for (let o = 0; o < width; o += OUTPUTS, weights += OUTPUTS * taps * taps * channels) {
    for (let q = 0; q < rows; q++) {
      let w = weights, s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
      for (let y = 0; y < taps; y++) {
        let x = input + (q + y * stride) * channels;
        for (const end = x + taps * channels; x < end; x++, w += OUTPUTS) {
          const v = floats[x];
          s0 += v * floats[w], s1 += v * floats[w + 1], s2 += v * floats[w + 2], s3 += v * floats[w + 3];
          s4 += v * floats[w + 4], s5 += v * floats[w + 5], s6 += v * floats[w + 6], s7 += v * floats[w + 7];
        }
      }
      floats.set([s0, s1, s2, s3, s4, s5, s6, s7], output + q * width + o);
    }
  }
}

// The same as a WebAssembly module of one function. Its arguments are bytes where they are places or distances:
// `reach` bytes of input belong to one row of taps, and `skip` bytes lie between two of them.
const ARGUMENTS = ["input", "weights", "output", "rows", "width", "step", "taps", "reach", "skip"];
const each = (count, f) => Array.from({ length: count }, (_, i) => f(i));
const POINTERS = each(ROWS, r => `in${r}`), SUMS = each(ROWS, r => [`low${r}`, `high${r}`]);
const NUMBERS = ["row", "to", "left", "tap", "end", "last", "w", ...POINTERS], VECTORS = ["x", "lowW", "highW", ...SUMS.flat()];
const LOCALS = [...ARGUMENTS, ...NUMBERS, ...VECTORS];
const I32 = 0x7f, V128 = 0x7b;

// Unsigned and signed LEB128, as WebAssembly writes numbers; all of ours are small.
const leb = n => n < 128 ? [n] : [n & 127 | 128, ...leb(n >> 7)];
const signed = n => n < 64 ? [n] : [n & 127 | 128, ...signed(n >> 7)];

const get = name => [0x20, LOCALS.indexOf(name)], set = name => [0x21, LOCALS.indexOf(name)];
const number = n => [0x41, ...signed(n)];
const plus = (a, b) => [a, b, 0x6a], minus = (a, b) => [a, b, 0x6b], times = (a, b) => [a, b, 0x6c];
const add = (name, what) => [plus(get(name), what), set(name)];
const lanes = (operation, ...rest) => [0xfd, ...leb(operation), ...rest];
const load = (at, offset) => [get(at), lanes(0, 2, offset)], spread = at => [get(at), lanes(9, 2, 0)], store = (at, offset, what) => [get(at), get(what), lanes(11, 2, offset)];
const zero = lanes(12, ...new Array(16).fill(0));
const addProduct = (sum, a, b) => [get(sum), get(a), get(b), lanes(0xe6), lanes(0xe4), set(sum)];
const repeatUnlessEqual = (a, b, ...body) => [0x03, 0x40, body, a, b, 0x47, 0x0d, 0, 0x0b];

function assembled() {
  const innermost = repeatUnlessEqual(get("in0"), get("end"),
    load("w", 0), set("lowW"), load("w", 16), set("highW"), add("w", number(4 * OUTPUTS)),
    SUMS.map(([low, high], r) => [
      spread(POINTERS[r]), set("x"), add(POINTERS[r], number(4)), addProduct(low, "x", "lowW"), addProduct(high, "x", "highW"),
    ]));
  const fourRows = [
    get("row"), set("in0"), POINTERS.slice(1).map((pointer, r) => [plus(get(POINTERS[r]), get("step")), set(pointer)]),
    SUMS.flat().map(sum => [zero, set(sum)]),
    get("weights"), set("w"), get("taps"), set("tap"),
    repeatUnlessEqual(get("tap"), number(0),
      plus(get("in0"), get("reach")), set("end"), innermost,
      POINTERS.map(pointer => add(pointer, get("skip"))), minus(get("tap"), number(1)), set("tap")),
    SUMS.map(([low, high]) => [store("to", 0, low), store("to", 16, high), add("to", get("width"))]),
  ];
  const body = [
    plus(get("output"), get("width")), set("last"),
    repeatUnlessEqual(get("output"), get("last"),
      get("input"), set("row"), get("output"), set("to"), get("rows"), set("left"),
      repeatUnlessEqual(get("left"), number(0),
        fourRows, add("row", times(get("step"), number(ROWS))), minus(get("left"), number(ROWS)), set("left")),
      get("w"), set("weights"), add("output", number(4 * OUTPUTS))),
    0x0b,
  ];
  const sized = (...content) => {
    const bytes = content.flat(Infinity);
    return [...leb(bytes.length), ...bytes];
  };
  const text = word => sized([...word].map(letter => letter.charCodeAt(0)));
  return new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,                                                         // "\0asm", version 1
    1, sized(1, 0x60, sized(ARGUMENTS.map(() => I32)), 0),                                   // one type of function
    2, sized(1, text("page"), text("memory"), 2, 0, 1),                                      // the memory, from outside
    3, sized(1, 0),                                                                          // one function of that type
    7, sized(1, text("convolve"), 0, 0),                                                     // its name
    10, sized(1, sized(2, NUMBERS.length, I32, VECTORS.length, V128, body)),                 // its code
  ].flat(Infinity));
}
