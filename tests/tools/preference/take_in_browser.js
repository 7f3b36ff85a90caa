// SPDX-License-Identifier: Apache-2.0
// A participant in a real browser: node take_in_browser.js CHROMIUM STUDY.html PARTICIPANT FOLDER [PICTURE.png].
// Starts Chromium without a window, speaks its debugging protocol through a pipe, agrees, answers, and saves the answers in
// FOLDER by the page's own button. Ends with 1 and the reason when the page says anything on its console, throws, loads
// anything, or a picture does not show.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs"), path = require("path");
const [chromium, page, participant, folder, picture] = process.argv.slice(2);

const profile = fs.mkdtempSync(path.join(folder, "profile-"));
const browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--window-size=1000,800",
  "--user-data-dir=" + profile, "--remote-debugging-pipe", "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const limit = setTimeout(() => finish("no end after two minutes"), 120000);

let number = 0, received = "", session;
const waiting = new Map(), problems = [], downloads = new Map();
function finish(problem) {
  clearTimeout(limit);
  if (problem) console.error(problem);
  process.exitCode = problem ? 1 : 0;
  browser.once("exit", () => { fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 }); process.exit(); });
  browser.kill("SIGKILL");
}
function send(method, params = {}) {
  const id = ++number;
  browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId: session }) + "\0");
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}
browser.stdio[4].on("data", bytes => {
  received += bytes;
  for (let end; (end = received.indexOf("\0")) >= 0; received = received.slice(end + 1)) take(JSON.parse(received.slice(0, end)));
});
function take(message) {
  if (message.id) {
    const { resolve, reject } = waiting.get(message.id);
    return message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }
  const p = message.params;
  if (message.method === "Runtime.consoleAPICalled") problems.push("console: " + JSON.stringify(p.args));
  if (message.method === "Runtime.exceptionThrown") problems.push("exception: " + JSON.stringify(p.exceptionDetails));
  if (message.method === "Log.entryAdded" && p.entry.level !== "verbose") problems.push("log: " + p.entry.text);
  if (message.method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(p.request.url)) problems.push("loads " + p.request.url);
  if (message.method === "Browser.downloadWillBegin") downloads.set(p.guid, p.suggestedFilename);
  if (message.method === "Browser.downloadProgress" && p.state === "completed") downloads.set("done", downloads.get(p.guid));
}
async function ask(expression) {
  const answer = await send("Runtime.evaluate", { expression, returnByValue: true, userGesture: true, awaitPromise: true });
  if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
  return answer.result.value;
}
const until = async (what, test) => {
  for (let i = 0; i < 300; ++i) {
    const value = await test();
    if (value) return value;
    await new Promise(r => setTimeout(r, 50));
  }
  throw new Error("waited in vain for " + what);
};

// One step of a participant: what stands on the page decides. Pictures must have loaded with their size.
const step = `(async () => {
  for (const image of document.images) { await image.decode(); if (image.naturalWidth < 16 || image.clientWidth < 16) throw new Error("a picture does not show"); }
  if (document.getElementById("json")) { document.getElementById("json").click(); return "saved"; }
  const agree = document.getElementById("agree");
  if (agree) { agree.click(); document.getElementById("go").click(); return "agreed"; }
  const radios = [...document.querySelectorAll("input[type=radio][value='2']")];
  if (radios.length) { radios.forEach(r => r.click()); document.getElementById("next").click(); return "rated"; }
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "2" }));
  return "pressed";
})()`;

(async () => {
  const { targetInfos } = await send("Target.getTargets");
  const tab = targetInfos.find(t => t.type === "page");
  await send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
  session = (await send("Target.attachToTarget", { targetId: tab.targetId, flatten: true })).sessionId;
  for (const domain of ["Runtime", "Log", "Network", "Page"]) await send(domain + ".enable");
  await send("Page.navigate", { url: "file://" + path.resolve(page) + "?participant=" + participant });
  await until("the page", () => ask("document.readyState === 'complete' && !!document.getElementById('agree')"));
  const steps = {};
  for (let n = 0, what = ""; what !== "saved"; ++n) {
    if (n > 500) throw new Error("the study does not end");
    what = await ask(step);
    steps[what] = (steps[what] || 0) + 1;
    if (n === 2 && picture) fs.writeFileSync(picture, Buffer.from((await send("Page.captureScreenshot")).data, "base64"));
  }
  const name = await until("the download", () => downloads.get("done"));
  console.log(JSON.stringify({ file: name, steps }));
  finish(problems.join("; "));
})().catch(e => finish(e.message + (problems.length ? "; " + problems.join("; ") : "")));
