// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a command as a separate process.
struct CommandRun {
    let command: [String]
    let output: String

    init(_ command: [String], output: String = "/dev/null") {
        self.command = command
        self.output = output
    }

    /// The time from before its start until after its end.
    func run() throws -> Sample {
        let start = ContinuousClock.now
        let process = try spawn()
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process else {
            throw Failure(description: "\(command[0]) is gone")
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        try check(status)
        let times = [usage.ru_utime, usage.ru_stime]
        let work = times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return Sample(seconds: seconds, processorSeconds: work)
    }

    /// The peak memory of the process, in KiB, sampled every millisecond. The system's accounting of an ended process
    /// includes the memory of its parent. Only for runs much longer than a millisecond.
    func peakKiB() throws -> Int {
        let process = try spawn()
        var status: Int32 = 0
        var peak = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { break }
            guard ended == 0 else { throw Failure(description: "\(command[0]) is gone") }
            peak = max(peak, Self.peakKiB(of: "\(process)"))
            usleep(1000)
        }
        try check(status)
        guard peak > 0 else { throw Failure(description: "\(command[0]) ended before it was sampled") }
        return peak
    }

    /// The peak memory of a process since it began to run its program, in KiB; 0 if it has ended.
    static func peakKiB(of process: String) -> Int {
        status("VmHWM:", of: process)
    }

    /// The memory of this process now, in KiB.
    static var residentKiB: Int { status("VmRSS:", of: "self") }

    private static func status(_ name: String, of process: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private func spawn() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawnp(&process, command[0], &actions, nil, &arguments, environ)
        guard code == 0 else {
            throw Failure(description: "\(command[0]) cannot be started: \(String(cString: strerror(code)))")
        }
        return process
    }

    private func check(_ status: Int32) throws {
        guard status == 0 else {
            let line = command.prefix(8).joined(separator: " ")
            throw Failure(description: "\(line) ended with status \(status >> 8), signal \(status & 127)")
        }
    }
}
