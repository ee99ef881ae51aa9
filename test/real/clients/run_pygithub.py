"""PyGithub against the code hosting service: from the caller to a status of a commit."""

import sys

from github import Auth, BadCredentialsException, Github, GithubException


def connect(token):
    waits = {"seconds_between_requests": None, "seconds_between_writes": None}
    return Github(auth=Auth.Token(token), base_url=sys.argv[1], retry=None, **waits)


github = connect("secret")
user = github.get_user()
assert user.login == "admin", user.login
assert [repo.private for repo in user.get_repos(type="private")] == [True, True]
assert github.get_rate_limit().resources.core.limit == 5000
assert "kite" in github.get_emojis()

repo = github.get_repo("meridian-kites/website")
assert repo.full_name == "meridian-kites/website"
assert [branch.name for branch in repo.get_branches()] == ["feature/prices", "main", "release-2.4"]
assert repo.get_branch("feature/prices").name == "feature/prices"
assert repo.get_git_ref("heads/feature/prices").ref == "refs/heads/feature/prices"
assert repo.get_commit("feature/prices").sha == repo.get_branch("feature/prices").commit.sha
assert [commit.author.login for commit in repo.get_commits(sha="main", author="jdoe")] == ["jdoe"]
assert len(list(repo.get_contributors(anon="true"))) == 3

pull = repo.get_pull(7)
assert pull.merged and pull.state == "closed"
assert [type(comment.body) for comment in repo.get_pull(7).get_issue_comments()] == [str] * pull.comments
assert [run.id for run in repo.get_workflow_runs()] == [9003, 9002, 9001]
assert repo.get_latest_release().tag_name == "v2.3.0"

commit = repo.get_commit(repo.get_git_ref("heads/main").object.sha)
status = commit.create_status("success", "https://ci.example.com/7", "All green", "ci/clients")
assert (status.state, status.creator.login) == ("success", "admin")
assert next(iter(commit.get_statuses())).context == "ci/clients"

# The client dispatches a workflow through an object from an operation beyond the documented ones.
try:
    repo.get_workflow(22)
    raise AssertionError("a workflow was read")
except GithubException as error:
    assert error.status == 404, error

try:
    list(user.get_repos(sort="pushed"))
    raise AssertionError("repositories were listed in an order")
except GithubException as error:
    assert error.status == 501 and "sort" in str(error), error

try:
    connect("wrong").get_user().login
    raise AssertionError("a wrong token was accepted")
except BadCredentialsException as error:
    assert error.status == 401, error
