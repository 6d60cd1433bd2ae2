// Runs the program: Python as WebAssembly, with a file system in memory. One message at a time; the page ends it to stop a command.
import { ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI, wasi } from "./wasi/index.js";

// A pipe: text is not for a terminal, and the search for folders ends here.
class Pipe extends ConsoleStdout {
  fd_fdstat_get() { return { ret: wasi.ERRNO_SUCCESS, fdstat: new wasi.Fdstat(wasi.FILETYPE_UNKNOWN, 0) }; }
  fd_prestat_get() { return { ret: wasi.ERRNO_BADF, prestat: null }; }
}

const encode = text => new TextEncoder().encode(text), decode = bytes => new TextDecoder().decode(bytes);
const folder = () => new Directory(new Map()), work = folder();
const top = new Map([["work", work], ["program", folder()], ["tmp", folder()]]);
let printed = [], complained = [], python;

async function fetched(name) {
  const answer = await fetch(name);
  if (answer.ok) return answer;
  throw new Error(`${name} cannot be loaded: ${answer.status} ${answer.statusText}`);
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
  const archives = ["library.zip", "program.zip"].map(async name => new File(await (await fetched(name)).arrayBuffer()));
  const [module, library, program] = await Promise.all([known ?? compiled(), ...archives]);
  postMessage({ module });
  top.set("program.zip", program);
  const files = [
    new OpenFile(new File([])), new Pipe(part => printed.push(part)), new Pipe(part => complained.push(part)),
    new PreopenDirectory("/", top), new PreopenDirectory("/usr/local/lib", new Map([["python315.zip", library], ["python3.15", folder()]])),
    new Pipe(part => postMessage({ read: Number(decode(part)) })), // PROGRESS of answer.py
  ];
  const system = new WASI(["python"], [], files, { debug: false });
  const host = { call() { throw new Error("the runtime asks for what a page has not"); } };
  system.inst = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system.wasiImport, host });
  python = system.inst.exports;
  python._initialize();
  const code = "import sys, zipfile; zipfile.ZipFile('/program.zip').extractall('/program'); sys.path.insert(0, '/program'); from answer import *";
  if (turn(code)) throw new Error(await new Blob(complained).text());
  top.delete("program.zip");
}

function turn(code) {
  const bytes = encode(code), at = python.host_alloc(bytes.length) >>> 0;
  new Uint8Array(python.memory.buffer).set(bytes, at);
  return python.turn(at, bytes.length);
}

function put(path, data) {
  const names = path.split("/").filter(name => !["", ".", ".."].includes(name)), last = names.pop();
  let at = work.contents;
  for (const name of names) at = (at.get(name) ?? at.set(name, folder()).get(name)).contents;
  at.set(last, new File(data));
}

async function answer(request) {
  await started;
  if (request.files) work.contents.clear();
  for (const [path, file] of request.files ?? []) put(path, await file.arrayBuffer());
  [printed, complained] = [[], []];
  top.set("request.json", new File(encode(JSON.stringify(request))));
  const failed = turn("answer()"), [out, err] = await Promise.all([printed, complained].map(parts => new Blob(parts).text()));
  if (failed) throw new Error(err);
  return { id: request.id, result: JSON.parse(decode(top.get("answer.json").data)), out, err };
}

const started = new Promise(resolve => addEventListener("message", event => resolve(start(event.data)), { once: true }));
let last = started;
addEventListener("message", ({ data }) => {
  if (data?.id) last = last.then(() => answer(data)).then(postMessage, error => postMessage({ failed: String(error?.message ?? error) }));
});
