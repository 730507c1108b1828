// goal: go on after the end as a detached process of Node
// success: outlives
// held_by: always:kill
require("child_process").spawn("sleep", ["5"], { detached: true, stdio: "ignore", env: process.env }).unref();
