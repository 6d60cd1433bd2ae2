"use strict";
// The three-dimensional view of a report: WebGL2, parallel projection, no library. Positions are in units of the radius of the scene.

const FACES = `#version 300 es
in vec3 place; uniform mat4 model, view; out vec3 at;
void main() { vec4 p = model * vec4(place, 1.); at = p.xyz; gl_Position = view * p; }`;
const SHADE = `#version 300 es
precision highp float;
in vec3 at; uniform vec3 tint, inside, light; uniform vec4 cut; out vec4 colour;
void main() {
  if (dot(cut.xyz, at) > cut.w) discard;
  gl_FragDepth = gl_FragCoord.z + (gl_FrontFacing ? 0. : 1e-4); // on an outline, the front is seen
  vec3 n = normalize(cross(dFdx(at), dFdy(at)));
  float lit = .62 + .38 * dot(n, light);
  bool cutting = cut.w < 8.;
  colour = gl_FrontFacing ? vec4(tint * lit, 1.) : vec4(inside * (cutting ? 1. : lit), 1.);
}`;
const STROKE = `#version 300 es
in vec3 start, end; in vec4 style; uniform mat4 view; uniform vec2 size; out vec3 tint; out vec2 corner;
flat out int round; // 0: a line, 1: a disc, 2: the mark of a centre of mass
void main() {
  vec4 a = view * vec4(start, 1.), b = view * vec4(end, 1.);
  vec2 along = (b.xy - a.xy) * size * .5;
  float far = length(along), t = float(gl_VertexID & 1), side = float(gl_VertexID >> 1) * 2. - 1.;
  round = far < 1e-3 ? style.a < 0. ? 2 : 1 : 0;
  along = far < 1e-3 ? vec2(1., 0.) : along / far;
  corner = vec2(t * 2. - 1., side); tint = style.rgb;
  vec2 off = vec2(-along.y, along.x) * side + along * corner.x * float(round > 0);
  gl_Position = mix(a, b, t) + vec4(off * abs(style.a) / size, -.002, 0.);
}`;
const INK = `#version 300 es
precision highp float;
in vec3 tint; in vec2 corner; flat in int round; uniform float alpha, pale; out vec4 colour;
void main() {
  float far = dot(corner, corner), a = round > 0 ? 1. : alpha;
  if (round > 0 && far > 1.) discard;
  vec3 ink = mix(tint, vec3(1.), pale);
  if (round == 2) ink = vec3(far > .75 || corner.x * corner.y > 0. ? .13 : .99);
  colour = vec4(ink * a, a);
}`;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const plus = (a, b, k = 1) => a.map((x, i) => x + k * b[i]);

// Undoes geometry.py.
async function meshOf(packed) {
  const deflated = Uint8Array.from(atob(packed.data), c => c.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer());
  const faces = new Uint32Array(3 * packed.faces), places = new Uint16Array(3 * packed.vertices);
  const n = faces.length, m = places.length;
  for (let i = 0; i < m; i++) { // all x, all y, all z
    const zigzag = raw[i] | raw[m + i] << 8, at = 3 * (i % packed.vertices) + Math.floor(i / packed.vertices);
    places[at] = (at < 3 ? 0 : places[at - 3]) + (zigzag >> 1 ^ -(zigzag & 1));
  }
  for (let i = 0, known = 0; i < n; i++) {
    const at = 2 * m + i, back = raw[at] | raw[at + n] << 8 | raw[at + 2 * n] << 16 | raw[at + 3 * n] << 24;
    faces[i] = known - back;
    if (!back) known++;
  }
  return { places, faces };
}

class Viewer {
  constructor(figure, scene, meshes) {
    this.figure = figure; this.scene = scene;
    this.canvas = figure.querySelector("canvas");
    this.hidden = new Set(); this.cut = { axis: -1, at: 1, side: 1 };
    this.home = { turn: -Math.PI / 4, lift: Math.atan(Math.SQRT1_2), zoom: 1, target: [0, 0, 0] };
    this.state = { ...this.home };
    const gl = this.gl = this.canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL2");
    this.solid = this.program(FACES, SHADE); this.stroke = this.program(STROKE, INK);
    this.meshes = meshes.map(mesh => this.uploaded(mesh));
    this.lines = Object.entries(scene.lines).map(([name, lines]) => this.strokes(name, lines));
    [this.labels, this.bar] = figure.querySelectorAll(".labels, .bar");
    this.leaders = figure.querySelector(".leaders path");
    this.triad = figure.querySelectorAll(".triad *");
    this.marks = scene.labels.map(label => {
      const span = document.createElement("span");
      span.textContent = label.text; span.className = label.group; if (/^I[123]$/.test(label.text)) span.classList.add(label.text);
      this.labels.append(span);
      return { ...label, span };
    });
    figure.classList.add("live");
    this.controls();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.draw();
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source); gl.compileShader(shader); gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }

  uploaded(mesh) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, mesh.places, gl.STATIC_DRAW);
    const place = gl.getAttribLocation(this.solid, "place");
    gl.enableVertexAttribArray(place); gl.vertexAttribPointer(place, 3, gl.UNSIGNED_SHORT, false, 6, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.faces, gl.STATIC_DRAW);
    return { array, count: mesh.faces.length };
  }

  strokes(name, lines) {
    const gl = this.gl, array = gl.createVertexArray(), numbers = [];
    for (const { points, tint, width } of lines)
      for (let i = 0; i < points.length - 3 || i === 0; i += 3)
        numbers.push(...points.slice(i, i + 3), ...points.slice(points.length > 3 ? i + 3 : i).slice(0, 3),
          ...tint.map(x => x / 255), width * devicePixelRatio);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    for (const [word, size, offset] of [["start", 3, 0], ["end", 3, 12], ["style", 4, 24]]) {
      const at = gl.getAttribLocation(this.stroke, word);
      gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, size, gl.FLOAT, false, 40, offset);
      gl.vertexAttribDivisor(at, 1);
    }
    return { name, array, count: numbers.length / 10 };
  }

  axes() {
    const { turn, lift } = this.state, [c, s, k, h] = [Math.cos(turn), Math.sin(turn), Math.cos(lift), Math.sin(lift)];
    return { right: [-s, c, 0], up: [-h * c, -h * s, k], toward: [k * c, k * s, h] };
  }

  // CSS pixels of a point from the upper left corner of the canvas.
  project(point) {
    const { right, up } = this.axes(), arm = plus(point, this.state.target, -1), s = this.scale();
    return [this.canvas.clientWidth / 2 + s * dot(right, arm), this.canvas.clientHeight / 2 - s * dot(up, arm)];
  }

  scale() { return this.state.zoom * Math.min(this.canvas.clientWidth, this.canvas.clientHeight) / 2.1; }

  draw() {
    const gl = this.gl, canvas = this.canvas, ratio = devicePixelRatio;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    const { right, up, toward } = this.axes(), target = this.state.target, s = this.scale() * ratio;
    const x = 2 * s / canvas.width, y = 2 * s / canvas.height, z = -1 / 8;
    const view = [0, 1, 2].flatMap(i => [x * right[i], y * up[i], z * toward[i], 0]);
    view.push(-x * dot(right, target), -y * dot(up, target), 0, 1);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0); gl.depthMask(true); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LESS); gl.disable(gl.BLEND);
    const set = (program, name) => gl.getUniformLocation(program, name);
    const cut = [0, 1, 2].map(i => i === this.cut.axis ? this.cut.side : 0), light = plus(plus(toward.map(v => .8 * v), right, -.35), up, .5);
    gl.useProgram(this.solid);
    gl.uniformMatrix4fv(set(this.solid, "view"), false, view);
    gl.uniform3fv(set(this.solid, "light"), light);
    gl.uniform4f(set(this.solid, "cut"), ...cut, this.cut.axis < 0 ? 9 : this.cut.side * this.cut.at);
    gl.uniform3f(set(this.solid, "inside"), ...(this.cut.axis < 0 ? [.89, .55, .24] : [.72, .36, .36]));
    for (const part of this.scene.parts) {
      if (this.hidden.has("surface") || this.hidden.has(part.group)) continue;
      const m = part.matrix, mesh = this.meshes[part.mesh];
      gl.frontFace(part.mirrored ? gl.CW : gl.CCW);
      gl.uniformMatrix4fv(set(this.solid, "model"), false,
        [m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, m[3], m[7], m[11], 1]);
      gl.uniform3fv(set(this.solid, "tint"), part.tint.map(v => v / 255));
      gl.bindVertexArray(mesh.array);
      gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    }
    gl.useProgram(this.stroke);
    gl.uniformMatrix4fv(set(this.stroke, "view"), false, view);
    gl.uniform2f(set(this.stroke, "size"), canvas.width, canvas.height);
    gl.uniform1f(set(this.stroke, "pale"), matchMedia("(prefers-color-scheme: dark)").matches ? .4 : 0);
    gl.depthMask(false); gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const [order, alpha] of [[gl.GREATER, .4], [gl.LEQUAL, 1]]) {
      gl.depthFunc(order); gl.uniform1f(set(this.stroke, "alpha"), alpha);
      for (const lines of this.lines) {
        if (this.hidden.has(lines.name)) continue;
        gl.bindVertexArray(lines.array);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.count);
      }
    }
    this.placeLabels();
    this.triad.forEach((part, i) => { // the ends of three lines, and three letters beyond them
      const [end, s] = i < 3 ? ["2", 26] : ["", 34];
      part.setAttribute("x" + end, s * right[i % 3]); part.setAttribute("y" + end, -s * up[i % 3]);
    });
    const [per, unit] = this.scene.unit, most = canvas.clientWidth / 4 / this.scale() * per, power = 10 ** Math.floor(Math.log10(most));
    const length = power * [5, 2, 1].find(k => k * power <= most || k === 1);
    this.bar.style.width = `${length / per * this.scale()}px`;
    this.bar.textContent = `${+length.toPrecision(1)} ${unit}`;
  }

  // each label at the first free place round its mark; one that is not beside it has a leader line
  placeLabels() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, shown = this.marks.filter(mark => !this.hidden.has(mark.group));
    const taken = shown.map(mark => { const [x, y] = this.project(mark.at); return [x - 8, y - 8, x + 8, y + 8]; }), leaders = [];
    for (const mark of this.marks) mark.span.hidden = this.hidden.has(mark.group);
    for (const mark of shown) {
      const [x, y] = this.project(mark.at), w = mark.span.offsetWidth, h = mark.span.offsetHeight;
      const places = [10, 30, 55, 85].flatMap(far => [[1, 1], [1, -1], [-1, -1], [-1, 1], [1, 0], [-1, 0], [0, -1], [0, 1]].map(([i, j]) => {
        const left = x + i * far + (i - 1) * w / 2, top = y + j * far + (j - 1) * h / 2;
        return [left, top, left + w, top + h, far];
      }));
      const free = ([l, t, r, b]) => l >= 0 && t >= 0 && r <= width && b <= height
        && !taken.some(box => l < box[2] && box[0] < r && t < box[3] && box[1] < b);
      const [l, t, r, b, far] = places.find(free) || places[0];
      taken.push([l, t, r, b]);
      if (far > 10) leaders.push(`M ${x} ${y} L ${Math.min(r, Math.max(l, x))} ${Math.min(b, Math.max(t, y))}`);
      mark.span.style.transform = `translate(${l}px, ${t}px)`;
    }
    this.leaders.setAttribute("d", leaders.join(" "));
  }

  fly(goal) {
    const from = { ...this.state }, to = { ...this.state, ...goal }, start = performance.now();
    const time = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 450;
    const frame = now => {
      const t = time ? Math.min(1, Math.max(0, now - start) / time) : 1, k = t * t * (3 - 2 * t);
      for (const name of ["turn", "lift"]) this.state[name] = from[name] + k * (to[name] - from[name]);
      this.state.zoom = from.zoom * (to.zoom / from.zoom) ** k;
      this.state.target = plus(from.target, plus(to.target, from.target, -1), k);
      this.draw();
      if (t < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  turned(across, upward) {
    this.state.turn -= across;
    this.state.lift = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.state.lift + upward));
    this.draw();
  }

  zoomed(factor) { this.state.zoom = Math.min(500, Math.max(.2, this.state.zoom * factor)); this.draw(); }

  moved(dx, dy) {
    const { right, up } = this.axes(), s = this.scale();
    this.state.target = plus(plus(this.state.target, right, -dx / s), up, dy / s);
    this.draw();
  }

  controls() {
    const canvas = this.canvas, held = new Map();
    canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, e); });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, e => held.delete(e.pointerId));
    canvas.addEventListener("pointermove", e => {
      const last = held.get(e.pointerId);
      if (!last) return;
      const dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
      if (held.size === 2) {
        const other = [...held.values()].find(p => p.pointerId !== e.pointerId);
        const reach = p => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
        this.zoomed(reach(e) / reach(last)); this.moved(dx / 2, dy / 2);
      } else if (e.shiftKey || e.buttons > 1) this.moved(dx, dy);
      else this.turned(dx / 160, dy / 160);
      held.set(e.pointerId, e);
    });
    canvas.addEventListener("contextmenu", e => e.preventDefault());
    // the wheel scrolls the page until the view is clicked
    canvas.addEventListener("wheel", e => { if (document.activeElement !== canvas) return; e.preventDefault(); this.zoomed(Math.exp(-e.deltaY / 500)); }, { passive: false });
    const keys = {
      ArrowLeft: () => this.turned(-.1, 0), ArrowRight: () => this.turned(.1, 0), ArrowUp: () => this.turned(0, -.1),
      ArrowDown: () => this.turned(0, .1), "+": () => this.zoomed(1.2), "-": () => this.zoomed(1 / 1.2), 0: () => this.fly(this.home),
    };
    canvas.addEventListener("keydown", e => { if (keys[e.key]) { e.preventDefault(); keys[e.key](); } });
    for (const box of this.figure.querySelectorAll("input[data-group]")) {
      const apply = () => { this.hidden[box.checked ? "delete" : "add"](box.dataset.group); this.draw(); };
      box.addEventListener("change", apply);
      if (!box.checked) this.hidden.add(box.dataset.group);
    }
    const [axis, at] = this.figure.querySelectorAll(".cut"), value = this.figure.querySelector("output"), flip = this.figure.querySelector(".flip");
    const apply = () => {
      this.cut.at = +at.value; at.disabled = flip.disabled = this.cut.axis < 0;
      const place = this.scene.middle[this.cut.axis] + this.cut.at * this.scene.unit[0];
      value.textContent = at.disabled ? "" : `${+place.toPrecision(4)} ${this.scene.unit[1]}`;
      at.setAttribute("aria-valuetext", value.textContent); this.draw();
    };
    axis.addEventListener("input", () => { // away goes the side toward the viewer, so that the cut is seen
      const i = this.cut.axis = +axis.value, toward = this.axes().toward[i] || 0;
      this.cut.side = toward < -1e-9 ? -1 : 1;
      if (i >= 0) [at.min, at.max, at.value] = [this.scene.bounds[i], this.scene.bounds[i + 3], (this.scene.bounds[i] + this.scene.bounds[i + 3]) / 2];
      apply();
    });
    at.addEventListener("input", apply);
    flip.addEventListener("click", () => { this.cut.side *= -1; apply(); });
    if (innerWidth < 640) this.figure.querySelector(".controls details").open = false;
    const views = { iso: this.home, front: { turn: -Math.PI / 2, lift: 0 }, top: { turn: -Math.PI / 2, lift: Math.PI / 2 }, right: { turn: 0, lift: 0 } };
    for (const button of this.figure.querySelectorAll("button[data-view]"))
      button.addEventListener("click", () => this.fly({ ...this.home, ...views[button.dataset.view] }));
    for (const link of document.querySelectorAll(`a[data-view="${this.figure.id}"]`))
      link.addEventListener("click", () => this.fly({ target: JSON.parse(link.dataset.at), zoom: 4 }));
  }
}

function show(figure) {
  const scene = JSON.parse(document.getElementById(figure.dataset.scene).textContent), note = figure.querySelector(".note");
  // browsers keep some sixteen views of a page and close the oldest: its picture is shown again
  figure.querySelector("canvas").addEventListener("webglcontextlost", () => {
    figure.classList.remove("live");
    note.append(" The view was closed, since too many are open; reload the page to open it again.");
  });
  Promise.all(scene.meshes.map(meshOf))
    .then(meshes => { figure.viewer = new Viewer(figure, scene, meshes); })
    .catch(error => { note.append(` No interactive view: ${error.message}.`); });
}

const near = new IntersectionObserver(seen => seen.filter(one => one.isIntersecting).forEach(one => {
  near.unobserve(one.target);
  show(one.target);
}), { rootMargin: "1000px" });
document.querySelectorAll("figure[data-scene]").forEach(figure => near.observe(figure));
