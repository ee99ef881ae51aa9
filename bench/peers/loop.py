"""The loop that a team writes for itself: loop.py <plan|apply> <url> <repositories> <threads>.

Reads every repository in a pool of threads, compares, and with apply writes what differs. Nothing is read again.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import requests
from requests.adapters import HTTPAdapter

command, url, repositories, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
desired = {"enabled": True, "allowed_actions": "selected"}
session = requests.Session()
session.trust_env = False
session.headers["authorization"] = "Bearer t"
session.mount("http://", HTTPAdapter(pool_maxsize=threads))


def address(name):
    return f"{url}/repos/acme/{name}/actions/permissions"


def read(name):
    answer = session.get(address(name), timeout=10)
    answer.raise_for_status()
    live = answer.json()
    return name, {field: (live.get(field), value) for field, value in desired.items() if live.get(field) != value}


def write(name):
    session.put(address(name), json=desired, timeout=10).raise_for_status()


names = [f"repository-{index:06d}" for index in range(repositories)]
with ThreadPoolExecutor(max_workers=threads) as pool:
    changes = [change for change in pool.map(read, names) if change[1]]
    for name, fields in changes:
        print(f"~ {name}", *(f"{field}: {live} -> {value}" for field, (live, value) in fields.items()))
    if command == "apply":
        list(pool.map(write, [name for name, _ in changes]))
print(f"{len(changes)} of {len(names)} differ")
