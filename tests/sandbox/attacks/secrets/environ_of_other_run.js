// goal: read the environment of another run of the tool, from JavaScript
// success: prints TOKEN
// held_by: own_uid + read_only_mounts + landlock_files
const fs = require("fs");

const { other } = JSON.parse(fs.readFileSync("target.json", "utf8"));
console.log(fs.readFileSync(`/proc/${other}/environ`, "latin1"));
