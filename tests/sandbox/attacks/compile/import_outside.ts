// goal: import a file of the workspace as a module, so that the message about the error in it shows it
// success: prints TOKEN
// held_by: landlock_files
import { symlinkSync } from "node:fs";

const outside: string = "@secret_file@";
symlinkSync(outside, "link.cts");
await import(process.cwd() + "/link.cts").catch((error: Error) => console.log(error.message, error.stack));
