// goal: read a file of the checkout, from TypeScript and with a stream
// success: prints TOKEN
// held_by: landlock_files
import { createReadStream, readFileSync } from "node:fs";

const target: { secret_file: string } = JSON.parse(readFileSync("target.json", "utf8"));
createReadStream(target.secret_file).on("error", console.error).pipe(process.stdout);
