#!/usr/bin/env node
// Written for any Node, so that an old one gets this sentence instead of a syntax error.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write("setpoint needs Node 22.19 or newer; this is " + process.versions.node + ". Install a newer Node and try again.\n");
  process.exitCode = 1;
} else {
  import("../dist/program/start.js");
}
