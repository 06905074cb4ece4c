// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc

/// Compares the files that a checksum list names with the digests in it, and reports the result for each file.
struct ChecksumComparison: ChecksumReceiver {
    /// The counts of results for one list.
    struct Tally {
        var unreadable = 0
        var mismatched = 0
        var matched = 0
    }

    private enum Status: String {
        case ok, failed, unreadable

        var text: String {
            switch self {
            case .ok: "OK"
            case .failed: "FAILED"
            case .unreadable: "FAILED open or read"
            }
        }
    }

    private let report: ChecksumCheckOptions.Report?
    private let ignoresMissing: Bool
    private let json: Bool

    var files: ArraySlice<FileArgument> = []
    /// The expected digests of the files.
    private var digests: ArraySlice<[UInt8]> = []

    var output = PendingOutput()
    var failure: CommandFailure?
    private(set) var tally = Tally()

    init(options: ChecksumCheckOptions, json: Bool) {
        report = options.report
        ignoresMissing = options.ignoreMissing
        self.json = json
    }

    /// Adds a file that the next call of `hashFiles` compares.
    mutating func add(_ file: FileArgument, digest: [UInt8]) {
        files.append(file)
        digests.append(digest)
    }

    mutating func take(
        _ outcome: Result<some Collection<UInt8>, FileError>,
        of file: FileArgument
    ) throws(CommandFailure) {
        guard let digest = digests.popFirst() else { return }
        switch outcome {
        case .success(let computed):
            let isMatch = ConstantTime.areEqual(Array(computed), digest)
            if isMatch { tally.matched += 1 } else { tally.mismatched += 1 }
            write(isMatch ? .ok : .failed, file)
        case .failure(let error):
            if ignoresMissing && error.operation == .open && error.errorNumber == ENOENT { return }
            try output.report("\(file.quoted): \(error.message)")
            tally.unreadable += 1
            write(.unreadable, file)
        }
    }

    private mutating func write(_ status: Status, _ file: FileArgument) {
        if report == .status || (report == .quiet && status == .ok) { return }
        if json {
            output.lines += JSONLine(["file": file.display, "status": status.rawValue]).bytes
            return
        }
        // Like md5sum --check, escape only names that contain a line feed.
        let escaped = file.bytes.contains(UInt8(ascii: "\n")) ? FileNameEscaping.escape(file.bytes) : nil
        if escaped != nil { output.lines.append(UInt8(ascii: "\\")) }
        output.lines += escaped ?? file.bytes
        output.lines += ": \(status.text)\n".utf8
    }
}
