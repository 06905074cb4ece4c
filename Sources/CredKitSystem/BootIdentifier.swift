// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A value that is another one each time the system starts.
package enum BootIdentifier {
    /// The value, random(4); `nil` if the system has none.
    package static var current: String? {
        guard let file = try? Descriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let bytes = try? file.readAll(limit: 64), bytes.count == 37
        else { return nil }
        return String(decoding: bytes.prefix(36), as: UTF8.self)
    }
}
