/* npm jenkins against the CI server: from the server's own view to a stopped build. */
const assert = require("node:assert/strict");
const Jenkins = require("jenkins");

async function main() {
  const baseUrl = process.argv[2].replace("://", "://admin:secret@");
  const jenkins = new Jenkins({ baseUrl, crumbIssuer: true });
  assert.deepEqual(
    (await jenkins.info()).jobs.map(({ name }) => name),
    ["firmware", "nightly-checks"],
  );
  assert.equal(await jenkins.job.exists("firmware/bootloader"), true);
  assert.equal(await jenkins.job.exists("none"), false);
  assert.deepEqual(
    (await jenkins.job.list("firmware")).map(({ name }) => name),
    ["bootloader"],
  );
  assert.equal((await jenkins.job.get("firmware/bootloader")).lastBuild.number, 42);
  assert.equal((await jenkins.build.get("firmware/bootloader", 41)).result, "SUCCESS");

  assert.equal(await jenkins.job.build({ name: "firmware/bootloader", parameters: { BRANCH: "release" } }), 10);
  assert.equal(await jenkins.job.build("nightly-checks"), 11);
  await jenkins.build.stop("firmware/bootloader", 43);
  assert.equal((await jenkins.build.get("firmware/bootloader", 43)).result, "ABORTED");

  const config = await jenkins.job.config("nightly-checks");
  await jenkins.job.config("nightly-checks", config.replace("long checks", "short checks"));
  assert.match(await jenkins.job.config("nightly-checks"), /short checks/);
  assert.deepEqual(
    (await jenkins.plugin.list({ depth: 1 })).map(({ shortName }) => shortName),
    ["git", "matrix-auth", "workflow-aggregator"],
  );

  const refused = (status) => (error) => error.res?.statusCode === status;
  await assert.rejects(jenkins.job.get({ name: "nightly-checks", depth: 1 }), refused(501));
  await assert.rejects(jenkins.job.build({ name: "nightly-checks", token: "t" }), refused(501));
  // The queue is beyond the documented operations.
  await assert.rejects(jenkins.queue.item(10));
}

main();
