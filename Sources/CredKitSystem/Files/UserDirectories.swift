// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The directories of this user's files, according to the XDG Base Directory Specification. Values that are not
/// absolute paths are ignored, as the specification requires.
package enum UserDirectories {
    /// `$XDG_DATA_HOME`, or `~/.local/share`.
    package static func data() throws(SystemError) -> String {
        if let directory = try absolute("XDG_DATA_HOME") { return directory }
        return try home() + "/.local/share"
    }

    /// `$XDG_STATE_HOME`, or `~/.local/state`.
    package static func state() throws(SystemError) -> String {
        if let directory = try absolute("XDG_STATE_HOME") { return directory }
        return try home() + "/.local/state"
    }

    /// `$XDG_CACHE_HOME`, or `~/.cache`.
    package static func cache() throws(SystemError) -> String {
        if let directory = try absolute("XDG_CACHE_HOME") { return directory }
        return try home() + "/.cache"
    }

    /// `$XDG_RUNTIME_DIR`, if it is set.
    package static var runtime: String? { try? absolute("XDG_RUNTIME_DIR") }

    private static func absolute(_ name: String) throws(SystemError) -> String? {
        guard let path = try Environment.path(name), path.utf8.first == UInt8(ascii: "/") else { return nil }
        return path
    }

    private static func home() throws(SystemError) -> String {
        if let home = try absolute("HOME") { return home }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16384)
        let home: String? = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress,
                unsafe getpwuid_r(geteuid(), &entry, base, buffer.count, &found) == 0,
                unsafe found != nil, let directory = unsafe entry.pw_dir
            else { return nil }
            return unsafe String(cString: directory)
        }
        guard let home, home.utf8.first == UInt8(ascii: "/") else {
            throw SystemError(
                .notFound,
                "there is no home directory: HOME is not set; set it, or name the file itself"
            )
        }
        return home
    }
}
