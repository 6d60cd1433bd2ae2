// The page: files and options go to the worker, texts come back. Whatever comes from files is put in as text, never as markup.
const $ = id => document.getElementById(id);
const SUFFIXES = { table: "txt", mjcf: "xml", markdown: "md", "ten-vector": "txt" };
const OTHERS = ["bodies", "unknown", "assembly", "results"]; // kinds of files that belong to others, as textures do
let worker, module, files = [], waiting = new Map(), last = 0, began = null, text = "", report = "";

function start() {
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.module) module = data.module;
    else if ("loaded" in data) say("Loading Python …", data.loaded);
    else if ("read" in data) $("progress").value = data.read;
    else if (data.failed) fail(data.failed);
    else settle(data.id).resolve(data);
  };
  worker.onerror = event => fail(event.message ?? "the worker cannot be loaded");
  worker.postMessage(module);
}

function settle(id) {
  const promise = waiting.get(id);
  waiting.delete(id);
  return promise;
}

function ask(what, words, more = {}) {
  const id = ++last;
  worker.postMessage({ id, do: what, with: words, ...more });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

// Ends what runs; Python starts again, compiled as it is.
function stop(why) {
  worker.terminate();
  for (const { reject } of waiting.values()) reject(why);
  waiting.clear();
  start();
  if (files.length) list().catch(() => {});
}

function fail(what) {
  const words = `Python ended: ${what}. A page has at most 4 GB for Python and a file: larger ones need the command line.`;
  if (waiting.size && module) stop(words);
  else say(`This page does not run here: ${what}`);
  show("messages", words);
}

function say(words, share) {
  if ($("status").textContent !== words) $("status").textContent = words;
  $("progress").hidden = share === undefined;
  if (share == null) $("progress").removeAttribute("value");
  else $("progress").value = share;
}

function show(id, words) {
  $(id).textContent = words;
  $(id).hidden = !words;
  if (words) $("result").hidden = false;
}

// --- files --------------------------------------------------------------------------------------------------------------

async function inside(entry) {
  if (entry.isFile) return [[entry.fullPath.slice(1), await new Promise((done, failed) => entry.file(done, failed))]];
  const reader = entry.createReader(), found = [];
  for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length;) found.push(...some);
  return (await Promise.all(found.map(inside))).flat();
}

async function take(found) {
  files = found;
  for (const id of ["result", "report"]) $(id).hidden = true;
  try {
    await list();
  } catch (error) {
    say("The files cannot be read.");
    show("messages", String(error));
  }
}

async function list() {
  const archives = files.map(([path]) => path).filter(path => /\.zip$/i.test(path));
  busy("Reading files …");
  const { result, err } = await ask("inputs", [archives], { files });
  idle(result ? `${result.length} file${result.length === 1 ? "" : "s"}` : "The archive cannot be read.");
  show("messages", result ? "" : err);
  const robots = result?.some(([, kind]) => kind === "robot"), bodies = result?.some(([, kind]) => !OTHERS.includes(kind));
  $("inputs").replaceChildren($("inputs").firstElementChild, ...(result ?? []).map(([path, kind]) => {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.value = path;
    box.checked = robots ? kind === "robot" : !bodies || !OTHERS.includes(kind);
    label.append(box, ` ${path}`);
    return label;
  }));
  $("inputs").hidden = !result?.length;
  $("measure").disabled = !result?.length;
}

// --- commands -----------------------------------------------------------------------------------------------------------

function busy(words) {
  began = performance.now();
  $("stop").disabled = false;
  say(words, null);
}

function idle(words) {
  began = null;
  $("stop").disabled = true;
  say(words);
}

setInterval(() => {
  if (began === null || performance.now() - began < 1000) return;
  $("status").textContent = $("status").textContent.replace(/( \d+ s)?$/, ` ${Math.floor((performance.now() - began) / 1000)} s`);
}, 1000);

async function measure(event) {
  event.preventDefault();
  if (began !== null) return;
  const chosen = [...$("inputs").querySelectorAll("input:checked")].map(box => box.value);
  const given = ids => ids.flatMap(id => $(id).value.trim() ? [`--${id}=${$(id).value.trim()}`] : []);
  const format = $("format").value;
  for (const id of ["messages", "text"]) show(id, "");
  $("report").hidden = $("text-buttons").hidden = true;
  busy("Measuring …");
  try {
    const words = [...given(["units", "density", "material", "about"]), ...(format === "table" ? [] : [`--format=${format}`])];
    const done = await ask("command", [$("command").value, chosen, words, $("more").value]);
    text = done.out;
    show("text", text);
    show("messages", done.err);
    $("text-buttons").hidden = !text;
    const ended = `Measured in ${((performance.now() - began) / 1000).toFixed(1)} s${done.result ? `, exit code ${done.result}` : ""}.`;
    say(done.result === 2 ? ended : `${ended} Drawing …`, null);
    if (done.result !== 2) await draw(chosen, given(["units", "density", "material"]));
    idle(ended);
  } catch (error) {
    idle("Stopped.");
    if (error !== null) show("messages", String(error));
  }
}

async function draw(chosen, words) {
  const page = await ask("command", ["report", chosen, [...words, "--output=-"], ""]);
  report = page.out;
  if (!report) return show("messages", $("messages").textContent || page.err);
  $("report").hidden = false;
  await new Promise(loaded => {
    $("view").onload = loaded;
    $("view").src = "view.html";
  });
  $("view").contentWindow.postMessage(report, "*"); // it has no address: it is in a sandbox
}

function save(words, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([words], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    getSelection().selectAllChildren($("text"));
    say("Selected: copy it with Ctrl+C.");
  }
}

$("form").addEventListener("submit", measure);
$("stop").addEventListener("click", () => stop(null));
$("copy").addEventListener("click", copy);
$("save").addEventListener("click", () => save(text, `massprops.${SUFFIXES[$("format").value] ?? $("format").value}`));
$("save-report").addEventListener("click", () => save(report, "massprops.html"));
for (const id of ["files", "folder"]) {
  $(id).addEventListener("change", () => take([...$(id).files].map(file => [file.webkitRelativePath || file.name, file])));
}
for (const kind of ["dragover", "dragleave", "drop"]) {
  addEventListener(kind, event => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragover");
  });
}
addEventListener("drop", async event => {
  const entries = [...event.dataTransfer.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  take((await Promise.all(entries.map(inside))).flat());
});

start();
const { result: known } = await ask("about", []);
$("version").textContent = known.version;
$("material-names").append(...known.materials.map(name => new Option(name)));
if (!files.length) say("Ready.");
