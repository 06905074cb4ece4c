"""Runs a server that is not part of CredKit, and beside it a front that can cut its connections.

The argument is JSON: `words`, the server's command line, and `files`, the texts of its configuration files by their paths.
In both, PORT stands for the port that the server gets. Prints that port and the port of the front.

Commands: `{"cut": N}` closes the front's connections, and the next one after N bytes from the server; `{"end": 1}` ends the
server, so that nothing listens on its port.
"""
import json
import signal
import socket
import sys
import threading

from children import Children

START = json.loads(sys.argv[1])
CHILDREN = Children()
CUTS = []
CONNECTIONS = []


def forward(source, target, limit):
    """Copies bytes until one side ends, or until the limit."""
    try:
        while limit > 0:
            piece = source.recv(min(limit, 65536))
            if not piece:
                break
            target.sendall(piece)
            limit -= len(piece)
    except OSError:
        pass
    close(source, target)


def close(*sockets):
    for end in sockets:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(front, port):
    while True:
        client, _ = front.accept()
        try:
            server = socket.create_connection(("127.0.0.1", port))
        except OSError:
            client.close()
            continue
        CONNECTIONS.append(client)
        limit = CUTS.pop() if CUTS else 1 << 62
        threading.Thread(target=forward, args=(client, server, 1 << 62), daemon=True).start()
        threading.Thread(target=forward, args=(server, client, limit), daemon=True).start()


def end():
    # SIGTERM would let them wait for the connections that clients keep.
    CHILDREN.end([signal.SIGKILL])


def words_for(port):
    for path, text in START["files"].items():
        with open(path, "w") as file:
            file.write(text.replace("PORT", str(port)))
    return [word.replace("PORT", str(port)) for word in START["words"]]


def main():
    port = CHILDREN.start_on_free_port(words_for)
    front = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(front, port), daemon=True).start()
    print(json.dumps({"port": port, "front": front.getsockname()[1]}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if "cut" in command:
            close(*CONNECTIONS)
            CONNECTIONS.clear()
            CUTS.append(command["cut"])
        else:
            end()
        print("true", flush=True)


try:
    main()
finally:
    end()
