"""Links of a built site: what leads to a page, or a place in a page, that is not there."""
import os
import re
from html.parser import HTMLParser


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.places.add(attributes.get("id"))
        if tag in ("a", "img", "link", "script"):
            self.links += filter(None, (attributes.get("href"), attributes.get("src")))


def broken(folder):
    """[(page, link)]"""
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    pages = {path: Page(path) for path in paths if path.endswith(".html")}
    found = []
    for path, page in pages.items():
        for link in page.links:
            target, _, place = link.partition("#")
            aim = os.path.normpath(os.path.join(os.path.dirname(path), target.partition("?")[0])) if target else path
            if not re.match(r"\w+:", link) and (not os.path.exists(aim) or place and not place.startswith("live?") and aim in pages and place not in pages[aim].places):
                found.append((os.path.relpath(path, folder), link))
    return found
