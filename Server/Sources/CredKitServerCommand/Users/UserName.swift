// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// The name of a new user.
enum UserName {
    /// How long it may be, in bytes.
    static let byteCountLimit = 255

    /// Checks a name that was given on the command line.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - hasSite: Whether it is sent to a site.
    /// - Throws: `ValidationError` if a users file cannot hold it, or a site cannot get it.
    static func check(_ name: String, hasSite: Bool) throws {
        let bytes = RawArguments.encode(name)
        let isPrintable = name.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != ":"
        }
        guard String(validating: bytes, as: UTF8.self) != nil, isPrintable,
            (1...byteCountLimit).contains(bytes.count),
            !name.hasPrefix("#"), !name.hasPrefix(" ")
        else {
            throw ValidationError(
                "The name of a user has from 1 to \(byteCountLimit) bytes, without colons and control characters, and does not begin with '#' "
                    + "or a blank."
            )
        }
        guard !hasSite || LoginServer.canBeNamed(name) else {
            throw ValidationError(
                "With --site, the name of a user consists of printable ASCII characters without blanks: it is sent in a header."
            )
        }
    }
}
