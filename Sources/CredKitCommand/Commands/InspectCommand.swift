// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit inspect`: shows the properties of a stored hash.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the scheme and costs of a stored hash, and its status under the recommended policy.",
        discussion: """
            For instance:
              credkit inspect '$1$abc$iCQ2D3nhptRYi27fDYv2s1'
              cut -d : -f 2 htpasswd | credkit inspect

            With no HASH, or when HASH is -, read one hash per line from standard input. No hash is computed. The \
            exit status is 65 if a line is not a hash of a known scheme.
            """
    )

    @Argument(help: "The stored hash; - or none to read standard input.")
    var hash: String?

    @Flag(help: "Print one JSON object per line, for each hash.")
    var json = false

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func run() throws {
        if let hash, hash != "-" {
            try show(PasswordHash(hash), isFirst: true)
            return
        }
        var number = 0
        var isFirst = true
        var hasFailed = false
        do {
            try LineReader(InputFile(.standardInput)).forEachLine { line, isWhole in
                number += 1
                guard !line.isEmpty else { return }
                do {
                    guard isWhole else { throw PasswordError.unrecognized }
                    try show(PasswordHash(String(decoding: line, as: UTF8.self)), isFirst: isFirst)
                    isFirst = false
                } catch let error as PasswordError {
                    hasFailed = true
                    StandardStreams.report("line \(number): \(error)")
                }
            }
        } catch let error as FileError {
            throw CommandFailure(.inputOutput, "standard input: \(error.message)")
        }
        if hasFailed { throw CommandFailure(.malformed) }
    }

    private func show(_ hash: PasswordHash, isFirst: Bool) throws {
        let rows = Self.rows(hash)
        if json {
            try StandardStreams.write(JSONLine(Dictionary(uniqueKeysWithValues: rows)).bytes)
        } else {
            let width = rows.map(\.0.count).max() ?? 0
            let lines = rows.map { name, value in
                "\(name):" + String(repeating: " ", count: width - name.count + 1) + value
            }
            try StandardStreams.writeLine((isFirst ? "" : "\n") + lines.joined(separator: "\n"))
        }
    }

    private static func rows(_ hash: PasswordHash) -> [(String, String)] {
        let policy = PasswordPolicy.recommended
        let hashStatus = policy.assess(hash)
        var rows = [("scheme", hash.scheme.name)]
        if let keyID = hash.pepperKeyID { rows.append(("pepper", keyID)) }
        for parameter in hash.parameters { rows.append((parameter.name, parameter.value)) }
        rows.append(("salt-length", "\(hash.salt.count)"))
        rows.append(("memory-kib", "\(hash.memory.kibibytes)"))
        rows.append(("milliseconds", "\((hash.estimatedTime / .milliseconds(1) * 100).rounded() / 100)"))
        if let weakness = hash.weakness { rows.append(("weakness", weakness)) }
        rows.append(("policy", "\(hashStatus)"))
        if hashStatus != .current { rows.append(("replaced-by", "\(policy.preferred)")) }
        return rows
    }
}
