import { expect, test } from "vitest";
import { hasUserInfo, withoutSecrets } from "../../src/core/text/url-secret.ts";

test.each([
  ["url: https://u:pa55@host/x", "url: https://••••••@host/x"],
  ["a: https://u@host, b: http://h/x", "a: https://•@host, b: http://h/x"],
  ["url: https://u:pa/ss@host", "url: https://•••••••@host"],
  ['"https://u:p@a", "https://v:q@b"', '"https://•••@a", "https://•••@b"'],
  ["  token: hunter2 # why", "  token: ••••••• # why"],
  ['{ "password": "hunter2", "wire": x }', '{ "password": •••••••••, "wire": x }'],
  ['"password": "hunter, # 2" }', '"password": ••••••••••••• }'],
  ['password: "${env:NAME}"', 'password: "${env:NAME}"'],
  ['{"client_secret":"hunter2","private_key":"MII"}', '{"client_secret":•••••••••,"private_key":•••••}'],
  ['"Authorization": "Bearer hunter2"', '"Authorization": ••••••••••••••••'],
  ["access_token: hunter2", "access_token: •••••••"],
  ["referenceToken: true", "referenceToken: true"],
  ["api_key: hunter two }", "api_key: •••••••••• }"],
  ["password: ${env:NAME}", "password: ${env:NAME}"],
  ["kind: AccessToken", "kind: AccessToken"],
  ["tokens: [a]", "tokens: [a]"],
  ["see https://host/a and mail me@host", "see https://host/a and mail me@host"],
])("%j is shown as %j", (line, expected) => {
  expect(withoutSecrets(line)).toBe(expected);
  expect(expected).toHaveLength(line.length);
});

test.each([
  ["https://u:p@h", true],
  ["https://u@h", true],
  ["https://:p@h/x", true],
  ["ftp://u:p@h", true],
  ["https://u:${x}@h", true],
  ["https://h/@x", false],
  ["https://h?x=u@y", false],
  ["u@h", false],
])("whether %s has a user: %s", (url, expected) => {
  expect(hasUserInfo(url)).toBe(expected);
});
