// Draws planes with WebGL 2: the stored bits go to the graphics memory as they are, and one program makes colors of them.
import { idTexels, kIdTexels, mapTexels, maps } from "./colors.js";

const kTextureBytes = 384 * 1024 * 1024;

const vertexText = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;

const fragmentText = `#version 300 es
precision highp float; precision highp int; precision highp usampler2D;
uniform usampler2D plane, mask;
uniform sampler2D maps, ids, flags;
uniform int type, channels, look, part, tone, mapRow, maskType, maskOn;
uniform ivec2 size, maskSize;
uniform vec2 origin;          // of the image's upper left corner, in device pixels from the canvas's lower left
uniform float scale;          // device pixels of an image pixel
uniform float ratio;          // device pixels of a CSS pixel
uniform float light, gamma;
uniform vec3 low, high, accent;
out vec4 color;

int state;                    // of the value read last: 0 finite, 1 NaN, 2 infinite
float number(uint raw, int t) {
  state = 0;
  if (t == 0) {
    if ((raw & 0x7c00u) == 0x7c00u) { state = (raw & 0x3ffu) != 0u ? 1 : 2; return (raw & 0x8000u) != 0u ? -65520.0 : 65520.0; }
    return unpackHalf2x16(raw).x;
  }
  if (t == 1) {
    if ((raw & 0x7f800000u) == 0x7f800000u) { state = (raw & 0x7fffffu) != 0u ? 1 : 2; return (raw >> 31) != 0u ? -3e38 : 3e38; }
    return uintBitsToFloat(raw);
  }
  if (t == 3) return float(int(raw) - (raw > 32767u ? 65536 : 0));
  return t == 4 ? float(int(raw)) : float(raw);
}

vec3 lit(vec3 c) {
  c = max(c * light, 0.0);
  if (tone == 2) return min(c, 1.0);
  if (tone == 1) return mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-9)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  return pow(c, vec3(1.0 / gamma));
}

vec3 hatched(vec2 at) {
  float stripe = mod(at.x + at.y, 9.0 * ratio);
  vec3 ground = state == 1 ? vec3(0.22, 0.23, 0.26) : vec3(0.42, 0.10, 0.12), line = state == 1 ? vec3(0.40, 0.42, 0.47) : vec3(0.75, 0.25, 0.25);
  return stripe < 2.2 * ratio ? line : ground;
}

vec3 mapped(float v, vec2 at) {
  if (state != 0) return hatched(at);
  float t = clamp((v - low.x) / (high.x - low.x), 0.0, 1.0);
  return texture(maps, vec2((t * 255.0 + 0.5) / 256.0, (float(mapRow) + 0.5) / ${maps.length}.0)).rgb;
}

// Mean over the pixels that share a screen pixel, up to 6 by 6 of them.
vec3 mean(ivec2 p, vec2 exact) {
  int n = clamp(int(ceil(1.0 / scale)), 1, 6);
  if (n == 1) { uvec4 raw = texelFetch(plane, p, 0); return vec3(number(raw.r, type), number(raw.g, type), number(raw.b, type)); }
  vec3 sum = vec3(0.0); float count = 0.0;
  float width = 1.0 / scale;
  for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) {
    ivec2 q = clamp(ivec2(exact + (vec2(float(i), float(j)) + 0.5) / float(n) * width - 0.5 * width), ivec2(0), size - 1);
    uvec4 raw = texelFetch(plane, q, 0);
    int worst = 0; vec3 v;
    v.r = number(raw.r, type); worst = max(worst, state); v.g = number(raw.g, type); worst = max(worst, state); v.b = number(raw.b, type); worst = max(worst, state);
    if (worst == 0) { sum += v; count += 1.0; }
  }
  state = count > 0.0 ? 0 : 1;
  return sum / max(count, 1.0);
}

vec3 colored(ivec2 p, vec2 exact, vec2 at) {
  uvec4 raw = texelFetch(plane, p, 0);
  if (look == 0) { vec3 v = mean(p, exact); return state != 0 ? hatched(at) : lit(v); }
  if (look == 5) { state = 0; int id = int(number(raw.r, type)); if (id < 0) return vec3(0.16, 0.17, 0.19); return texelFetch(ids, ivec2(id & ${kIdTexels - 1}, 0), 0).rgb; }
  if (look == 6) { int bits = int(number(raw.r, type)); return bits == 0 ? vec3(0.16, 0.17, 0.19) : bits == 1 ? vec3(0.34, 0.61, 0.84) : bits == 2 ? vec3(0.90, 0.63, 0.25) : vec3(0.49, 0.77, 0.43); }
  float x = number(raw.r, type); int worst = state;
  if (channels < 3) return mapped(x, at);
  float y = number(raw.g, type); worst = max(worst, state);
  float z = number(raw.b, type); worst = max(worst, state);
  state = worst;
  if (part >= 0) return mapped(part == 0 ? x : part == 1 ? y : part == 2 ? z : length(vec3(x, y, z)), at);
  if (state != 0) return hatched(at);
  vec3 v = vec3(x, y, z);
  if (look == 2) return clamp(0.5 + 0.5 * v, 0.0, 1.0);
  if (look == 4) return fract(v);
  return clamp((v - low) / max(high - low, vec3(1e-9)), 0.0, 1.0);
}

bool chosen(vec2 exact) {
  ivec2 p = clamp(ivec2(exact * vec2(maskSize) / vec2(size)), ivec2(0), maskSize - 1);
  int index = (int(number(texelFetch(mask, p, 0).r, maskType)) + 1) & 65535;
  return texelFetch(flags, ivec2(index & 255, index >> 8), 0).r > 0.5;
}

void main() {
  vec2 at = gl_FragCoord.xy, exact = vec2(at.x - origin.x, origin.y - at.y) / scale;
  ivec2 p = ivec2(floor(exact));
  if (p.x < 0 || p.y < 0 || p.x >= size.x || p.y >= size.y) discard;
  vec3 c = colored(p, exact, at);
  if (scale >= 14.0 * ratio) {
    vec2 inside = fract(exact) * scale;
    if (min(inside.x, inside.y) < ratio) c = mix(c, vec3(0.5), 0.28);
  }
  if (maskOn == 1) {
    bool inside = chosen(exact);
    float reach = max(1.2 * ratio / scale, 0.0);
    bool edge = inside != chosen(exact + vec2(reach, 0.0)) || inside != chosen(exact - vec2(reach, 0.0)) || inside != chosen(exact + vec2(0.0, reach)) || inside != chosen(exact - vec2(0.0, reach));
    if (!inside) c = mix(vec3(dot(c, vec3(0.3, 0.59, 0.11))), c, 0.15) * 0.32;
    if (edge) c = inside ? accent : c * 0.5;
  }
  color = vec4(c, 1.0);
}`;

const types = { float16: 0, float32: 1, uint8: 2, int16: 3, int32: 4 };
const looks = { light: 0, albedo: 0, scalar: 1, signed: 1, mismatch: 1, normal: 2, position: 3, texture: 4, semantic: 5, instance: 5, entity: 5, material: 5, bits: 6 };
const tones = { hypersim: 0, gamma: 0, srgb: 1, linear: 2 };

export class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { alpha: false, antialias: false, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("this browser has no WebGL 2, which draws the pictures");
    this.textures = new Map();   // plane -> {texture, bytes}, latest last
    this.textureBytes = 0;
    this.restored = () => {};
    this.prepare();
    canvas.addEventListener("webglcontextlost", (e) => e.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => { this.textures.clear(); this.textureBytes = 0; this.prepare(); this.restored(); });
  }

  prepare() {
    const gl = this.gl;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error("shader: " + gl.getShaderInfoLog(shader));
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error("shader: " + gl.getProgramInfoLog(this.program));
    gl.useProgram(this.program);
    this.at = new Proxy({}, { get: (known, name) => known[name] ??= gl.getUniformLocation(this.program, name) });
    ["plane", "mask", "maps", "ids", "flags"].forEach((name, unit) => gl.uniform1i(this.at[name], unit));
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.maps = this.image(2, gl.RGBA8, gl.RGBA, 256, maps.length, mapTexels());
    this.idColors = {};
    this.flags = this.image(4, gl.R8, gl.RED, 256, 256, new Uint8Array(65536));
    this.maxSide = gl.getParameter(gl.MAX_TEXTURE_SIZE);
  }

  image(unit, inside, format, width, height, texels) {
    const gl = this.gl, texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, inside, width, height, 0, format, gl.UNSIGNED_BYTE, texels);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
    return texture;
  }

  /// Marks the ids whose pixels stay bright.
  setHighlight(ids) {
    const gl = this.gl, texels = new Uint8Array(65536);
    for (const id of ids) texels[(id + 1) & 65535] = 255;
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_2D, this.flags);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 256, gl.RED, gl.UNSIGNED_BYTE, texels);
  }

  bind(unit, plane) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    let entry = this.textures.get(plane);
    if (entry) {
      this.textures.delete(plane);
      this.textures.set(plane, entry);
      gl.bindTexture(gl.TEXTURE_2D, entry.texture);
      return;
    }
    const wide = plane.raw.BYTES_PER_ELEMENT, c = plane.channels - 1;
    const inside = { 1: [gl.R8UI, gl.RG8UI, gl.RGB8UI, gl.RGBA8UI], 2: [gl.R16UI, gl.RG16UI, gl.RGB16UI, gl.RGBA16UI], 4: [gl.R32UI, gl.RG32UI, gl.RGB32UI, gl.RGBA32UI] }[wide][c];
    const format = [gl.RED_INTEGER, gl.RG_INTEGER, gl.RGB_INTEGER, gl.RGBA_INTEGER][c];
    entry = { texture: gl.createTexture(), bytes: plane.raw.byteLength };
    gl.bindTexture(gl.TEXTURE_2D, entry.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, inside, plane.width, plane.height, 0, format, { 1: gl.UNSIGNED_BYTE, 2: gl.UNSIGNED_SHORT, 4: gl.UNSIGNED_INT }[wide], plane.raw);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    this.textures.set(plane, entry);
    this.textureBytes += entry.bytes;
    for (const [oldest, other] of this.textures) {
      if (this.textureBytes <= kTextureBytes || oldest === plane) break;
      gl.deleteTexture(other.texture);
      this.textures.delete(oldest);
      this.textureBytes -= other.bytes;
    }
  }

  /// Starts a picture; `ground` is [r, g, b] in 0..1.
  begin(ground) {
    const gl = this.gl, canvas = this.canvas, ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.ratio = ratio;
    gl.viewport(0, 0, width, height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
  }

  /// One plane within `box` (CSS pixels of the canvas: x, y, width, height), its upper left corner at (left, top) of the canvas.
  draw(plane, box, left, top, scale, style) {
    const gl = this.gl, at = this.at, r = this.ratio, height = this.canvas.height;
    gl.scissor(Math.round(box.x * r), height - Math.round((box.y + box.height) * r), Math.round(box.width * r), Math.round(box.height * r));
    this.bind(0, plane);
    gl.uniform1i(at.type, types[plane.dtype]);
    gl.uniform1i(at.channels, plane.channels);
    gl.uniform1i(at.look, looks[style.look] ?? 1);
    gl.uniform1i(at.part, style.part ?? -1);
    gl.uniform1i(at.tone, tones[style.tone] ?? 0);
    gl.uniform1i(at.mapRow, Math.max(0, maps.findIndex(([name]) => name === style.map)));
    gl.uniform2i(at.size, plane.width, plane.height);
    gl.uniform2f(at.origin, left * r, height - top * r);
    gl.uniform1f(at.scale, scale * r);
    gl.uniform1f(at.ratio, r);
    gl.uniform1f(at.light, style.light ?? 1);
    gl.uniform1f(at.gamma, style.gamma ?? 2.2);
    gl.uniform3f(at.low, ...style.low);
    gl.uniform3f(at.high, ...style.high);
    gl.uniform3f(at.accent, ...style.accent);
    this.bindIds(style.look);
    const mask = style.mask ?? null;
    gl.uniform1i(at.maskOn, mask ? 1 : 0);
    this.bind(1, mask ?? plane);
    gl.uniform1i(at.maskType, types[(mask ?? plane).dtype]);
    gl.uniform2i(at.maskSize, (mask ?? plane).width, (mask ?? plane).height);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.maps);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  bindIds(look) {
    const gl = this.gl, kind = looks[look] === 5 ? look : "instance";
    this.idColors[kind] ??= this.image(3, gl.RGBA8, gl.RGBA, kIdTexels, 1, idTexels(kind));
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.idColors[kind]);
  }
}
