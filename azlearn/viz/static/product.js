// The products inside a network's convolutions, which take nearly all of its time. They run in WebAssembly, on four
// numbers at once. If the page's policy or an old browser does not allow this, plain JavaScript takes seven times as long.

// What the innermost loop computes together: four points, eight outputs.
export const ROWS = 4;
export const OUTPUTS = 8;

// Returns { floats, convolve }: memory for a network, and the function that convolves in it.
//   floats: Float32Array [length], all zero. `input`, `weights` and `output` are indices into it.
//   convolve(input, weights, output, rows, width, channels, taps, stride):
//     output[q, o] = Σ_y Σ_x Σ_i input[q + y · stride + x, i] · weights[⌊o / 8⌋, y, x, i, o mod 8]
//     for q < rows, o < width, i < channels, and x and y < taps.
//     rows is a multiple of ROWS, width of OUTPUTS. Row 0 of the input is what its upper left tap sees.
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

// The same function as a WebAssembly module, written instruction by instruction. Its arguments are in bytes, except for
// `rows` and `taps`: `step` from one point of the input to the next, `reach` for one row of taps, `skip` from its end to the next row.
const ARGUMENTS = ["input", "weights", "output", "rows", "width", "step", "taps", "reach", "skip"];
const POINTERS = ["in0", "in1", "in2", "in3"];   // one for each of ROWS
const SUMS = POINTERS.map(pointer => [`low ${pointer}`, `high ${pointer}`]);        // four outputs each
const COUNTERS = ["row", "to", "left", "tap", "end", "last", "w", ...POINTERS];
const VECTORS = ["x", "low w", "high w", ...SUMS.flat()];
const LOCALS = [...ARGUMENTS, ...COUNTERS, ...VECTORS];
const I32 = 0x7f, V128 = 0x7b;

// LEB128, as WebAssembly writes numbers: of opcodes and lengths unsigned, of constants signed. None of ours is negative.
const unsigned = n => n < 128 ? [n] : [n & 127 | 128, ...unsigned(n >> 7)];
const signed = n => n < 64 ? [n] : [n & 127 | 128, ...signed(n >> 7)];

const get = name => [0x20, LOCALS.indexOf(name)];
const set = name => [0x21, LOCALS.indexOf(name)];
const constant = n => [0x41, ...signed(n)];
const plus = (a, b) => [a, b, 0x6a];
const minus = (a, b) => [a, b, 0x6b];
const times = (a, b) => [a, b, 0x6c];
const advance = (name, by) => [plus(get(name), by), set(name)];
const repeatUntilEqual = (a, b, ...body) => [0x03, 0x40, body, a, b, 0x47, 0x0d, 0, 0x0b];     // a loop that a jump repeats

// On four floats at once.
const lanes = (operation, ...rest) => [0xfd, ...unsigned(operation), ...rest];
const load = (at, offset) => [get(at), lanes(0, 2, offset)];
const loadIntoAll = at => [get(at), lanes(9, 2, 0)];
const store = (at, offset, name) => [get(at), get(name), lanes(11, 2, offset)];
const zeros = lanes(12, ...new Array(16).fill(0));
const addProduct = (sum, a, b) => [get(sum), get(a), get(b), lanes(0xe6), lanes(0xe4), set(sum)];

function assembled() {
  const innermost = repeatUntilEqual(get("in0"), get("end"),
    load("w", 0), set("low w"), load("w", 16), set("high w"), advance("w", constant(4 * OUTPUTS)),
    SUMS.map(([low, high], r) => [
      loadIntoAll(POINTERS[r]), set("x"), advance(POINTERS[r], constant(4)), addProduct(low, "x", "low w"), addProduct(high, "x", "high w"),
    ]));
  const fourRows = [
    get("row"), set("in0"), POINTERS.slice(1).map((pointer, r) => [plus(get(POINTERS[r]), get("step")), set(pointer)]),
    SUMS.flat().map(sum => [zeros, set(sum)]),
    get("weights"), set("w"), get("taps"), set("tap"),
    repeatUntilEqual(get("tap"), constant(0),
      plus(get("in0"), get("reach")), set("end"), innermost,
      POINTERS.map(pointer => advance(pointer, get("skip"))), minus(get("tap"), constant(1)), set("tap")),
    SUMS.map(([low, high]) => [store("to", 0, low), store("to", 16, high), advance("to", get("width"))]),
  ];
  const body = [
    plus(get("output"), get("width")), set("last"),
    repeatUntilEqual(get("output"), get("last"),
      get("input"), set("row"), get("output"), set("to"), get("rows"), set("left"),
      repeatUntilEqual(get("left"), constant(0),
        fourRows, advance("row", times(get("step"), constant(ROWS))), minus(get("left"), constant(ROWS)), set("left")),
      get("w"), set("weights"), advance("output", constant(4 * OUTPUTS))),
    0x0b,
  ];
  const sized = (...content) => {
    const bytes = content.flat(Infinity);
    return [...unsigned(bytes.length), ...bytes];
  };
  const text = word => sized([...word].map(letter => letter.charCodeAt(0)));
  return new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,                                                         // "\0asm", version 1
    1, sized(1, 0x60, sized(ARGUMENTS.map(() => I32)), 0),                                   // one type of function
    2, sized(1, text("page"), text("memory"), 2, 0, 1),                                      // the memory, from outside
    3, sized(1, 0),                                                                          // one function of that type
    7, sized(1, text("convolve"), 0, 0),                                                     // its name
    10, sized(1, sized(2, COUNTERS.length, I32, VECTORS.length, V128, body)),                // its code
  ].flat(Infinity));
}
