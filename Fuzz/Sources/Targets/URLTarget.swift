// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitClient

extension FuzzTarget {
    /// Feeds URLs, and references relative to them on a second line, to the strict parser, beside libcurl.
    static let urls = FuzzTarget("urls") { bytes in
        var input = FuzzInput(bytes)
        guard let text = String(input: input.line()), let reference = String(input: input.rest) else {
            return
        }
        let result = Result { () throws(ClientError) in try HTTPURL(text) }
        if case .success(let url) = result {
            try URLProperties.check(url)
            // The fragment is dropped without being examined.
            try URLProperties.compareWithCurl(
                String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "#") })),
                url
            )
        }
        let base = try (try? result.get()) ?? HTTPURL("https://base.example:8443/a/b?c")
        guard let resolved = try? base.resolving(reference) else { return }
        try URLProperties.check(resolved)
        let isAbsolute = reference.utf8.contains(UInt8(ascii: ":")) || reference.utf8.starts(with: "//".utf8)
        try require(isAbsolute || resolved.origin == base.origin, "a relative reference stays at its origin")
    }
}

private enum URLProperties {
    static func check(_ url: HTTPURL) throws {
        let again = try requireSuccess("a printed URL parses") { () throws(ClientError) in
            try HTTPURL(url.absoluteString)
        }
        try requireEqual(again, url, "a printed URL is the same URL")
        try require(
            url.absoluteString.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") },
            "a printed URL has only visible ASCII: \(url.absoluteString)"
        )
        try require(url.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash: \(url.path)")
        let segments = url.path.lowercased().replacing("%2e", with: ".").split(separator: "/")
        try require(
            !segments.contains(".") && !segments.contains(".."),
            "no dot segment is left: \(url.path)"
        )
        try require(!url.path.utf8.contains(UInt8(ascii: "?")), "a path has no question mark")
        let host = url.origin.host
        try require(!host.isEmpty && host == host.lowercased(), "a host is in lower case: \(host)")
        try require(try Origin(url.absoluteString) == url.origin, "the origin of a printed URL is the same")
        try requireCurl(url.absoluteString, matches: url, comparesPath: true)
    }

    /// libcurl, which sends the request, reads the same server from the text that the user wrote.
    static func compareWithCurl(_ text: String, _ url: HTTPURL) throws {
        try requireCurl(text, matches: url, comparesPath: false)
    }

    private static func requireCurl(_ text: String, matches url: HTTPURL, comparesPath: Bool) throws {
        guard CurlURL.isAvailable else { return }
        guard let curl = CurlURL(text) else { throw PropertyFailure("libcurl accepts \(text)") }
        try requireEqual(curl.scheme, url.origin.scheme, "libcurl reads the same scheme from \(text)")
        var host = curl.host.lowercased()
        if host.utf8.last == UInt8(ascii: "."), !comparesPath { host.removeLast() }
        let isSame =
            host == url.origin.host
            || host.hasPrefix("[") && (try? HostText.canonical(Substring(host))) == url.origin.host
        try require(isSame, "libcurl reads the same host from \(text): \(curl.host), \(url.origin.host)")
        try requireEqual(curl.port, "\(url.origin.port)", "libcurl reads the same port from \(text)")
        guard comparesPath else { return }
        try requireEqual(curl.path, url.path, "libcurl reads the same path from \(text)")
        try requireEqual(curl.query ?? "", url.query ?? "", "libcurl reads the same query from \(text)")
    }
}
