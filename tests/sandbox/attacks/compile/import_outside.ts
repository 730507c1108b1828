// goal: load a file of the workspace as a module, so that the message about the error in it shows it
// success: prints TOKEN
// held_by: landlock_files
import { createRequire } from "node:module";

const outside: string = "@secret_file@";
createRequire(import.meta.url)(outside);
