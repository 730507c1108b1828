// goal: give orders to the Docker engine, from Node
// success: reaches unix
// held_by: calls:sockets + calls:socket use
const fs = require("fs");
const http = require("http");

const { unix } = JSON.parse(fs.readFileSync("target.json", "utf8"));
const request = http.request({ socketPath: unix, path: "/containers/json", timeout: 1000 });
request.on("error", (error) => console.log(error.code));
request.on("timeout", () => request.destroy());
request.end();
