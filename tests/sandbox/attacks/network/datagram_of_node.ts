// goal: send a secret to a server: a datagram of Node, in TypeScript
// success: reaches udp
// held_by: calls:sockets + calls:socket use
import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";

const port: number = JSON.parse(readFileSync("target.json", "utf8")).udp;
const made = createSocket("udp4");
made.on("error", (error: Error) => console.log(error.message));
made.send("attacked", port, "127.0.0.1", () => made.close());
