import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, whyMissing } from "../harness/programs.ts";
import { concurrency } from "../harness/workspace.ts";
import { type Peer, repositoryName } from "./peer.ts";

const playbook = ["ansible-playbook", "SETPOINT_BENCH_ANSIBLE"] as const;

/** Ansible's `uri`, a host for each repository, so that it works on several at once. */
export const ansible: Peer = {
  name: "Ansible",
  share: 0.05,
  rounds: 1,
  whyMissing: () => whyMissing(...playbook),
  version: () => [findProgram(...playbook) ?? "", "--version"],
  prepare(context, { url, repositories, cwd }) {
    const names = Array.from({ length: repositories }, (_, index) => repositoryName(index));
    writeFileSync(join(cwd, "inventory"), `[repositories]\n${names.join("\n")}\n`);
    writeFileSync(join(cwd, "playbook.yaml"), plays(url));
    const run = (...args: readonly string[]) =>
      context.run({
        command: [
          findProgram(...playbook) ?? "",
          "-i",
          "inventory",
          `--forks=${concurrency}`,
          ...args,
          "playbook.yaml",
        ],
        cwd,
        env: { HOME: join(context.folder, "home"), ANSIBLE_HOME: join(cwd, "ansible"), LC_ALL: "C.UTF-8" },
        seconds: 300,
      });
    return { forget: () => undefined, plan: () => run("--check"), apply: () => run() };
  },
};

function plays(url: string): string {
  return `- hosts: repositories
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
    address: "${url}/repos/acme/{{ inventory_hostname }}/actions/permissions"
    desired: { enabled: true, allowed_actions: selected }
  tasks:
    - name: read
      ansible.builtin.uri:
        url: "{{ address }}"
        headers: { authorization: "Bearer t" }
      check_mode: false
      register: live
    - name: write
      ansible.builtin.uri:
        url: "{{ address }}"
        method: PUT
        headers: { authorization: "Bearer t" }
        body_format: json
        body: "{{ desired }}"
        status_code: 204
      when: live.json.enabled != desired.enabled or live.json.allowed_actions | default("") != desired.allowed_actions
`;
}
