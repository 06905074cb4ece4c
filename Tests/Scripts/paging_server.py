"""Lists in pages on loopback, some of which never end or change while they are read. It prints its ports as JSON.

The path selects the list. /count returns how many requests each path got, on either port. It exits when its standard
input ends. Uses only the standard library.
"""
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ITEMS = [{"id": number, "name": f"student {number}"} for number in range(1, 32)]
COUNTS, LOCK = {}, threading.Lock()
BIG = 9_007_199_254_740_993_000  # no double is equal to BIG + 10


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for head and body

    def log_message(self, *_):
        pass

    def send(self, value, headers=()):
        data = json.dumps(value).encode()
        self.send_response(200)
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urlsplit(self.path)
        self.query = {key: values[0] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
        if url.path == "/count":
            with LOCK:
                return self.send(COUNTS)
        with LOCK:
            COUNTS[url.path] = turn = COUNTS.get(url.path, 0) + 1
        name = url.path.strip("/").replace("/", "_").replace("-", "_")
        getattr(self, name, lambda _: self.send_error(404))(turn)

    def number(self, name, default):
        return int(self.query.get(name, default))

    def page(self, first=1, items=ITEMS):
        size = self.number("size", 10)
        start = (self.number("page", first) - first) * size
        return items[start:start + size]

    def part(self, start, size=10):
        return ITEMS[start:start + size]

    def link(self, target, value, *more):
        self.send(value, [("Link", f'<{target}>; rel="next"'), *more])

    # Lists as they are usual.

    def numbers(self, _):
        self.send(self.page())

    def numbers_from_zero(self, _):
        self.send(self.page(0))

    def numbers_with_total(self, _):
        # Sends at most 7 elements, whatever was asked for.
        self.query["size"] = "7"
        self.send({"code": 0, "msg": "", "data": {"list": self.page(), "total": str(len(ITEMS))}})

    def even_numbers(self, _):
        self.send(self.page(items=ITEMS[:20]))

    def offsets(self, _):
        start = self.number("offset", 0)
        self.send({"rows": ITEMS[start:start + self.number("limit", 10)]})

    def offsets_null(self, _):
        start = self.number("offset", 0)
        self.send({"rows": ITEMS[start:start + self.number("limit", 10)] or None})

    def cursors(self, _):
        start = int(self.query.get("after", "c 0&=%")[2:].rstrip("&=%"))
        last = start + 10 >= len(ITEMS)
        self.send({"items": self.part(start), "paging": {"next": None if last else f"c {start + 10}&=%"}})

    def cursors_as_integers(self, _):
        start = self.number("after", BIG) - BIG
        page = {"items": self.part(start), "next": BIG + start + 10}
        self.send(page if start < 30 else {"items": page["items"]})

    def cursors_empty_text(self, _):
        # The empty text is the cursor of the second page.
        if "after" not in self.query:
            return self.send({"items": self.part(0), "next": ""})
        start = self.number("after", 10) if self.query["after"] else 10
        page = {"items": self.part(start)}
        self.send(page if start == 30 else page | {"next": str(start + 10)})

    def cursors_constant(self, turn):
        page = {"items": self.part(turn * 10 - 10)}
        self.send(page if turn == 4 else page | {"next": "session"})

    def cursors_in_headers(self, _):
        start = self.number("after", 0)
        self.send(self.part(start), [("X-Next", str(start + 10) if start < 30 else "")])

    def cursors_with_empty_pages(self, _):
        start = self.number("after", 0)
        items = self.part(start // 2) if start % 20 == 0 else []
        self.send({"items": items, "next": start + 10} if start < 60 else {"items": items})

    def links(self, _):
        page = self.number("page", 1)
        fields = [("Link", f'<?page={page - 1}>; rel="prev"; title="a, <b>; rel=next"')] if page > 1 else []
        if page < 4:
            fields.append(("LINK", f',<?page={page + 1}>;title="\\"";rel="last NEXT";rel=first , </>;rel=up'))
        self.send(self.part(page * 10 - 10), fields)

    def declared(self, _):
        page = self.number("page", 1)
        self.send({"items": self.part(page * 5 - 5, 5), "more": page < 7})

    # Lists that never end.

    def endless_cursor_repeats(self, _):
        self.link("", self.part(0), ("X-Next", "same"))

    def endless_cursor_cycles(self, _):
        cursor = self.query.get("after", "a")
        self.send(self.part(0 if cursor == "a" else 10), [("X-Next", "b" if cursor == "a" else "a")])

    def endless_cursor_advances(self, turn):
        self.send(self.part(min(turn, 3) * 10), [("X-Next", str(turn))])

    def endless_empty_pages(self, turn):
        self.send([], [("X-Next", str(turn))])

    def endless_clamped(self, _):
        self.send(self.part(10 * (min(self.number("page", 1), 3) - 1)))

    def endless_offset_ignored(self, _):
        self.send({"rows": self.part(0)})

    def endless_elements(self, turn):
        self.send([{"id": turn, "name": "new"}])

    def endless_declared(self, turn):
        self.send({"items": self.part(0) if turn == 1 else [], "more": True})

    def endless_links(self, _):
        page = self.number("page", 1)
        self.link(f"?page={3 - page}", self.part(page * 10))

    def endless_total(self, turn):
        self.send({"items": self.part(turn * 10 - 10), "total": 1000 * turn})

    # Lists that change.

    def shifting_insert(self, turn):
        items = [{"id": 100 + number, "name": "new"} for number in range(turn - 1)] + ITEMS
        self.send(self.page(items=items))

    def shifting_remove(self, turn):
        items = ITEMS[turn - 1:]
        self.send({"items": self.page(items=items), "total": len(items)})

    # Links to elsewhere.

    def links_elsewhere(self, _):
        self.link(self.query["to"], self.part(0))

    def links_malformed(self, _):
        self.send(self.part(0), [("Link", '<?page=0>; rel="prev", <?page=2; rel="next"')])

    def redirect(self, target):
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def redirected_links(self, _):
        self.redirect(f"http://127.0.0.1:{PORTS['other']}/links")

    def detour(self, _):
        self.redirect(f"http://127.0.0.1:{PORTS['other']}/links-back")

    def links_back(self, _):
        self.link(f"http://127.0.0.1:{PORTS['main']}/links-back-target", self.part(0))

    def links_back_target(self, _):
        self.send(self.part(10))


SERVERS = {name: ThreadingHTTPServer(("127.0.0.1", 0), Handler) for name in ("main", "other")}
PORTS = {name: server.server_address[1] for name, server in SERVERS.items()}
for server in SERVERS.values():
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps(PORTS), flush=True)
sys.stdin.read()
