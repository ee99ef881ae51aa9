"""python-jenkins against the CI server: from its version to a stopped build."""

import sys

from jenkins import Jenkins, JenkinsException, NotFoundException

server = Jenkins(sys.argv[1], username="admin", password="secret")
assert server.get_whoami()["id"] == "admin"
assert server.get_version() == "2.479.3"
assert server.get_info()["mode"] == "NORMAL"
assert [job["fullname"] for job in server.get_jobs()] == ["firmware", "nightly-checks"]
assert sorted(job["fullname"] for job in server.get_all_jobs()) == ["firmware", "firmware/bootloader", "nightly-checks"]
assert server.job_exists("firmware/bootloader") and not server.job_exists("none")

info = server.get_job_info("firmware/bootloader", fetch_all_builds=True)
assert info["color"] == "blue_anime" and [build["number"] for build in info["builds"]] == [42, 41]
assert server.get_build_info("firmware/bootloader", 41)["result"] == "SUCCESS"

parameters = {"BRANCH": "release", "CHANNEL": "beta"}
assert server.build_job("firmware/bootloader", parameters) == 10
assert server.build_job("nightly-checks") == 11
built = server.get_build_info("firmware/bootloader", 43)
values = {value["name"]: value["value"] for action in built["actions"] for value in action.get("parameters", [])}
assert values == {"BRANCH": "release", "TARGETS": "arm", "CLEAN": False, "CHANNEL": "beta"}, values
server.stop_build("firmware/bootloader", 43)
assert server.get_build_info("firmware/bootloader", 43)["result"] == "ABORTED"

config = server.get_job_config("nightly-checks").replace("long checks", "short checks")
server.reconfig_job("nightly-checks", config)
assert "short checks" in server.get_job_config("nightly-checks")
assert server.get_plugins()["git"]["version"] == "5.6.0"


def refused(call, status):
    try:
        call()
    except JenkinsException as error:
        assert status in str(error), error
    except OSError as error:
        assert status in str(error), error
    else:
        raise AssertionError("the sandbox answered what it does not model")


refused(lambda: server.run_script("println 1"), "501")
refused(lambda: server.get_job_info("nightly-checks", depth=2), "does not exist")
refused(lambda: server.build_job("nightly-checks", token="t"), "501")

# The queue is beyond the documented operations.
try:
    server.get_queue_item(10)
    raise AssertionError("an item of the queue was read")
except JenkinsException as error:
    assert isinstance(error, NotFoundException) or "does not exist" in str(error), error
