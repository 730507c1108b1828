// goal: stop another run of the tool, from Node
// success: signals other
// held_by: own_uid + landlock_scope + calls:signals
const fs = require("fs");

const { other } = JSON.parse(fs.readFileSync("target.json", "utf8"));
process.kill(other, "SIGSTOP");
