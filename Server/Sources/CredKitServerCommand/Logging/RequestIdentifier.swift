// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPField.Name {
    static var requestID: Self { Self("x-request-id") ?? .from }
}

/// The identifier of a request, by which the lines of several servers are found.
enum RequestIdentifier {
    /// Returns the identifier that a trusted proxy has given to a request, otherwise a new one.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request. An identifier has 1 to 128 letters, digits or characters of `.-_`.
    ///   - isTrusted: Whether a trusted proxy has sent them.
    /// - Returns: The identifier.
    static func of(_ headers: HTTPFields, isTrusted: Bool) -> String {
        let given = headers[values: .requestID]
        if isTrusted, given.count == 1, isWellFormed(given[0]) { return given[0] }
        var generator = SystemRandomNumberGenerator()
        let digits = [generator.next() as UInt64, generator.next()].map { number in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        return digits.joined()
    }

    private static func isWellFormed(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: ".-_".utf8.contains(byte)
                }
            }
    }
}
