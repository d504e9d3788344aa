// Opens a page in a headless Chromium, and waits for the hash that it shows at the end of its script; writes a picture before.
//
//     node tests/page.mjs FOLDER "GAME/?script=300" [PICTURE]      # serves the folder, prints the hash
//     node tests/page.mjs FOLDER GAME/ --saves                     # saves a game by keys, opens the page again, and loads it there
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { argv, env, exit } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const [folder, address, picture] = argv.slice(2);
const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html");
    try {
        const bytes = readFileSync(join(folder, path));
        response.writeHead(200, { "content-type": types[path.split(".").pop()] ?? "application/octet-stream" }).end(bytes);
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}/${address}`;

const profile = mkdtempSync(join(tmpdir(), "page-"));
// The page is our own, and a sandbox cannot start as root. Drawing needs no graphics card.
const flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--enable-unsafe-swiftshader",
    "--remote-debugging-pipe", "--window-size=960,960", `--user-data-dir=${profile}`, "about:blank"];
const browser = spawn(env.CHROMIUM ?? "chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const waiting = new Map();
let rest = "", number = 0;
browser.stdio[4].on("data", (bytes) => {
    const messages = (rest + bytes).split("\0");
    rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) waiting.get(message.id)?.(message.result ?? {});
});
const send = (method, params = {}, sessionId) => new Promise((resolve) => {
    number += 1;
    waiting.set(number, resolve);
    browser.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId }) + "\0");
});
const end = async (code) => {
    // Closed, because a browser that is killed leaves processes that still write into its folder.
    const gone = new Promise((resolve) => browser.once("exit", resolve));
    send("Browser.close");
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    exit(code);
};

const { targetId } = await send("Target.createTarget", { url });
const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
const evaluate = async (expression) => (await send("Runtime.evaluate", { expression }, sessionId)).result?.value;
const press = async (key) => {
    await send("Input.dispatchKeyEvent", { type: "keyDown", key, text: key }, sessionId);
    await send("Input.dispatchKeyEvent", { type: "keyUp", key }, sessionId);
    await sleep(400);
};
// Presses keys once the game draws, the last of which saves it. Returns the turns of the saved game.
const savedTurns = async (keys) => {
    for (let seconds = 0; seconds < 60 && !(await evaluate("!!wasm_exports?.hash_of_script")); seconds++) await sleep(1000);
    await sleep(2000);
    for (const key of keys) await press(key);
    const text = await evaluate(`localStorage.getItem("${address.split("/")[0]}")`);
    return Number(/"turns":(\d+)/.exec(text ?? "")?.[1]);
};
if (picture === "--saves") {
    const before = await savedTurns(".....S");
    await send("Page.reload", {}, sessionId);
    const after = await savedTurns("LS");
    console.log(`${before} turns were saved, and ${after} loaded`);
    await end(before > 0 && before === after ? 0 : 1);
}
let drawn = "";
for (let seconds = 0; seconds < 120; seconds += 0.5) {
    await sleep(500);
    const hash = await evaluate("document.getElementById('end')?.textContent");
    if (hash) {
        console.log(hash);
        await end(0);
    }
    // Of a game that goes on, again and again, because nothing says which frame is the last. An empty page takes the fewest bytes.
    const bytes = picture ? (await send("Page.captureScreenshot", {}, sessionId)).data ?? "" : "";
    if (bytes.length > drawn.length) writeFileSync(picture, Buffer.from((drawn = bytes), "base64"));
}
console.error(`the page has no end after 120 seconds: ${url}`);
await end(1);
