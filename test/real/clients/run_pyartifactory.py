"""pyartifactory against the artifact repository: repositories, files with properties, builds."""

import sys
import tempfile
from pathlib import Path

import requests
from pyartifactory import Artifactory
from pyartifactory.exception import ArtifactNotFoundError, ArtifactoryError, PropertyNotFoundError
from pyartifactory.models.build import BuildPromotionRequest

artifactory = Artifactory(sys.argv[1], access_token="secret")
repositories = {repository.key: repository.type for repository in artifactory.repositories.list()}
assert repositories["libs"] == "VIRTUAL" and len(repositories) == 6, repositories
for key, rclass in {"libs": "virtual", "libs-release-local": "local", "maven-remote": "remote"}.items():
    assert artifactory.repositories.get_repo(key).rclass == rclass
assert artifactory.repositories.get_repo("libs").repositories == ["libs-release-local", "libs-snapshot-local"]

place = "libs-release-local/com/meridian/clients/1.0/notes.txt"
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "notes.txt"
    file.write_text("Notes\n")
    deployed = artifactory.artifacts.deploy(file, place)
    assert deployed.mimeType == "text/plain" and deployed.size == 6
    assert len(deployed.checksums.md5) == 32
    for refused in [
        lambda: artifactory.artifacts.deploy(file, place, checksum_enabled=True),
        lambda: artifactory.artifacts.deploy(file, place, properties={"state": ["done"]}),
    ]:
        try:
            refused()
            raise AssertionError("a deployment was answered that the sandbox does not model")
        except (ArtifactoryError, requests.HTTPError) as error:
            response = (error if isinstance(error, requests.HTTPError) else error.__cause__).response
            assert response.status_code == 501 and "does not model" in response.text, response.text

info = artifactory.artifacts.info(place)
assert info.createdBy == info.modifiedBy == "admin" and info.lastUpdated == info.lastModified
assert info.originalChecksums.sha256 == info.checksums.sha256
folder = artifactory.artifacts.info("libs-release-local/com/meridian/telemetry")
assert [child.uri for child in folder.children] == ["/2.3", "/2.4"]
listing = artifactory.artifacts.list("libs-release-local/com/meridian/telemetry", list_folders=False)
assert [file.uri for file in listing.files] == ["/2.3/telemetry-2.3.jar", "/2.4/telemetry-2.4.jar"]

try:
    artifactory.artifacts.properties(place)
    raise AssertionError("properties were found")
except PropertyNotFoundError:
    pass
written = artifactory.artifacts.set_properties(place, {"release.state": ["candidate", "signed"]})
assert written.properties == {"release.state": ["candidate", "signed"]}
artifactory.artifacts.delete(place)
try:
    artifactory.artifacts.info(place)
    raise AssertionError("a deleted file was found")
except ArtifactNotFoundError:
    pass

name = "telemetry release"
assert [run.uri for run in artifactory.builds.get_build_runs(name).buildsNumbers] == ["/42", "/41"]
assert artifactory.builds.get_build_info(name, "42").buildInfo.number == "42"
promotion = BuildPromotionRequest(status="released", sourceRepo="libs-release-local", targetRepo="libs-release-local")
assert artifactory.builds.promote_build(name, "42", promotion).messages == []

# Download statistics and differences between builds are not modelled.
for refused in [
    lambda: artifactory.artifacts.stats("libs-release-local/com/meridian/telemetry/2.4/telemetry-2.4.jar"),
    lambda: artifactory.builds.build_diff(name, "42", "41"),
]:
    try:
        refused()
        raise AssertionError("the sandbox answered what it does not model")
    except (ArtifactoryError, requests.HTTPError) as error:
        assert "501" in str(error), error
