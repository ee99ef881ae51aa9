"""Runs a command and writes what the system says it used: process.py <result> <output> <errors> <command> [arguments].

wait4 counts the processes that the command has waited for as well. Memory is that of the largest of them.
"""

import json
import os
import sys
import time

result, output, errors, *command = sys.argv[1:]
flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
start = time.perf_counter()
pid = os.posix_spawnp(
    command[0],
    command,
    os.environ,
    file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, errors, flags, 0o600),
    ],
)
_, status, used = os.wait4(pid, 0)
wall = time.perf_counter() - start
with open(result, "w") as file:
    json.dump(
        {
            "wall": wall * 1000,
            "processor": (used.ru_utime + used.ru_stime) * 1000,
            # Bytes on macOS, KiB everywhere else.
            "memory": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            "code": os.waitstatus_to_exitcode(status),
        },
        file,
    )
