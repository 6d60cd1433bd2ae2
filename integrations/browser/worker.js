// Runs the program: Python as WebAssembly, with a file system in memory. One message at a time; the page ends it to stop a command.
import { ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI, wasi } from "./wasi/index.js";

// A pipe: text is not for a terminal, and the search for folders ends here.
class Pipe extends ConsoleStdout {
  fd_fdstat_get() { return { ret: wasi.ERRNO_SUCCESS, fdstat: new wasi.Fdstat(wasi.FILETYPE_UNKNOWN, 0) }; }
  fd_prestat_get() { return { ret: wasi.ERRNO_BADF, prestat: null }; }
}

const encoder = new TextEncoder(), folder = () => new Directory(new Map());
const top = new Map(["work", "program", "tmp"].map(name => [name, folder()]));
let printed = [], complained = [], python;

async function fetched(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name} cannot be loaded: ${answer.status} ${answer.statusText}`);
  return answer;
}

async function compiled() {
  const answer = await fetched("python.bin"), size = Number(answer.headers.get("Content-Length"));
  let done = 0;
  const counting = new TransformStream({ transform(part, out) {
    postMessage({ loaded: size ? Math.min(1, (done += part.length) / size) : null });
    out.enqueue(part);
  } });
  const plain = answer.body.pipeThrough(counting).pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(plain, { headers: { "Content-Type": "application/wasm" } }));
}

async function start(known) {
  const [module, library, program, code] = await Promise.all([
    known ?? compiled(),
    fetched("library.zip").then(answer => answer.arrayBuffer()),
    fetched("program.zip").then(answer => answer.arrayBuffer()),
    fetched("answer.py").then(answer => answer.text()),
  ]);
  postMessage({ module });
  top.set("program.zip", new File(program, { readonly: true }));
  const modules = new Map([["python315.zip", new File(library, { readonly: true })], ["python3.15", folder()]]);
  const files = [
    new OpenFile(new File([])), new Pipe(part => printed.push(part)), new Pipe(part => complained.push(part)),
    new PreopenDirectory("/", top), new PreopenDirectory("/usr/local/lib", modules),
    new Pipe(part => postMessage({ read: Number(new TextDecoder().decode(part)) })), // PROGRESS of answer.py
  ];
  const system = new WASI(["python"], [], files, { debug: false });
  const host = { call() { throw new Error("the runtime asks for something that a page has not"); } };
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system.wasiImport, host });
  system.inst = instance;
  python = instance.exports;
  python._initialize();
  if (turn("import zipfile; zipfile.ZipFile('/program.zip').extractall('/program')") || turn(code)) {
    throw new Error(await new Blob(complained).text());
  }
  top.delete("program.zip");
}

function turn(code) {
  const bytes = encoder.encode(code), at = python.host_alloc(bytes.length) >>> 0;
  new Uint8Array(python.memory.buffer).set(bytes, at);
  return python.turn(at, bytes.length);
}

function put(path, data) {
  const names = path.split("/").filter(name => !["", ".", ".."].includes(name)), last = names.pop();
  let at = top.get("work").contents;
  for (const name of names) {
    if (!at.has(name)) at.set(name, folder());
    at = at.get(name).contents;
  }
  at.set(last, new File(data));
}

const started = new Promise(resolve => addEventListener("message", event => resolve(start(event.data)), { once: true }));

async function answer(request) {
  await started;
  if (request.files) {
    top.get("work").contents.clear();
    for (const [path, file] of request.files) put(path, await file.arrayBuffer());
  }
  printed = [];
  complained = [];
  top.set("request.json", new File(encoder.encode(JSON.stringify(request))));
  turn("answer()");
  const result = JSON.parse(new TextDecoder().decode(top.get("answer.json").data));
  return { result, out: await new Blob(printed).text(), err: await new Blob(complained).text() };
}

let last = Promise.resolve();
addEventListener("message", ({ data: request }) => {
  if (!request?.id) return;
  last = last.then(() => answer(request)).then(
    found => postMessage({ id: request.id, ...found }),
    error => postMessage({ id: request.id, failed: String(error?.message ?? error) }),
  );
});
