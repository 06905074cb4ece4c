"""Serves many valid and invalid certificates over TLS, each on a separate port of loopback.

Prints {"authority": PATH, "ports": {KIND: PORT}} and exits when its standard input ends. The command "requests"
returns the number of connections of each kind that carried a byte of a request. A connection that begins with
PostgreSQL's request for TLS is granted it, and closed after the first message.
"""
import json
import os
import socket
import ssl
import sys
import tempfile
import threading
import warnings

from authority import Authority

HOST = "www.school.test"
SSL_REQUEST = bytes.fromhex("0000000804d2162f")
REQUESTS, LOCK = {}, threading.Lock()


def name(*values):
    return [("name", value) for value in values]


def make(authority):
    """Kind → the chain to send, the key, and what else the server does."""
    ca, kinds = authority, {}
    ca.make_authority("ca")
    ca.make_authority("other-ca")
    ca.make_authority("intermediate", "ca")
    ca.make_authority("no-ca", "ca", is_authority=False)
    ca.make_authority("constrained", "ca", extensions=["nameConstraints=critical,permitted;DNS:allowed.test"])
    ca.make_authority("short", "ca", basic_constraints="basicConstraints=critical,CA:TRUE,pathlen:0")
    ca.make_authority("too-deep", "short")
    ca.make_authority("small-intermediate", "ca", kind="RSA-1024")
    ca.make_authority("sha1-intermediate", "ca", digest="sha1")

    def leaf(kind, names=name(HOST), issuer="ca", chain=(), key="P-256", serve=None, **arguments):
        ca.sign(kind, issuer, names=names, key=key, **arguments)
        ca.write(f"{kind}.chain", ca.read(f"{kind}.pem", *[f"{one}.pem" for one in chain]))
        kinds[kind] = (ca.path(f"{kind}.chain"), ca.path(ca.key(key)), serve or {})

    # Names.
    leaf("name")
    leaf("other-name", name("other.test"))
    leaf("address", [("address", "127.0.0.1")])
    leaf("other-address", [("address", "192.0.2.1")])
    leaf("address-as-name", name("127.0.0.1"))
    leaf("mapped-address", [("address", "::ffff:127.0.0.1")])
    leaf("address-v6", [("address", "::1")])
    leaf("other-address-v6", [("address", "2001:db8::1")])
    leaf("common-name", None, common_name=HOST)
    leaf("common-name-email", [("email", "a@school.test")], common_name=HOST)
    leaf("common-name-address", [("address", "192.0.2.1")], common_name=HOST)
    leaf("common-name-of-address", None, common_name="127.0.0.1")
    leaf("empty-names", [], common_name=HOST)
    leaf("empty-name", name(""), common_name=HOST)
    leaf("uri", [("uri", f"https://{HOST}/")])
    leaf("service", [("service", f"_https.{HOST}")])
    leaf("email", [("email", f"a@{HOST}")])
    leaf("wildcard", name("*.school.test"))
    leaf("partial-wildcard", name("w*.school.test"))
    leaf("partial-wildcard-end", name("*w.school.test"))
    leaf("nested-wildcard", name("*.*.school.test"))
    leaf("inner-wildcard", name("www.*.test"))
    leaf("top-wildcard", name("*.test"))
    leaf("bare-wildcard", name("*"))
    leaf("suffix-wildcard", name("*.co.uk"))
    leaf("private-suffix-wildcard", name("*.github.io"))
    leaf("idn", name("xn--bcher-kva.test"))
    leaf("idn-utf8", name("bücher.test"))
    leaf("idn-latin1", name("bücher.test".encode("latin-1")))
    leaf("idn-partial-wildcard", name("xn--*.school.test"))
    leaf("trailing-dot", name(HOST + "."))
    leaf("nul", name(HOST.encode() + b"\0.evil.test"))
    leaf("nul-at-end", name(HOST.encode() + b"\0"))
    leaf("underscore", name("my_school.test"))
    leaf("upper-case", name("WWW.SCHOOL.TEST"))
    leaf("spaces", name(" " + HOST))
    leaf("many-names", name(*[f"host-{index}.school.test" for index in range(500)], HOST))
    # Signatures, purposes and validity periods.
    leaf("expired", end="20210101000000Z")
    leaf("not-yet-valid", start="20980101000000Z")
    leaf("client-purpose", extensions=["extendedKeyUsage=clientAuth"])
    leaf("server-purpose", extensions=["extendedKeyUsage=serverAuth"])
    leaf("critical-extension", extensions=["1.2.3.4=critical,DER:05:00"])
    leaf("rsa-2048", key="RSA-2048")
    leaf("rsa-1024", key="RSA-1024")
    leaf("p-192", key="P-192")
    leaf("ed25519", key="ed25519")
    leaf("sha1", digest="sha1")
    leaf("other-authority", issuer="other-ca", chain=["other-ca"])
    leaf("self-signed", issuer=None)
    leaf("issued-by-leaf", issuer="no-ca", chain=["no-ca"])
    leaf("constraint-violated", issuer="constrained", chain=["constrained"])
    leaf("constraint-kept", name("www.allowed.test"), issuer="constrained", chain=["constrained"])
    leaf("intermediate-missing", issuer="intermediate")
    leaf("intermediate-sent", issuer="intermediate", chain=["intermediate"])
    leaf("path-too-long", issuer="too-deep", chain=["too-deep", "short"])
    leaf("rsa-1024-intermediate", issuer="small-intermediate", chain=["small-intermediate"])
    leaf("sha1-intermediate-signature", issuer="sha1-intermediate", chain=["sha1-intermediate"])
    # A valid certificate with invalid TLS settings.
    one = ssl.TLSVersion
    leaf("tls-1.0", serve={"versions": (one.TLSv1, one.TLSv1)})
    leaf("tls-1.1", serve={"versions": (one.TLSv1_1, one.TLSv1_1)})
    leaf("tls-1.2", serve={"versions": (one.TLSv1_2, one.TLSv1_2)})
    leaf("tls-1.3", serve={"versions": (one.TLSv1_3, one.TLSv1_3)})
    leaf("no-encryption", key="RSA-2048", serve={"versions": (one.TLSv1_2, one.TLSv1_2), "ciphers": "NULL-SHA256"})
    ca.openssl("genpkey", "-quiet", "-genparam", "-algorithm", "DHX", "-pkeyopt", "dh_rfc5114:1", "-out", "dh.pem")
    leaf("dh-1024", key="RSA-2048", serve={"versions": (one.TLSv1_2, one.TLSv1_2), "ciphers": "DHE-RSA-AES128-GCM-SHA256",
                                           "dh": ca.path("dh.pem")})
    return kinds


def context(chain, key, serve):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # At this security level OpenSSL serves certificates that clients must refuse.
    made.set_ciphers(serve.get("ciphers", "ALL") + ":@SECLEVEL=0")
    made.load_cert_chain(chain, key)
    if "versions" in serve:
        made.minimum_version, made.maximum_version = serve["versions"]
    if "dh" in serve:
        made.load_dh_params(serve["dh"])
    return made


def answer(connection, kind, tls):
    try:
        connection.settimeout(30)
        is_postgresql = connection.recv(len(SSL_REQUEST), socket.MSG_PEEK) == SSL_REQUEST
        if is_postgresql:
            connection.recv(len(SSL_REQUEST))
            connection.sendall(b"S")
        with tls.wrap_socket(connection, server_side=True) as stream:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = stream.recv(65536)
                if not piece:
                    return
                if not head:
                    with LOCK:
                        REQUESTS[kind] += 1
                if is_postgresql:
                    return
                head += piece
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    except OSError:
        pass
    finally:
        connection.close()


def listen(kind, tls):
    def accept(listener):
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0], kind, tls), daemon=True).start()

    with LOCK:
        REQUESTS[kind] = 0
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    # Clients may trust every server on 127.0.0.1.
    listeners = [listener, socket.create_server(("127.0.0.2", port))]
    if "v6" in kind:
        listeners.append(socket.create_server(("::1", port), family=socket.AF_INET6))
    for one in listeners:
        threading.Thread(target=accept, args=(one,), daemon=True).start()
    return port


def main():
    warnings.simplefilter("ignore", DeprecationWarning)  # the tests request deprecated TLS versions on purpose
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        ports = {kind: listen(kind, context(*made)) for kind, made in make(authority).items()}
        print(json.dumps({"authority": os.path.join(folder, "ca.pem"), "ports": ports}), flush=True)
        for _ in sys.stdin:
            with LOCK:
                print(json.dumps(REQUESTS), flush=True)


main()
