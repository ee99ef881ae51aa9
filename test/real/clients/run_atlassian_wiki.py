"""atlassian-python-api against the wiki: the signed-in user, a page with its ancestors, and a new version of the page."""

import sys

from atlassian import Confluence
from atlassian.errors import ApiError
from requests import HTTPError

wiki = Confluence(sys.argv[1], username="admin", password="secret")
user = wiki.get_current_user()
assert (user["username"], len(user["userKey"])) == ("admin", 32), user

page = wiki.get_page_by_id("48213", expand="body.storage,version")
assert page["title"] == "Release calendar" and page["version"]["number"] == 2, page
assert wiki.get_page_space("48213") == "ENG"
parents = wiki.get_page_ancestors("48213")
assert [parent["title"] for parent in parents] == ["Engineering"], parents
body = page["body"]["storage"]["value"]
assert wiki.is_page_content_is_already_updated("48213", body, "Release calendar")
later = body.replace("1 March", "15 March")
assert not wiki.is_page_content_is_already_updated("48213", later)


def update(number, **other):
    data = {
        "type": "page",
        "title": "Release calendar",
        "version": {"number": number, "minorEdit": True, "message": "Later"},
        "body": wiki._create_body(later, "storage"),
        "ancestors": [{"type": "page", "id": parents[-1]["id"]}],
        **other,
    }
    return wiki.update_content("48213", data)


written = update(3)
assert (written["version"]["number"], written["version"]["message"]) == (3, "Later"), written
assert wiki.get_page_by_id("48213", expand="body.storage")["body"]["storage"]["value"] == later
assert [parent["id"] for parent in wiki.get_page_ancestors("48213")] == ["48100"]


def refused(work):
    try:
        work()
    except (ApiError, HTTPError) as error:
        return error
    raise AssertionError("nothing was refused")


assert "Current version is: 3" in str(refused(lambda: update(3)))
assert refused(lambda: update(4, title="How to release")).response.status_code == 400
assert "no content with the given id" in str(refused(lambda: wiki.get_page_by_id("99999")))
# Reading an earlier version of a page is beyond the documented operations.
refused(lambda: wiki.update_page("48213", "Release calendar", later, always_update=True))
