// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// What a command writes to its standard error. It is shown on the standard error of this process, with escapes in place
/// of what could disturb a terminal, up to a limit. The last line is kept for an error.
struct CommandMessages {
    /// The maximum number of bytes that are shown.
    private static let shownByteCount = 16 << 10
    /// The maximum number of bytes of a line for an error.
    private static let lineByteCount = 256

    /// The pipe that the command writes to; `nil` after its end.
    private var source: Descriptor?
    /// The beginning of the current line.
    private var line: [UInt8] = []
    /// What was read and not shown yet.
    private var unshown: [UInt8] = []
    private var remaining = Self.shownByteCount
    /// The last line that is not blank, with escapes.
    private(set) var lastLine = ""

    init(_ source: Descriptor) { self.source = source }

    /// What `poll` waits for.
    var input: pollfd { pollfd(fd: source?.number ?? -1, events: Int16(POLLIN), revents: 0) }

    /// Reads what there is, and shows the whole lines of it. The source must be ready.
    mutating func read() {
        guard let source else { return }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            var result = -1
            repeat {
                result = unsafe Glibc.read(source.number, buffer.baseAddress, buffer.count)
            } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        if bytes.isEmpty {
            self.source = nil
            endLine()
        }
        for byte in bytes {
            if unshown.count < Self.shownByteCount { unshown.append(byte) }
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if line.count < Self.lineByteCount {
                line.append(byte)
            }
        }
        if let end = unshown.lastIndex(of: UInt8(ascii: "\n")) { show(end + 1) }
    }

    /// Shows the beginning of a line too, which may be a question.
    mutating func showAll() { show(unshown.count) }

    /// Reads and shows what the command has left behind when it ended. Other programs may still hold the pipe open.
    mutating func finish() {
        for _ in 0..<64 {
            var input = input
            guard unsafe poll(&input, 1, 0) > 0 else { break }
            read()
        }
        endLine()
        showAll()
    }

    private mutating func endLine() {
        let text = Self.escaping(line)
        if text.contains(where: { $0 != " " && $0 != "\t" }) { lastLine = text }
        line = []
    }

    private mutating func show(_ count: Int) {
        let bytes = unshown.prefix(min(count, remaining))
        unshown.removeFirst(count)
        guard !bytes.isEmpty else { return }
        remaining -= bytes.count
        var text = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map(Self.escaping).joined(separator: "\n")
        if remaining == 0 { text += "\n(further messages of the passphrase command are not shown)\n" }
        // A failure here cannot be reported anywhere.
        _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Returns a line in which escapes replace what is not printable: control characters, also those of changed writing
    /// directions.
    private static func escaping(_ line: some Collection<UInt8>) -> String {
        let isCRLF = line.count > 0 && Array(line).last == UInt8(ascii: "\r")
        return String(decoding: line.dropLast(isCRLF ? 1 : 0), as: UTF8.self)
            .escapingUnprintableAsOctal(except: ["\t"])
    }
}
