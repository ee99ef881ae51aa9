#!/usr/bin/env node
// Written for any Node, so that an old one gets this sentence instead of a syntax error.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write("setpoint needs Node 22.19 or newer; this is " + process.versions.node + ". Install a newer Node and try again.\n");
  process.exitCode = 1;
} else {
  if (process.argv[2] !== "--version" && !process.env.NODE_COMPILE_CACHE) keepCompiled();
  import("../dist/program/main.js");
}

/**
 * Has Node keep what it compiles, so that the next command starts sooner. What is kept is run, so it is kept only where nobody
 * else can write: never in a shared folder for temporary files, which would be Node's choice.
 */
function keepCompiled() {
  var fs = process.getBuiltinModule("node:fs");
  var path = process.getBuiltinModule("node:path");
  try {
    var own = process.getuid && process.getuid();
    var home = process.env.XDG_CACHE_HOME || path.join(process.getBuiltinModule("node:os").homedir(), ".cache");
    if (!path.isAbsolute(home) || own === undefined) return;
    var folder = path.join(home, "setpoint", "compiled");
    fs.mkdirSync(folder, { recursive: true, mode: 448 });
    for (var each of [home, path.dirname(folder), folder]) {
      var stat = fs.lstatSync(each);
      if (!stat.isDirectory() || stat.uid !== own || (stat.mode & 18) !== 0) return;
    }
    process.getBuiltinModule("node:module").enableCompileCache(folder);
  } catch {
    // A home that cannot be written or is not there: commands only start later.
  }
}
