#!/usr/bin/env python3
"""A server that keeps its first connection for two responses, then sends an unsolicited response on it.

Prints its port. A line of input triggers the unsolicited response, after which it prints "sent". Every further
connection is answered with the request's method and path.
"""
import socket
import sys
import threading


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
    return data.split(b" ")[0] + b" " + data.split(b" ")[1]


def answer(connection, body):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def serve(connection):
    while (request := read_request(connection)) is not None:
        answer(connection, request)


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
first, _ = listener.accept()
for _ in range(2):
    answer(first, read_request(first) or b"")


def accept():
    while True:
        threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.readline()
first.sendall(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
first.shutdown(socket.SHUT_WR)
print("sent", flush=True)
sys.stdin.read()
