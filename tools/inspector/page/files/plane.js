// A picture of numbers: a label's stored values, or values made of them.

let halfTable = null;
/// All float16 values as float32, by their bits.
function halves() {
  if (halfTable) return halfTable;
  halfTable = new Float32Array(65536);
  for (let bits = 0; bits < 65536; ++bits) {
    const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, mantissa = bits & 1023;
    halfTable[bits] = exponent === 31 ? (mantissa ? NaN : sign * Infinity)
      : exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
  }
  return halfTable;
}

/// Size of a float16 step at x: what one rounding may be off by is half of it.
export function halfStep(x) {
  const magnitude = Math.abs(x);
  return magnitude < 2 ** -14 ? 2 ** -24 : 2 ** (Math.floor(Math.log2(magnitude)) - 10);
}

export class Plane {
  /// `raw` holds the stored bits (unsigned for floats), row by row, channels interleaved.
  constructor(dtype, width, height, channels, raw) {
    Object.assign(this, { dtype, width, height, channels, raw });
    this.decoded = null;
    this.facts = new Map();   // what was computed of it, by name
  }

  static fromBytes({ dtype, shape, bytes }) {
    const [height, width, channels = 1] = shape, count = height * width * channels;
    const of = (Type) => new Type(bytes.buffer, bytes.byteOffset, count);
    switch (dtype) {
      case "float16": return new Plane("float16", width, height, channels, of(Uint16Array));
      case "float32": return new Plane("float32", width, height, channels, of(Uint32Array));
      case "uint8": return new Plane("uint8", width, height, channels, of(Uint8Array));
      case "int16": return new Plane("int16", width, height, channels, of(Uint16Array));
      case "int32": return new Plane("int32", width, height, channels, of(Uint32Array));
      case "float64": return Plane.fromValues(width, height, channels, of(Float64Array));
      default: return Plane.fromValues(width, height, channels, Float64Array.from(of(BigInt64Array), Number));
    }
  }

  /// Numbers made here. They are drawn as float32 and read as they are.
  static fromValues(width, height, channels, values) {
    const drawn = values instanceof Float32Array ? values : Float32Array.from(values);
    const plane = new Plane("float32", width, height, channels, new Uint32Array(drawn.buffer, drawn.byteOffset, drawn.length));
    plane.decoded = values;
    return plane;
  }

  get bytes() { return this.raw.byteLength + (this.decoded && this.decoded.buffer !== this.raw.buffer ? this.decoded.byteLength : 0); }

  /// All values as numbers.
  values() {
    if (this.decoded) return this.decoded;
    const { raw, dtype } = this;
    if (dtype === "float16") {
      const table = halves(), out = new Float32Array(raw.length);
      for (let i = 0; i < raw.length; ++i) out[i] = table[raw[i]];
      this.decoded = out;
    } else {
      const Type = { float32: Float32Array, uint8: Uint8Array, int16: Int16Array, int32: Int32Array }[dtype];
      this.decoded = new Type(raw.buffer, raw.byteOffset, raw.length);
    }
    return this.decoded;
  }

  /// Channel c of pixel (x, y), straight from the stored bits.
  at(x, y, c = 0) {
    const i = (y * this.width + x) * this.channels + c;
    return this.dtype === "float16" && !this.decoded ? halves()[this.raw[i]] : this.values()[i];
  }
  pixel(x, y) { return Array.from({ length: this.channels }, (_, c) => this.at(x, y, c)); }

  /// Computes a fact once.
  fact(name, compute) {
    if (!this.facts.has(name)) this.facts.set(name, compute(this));
    return this.facts.get(name);
  }
}

/// Finite values of one channel (or of the vectors' lengths), in ascending order; of large planes every n-th.
function sortedValues(plane, part) {
  const values = plane.values(), pixels = plane.width * plane.height, step = Math.max(1, Math.floor(pixels / 262144)), kept = [];
  for (let p = 0; p < pixels; p += step) {
    const v = partOf(values, plane.channels, p, part);
    if (Number.isFinite(v)) kept.push(v);
  }
  return Float64Array.from(kept).sort();
}

/// Channel number `part` of pixel p, or the length of its vector.
export function partOf(values, channels, p, part) {
  if (part !== "length") return values[p * channels + part];
  let sum = 0;
  for (let c = 0; c < channels; ++c) sum += values[p * channels + c] ** 2;
  return Math.sqrt(sum);
}

/// The values below which `low` and `high` per cent of the finite ones lie; [0, 1] when there are none.
export function percentiles(plane, low, high, part = 0) {
  const sorted = plane.fact("sorted " + part, () => sortedValues(plane, part));
  if (sorted.length === 0) return [0, 1];
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round((q / 100) * (sorted.length - 1))))];
  return [at(low), at(high)];
}

/// Least and greatest finite value of every pixel.
export function extremes(plane, part = 0) {
  return plane.fact("extremes " + part, () => {
    const values = plane.values(), pixels = plane.width * plane.height;
    let low = Infinity, high = -Infinity;
    for (let p = 0; p < pixels; ++p) {
      const v = partOf(values, plane.channels, p, part);
      if (v < low && v !== -Infinity) low = v;
      if (v > high && v !== Infinity) high = v;
    }
    return low <= high ? [low, high] : [0, 1];
  });
}

/// Map of id -> number of pixels.
export function idCounts(plane) {
  return plane.fact("ids", () => {
    const counts = new Map();
    for (const id of plane.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  });
}

/// Map of id -> {x0, y0, x1, y1} (inclusive) of ids from 1.
export function idBoxes(plane) {
  return plane.fact("boxes", () => {
    const boxes = new Map(), ids = plane.values();
    for (let y = 0, p = 0; y < plane.height; ++y)
      for (let x = 0; x < plane.width; ++x, ++p) {
        const id = ids[p];
        if (id < 1) continue;
        const box = boxes.get(id);
        if (!box) boxes.set(id, { x0: x, y0: y, x1: x, y1: y });
        else { if (x < box.x0) box.x0 = x; if (x > box.x1) box.x1 = x; box.y1 = y; }
      }
    return boxes;
  });
}
