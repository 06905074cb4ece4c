"""A route from a client to servers on loopback: through nginx, through a proxy, or both. Records every byte.

usage: route.py ORIGIN PROXY PORT…
  ORIGIN   http      the servers themselves
           http1     nginx in front of them, HTTP/1.1 over TLS
           http2     nginx in front of them, HTTP/2 over TLS
  PROXY    none, http, https, socks5, socks5-password
  PORT     of servers on 127.0.0.1, 127.0.0.2 and ::1

Prints {"ports": {PORT: replacement PORT}, "scheme", "authority": PATH, "proxy": {…} or null}. The command
{"search": [TEXT…]} returns {LEG: [the texts found]}: `client-proxy` and `proxy-origin` as sent on the wire, and
`origin` for the plaintext that reaches the servers. Exits when its standard input ends.
"""
import json
import os
import ssl
import sys
import tempfile
import time

from authority import Authority
from children import Children
from taps import Taps, listen_everywhere

HOSTS = ("127.0.0.1", "127.0.0.2", "::1")
NAMES = [("name", "localhost"), *[("address", host) for host in HOSTS]]
# By the first letters of the proxy's kind. Some versions of libcurl decode percent signs for SOCKS; tinyproxy permits none.
CREDENTIALS = {"http": ("proxy-user", "proxy-secret-word"), "sock": ("proxy%2duser", "proxy-secret-%2577ord%")}

NGINX = """
daemon off;
worker_processes 1;
error_log error.log;
pid nginx.pid;
events { worker_connections 8192; }
http {
    access_log off;
    client_body_temp_path bodies;
    proxy_temp_path responses;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    client_max_body_size 0;
    keepalive_requests 100000;
    large_client_header_buffers 8 64k;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_buffering off;
    proxy_request_buffering off;
    proxy_redirect off;
    proxy_next_upstream off;
    proxy_buffer_size 512k;
    proxy_buffers 4 512k;
    proxy_busy_buffers_size 1m;
    ssl_certificate server.pem;
    ssl_certificate_key P-256.key;
    ssl_protocols TLSv1.2 TLSv1.3;
"""
TINYPROXY = """
Listen 127.0.0.1
Timeout 60
MaxClients 2000
LogFile "{folder}/tinyproxy.log"
LogLevel Warning
DisableViaHeader Yes
BasicAuth {user} {password}
"""


def bracketed(host):
    return f"[{host}]" if ":" in host else host


def start_nginx(children, authority, servers, http2):
    """`servers` is a list of (listening socket, host, port, upstream's port). nginx inherits the sockets as from an
    older nginx, so that no port must be guessed."""
    text = NGINX
    for _, host, port, upstream in servers:
        text += f"    server {{ listen {bracketed(host)}:{port} ssl{' http2' if http2 else ''}; "
        text += f"location / {{ proxy_pass http://127.0.0.1:{upstream}; }} }}\n"
    authority.write("nginx.conf", text + "}\n")
    for folder in ("bodies", "responses", "fastcgi", "uwsgi", "scgi"):
        os.mkdir(authority.path(folder))
    numbers = [socket.fileno() for socket, *_ in servers]
    process = children.start(["/usr/sbin/nginx", "-p", authority.folder, "-e", "error.log", "-c", "nginx.conf"],
                             pass_fds=numbers,
                             env={**os.environ, "NGINX": "".join(f"{number};" for number in numbers)})
    while not os.path.exists(authority.path("nginx.pid")):
        if process.poll() is not None:
            raise SystemExit("nginx: " + authority.read("error.log"))
        time.sleep(0.01)
    for listener, *_ in servers:
        listener.close()


def start_proxy(kind, children, taps, authority):
    """Returns the proxy settings for the client."""
    has_password = kind != "socks5"
    user, password = CREDENTIALS[kind[:4]]
    if kind in ("http", "https"):
        authority.write("tinyproxy.conf", TINYPROXY.format(folder=authority.folder, user=user, password=password))

        def words(port):
            authority.write("tinyproxy.port.conf", authority.read("tinyproxy.conf") + f"Port {port}\n")
            return ["tinyproxy", "-d", "-c", authority.path("tinyproxy.port.conf")]
    else:
        def words(port):
            return ["microsocks", "-i", "127.0.0.1", "-p", str(port)] + (["-u", user, "-P", password] if has_password else [])
    port = children.start_on_free_port(words)
    tls = None
    if kind == "https":
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(authority.path("server.pem"), authority.path("P-256.key"))
    listeners, tapped = listen_everywhere(["127.0.0.1"])
    taps.add("client-proxy", listeners, ("127.0.0.1", port), tls=tls)
    return {"scheme": kind.partition("-")[0], "port": tapped, "username": user if has_password else None,
            "password": password if has_password else None}


def main():
    origin, proxy_kind, *ports = sys.argv[1:]
    children, taps = Children(), Taps()
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        authority.make_authority("ca")
        authority.sign("server", "ca", names=NAMES)
        mapped, servers = {}, []
        try:
            for port in map(int, ports):
                listeners, front = listen_everywhere(HOSTS)
                mapped[port] = front
                if origin == "http":
                    for listener, host in zip(listeners, HOSTS):
                        taps.add("origin", [listener], (host, port), ("127.0.0.1", port))
                    continue
                inner, inner_port = listen_everywhere(HOSTS)
                for listener, host in zip(listeners, HOSTS):
                    taps.add("proxy-origin", [listener], (host, inner_port))
                for listener, host in zip(inner, HOSTS):
                    (upstream,), upstream_port = listen_everywhere(["127.0.0.1"])
                    taps.add("origin", [upstream], (host, port), ("127.0.0.1", port))
                    servers.append((listener, host, inner_port, upstream_port))
            if servers:
                start_nginx(children, authority, servers, origin == "http2")
            proxy = None if proxy_kind == "none" else start_proxy(proxy_kind, children, taps, authority)
            print(json.dumps({"ports": mapped, "scheme": "http" if origin == "http" else "https",
                              "authority": authority.path("ca.pem"), "proxy": proxy}), flush=True)
            for line in sys.stdin:
                print(json.dumps(taps.search(json.loads(line)["search"])), flush=True)
        finally:
            children.end()
            taps.end()


main()
