// Runs a program for `wasm32-wasip1` under node, with its arguments, and ends as it does.
import { readFile } from "node:fs/promises";
import { argv, env, exit } from "node:process";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", args: argv.slice(2), env, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(argv[2]));
// A C library without threads imports their functions, which fail: the number is its "not supported".
const threads = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "env" && name.startsWith("pthread_")) threads[name] = () => 58;
}
exit(wasi.start(await WebAssembly.instantiate(module, { ...wasi.getImportObject(), env: threads })));
