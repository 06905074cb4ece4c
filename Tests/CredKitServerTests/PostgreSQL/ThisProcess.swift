// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the test process uses.
enum ThisProcess {
    static var threadCount: Int { count("/proc/self/task") }
    static var descriptorCount: Int { count("/proc/self/fd") }

    /// The resident memory in bytes.
    static var memory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }

    private static func count(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
    }
}
