// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPURL {
    /// Returns this URL with a path appended, with one slash between the two paths.
    ///
    /// `path` begins with a slash and is percent-encoded. A query may follow it.
    func appending(path: String) throws(ClientError) -> HTTPURL {
        var base = self.path
        while base.utf8.last == UInt8(ascii: "/") { base.removeLast() }
        return try HTTPURL("\(origin)\(base)\(path)")
    }

    /// Returns this URL, whose path ends in a slash, with a name appended that is not encoded.
    package func appending(name: some Sequence<UInt8>) -> HTTPURL {
        var path = path
        PercentEncoding.append(name, to: &path)
        return HTTPURL(origin: origin, path: path, query: query)
    }
}
