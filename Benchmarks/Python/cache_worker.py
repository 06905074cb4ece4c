# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""The co-process that measures caches of Python's HTTP clients: reads lines, and answers each with one line.

usage: cache_worker.py URL    the server must let the response be stored

name                              ok, and which versions these are
time CLIENT SIZE ITERATIONS       ok, and the processor time of the iterations in nanoseconds. Each asks for the
                                  response of SIZE bytes, which is stored in memory before, and gets it from there.
"""
import sys
from importlib.metadata import version
from itertools import repeat
from time import thread_time_ns

import hishel
import hishel.httpx
import requests_cache


def hishel_client():
    client = hishel.httpx.CacheClient(storage=hishel.SqliteStorage(database_path=":memory:"))
    return client.get, lambda response: response.extensions["caching"]["from_cache"]


def requests_cache_session():
    session = requests_cache.CachedSession(backend="memory", cache_control=True)
    return session.get, lambda response: response.from_cache


CLIENTS = {"hishel": hishel_client, "requests-cache": requests_cache_session}


class Worker:
    def __init__(self, url):
        self.url = url
        self.clients = {}

    def answer(self, words):
        if words == ["name"]:
            return ", ".join(f"{name} {version(name)}" for name in CLIENTS)
        if len(words) != 4 or words[0] != "time" or words[1] not in CLIENTS:
            raise ValueError("malformed command")
        if words[1] not in self.clients:
            self.clients[words[1]] = CLIENTS[words[1]]()
        get, is_from_cache = self.clients[words[1]]
        size, count = int(words[2]), int(words[3])
        get(self.url)
        response = get(self.url)
        if not is_from_cache(response) or len(response.content) != size:
            raise ValueError("the response is not the stored one")
        start = thread_time_ns()
        for _ in repeat(None, count):
            get(self.url).content
        return str(thread_time_ns() - start)


def main():
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        try:
            print("ok", worker.answer(line.split()), flush=True)
        except Exception as error:
            print("error", repr(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
