// Where data come from: a server's api/, or files of an exported report, which are scripts, since pages at file:// may
// read nothing else. Both hold the same packed bytes; planes.h describes them.

export class SourceError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// Bytes of equal significance stand together; the result has each element's bytes side by side.
function unshuffled(bytes, size) {
  if (size === 1) return bytes;
  const count = bytes.length / size, out = new Uint8Array(bytes.length);
  for (let b = 0; b < size; ++b) {
    const part = bytes.subarray(b * count, (b + 1) * count);
    for (let i = 0, o = b; i < count; ++i, o += size) out[o] = part[i];
  }
  return out;
}

const elementBytes = { float16: 2, float32: 4, float64: 8, uint8: 1, int16: 2, int32: 4, int64: 8 };

/// {json} or {dtype, shape, bytes}.
export async function unpack(buffer) {
  const bytes = new Uint8Array(buffer);
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== "SIM1") throw new SourceError("the answer is not in the expected form", 0);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const payload = await inflate(bytes.subarray(8 + length));
  if (header.json) return { json: JSON.parse(new TextDecoder().decode(payload)) };
  return { dtype: header.dtype, shape: header.shape, bytes: header.shuffled ? unshuffled(payload, elementBytes[header.dtype]) : payload };
}

async function get(path) {
  let response;
  try {
    response = await fetch("api/" + path);
  } catch {
    throw new SourceError("the server does not answer; is `simulacra inspect` still running?", 0);
  }
  if (!response.ok) throw new SourceError((await response.text()).trim() || response.statusText, response.status);
  return response;
}
const getJson = async (path) => (await get(path)).json();
const getPacked = async (path) => unpack(await (await get(path)).arrayBuffer());

const fromServer = {
  isReport: false,
  index: async () => (await getPacked("index")).json,
  scene: (scene) => getJson("scene/" + scene),
  frame: (set, frame) => getJson(`frame/${set}/${frame}`),
  plane: (set, frame, label) => getPacked(`plane/${set}/${frame}/${label}`),
  pixel: (set, frame, x, y) => getJson(`pixel/${set}/${frame}/${x}/${y}`),
  thumbnail: (frame) => "api/thumbnail/" + frame,
  preview: (frame, name) => `api/preview/${frame}/${name}`,
  statistics: (from) => getJson("statistics/" + from),
  findings: (from) => getJson("findings/" + from),
};

/// A file of the report, as a script that hands its bytes to window.simulacraReport.give(key, base64).
function fromScript(key) {
  const report = window.simulacraReport;
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    report.give = report.give ?? ((name, text) => { (report.given ??= {})[name] = text; });
    script.src = `data/${key}.js`;
    script.onload = () => {
      const text = report.given?.[key];
      delete report.given?.[key];
      script.remove();
      if (text === undefined) reject(new SourceError(`data/${key}.js holds something else`, 0));
      else resolve(unpack(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer));
    };
    script.onerror = () => { script.remove(); reject(new SourceError(`this report has no file data/${key}.js`, 404)); };
    document.head.append(script);
  });
}
const jsonOfScript = async (key) => (await fromScript(key)).json;

const fromReport = {
  isReport: true,
  index: () => jsonOfScript("index"),
  scene: (scene) => jsonOfScript("scene." + scene),
  frame: (set, frame) => jsonOfScript(`frame.${set}.${frame}`),
  plane: (set, frame, label) => fromScript(`plane.${set}.${frame}.${label}`),
  pixel: null,
  thumbnail: (frame) => `data/thumbnail.${frame}.jpg`,
  preview: null,
  statistics: () => jsonOfScript("statistics"),
  findings: () => jsonOfScript("findings"),
};

export const source = window.simulacraReport ? fromReport : fromServer;
