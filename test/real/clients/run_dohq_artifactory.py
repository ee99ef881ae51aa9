"""dohq-artifactory against the artifact repository: paths, properties, queries, builds."""

import pathlib
import sys
import tempfile

url = sys.argv[1]
# If the URL does not end in /artifactory, the client takes it from its configuration.
pathlib.Path("~/.artifactory_python.cfg").expanduser().write_text(f"[{url}]\nusername = admin\npassword = secret\n")

from artifactory import ArtifactoryBuildManager, ArtifactoryPath  # noqa: E402
from dohq_artifactory.exception import ArtifactoryException  # noqa: E402

release = ArtifactoryPath(f"{url}/libs-release-local/com/meridian/telemetry", auth=("admin", "secret"))
assert release.is_dir() and sorted(path.name for path in release) == ["2.3", "2.4"]
jar = release / "2.4" / "telemetry-2.4.jar"
stat = jar.stat()
assert jar.is_file() and (stat.size, stat.mime_type, stat.modified_by) == (13, "application/java-archive", "admin"), stat
assert stat.last_updated == stat.mtime and len(stat.md5) == 32
assert jar.properties == {"build.number": ["42"], "release.state": ["candidate"]}
assert not (release / "none").exists()

notes = release / "2.4" / "notes.txt"
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    file.write("Notes, with a comma\n")
    file.flush()
    notes.deploy_file(file.name)
assert notes.stat().size == 20 and notes.properties == {}

found = release.aql("items.find", {"repo": "libs-release-local", "name": {"$match": "*.jar"}}, ".include", ["name", "repo"])
assert sorted(item["name"] for item in found) == ["telemetry-2.3.jar", "telemetry-2.4.jar"], found
folders = release.aql("items.find", {"path": "com/meridian/telemetry", "type": "any"})
assert [item["type"] for item in folders] == ["folder", "folder"], folders
notes.unlink()
assert not notes.exists()

manager = ArtifactoryBuildManager(url, auth=("admin", "secret"))
assert [run.run_number for run in manager.get_build_runs("telemetry release")] == ["42", "41"]
# The client encodes a space in the name of a promoted build twice.
runs = manager.get_build_runs("telemetry")
assert [run.run_number for run in runs] == ["42", "41"]
assert runs[0].info["buildInfo"]["name"] == "telemetry"
runs[0].promote(ci_user="clients", properties={}, status="released", target_repo="libs-snapshot-local", require_copy=True)
assert runs[0].info["buildInfo"]["statuses"][-1]["status"] == "released"
release.promote_docker_image("docker-dev-local", "docker-prod-local", "meridian/telemetry", "1.5.0", copy=True)


def refused(call, status=501):
    try:
        call()
    except ArtifactoryException as error:
        response = error.__cause__.response
        assert response.status_code == status, response.text
        assert status != 501 or "does not model" in response.text, response.text
    else:
        raise AssertionError("the sandbox answered what it does not model")


refused(lambda: jar.deploy_by_checksum(sha1=stat.sha1))
refused(lambda: notes.deploy(b"x", parameters={"state": "done"}))
refused(lambda: jar.download_stats())
refused(lambda: (release / "new").mkdir())
refused(lambda: release.aql("items.find", {"stat.downloads": {"$gt": 1}}))
refused(lambda: runs[0].promote(ci_user="clients", properties={}, dependencies=True, scopes=["compile"]))
# This client changes properties and copies through operations beyond the documented ones.
refused(lambda: jar.set_properties({"state": "done"}), 405)
refused(lambda: jar.copy(release / "copy.jar"), 405)
