// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs a command and measures it as a whole process, by the system's own accounting.
struct CommandRun {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let command: [String]
    let output: String

    init(_ command: [String], output: String = "/dev/null") {
        self.command = command
        self.output = output
    }

    func run() throws -> Sample {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        var status: Int32 = 0
        var usage = rusage()
        let start = ContinuousClock.now
        guard posix_spawnp(&process, command[0], &actions, nil, &arguments, environ) == 0 else {
            throw Failure(description: "cannot start \(command[0])")
        }
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            throw Failure(description: "\(command.joined(separator: " ")) ended with status \(status >> 8)")
        }
        return Sample(seconds: start.duration(to: .now) / .seconds(1), peakKiB: usage.ru_maxrss)
    }
}
