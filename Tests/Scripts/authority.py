"""Certificates for tests, created with the openssl command. The CA signs any request, even an invalid one."""
import ipaddress
import os
import subprocess

CONFIGURATION = """
[ca]
default_ca = this
[this]
new_certs_dir = .
database = index.txt
rand_serial = yes
unique_subject = no
policy = anything
email_in_dn = no
[anything]
commonName = optional
organizationName = optional
[req]
distinguished_name = name
[name]
"""


def der(tag, content):
    size = len(content)
    if size < 0x80:
        length = bytes([size])
    else:
        digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
        length = bytes([0x80 | len(digits)]) + digits
    return bytes([tag]) + length + content


def alternative_names(names):
    """The extension as DER: the openssl command itself refuses some of the names that the tests need."""
    tags = {"email": 0x81, "name": 0x82, "uri": 0x86}
    entries = b""
    for kind, value in names:
        if kind == "address":
            entries += der(0x87, ipaddress.ip_address(value).packed)
        elif kind == "service":  # SRVName, RFC 4985
            name = der(0x06, bytes([0x2B, 6, 1, 5, 5, 7, 8, 7])) + der(0xA0, der(0x16, value.encode()))
            entries += der(0xA0, name)
        else:
            entries += der(tags[kind], value if isinstance(value, bytes) else value.encode())
    return "DER:" + der(0x30, entries).hex(":")


class Authority:
    """Keys and certificates in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.write("ca.cnf", CONFIGURATION)
        self.write("index.txt", "")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, *names):
        return "".join(open(self.path(name)).read() for name in names)

    def openssl(self, *words):
        done = subprocess.run(["openssl", *words], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"openssl {' '.join(words)}: {done.stderr}")
        return done.stdout

    def key(self, kind):
        """The key of a kind, generated once: `P-256`, `P-192`, `ed25519`, `RSA-1024`, `RSA-2048`."""
        name = f"{kind}.key"
        if not os.path.exists(self.path(name)):
            algorithm, _, size = kind.partition("-")
            words = {
                "P": ["EC", "-pkeyopt", f"ec_paramgen_curve:P-{size}"],
                "RSA": ["RSA", "-pkeyopt", f"rsa_keygen_bits:{size}"],
                "ed25519": ["ed25519"],
            }[algorithm]
            self.openssl("genpkey", "-quiet", "-algorithm", *words, "-out", name)
        return name

    def sign(self, name, issuer, common_name="leaf", names=None, key="P-256", start="20200101000000Z",
             end="20990101000000Z", digest="sha256", extensions=(), is_authority=False, basic_constraints=None):
        """Creates NAME.pem, self-signed if issuer is None. `key` may be an existing file."""
        key = key if key.endswith(".key") else self.key(key)
        lines = [basic_constraints or ("basicConstraints=critical,CA:TRUE" if is_authority else "basicConstraints=CA:FALSE"),
                 "subjectKeyIdentifier=hash", *extensions]
        if names is not None:
            lines.append("subjectAltName=" + alternative_names(names))
        self.write("extensions.cnf", "\n".join(lines) + "\n")
        self.openssl("req", "-new", "-config", "ca.cnf", "-key", key, "-subj", f"/O=CredKit test/CN={common_name}",
                     "-out", "request.csr")
        signer = ["-selfsign", "-keyfile", key] if issuer is None else ["-cert", f"{issuer}.pem", "-keyfile", self.issuer_keys[issuer]]
        self.openssl("ca", "-batch", "-notext", "-config", "ca.cnf", "-in", "request.csr", "-startdate", start, "-enddate", end,
                     "-md", "default" if key == "ed25519.key" and issuer is None else digest, "-extfile", "extensions.cnf", *signer,
                     "-out", f"{name}.pem")
        self.issuer_keys[name] = key

    issuer_keys = {}

    def make_authority(self, name, issuer=None, **arguments):
        """Creates a CA with its own key, NAME.pem."""
        kind = arguments.pop("kind", "P-256")
        key = f"{name}.key"
        if not os.path.exists(self.path(key)):
            made = self.key(kind)
            os.rename(self.path(made), self.path(key))
        arguments.setdefault("is_authority", True)
        self.sign(name, issuer, common_name=f"CredKit test {name}", key=key, **arguments)
