import { ci } from "../../support/worlds/ci.ts";
import type { ServiceExample } from "../example.ts";
import { basicCredentials } from "../fixtures.ts";

/** What the tests of all clients need to know about this one. */
export const ciExample: ServiceExample = {
  exchange: {
    credentials: basicCredentials,
    read: ["getJob", { job: "a" }],
    method: "GET",
    path: "/job/a/api/json",
    error: (status, message) => ({
      body: `<html><head><title>Error ${status} ${message}</title></head></html>`,
      type: "text/html;charset=utf-8",
    }),
    success: { body: '{"name":"a"}', type: "application/json;charset=utf-8" },
  },
  typed: { write: "updateJobConfig", args: '{ job: "j", config: "x" }', less: '{ job: "j" }' },
  calls: {
    getCrumb: "",
    getCrumbXml: "",
    getVersion: "",
    safeRestart: "",
    restart: "",
    runReadScript: '--script {"name":"systemProperties","properties":["user.timezone"]}',
    runScript: '--script {"name":"setSystemProperties","properties":{"user.timezone":null}}',
    stopBuild: "--build-url {url}/job/firmware/job/bootloader/42/",
    terminateBuild: "--build-url {url}/job/firmware/job/bootloader/42/",
    killBuild: "--build-url {url}/job/firmware/job/bootloader/42/",
    getJob: '--job firmware/bootloader --tree name --tree {"field":"builds","of":["number"]}',
    listPlugins: "--tree plugins[shortName,version]",
    getBuildParameters: "--job firmware/bootloader --build-number 42",
    getBuildXml: "--job firmware/bootloader --build-number 41",
    buildJob: '--job firmware/bootloader --arg-json {"parameter":[{"name":"CLEAN","value":true}]}',
    buildJobWithParameters: '--job firmware/bootloader --parameters {"TARGETS":["arm","riscv"],"CLEAN":true}',
    getJobConfig: "--job nightly-checks",
    updateJobConfig: "--job nightly-checks --config <project><disabled>true</disabled></project>",
    getLatestStableCore: "",
    getLatestWeeklyCore: "",
  },
  parts: [ci],
};
