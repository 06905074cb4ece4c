// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Who does something with the digests of some files, in their order.
protocol ChecksumReceiver: MD5Files.Receiver {
    /// The files whose digests have not come yet.
    var files: ArraySlice<FileArgument> { get set }

    var output: PendingOutput { get set }

    /// Why what came from other threads could not be written.
    var failure: CommandFailure? { get set }

    /// Takes the digest of a file, or why there is none.
    mutating func take(
        _ outcome: Result<some Collection<UInt8>, FileError>,
        of file: FileArgument
    ) throws(CommandFailure)
}

extension ChecksumReceiver {
    mutating func receive(_ outcomes: [MD5Files.Outcome]) -> Bool {
        do throws(CommandFailure) {
            for outcome in outcomes {
                guard let file = files.popFirst() else { break }
                try take(outcome, of: file)
            }
            try output.flush()
            return true
        } catch {
            failure = error
            return false
        }
    }

    mutating func advance(by byteCount: Int) { output.advance(by: byteCount) }

    /// Hashes all files: MD5 sixteen at once, as far as they may be read ahead, else one after the other.
    mutating func hashFiles<Function: DigestAlgorithm>(_: Function.Type) throws {
        guard !files.isEmpty else { return }
        output.restartMeter()
        // One file alone is hashed fastest by itself.
        let isBatched = Function.self == Legacy.MD5.self && files.count > 1
        let batch = MD5Files(isBatched ? files.map(\.bytes)[...] : [])
        let first = files.startIndex
        // A path that is only a dash is a file's, where here it is standard input, for which a run of files ends.
        var runEnd = first
        while !files.isEmpty {
            let start = files.startIndex
            if isBatched && start >= runEnd {
                runEnd = files.firstIndex(where: \.isStandardInput) ?? files.endIndex
            }
            if runEnd - start > 1 {
                let count = files.count
                batch.hash(start - first..<runEnd - first, to: &self)
                if let failure { throw failure }
                try output.flush()
                if files.count < count { continue }
            }
            guard let file = files.popFirst() else { return }
            do {
                try take(Result.success(try InputFile(file).digest(Function.self)), of: file)
            } catch let error as FileError {
                try take(Result<Function.Digest, FileError>.failure(error), of: file)
            }
            try output.flush()
        }
    }
}
