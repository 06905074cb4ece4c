#!/usr/bin/env python3
"""One half of a SCRAM exchange by another implementation; the other half is at standard input and output.

usage: scram_peers.py PEER client|server MECHANISM USER PASSWORD [BINDING-TYPE BINDING-HEX]
  PEER  scramp, gsasl (libgsasl by ctypes), slixmpp (client only), postgresql (server only: the one at the port
        POSTGRESQL_PORT, over TLS for mechanisms with channel binding), libpq (client only: psql; the value of its binding is
        a file with certificate and key in PEM)

Messages are lines of Base64. The last line is 'ok' or 'failed'. A server's record has 4,096 iterations.
"""

import base64
import os
import socket
import ssl
import struct
import subprocess
import sys


def send(message):
    if isinstance(message, str):
        message = message.encode()
    print(base64.b64encode(message).decode(), flush=True)


def receive():
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return base64.b64decode(line)


def scramp_client(mechanism, user, password, binding):
    import scramp

    client = scramp.ScramClient([mechanism], user, password, channel_binding=binding)
    send(client.get_client_first())
    client.set_server_first(receive().decode())
    send(client.get_client_final())
    client.set_server_final(receive().decode())


def scramp_server(mechanism, user, password, binding):
    import scramp

    made = scramp.ScramMechanism(mechanism)
    record = made.make_auth_info(password, iteration_count=4096)
    server = made.make_server(lambda name: record, channel_binding=binding)
    server.set_client_first(receive().decode())
    send(server.get_server_first())
    try:
        server.set_client_final(receive().decode())
    except scramp.ScramException:
        send(server.get_server_final())
        raise
    send(server.get_server_final())


class Gsasl:
    """libgsasl, by the numbers of its header."""

    OK, NEEDS_MORE = 0, 1
    AUTHID, PASSWORD, SCRAM_ITER, SCRAM_SALT, CB_TLS_UNIQUE, CB_TLS_EXPORTER = 1, 3, 15, 16, 18, 25
    NO_CALLBACK = 51

    def __init__(self, role, mechanism, user, password, binding):
        import ctypes

        self.c = ctypes
        self.library = ctypes.CDLL("libgsasl.so.18")
        for name in ("gsasl_property_get", "gsasl_strerror_name"):
            getattr(self.library, name).restype = ctypes.c_char_p
        context, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.library.gsasl_init(ctypes.byref(context)) == 0
        values = {self.PASSWORD: password.encode(), self.SCRAM_ITER: b"4096"}
        if role == "client":
            values[self.AUTHID] = user.encode()
        if binding:
            values[self.CB_TLS_EXPORTER] = base64.b64encode(binding[1])

        def callback(_, session, name):
            if name not in values:
                return self.NO_CALLBACK
            self.library.gsasl_property_set(ctypes.c_void_p(session), name, values[name])
            return self.OK

        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
        self.callback = kind(callback)
        self.library.gsasl_callback_set(context, self.callback)
        start = getattr(self.library, f"gsasl_{role}_start")
        assert start(context, mechanism.encode(), ctypes.byref(self.session)) == 0

    def step(self, message):
        output, size = self.c.c_void_p(), self.c.c_size_t()
        status = self.library.gsasl_step(
            self.session, message, self.c.c_size_t(len(message)), self.c.byref(output), self.c.byref(size)
        )
        if status not in (self.OK, self.NEEDS_MORE):
            raise RuntimeError(self.library.gsasl_strerror_name(status))
        return status, self.c.string_at(output, size.value) if size.value else b""


def gsasl_client(mechanism, user, password, binding):
    gsasl = Gsasl("client", mechanism, user, password, binding)
    send(gsasl.step(b"")[1])
    send(gsasl.step(receive())[1])
    assert gsasl.step(receive())[0] == Gsasl.OK


def gsasl_server(mechanism, user, password, binding):
    gsasl = Gsasl("server", mechanism, user, password, binding)
    send(gsasl.step(receive())[1])
    send(gsasl.step(receive())[1])


def slixmpp_client(mechanism, user, password, binding):
    from slixmpp.util.sasl.mechanisms import SCRAM

    credentials = {"username": user.encode(), "password": password.encode(), "authzid": b"", "channel_binding": b""}
    # Without proposed bindings, slixmpp 1.10 says that the server has none.
    settings = {"encrypted": True, "unencrypted_scram": False, "tls_version": "TLSv1.3", "binding_proposed": True}
    client = SCRAM(mechanism, credentials, settings)
    send(client.process())
    send(client.process(receive()))
    client.process(receive())


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def read_message(connection):
    """A message of PostgreSQL's protocol: its kind and its content."""
    kind, size = struct.unpack("!cI", read_exactly(connection, 5))
    return kind, read_exactly(connection, size - 4)


def write_message(connection, kind, content):
    connection.sendall(kind + struct.pack("!I", len(content) + 4) + content)


def postgresql_server(mechanism, user, password, binding):
    connection = socket.create_connection(("127.0.0.1", int(os.environ["POSTGRESQL_PORT"])), timeout=30)
    if mechanism.endswith("-PLUS"):
        connection.sendall(struct.pack("!II", 8, 80877103))
        assert read_exactly(connection, 1) == b"S"
        context = ssl._create_unverified_context()  # the test compares the certificate
        connection = context.wrap_socket(connection)
    startup = struct.pack("!I", 196608) + f"user\0{user}\0database\0postgres\0\0".encode()
    connection.sendall(struct.pack("!I", len(startup) + 4) + startup)
    kind, content = read_message(connection)
    assert kind == b"R" and content[:4] == struct.pack("!I", 10) and mechanism.encode() in content[4:].split(b"\0")
    first = receive()
    write_message(connection, b"p", mechanism.encode() + b"\0" + struct.pack("!I", len(first)) + first)
    for status in (11, 12):
        kind, content = read_message(connection)
        if kind != b"R" or content[:4] != struct.pack("!I", status):
            raise RuntimeError(content)
        send(content[4:])
        if status == 11:
            write_message(connection, b"p", receive())
    kind, content = read_message(connection)
    assert kind == b"R" and content == struct.pack("!I", 0)


def libpq_client(mechanism, user, password, binding):
    listener = socket.create_server(("127.0.0.1", 0))
    settings = f"host=127.0.0.1 port={listener.getsockname()[1]} dbname=postgres connect_timeout=30"
    settings += " sslmode=require channel_binding=require" if binding else " sslmode=disable"
    psql = subprocess.Popen(
        ["psql", "-X", "-w", "-d", settings, "-U", user, "-c", "SET x TO 1"],
        env={"PATH": os.environ["PATH"], "PGPASSWORD": password, "HOME": "/nonexistent"},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )
    connection, _ = listener.accept()
    connection.settimeout(30)
    if binding:
        read_exactly(connection, 8)
        connection.sendall(b"S")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(binding[1].decode())
        connection = context.wrap_socket(connection, server_side=True)
    (size,) = struct.unpack("!I", read_exactly(connection, 4))
    read_exactly(connection, size - 4)
    names = (mechanism, "SCRAM-SHA-256") if binding else (mechanism,)
    offer = b"".join(name.encode() + b"\0" for name in names) + b"\0"
    write_message(connection, b"R", struct.pack("!I", 10) + offer)
    content = read_message(connection)[1]
    chosen, rest = content.split(b"\0", 1)
    assert chosen.decode() == mechanism, chosen
    send(rest[4:])
    write_message(connection, b"R", struct.pack("!I", 11) + receive())
    send(read_message(connection)[1])
    answer = receive()
    if not answer.startswith(b"v="):
        error = b"SFATAL\0C28P01\0Mpassword authentication failed\0\0"
        write_message(connection, b"E", error)
    else:
        write_message(connection, b"R", struct.pack("!I", 12) + answer)
        write_message(connection, b"R", struct.pack("!I", 0))
        write_message(connection, b"Z", b"I")
        if read_message(connection)[0] == b"Q":
            write_message(connection, b"C", b"SET\0")
            write_message(connection, b"Z", b"I")
            read_message(connection)  # Terminate
    if psql.wait(30) != 0:
        raise RuntimeError("psql failed")


def main():
    peer, role, mechanism, user, password, *rest = sys.argv[1:]
    binding = (rest[0], bytes.fromhex(rest[1])) if rest else None
    if binding and peer == "scramp":
        binding = (rest[0], binding[1].decode())  # the certificate in PEM, which scramp hashes itself
    try:
        globals()[f"{peer}_{role}"](mechanism, user, password, binding)
    except Exception as error:  # every failure of a peer is an answer
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        print("failed", flush=True)
        return
    print("ok", flush=True)


main()
