// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// The site that passkeys are for.
    public struct RelyingParty: Sendable, Hashable {
        /// The domain that passkeys are bound to, the RP ID. It cannot be changed later: all passkeys would be lost.
        public let id: String

        /// The name for people, which some authenticators show.
        public let name: String

        /// The origins that may use the passkeys.
        public let origins: [String]

        /// What authenticators sign for the domain.
        let idHash: MessageDigest<32>

        /// Creates a relying party.
        ///
        /// - Parameters:
        ///   - id: The domain of the site or one above it, such as `example.org`: lowercase, without a port, no IP address.
        ///   - name: The name for people.
        ///   - origins: The origins as browsers write them, such as `https://login.example.org` or `http://localhost:8080`:
        ///     with a port only if it is not the default, on the domain or below it, and `http` for `localhost` only. At
        ///     least one.
        /// - Throws: ``Error``, with the code `invalidArgument`, if the domain or an origin is something else.
        public init(id: String, name: String, origins: [String]) throws(Error) {
            guard Self.isDomain(Array(id.utf8)) else {
                throw .invalidArgument("the RP ID is not a lowercase domain: '\(id)'")
            }
            for origin in origins where !Self.isOrigin(Array(origin.utf8), of: Array(id.utf8)) {
                throw .invalidArgument("not an origin of \(id) as browsers write it: '\(origin)'")
            }
            guard !origins.isEmpty else { throw .invalidArgument("there is no origin") }
            self.id = id
            self.name = name
            self.origins = origins
            idHash = SHA256.hash(data: id.utf8)
        }

        private static func isDomain(_ text: [UInt8]) -> Bool {
            let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard text.count <= 253, let last = labels.last else { return false }
            // Browsers take a name for an IPv4 address if its last label is a number.
            let isNumber = last.allSatisfy(isDigit) || last.starts(with: "0x".utf8)
            return !isNumber && labels.allSatisfy(isLabel)
        }

        private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
            let hyphen = UInt8(ascii: "-")
            guard 1...63 ~= label.count, label.first != hyphen, label.last != hyphen else { return false }
            return label.allSatisfy { isDigit($0) || 0x61...0x7A ~= $0 || $0 == hyphen }
        }

        private static func isOrigin(_ origin: [UInt8], of id: [UInt8]) -> Bool {
            let isSecure = origin.starts(with: "https://".utf8)
            guard isSecure || origin.starts(with: "http://".utf8) else { return false }
            let parts = origin.dropFirst(isSecure ? 8 : 7)
                .split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard let host = parts.first, isDomain(Array(host)), isEqual(host, orBelow: id) else {
                return false
            }
            guard isSecure || isEqual(host, orBelow: Array("localhost".utf8)) else { return false }
            return parts.count == 1 || isPort(parts[1], default: isSecure ? 443 : 80)
        }

        private static func isEqual(_ host: ArraySlice<UInt8>, orBelow domain: [UInt8]) -> Bool {
            host.elementsEqual(domain)
                || host.suffix(domain.count + 1).elementsEqual([UInt8(ascii: ".")] + domain)
        }

        /// Returns whether a port is written as browsers do: without leading zeros, and not the default.
        private static func isPort(_ digits: ArraySlice<UInt8>, default standard: Int) -> Bool {
            guard 1...5 ~= digits.count, digits.allSatisfy(isDigit), digits.first != UInt8(ascii: "0") else {
                return false
            }
            let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            return port <= 65_535 && port != standard
        }

        private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    }
}
