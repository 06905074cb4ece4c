// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// A variable for a secret: `NAME=SERVICE/ACCOUNT`.
struct VariableArgument {
    let name: String
    let key: CredentialKey

    /// Parses an argument. The service ends at the last slash, because it may be a URL; in the account, percent-encoding stands
    /// for slashes. Without an account, the item is the one that has none.
    ///
    /// - Throws: `ValidationError`.
    static func parse(_ text: String) throws -> VariableArgument {
        // Bytes, because a combining accent would belong to the same character as the sign before it.
        let bytes = Substring(text).utf8
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), isName(bytes[..<sign]) else {
            throw ValidationError("It must be NAME=SERVICE/ACCOUNT, with the name of a variable.")
        }
        let item = bytes[sign...].dropFirst()
        let slash = item.lastIndex(of: UInt8(ascii: "/"))
        let service = String(Substring(item[..<(slash ?? item.endIndex)]))
        guard !service.isEmpty else { throw ValidationError("The service before the last '/' is empty.") }
        var account: String?
        if let slash, item.index(after: slash) != item.endIndex {
            let encoded = item[slash...].dropFirst()
            guard let decoded = PercentText.decode(Substring(encoded)),
                let text = String(validating: decoded, as: UTF8.self)
            else {
                throw ValidationError(
                    "The account is percent-encoded, so that it can contain '/' as %2F: write %25 for '%'."
                )
            }
            account = text
        }
        return VariableArgument(
            name: String(Substring(bytes[..<sign])),
            key: CredentialKey(service: service, account: account)
        )
    }

    private static func isName(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, !(0x30...0x39).contains(first) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
