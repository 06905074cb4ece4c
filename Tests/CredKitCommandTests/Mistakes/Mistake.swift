// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Testing

/// A command line that a new user may type, and the answer.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// The words after `credkit`, for bash.
    let line: String
    /// The exit status.
    let status: Int32
    /// A part of the message, which names the way out.
    let way: String
    /// Standard input, as the format of printf.
    let input: String
    /// Whether the command runs without the rights of root.
    let isUnprivileged: Bool

    init(_ line: String, _ status: Int32, _ way: String, input: String = "", isUnprivileged: Bool = false) {
        (self.line, self.status, self.way) = (line, status, way)
        (self.input, self.isUnprivileged) = (input, isUnprivileged)
    }

    var testDescription: String { line }

    /// The files that command lines name, in a folder with nothing else.
    static let files = #"""
        umask 022; printf text > file; : > empty; mkdir dir; printf 'vault' > novault; chmod 600 novault
        printf 'alice,$1$abc$iCQ2D3nhptRYi27fDYv2s1\n' > table.csv
        printf 'alice:$1$abc$iCQ2D3nhptRYi27fDYv2s1\n' > table
        printf -- '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' > key.pem; chmod 600 key.pem
        printf %032d 0 > key; printf secret > secret; chmod 600 secret; printf x > locked; chmod 0 locked
        """#
}
