// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Pins commands to one processor.
enum ProcessorPin {
    /// The command prefix for that. Both sides use it, and it takes a millisecond.
    static func prefix() throws -> [String] {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        // For example "0-1,4".
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed_list:") }),
            let first = line.split(whereSeparator: { !$0.isNumber }).first
        else { throw Failure(description: "no processors in /proc/self/status") }
        return ["taskset", "-c", String(first)]
    }
}
