// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A certificate, the host of the URL, and the expected result.
struct CertificateCase {
    /// The kind of certificate in certificate_server.py.
    let kind: String
    /// The host of the URL.
    let host: String
    /// Text in the message when the certificate is refused; `nil` when it is accepted.
    let refusal: String?
    /// Whether the curl command accepts it.
    let curlAccepts: Bool

    static func accepted(_ kind: String, _ host: String = school, curlAccepts: Bool = true) -> Self {
        Self(kind: kind, host: host, refusal: nil, curlAccepts: curlAccepts)
    }

    static func refused(_ kind: String, _ host: String = school, says: String, curlAccepts: Bool = false)
        -> Self
    {
        Self(kind: kind, host: host, refusal: says, curlAccepts: curlAccepts)
    }

    static let school = "www.school.test"

    static let all: [Self] = names + wildcards + unusualNames + chains + versions

    /// Host names match subjectAltName DNS entries only, and addresses match IP address entries only.
    static let names: [Self] = [
        .accepted("name"),
        .accepted("name", "WWW.School.Test"),
        .refused("name", "127.0.0.1", says: "only valid for www.school.test"),
        .refused("other-name", says: "only valid for other.test"),
        .accepted("address", "127.0.0.1"),
        .refused("address", says: "only valid for 127.0.0.1"),
        .refused("other-address", says: "only valid for 192.0.2.1"),
        .refused("other-address", "127.0.0.1", says: "only valid for 192.0.2.1"),
        .refused("address-as-name", "127.0.0.1", says: "only valid for 127.0.0.1"),
        .refused("mapped-address", "127.0.0.1", says: "only valid for"),
        .accepted("address-v6", "[::1]"),
        .refused("address-v6", says: "only valid for [::1]"),
        .refused("other-address-v6", "[::1]", says: "only valid for [2001:db8::1]"),
        .refused("common-name", says: "names no host", curlAccepts: true),
        .refused("common-name-email", says: "names no host", curlAccepts: true),
        .refused("common-name-address", says: "only valid for 192.0.2.1"),
        .refused("common-name-of-address", "127.0.0.1", says: "names no host", curlAccepts: true),
        .refused("empty-names", says: "names no host", curlAccepts: true),
        .refused("empty-name", says: "certificate of"),
        .refused("uri", says: "names no host"),
        .refused("service", says: "names no host"),
        .refused("email", says: "names no host"),
        .accepted("many-names"),
    ]

    /// A wildcard is the entire first label, matches exactly one label, and is not directly under a public suffix.
    static let wildcards: [Self] = [
        .accepted("wildcard"),
        .accepted("wildcard", "xn--bcher-kva.school.test"),
        .refused("wildcard", "a.b.school.test", says: "only valid for *.school.test"),
        .refused("wildcard", "school.test", says: "only valid for *.school.test"),
        .refused("partial-wildcard", says: "only valid for w*.school.test"),
        .refused("partial-wildcard-end", says: "only valid for *w.school.test"),
        .refused("nested-wildcard", "a.b.school.test", says: "only valid for *.*.school.test"),
        .refused("inner-wildcard", says: "only valid for www.*.test"),
        .refused(
            "idn-partial-wildcard",
            "xn--bcher-kva.school.test",
            says: "only valid for xn--*.school.test"
        ),
        .refused("top-wildcard", "school.test", says: "only valid for *.test"),
        .refused("bare-wildcard", "school", says: "only valid for *"),
        .refused(
            "suffix-wildcard",
            "school.co.uk",
            says: "*.co.uk, a wildcard for a whole public suffix",
            curlAccepts: true
        ),
        // A suffix in the list's private section has one owner, who may hold such a certificate.
        .accepted("private-suffix-wildcard", "school.github.io"),
    ]

    static let unusualNames: [Self] = [
        .accepted("idn", "xn--bcher-kva.test"),
        .refused("idn-utf8", "xn--bcher-kva.test", says: "only valid for b\\u{fc}cher.test"),
        .refused("idn-latin1", "xn--bcher-kva.test", says: "only valid for b"),
        // RFC 9525: a presented name has no trailing dot.
        .refused("trailing-dot", says: "only valid for www.school.test.", curlAccepts: true),
        .refused("nul", says: "www.school.test\\u{0}.evil.test"),
        .refused("nul-at-end", says: "www.school.test\\u{0}"),
        .accepted("underscore", "my_school.test"),
        .accepted("upper-case"),
        .refused("spaces", says: "only valid for \\u{20}www.school.test"),
    ]

    static let chains: [Self] = [
        .refused("expired", says: "expired"),
        .refused("not-yet-valid", says: "not valid yet"),
        .refused("client-purpose", says: "not for servers"),
        .accepted("server-purpose"),
        .refused("critical-extension", says: "critical extension"),
        .accepted("rsa-2048"),
        .refused("rsa-1024", says: "too short"),
        .refused("p-192", says: "TLS"),
        .accepted("ed25519"),
        .refused("sha1", says: "digest that is broken"),
        .refused("other-authority", says: "issuer that is not known"),
        .refused("self-signed", says: "self-signed"),
        .refused("issued-by-leaf", says: "invalid CA"),
        .refused("constraint-violated", says: "subtree"),
        .accepted("constraint-kept", "www.allowed.test"),
        .refused("intermediate-missing", says: "issuer"),
        .accepted("intermediate-sent"),
        .refused("path-too-long", says: "path length"),
        .refused("rsa-1024-intermediate", says: "authority of www.school.test has a key that is too short"),
        .refused("sha1-intermediate-signature", says: "digest that is broken"),
    ]

    static let versions: [Self] = [
        .refused("tls-1.0", says: "TLS"),
        .refused("tls-1.1", says: "TLS"),
        .accepted("tls-1.2"),
        .accepted("tls-1.3"),
        .refused("no-encryption", says: "TLS"),
        .refused("dh-1024", says: "TLS"),
    ]
}
