"""pycontribs jira against the issue tracker: from the server's version to an attachment's content."""

import sys

from jira import JIRA, JIRAError

jira = JIRA(sys.argv[1], basic_auth=("admin", "secret"), max_retries=0)
assert jira.deploymentType == "Server"
assert jira.myself()["name"] == "admin"
assert jira.user("jdoe").name == "jdoe"
assert [project.key for project in jira.projects()] == ["FW", "REL"]

issue = jira.issue("FW-12")
assert issue.fields.summary == "Bootloader resets on cold start"
assert issue.fields.status.name == "In Progress"
assert issue.fields.created == "2026-02-03T09:12:00.000+0000", issue.fields.created
log, trace = issue.fields.attachment
assert (log.filename, log.size, log.mimeType) == ("boot log.txt", 22, "text/plain"), log.raw
assert log.self.endswith("/rest/api/2/attachment/20001")
assert (log.author.name, log.created) == ("admin", "2026-02-03T09:12:00.000+0000"), log.raw
assert log.get() == b"reset cause: watchdog\n"
assert b"".join(trace.iter_content()).startswith(b"ms,volt")

found = jira.search_issues("project = FW ORDER BY key DESC", fields=["summary", "updated"])
assert [issue.key for issue in found] == ["FW-13", "FW-12"] and found.total == 2
assert found[0].fields.summary == "Read the gyroscope at 1 kHz"
assert [issue.key for issue in jira.search_issues("ORDER BY key", maxResults=False)] == ["FW-12", "FW-13", "REL-4"]

for refused in [
    lambda: jira.search_issues("assignee = currentUser()"),
    lambda: jira.search_issues("project = FW OR project = REL"),
    lambda: jira.search_issues("project = FW", expand="changelog"),
]:
    try:
        refused()
        raise AssertionError("a search was answered that the sandbox does not model")
    except JIRAError as error:
        assert error.status_code == 501 and "does not model" in error.text, error

try:
    jira.issue("FW-99")
    raise AssertionError("an issue was found")
except JIRAError as error:
    assert (error.status_code, error.text) == (404, "Issue Does Not Exist"), error

# Changing issues is beyond the documented operations.
try:
    issue.update(summary="Other")
    raise AssertionError("an issue was changed")
except JIRAError as error:
    assert error.status_code == 405, error
