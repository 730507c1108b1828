// Files, other programs, hashes, and what Node says of itself.
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { execFileSync, exec, spawnSync } = require("node:child_process");
const { createHash, randomBytes } = require("node:crypto");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "x-"));
fs.writeFileSync(path.join(folder, "schön.txt"), "grüße\n".repeat(1000));
fs.mkdirSync(path.join(folder, "a", "b"), { recursive: true });
console.log(fs.readdirSync(folder, { recursive: true }).sort(), fs.statSync(path.join(folder, "schön.txt")).size);
fs.rmSync(folder, { recursive: true });
console.log(fs.existsSync(folder), createHash("sha256").update("x").digest("hex").slice(0, 16), randomBytes(4).length);
console.log(execFileSync("sort", ["-n"], { input: "10\n9\n" }).toString().split("\n"));
console.log(spawnSync(process.execPath, ["-e", "process.exit(3)"]).status);
const used = process.memoryUsage();
console.log(used.rss > used.heapUsed, os.cpus().length > 0, process.platform, process.env.TZ);
exec("echo $((6 * 7)); exit 2", (error, stdout) => console.log(error.code, stdout.trim()));
