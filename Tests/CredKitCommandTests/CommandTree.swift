// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitCommandTestSupport
import Foundation

/// The commands of `credkit`, found through their help.
struct CommandTree {
    /// The help texts, by command without `credkit`: `keychain slot list`. The root is an empty text.
    private(set) var help: [String: String] = [:]

    /// The tree, read once: a process for each command takes seconds.
    static let shared = Result {
        let shell = try Shell()
        defer { shell.remove() }
        return try CommandTree(shell)
    }

    private init(_ shell: Shell) throws { try add("", shell) }

    private mutating func add(_ command: String, _ shell: Shell) throws {
        let text = try shell.run("credkit \(command) --help").text
        help[command] = text
        guard let list = text.components(separatedBy: "\nSUBCOMMANDS:\n").dropFirst().first else { return }
        for line in list.split(separator: "\n") where line.hasPrefix("  ") && !line.hasPrefix("   ") {
            let name = String(line.split(separator: " ")[0])
            guard name != "See" else { continue }
            try add(command.isEmpty ? name : "\(command) \(name)", shell)
        }
    }
}
