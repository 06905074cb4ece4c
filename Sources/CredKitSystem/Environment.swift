// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The environment variables of this process.
package enum Environment {
    /// Returns a variable's value; `nil` if it is not set or empty.
    package static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
        return unsafe String(cString: value)
    }
}
