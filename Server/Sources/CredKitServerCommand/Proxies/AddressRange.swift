// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The addresses with a common prefix, `10.0.0.0/8` or `2001:db8::/32`; without a length a single address.
struct AddressRange: Sendable, Hashable, ExpressibleByArgument {
    private let network: NetworkAddress
    /// The number of common bits, of 128.
    private let prefixLength: Int

    /// Parses a range.
    ///
    /// - Parameter argument: The range. Bits after the prefix must be 0, so that a mistyped length is noticed; the length must
    ///   not be 0, which is the whole internet.
    init?(argument: String) {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let network = NetworkAddress(parts[0]) else { return nil }
        let isMapped = network.isIPv4 && !parts[0].contains(":")
        let width = isMapped ? 32 : 128
        var length = width
        if parts.count == 2 {
            let digits = parts[1]
            guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ 48...57 ~= $0 }),
                digits.utf8.first != UInt8(ascii: "0"), let number = Int(digits), number <= width
            else { return nil }
            length = number
        }
        self.network = network
        prefixLength = length + 128 - width
        guard network.bytes == Self.masked(network.bytes, prefixLength) else { return nil }
    }

    /// Returns whether an address is in the range.
    func contains(_ address: NetworkAddress) -> Bool {
        Self.masked(address.bytes, prefixLength) == network.bytes
    }

    /// Returns an address with the bits after a prefix set to 0.
    private static func masked(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(max(length - index * 8, 0), 8)
            return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }
}
