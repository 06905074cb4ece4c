// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// An address or a name, and a port: `127.0.0.1:8080`, `[::1]:8080`.
struct ListenAddress: ExpressibleByArgument {
    let host: String
    let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(argument[argument.utf8.index(after: colon)...])
        else { return nil }
        var host = argument[..<colon]
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }

    /// The text that the option takes.
    var defaultValueDescription: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Returns the URL of a server on the address.
    func url(hasTLS: Bool) -> String { "\(hasTLS ? "https" : "http")://\(defaultValueDescription)" }

    /// Whether a server on this address and one on another could not listen at the same time.
    func usesPort(of other: ListenAddress) -> Bool { port != 0 && port == other.port && host == other.host }

    /// Whether only this machine can connect.
    var isLoopback: Bool {
        host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
    }
}
