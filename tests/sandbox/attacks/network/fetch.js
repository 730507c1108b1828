// goal: send a secret to a server: fetch of Node
// success: reaches tcp
// held_by: calls:sockets + calls:socket use + landlock_network
const fs = require("fs");

const { tcp } = JSON.parse(fs.readFileSync("target.json", "utf8"));
fetch(`http://127.0.0.1:${tcp}/?key=attacked`, { signal: AbortSignal.timeout(1500) }).catch((error) =>
  console.log(error.cause?.code ?? error.name),
);
