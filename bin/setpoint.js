#!/usr/bin/env node
// Written in old syntax, so that an old Node prints this sentence instead of a syntax error.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write("setpoint needs Node 22.19 or newer; this is " + process.versions.node + ". Install a newer Node and try again.\n");
  process.exitCode = 1;
} else {
  import("../dist/program/start.js").catch(function (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("start.js' imported")) throw error;
    process.stderr.write("This checkout is not built. Run npm run build, or use npm run -s setpoint -- instead of setpoint.\n");
    process.exitCode = 1;
  });
}
