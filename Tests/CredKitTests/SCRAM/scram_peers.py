#!/usr/bin/env python3
"""One half of a SCRAM exchange by another implementation; the other half is at standard input and output.

usage: scram_peers.py PEER client|server MECHANISM USER PASSWORD [BINDING-TYPE BINDING-HEX]
  PEER  scramp, gsasl (libgsasl by ctypes), slixmpp (client only)

Messages are lines of Base64. The last line is 'ok' or 'failed'. A server's record has 4,096 iterations.
"""

import base64
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
    client = SCRAM(mechanism, credentials, {"encrypted": True, "unencrypted_scram": False})
    send(client.process())
    send(client.process(receive()))
    client.process(receive())


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
