// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the threads of another process do, as far as the kernel tells.
enum ProcessActivity {
    /// Returns whether a thread of a process computes or waits for a disk.
    ///
    /// - Parameter process: The number of the process.
    /// - Returns: `false` also if this cannot be determined.
    static func isBusy(_ process: UInt32) -> Bool {
        let folder = "/proc/\(process)/task"
        guard let threads = unsafe opendir(folder) else { return false }
        defer { unsafe closedir(threads) }
        while let entry = unsafe readdir(threads) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let path = "\(folder)/\(name)/stat"
            guard UInt32(name) != nil, let status = KeyringFile.start(ofFile: path, byteCount: 256) else {
                continue
            }
            if isBusy(status: status) { return true }
        }
        return false
    }

    /// Returns whether a thread computes or waits for a disk.
    ///
    /// - Parameter status: The thread's `stat` (proc_pid_stat(5)): its state follows its name, which is in parentheses and
    ///   can contain any byte.
    /// - Returns: `false` also if there is no state.
    static func isBusy(status: [UInt8]) -> Bool {
        guard let end = status.lastIndex(of: UInt8(ascii: ")")) else { return false }
        let state = status[end...].dropFirst(2).first
        return state == UInt8(ascii: "R") || state == UInt8(ascii: "D")
    }
}
