// Runs a program for `wasm32-wasip1` under node, with its arguments, and ends as it does.
import { readFile } from "node:fs/promises";
import { argv, env, exit } from "node:process";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", args: argv.slice(2), env, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(await readFile(argv[2]), wasi.getImportObject());
exit(wasi.start(instance));
