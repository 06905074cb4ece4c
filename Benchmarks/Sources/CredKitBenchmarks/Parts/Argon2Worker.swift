// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit
import Foundation

/// A process that makes Argon2id hashes on command: this program with other kernels or without huge pages, or argon2-cffi.
/// See ``CoProcess``. It answers `name`, and `hash MEMORY PASSES` with the nanoseconds of one hash.
struct Argon2Worker {
    /// The argument after the worker's name that turns huge pages off for the process.
    static let withoutHugePages = "without-huge-pages"

    private var contexts: [String: PasswordContext] = [:]

    /// Serves until standard input ends.
    static func run(_ arguments: some Collection<String>) throws {
        if arguments.contains(withoutHugePages) {
            guard baseline_turn_huge_pages_off() == 0 else {
                throw Failure(description: "huge pages cannot be turned off")
            }
        }
        var worker = Argon2Worker()
        while let line = readLine() {
            do {
                print("ok \(try worker.answer(line.split(separator: " ").map(String.init)))")
            } catch {
                print("error \(error)")
            }
        }
    }

    private mutating func answer(_ words: [String]) throws -> String {
        if words == ["name"] { return Argon2Implementation.selectedKernels ?? "libsodium" }
        guard words.count == 3, words[0] == "hash", let memoryKiB = Int(words[1]), let passes = Int(words[2])
        else { throw Failure(description: "malformed command") }
        let key = "\(memoryKiB) \(passes)"
        let policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(memoryKiB), passes: passes))
        let context = try contexts[key] ?? PasswordContext(policy: policy)
        contexts[key] = context
        let start = ContinuousClock.now
        guard try !context.hash("correct horse battery staple").isEmpty else {
            throw Failure(description: "no hash")
        }
        return "\(Int64(start.duration(to: .now) / .nanoseconds(1)))"
    }
}

extension CoProcess {
    /// This program again, with the given kernels.
    static func argon2(_ name: String, kernels: KernelPath?, _ arguments: [String] = []) throws -> CoProcess {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let process = try CoProcess(
            name,
            [program, "argon2-worker"] + arguments,
            environment: [KernelPath.variable: kernels?.rawValue ?? ""]
        )
        let answer = try process.ask("name")
        guard kernels == nil || answer == kernels?.rawValue else {
            throw Failure(description: "\(name) uses the kernels '\(answer)'")
        }
        return process
    }

    /// Python with argon2-cffi and bcrypt.
    static func argon2CFFI(_ options: Options) throws -> CoProcess {
        let process = try CoProcess("argon2-cffi", [options.python, options.pythonArgon2Worker])
        _ = try process.ask("name")
        return process
    }

    /// Times one hash of Argon2id.
    func hash(memoryKiB: Int, passes: Int) throws -> Sample { try time("hash \(memoryKiB) \(passes)") }

    /// Times one hash of bcrypt, which only python has.
    func bcrypt(cost: Int) throws -> Sample { try time("bcrypt \(cost)") }

    private func time(_ command: String) throws -> Sample {
        let answer = try ask(command)
        guard let nanoseconds = Double(answer) else {
            throw Failure(description: "\(name) answers with '\(answer)', which is not a time")
        }
        return Sample(seconds: nanoseconds / 1e9)
    }
}

extension Options {
    /// The path of the Python worker that makes hashes of Argon2id and bcrypt.
    var pythonArgon2Worker: String { "\(root)/Benchmarks/Python/argon2_worker.py" }
}
