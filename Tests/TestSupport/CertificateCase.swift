// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A certificate, the host of the URL, and the expected result.
public struct CertificateCase: Sendable {
    /// The kind of certificate in certificate_server.py.
    public let kind: String
    /// The host of the URL.
    public let host: String
    /// Text in the message when the certificate is refused; `nil` when it is accepted.
    public let refusal: String?
    /// Whether the curl command accepts it.
    public let curlAccepts: Bool

    /// Returns a case in which the certificate is accepted.
    ///
    /// - Parameters:
    ///   - kind: The kind of certificate.
    ///   - host: The host of the URL.
    ///   - curlAccepts: Whether the curl command accepts it.
    /// - Returns: The case.
    public static func accepted(_ kind: String, _ host: String = school, curlAccepts: Bool = true) -> Self {
        Self(kind: kind, host: host, refusal: nil, curlAccepts: curlAccepts)
    }

    /// Returns a case in which the certificate is refused.
    ///
    /// - Parameters:
    ///   - kind: The kind of certificate.
    ///   - host: The host of the URL.
    ///   - says: Text in the message.
    ///   - curlAccepts: Whether the curl command accepts it.
    /// - Returns: The case.
    public static func serverError(
        _ kind: String,
        _ host: String = school,
        says: String,
        curlAccepts: Bool = false
    )
        -> Self
    {
        Self(kind: kind, host: host, refusal: says, curlAccepts: curlAccepts)
    }

    /// The host of most cases.
    public static let school = "www.school.test"

    /// All cases.
    public static let all: [Self] = names + wildcards + unusualNames + chains + versions

    /// Host names match subjectAltName DNS entries only, and addresses match IP address entries only.
    public static let names: [Self] = [
        .accepted("name"),
        .accepted("name", "WWW.School.Test"),
        .serverError("name", "127.0.0.1", says: "only valid for www.school.test"),
        .serverError("other-name", says: "only valid for other.test"),
        .accepted("address", "127.0.0.1"),
        .serverError("address", says: "only valid for 127.0.0.1"),
        .serverError("other-address", says: "only valid for 192.0.2.1"),
        .serverError("other-address", "127.0.0.1", says: "only valid for 192.0.2.1"),
        .serverError("address-as-name", "127.0.0.1", says: "only valid for 127.0.0.1"),
        .serverError("mapped-address", "127.0.0.1", says: "only valid for"),
        .accepted("address-v6", "[::1]"),
        .serverError("address-v6", says: "only valid for [::1]"),
        .serverError("other-address-v6", "[::1]", says: "only valid for [2001:db8::1]"),
        .serverError("common-name", says: "names no host", curlAccepts: true),
        .serverError("common-name-email", says: "names no host", curlAccepts: true),
        .serverError("common-name-address", says: "only valid for 192.0.2.1"),
        .serverError("common-name-of-address", "127.0.0.1", says: "names no host", curlAccepts: true),
        .serverError("empty-names", says: "names no host", curlAccepts: true),
        .serverError("empty-name", says: "certificate of"),
        .serverError("uri", says: "names no host"),
        .serverError("service", says: "names no host"),
        .serverError("email", says: "names no host"),
        .accepted("many-names"),
    ]

    /// A wildcard is the entire first label, matches exactly one label, and is not directly under a public suffix.
    public static let wildcards: [Self] = [
        .accepted("wildcard"),
        .accepted("wildcard", "xn--bcher-kva.school.test"),
        .serverError("wildcard", "a.b.school.test", says: "only valid for *.school.test"),
        .serverError("wildcard", "school.test", says: "only valid for *.school.test"),
        .serverError("partial-wildcard", says: "only valid for w*.school.test"),
        .serverError("partial-wildcard-end", says: "only valid for *w.school.test"),
        .serverError("nested-wildcard", "a.b.school.test", says: "only valid for *.*.school.test"),
        .serverError("inner-wildcard", says: "only valid for www.*.test"),
        .serverError(
            "idn-partial-wildcard",
            "xn--bcher-kva.school.test",
            says: "only valid for xn--*.school.test"
        ),
        .serverError("top-wildcard", "school.test", says: "only valid for *.test"),
        .serverError("bare-wildcard", "school", says: "only valid for *"),
        .serverError(
            "suffix-wildcard",
            "school.co.uk",
            says: "*.co.uk, a wildcard for a whole public suffix",
            curlAccepts: true
        ),
        // A suffix in the list's private section has one owner, who may hold such a certificate.
        .accepted("private-suffix-wildcard", "school.github.io"),
    ]

    /// Names with other characters than letters, digits and hyphens, and names that end unusually.
    public static let unusualNames: [Self] = [
        .accepted("idn", "xn--bcher-kva.test"),
        .serverError("idn-utf8", "xn--bcher-kva.test", says: "only valid for b\\u{fc}cher.test"),
        .serverError("idn-latin1", "xn--bcher-kva.test", says: "only valid for b"),
        // RFC 9525: a presented name has no trailing dot.
        .serverError("trailing-dot", says: "only valid for www.school.test.", curlAccepts: true),
        .serverError("nul", says: "www.school.test\\u{0}.evil.test"),
        .serverError("nul-at-end", says: "www.school.test\\u{0}"),
        .accepted("underscore", "my_school.test"),
        .accepted("upper-case"),
        .serverError("spaces", says: "only valid for \\u{20}www.school.test"),
    ]

    /// Validity, purposes, keys and signatures of a certificate and of its authorities.
    public static let chains: [Self] = [
        .serverError("expired", says: "expired"),
        .serverError("not-yet-valid", says: "not valid yet"),
        .serverError("client-purpose", says: "not for servers"),
        .accepted("server-purpose"),
        .serverError("critical-extension", says: "critical extension"),
        .accepted("rsa-2048"),
        .serverError("rsa-1024", says: "too short"),
        .serverError("p-192", says: "TLS"),
        .accepted("ed25519"),
        .serverError("sha1", says: "digest that is broken"),
        .serverError("other-authority", says: "issuer that is not known"),
        .serverError("self-signed", says: "self-signed"),
        .serverError("issued-by-leaf", says: "invalid CA"),
        .serverError("constraint-violated", says: "subtree"),
        .accepted("constraint-kept", "www.allowed.test"),
        .serverError("intermediate-missing", says: "issuer"),
        .accepted("intermediate-sent"),
        .serverError("path-too-long", says: "path length"),
        .serverError(
            "rsa-1024-intermediate",
            says: "authority of www.school.test has a key that is too short"
        ),
        .serverError("sha1-intermediate-signature", says: "digest that is broken"),
    ]

    /// Versions and parameters of TLS.
    public static let versions: [Self] = [
        .serverError("tls-1.0", says: "TLS"),
        .serverError("tls-1.1", says: "TLS"),
        .accepted("tls-1.2"),
        .accepted("tls-1.3"),
        .serverError("no-encryption", says: "TLS"),
        .serverError("dh-1024", says: "TLS"),
    ]
}
