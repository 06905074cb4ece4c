// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// A type that processes the digests of files, in the order of the files.
protocol ChecksumReceiver: MD5Files.Receiver {
    /// The files whose digests have not been received yet.
    var files: ArraySlice<FileArgument> { get set }

    var output: PendingOutput { get set }

    /// The error in writing results of other threads.
    var failure: CommandFailure? { get set }

    /// Processes the digest of a file, or the error in reading it.
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

    /// Hashes all files: with MD5 sixteen at a time as far as they may be read ahead, otherwise one after the other.
    mutating func hashFiles<Function: DigestAlgorithm>(_: Function.Type) throws {
        guard !files.isEmpty else { return }
        output.restartMeter()
        // A single file is hashed faster without a batch.
        let isBatched = Function.self == Legacy.MD5.self && files.count > 1
        let batch = MD5Files(isBatched ? files.map(\.bytes)[...] : [])
        let first = files.startIndex
        // In a batch, the path `-` names a file. Here it means standard input, so a run of files ends before it.
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

extension InputFile {
    /// Returns the digest of the content.
    func digest<Function: DigestAlgorithm>(_: Function.Type) throws -> Function.Digest {
        var function = Function()
        try forEachChunk { function.update($0) }
        return function.finalize()
    }
}
