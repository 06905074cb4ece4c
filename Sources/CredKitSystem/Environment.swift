// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The environment variables of this process.
package enum Environment {
    /// Returns a variable's value; `nil` if it is not set or empty.
    package static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
        return unsafe String(cString: value)
    }

    /// Returns a variable's value, which is a path; `nil` if it is not set or empty.
    ///
    /// - Parameter name: The variable.
    /// - Returns: The path.
    /// - Throws: ``SystemError`` if it is not UTF-8: with other characters it would be another path.
    package static func path(_ name: String) throws(SystemError) -> String? {
        guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
        guard let path = unsafe String(validatingCString: value) else {
            throw SystemError(.inputOutput, "the path in \(name) is not UTF-8; set \(name) to another one")
        }
        return path
    }
}
