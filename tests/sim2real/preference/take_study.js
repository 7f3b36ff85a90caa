// SPDX-License-Identifier: Apache-2.0
// Takes a study page without a browser: node take_study.js STUDY.html. A stand-in document keeps elements as plain objects;
// the second participant agrees, answers 2 everywhere, presses the second button, and saves as JSON to stdout.
"use strict";
const page = require("fs").readFileSync(process.argv[2], "utf8");
const study = page.match(/id="study">([^]*?)<\/script>/)[1];
const script = page.match(/<script>([^]*?)<\/script>/)[1];

class Element {
  constructor(tag) { this.tag = tag; this.children = []; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  remove() {}
  click() { if (this.disabled) throw new Error("a disabled button was pressed"); if (this.onclick) this.onclick(); }
  all() { return [this, ...this.children.filter(c => c instanceof Element).flatMap(c => c.all())]; }
}
const main = new Element("main");
const saved = [];
const fixed = { main, title: new Element("h1"), study: Object.assign(new Element("script"), { textContent: study }) };
const document = { createElement: tag => new Element(tag), getElementById: id => fixed[id], body: new Element("body") };
class Blob { constructor(parts) { saved.push(parts.join("")); } }
const window = { scrollTo() {} };
new Function("document", "window", "location", "localStorage", "Blob", "URL", script)(
  document, window, { search: "?participant=p02" }, { setItem() { throw new Error("no storage"); }, getItem() { throw new Error("no storage"); } },
  Blob, { createObjectURL: () => "" });

const find = id => main.all().find(e => e.id === id);
const choice = find("participant");
choice.value = choice.all().find(e => e.selected).value;
if (!find("go").disabled) throw new Error("the study starts without consent");
const agree = find("agree");
agree.checked = true;
agree.onchange();
find("go").click();
for (let step = 0; !find("json"); ++step) {
  if (step > 1000) throw new Error("the study does not end");
  const radios = main.all().filter(e => e.type === "radio" && e.value === 2);
  if (radios.length > 0 && !find("next").disabled) throw new Error("unanswered questions can be skipped");
  radios.forEach(r => r.onchange());
  if (radios.length > 0) find("next").click();
  else main.all().filter(e => e.tag === "button")[1].click();
}
find("csv").click();
if (saved[0].split("\r\n").length < 3) throw new Error("the CSV file is empty");
find("json").click();
process.stdout.write(saved[1]);
