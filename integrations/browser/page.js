// The page: files and options go to the worker, texts come back. Whatever comes from files is put in as text, never as markup.
const $ = id => document.getElementById(id);
const SUFFIXES = { table: "txt", mjcf: "xml", markdown: "md", "ten-vector": "txt" };
let worker, module, files = [], waiting = new Map(), last = 0, began = null, text = "", report = "";

function start() {
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => {
    module = data.module ?? module;
    if ("loaded" in data) say("Loading Python …", data.loaded);
    if ("read" in data) $("progress").value = data.read;
    if (data.failed) fail(data.failed);
    waiting.get(data.id)?.resolve(data);
    waiting.delete(data.id);
  };
  worker.onerror = event => fail(event.message ?? "the worker cannot be loaded");
  worker.postMessage(module);
}

function ask(what, words, more = {}) {
  worker.postMessage({ id: ++last, do: what, with: words, ...more });
  return new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
}

// Ends what runs, with a reason to show; Python starts again, compiled as it is.
function stop(why) {
  worker.terminate();
  for (const { reject } of waiting.values()) reject(why);
  waiting.clear();
  start();
  become("Stopped.");
  if (files.length) take(files, why);
  else show("messages", why);
}

function fail(what) {
  if (module) return stop(`Python ended: ${what}. A page has at most 4 GB for Python and a file: larger ones need the command line.`);
  become("This page does not run here.");
  show("messages", what);
}

function say(words, share) {
  $("status").textContent = words;
  $("progress").hidden = share === undefined;
  if (share == null) $("progress").removeAttribute("value");
  else $("progress").value = share;
}

function show(id, words) {
  $(id).textContent = words;
  $(id).hidden = !words;
  if (words) $("result").hidden = false;
}

function become(words, isBusy = false) {
  began = isBusy ? performance.now() : null;
  $("stop").disabled = !isBusy;
  say(words, isBusy ? null : undefined);
}

// --- files --------------------------------------------------------------------------------------------------------------

async function inside(entry) {
  if (entry.isFile) return [[entry.fullPath.slice(1), await new Promise((done, failed) => entry.file(done, failed))]];
  const reader = entry.createReader(), found = [];
  for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length;) found.push(...some);
  return (await Promise.all(found.map(inside))).flat();
}

async function take(chosen, words = "") {
  $("measure").disabled = $("inputs").hidden = $("result").hidden = $("report").hidden = true;
  files = [];
  become("Reading files …", true);
  const found = await ask("inputs", [], { files: chosen }).catch(() => null); // stopped
  if (!found) return;
  files = chosen;
  const { result, err } = found;
  become(`${result.length} file${result.length === 1 ? "" : "s"}.`);
  for (const id of ["text", "text-buttons"]) $(id).hidden = true;
  show("messages", words || err);
  $("inputs").replaceChildren($("inputs").firstElementChild, ...result.map(([path, checked]) => {
    const label = document.createElement("label");
    label.append(Object.assign(document.createElement("input"), { type: "checkbox", value: path, checked }), ` ${path}`);
    return label;
  }));
  $("measure").disabled = $("inputs").hidden = !result.length;
}

// --- commands -----------------------------------------------------------------------------------------------------------

async function measure(event) {
  event.preventDefault();
  if (began !== null) return;
  const chosen = [...$("inputs").querySelectorAll("input:checked")].map(box => box.value), format = $("format").value;
  const given = ids => ids.filter(id => $(id).value.trim()).map(id => `--${id}=${$(id).value.trim()}`);
  for (const id of ["messages", "text"]) show(id, "");
  $("report").hidden = $("text-buttons").hidden = true;
  become("Measuring …", true);
  try {
    const words = [...given(["units", "density", "material", "about"]), ...(format === "table" ? [] : [`--format=${format}`])];
    const done = await ask("command", [$("command").value, chosen, words, $("more").value]);
    text = done.out;
    show("text", text);
    show("messages", done.err);
    $("text-buttons").hidden = !text;
    const ended = `Measured in ${((performance.now() - began) / 1000).toFixed(1)} s${done.result ? `, exit code ${done.result}` : ""}.`;
    say(ended, null);
    if (done.result !== 2) await draw(chosen, given(["units", "density", "material"]));
    become(ended);
  } catch (why) {
    if (typeof why !== "string") throw why; // stopped, which has said why
  }
}

async function draw(chosen, words) {
  const page = await ask("command", ["report", chosen, [...words, "--output=-"], ""]);
  report = page.out;
  if (!report) return show("messages", $("messages").textContent || page.err);
  $("report").hidden = false;
  // Chromium at times never lays out what is written into a frame that had a page before.
  await new Promise(onload => $("view").replaceWith(Object.assign($("view").cloneNode(), { onload, src: "view.html" })));
  $("view").contentWindow.postMessage(report, "*"); // it has no address: it is in a sandbox
}

function save(words, name) {
  const href = URL.createObjectURL(new Blob([words], { type: "application/octet-stream" }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

$("form").addEventListener("submit", measure);
$("stop").addEventListener("click", () => stop(""));
$("copy").addEventListener("click", () => {
  getSelection().selectAllChildren($("text")); // where the clipboard is closed
  (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(() => say("Copied."), () => say("Selected: copy it with Ctrl+C."));
});
$("save").addEventListener("click", () => save(text, `massprops.${SUFFIXES[$("format").value] ?? $("format").value}`));
$("save-report").addEventListener("click", () => save(report, "massprops.html"));
for (const id of ["files", "folder"]) {
  $(id).addEventListener("change", ({ target }) => {
    take([...target.files].map(file => [file.webkitRelativePath || file.name, file]));
    target.value = ""; // so that the same file, changed meanwhile, can be chosen again
  });
}
for (const kind of ["dragover", "dragleave", "drop"]) addEventListener(kind, event => {
  event.preventDefault();
  $("drop").classList.toggle("over", kind === "dragover");
});
addEventListener("drop", async event => {
  const entries = [...event.dataTransfer.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  if (entries.length) take((await Promise.all(entries.map(inside))).flat());
});
setInterval(() => { $("clock").textContent = began === null ? "" : `${Math.floor((performance.now() - began) / 1000)} s`; }, 1000);

start();
ask("about", []).then(({ result }) => {
  $("version").textContent = result.version;
  $("material-names").append(...result.materials.map(name => new Option(name)));
  if (began === null) say("Ready.");
}, () => {}); // stopped before it was known
