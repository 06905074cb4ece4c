// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The variables of this process's environment.
package enum Environment {
    /// A variable's value; `nil` if it is not set or empty, which mean the same.
    package static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
        return unsafe String(cString: value)
    }
}
