"""Runs a command where DNS never answers: in new namespaces, with a silent name server on 127.0.0.53.

usage: hung_resolver.py COMMAND [ARGUMENT…]       exits with the command's status

Needs no privileges: an unprivileged user becomes root of the new namespaces. /etc/hosts still has localhost.
"""
import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
import tempfile

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        raise SystemExit(f"{what}: {os.strerror(ctypes.get_errno())}")


def separate():
    user, group = os.getuid(), os.getgid()
    flags = CLONE_NEWNS | CLONE_NEWNET
    if user != 0:
        flags |= CLONE_NEWUSER
    check(LIBC.unshare(flags), "unshare")
    if user != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    check(LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "making mounts private")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        request = struct.pack("16sH14x", b"lo", 0)
        name, flags = struct.unpack("16sH14x", fcntl.ioctl(one, SIOCGIFFLAGS, request))
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sH14x", name, flags | IFF_UP))


def put(folder, path, text):
    """Replaces the content of a system file with this text."""
    source = os.path.join(folder, os.path.basename(path))
    with open(source, "w") as file:
        file.write(text)
    check(LIBC.mount(source.encode(), os.path.realpath(path).encode(), None, MS_BIND, None), path)


def main():
    separate()
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    silent.bind(("127.0.0.53", 53))
    with tempfile.TemporaryDirectory() as folder:
        put(folder, "/etc/resolv.conf", "nameserver 127.0.0.53\noptions timeout:30 attempts:2\n")
        put(folder, "/etc/nsswitch.conf", "hosts: files dns\n")
        put(folder, "/etc/hosts", "127.0.0.1 localhost\n")
        command = subprocess.Popen(sys.argv[1:], preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, 15))
        status = command.wait()
        silent.setblocking(False)
        try:
            silent.recv(512)
        except BlockingIOError:
            raise SystemExit("the command has asked nothing of DNS")
        sys.exit(status if status >= 0 else 128 - status)


main()
