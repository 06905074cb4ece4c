// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Prints the digests of files as `md5sum` and its family do.
struct ChecksumPrinter<Function: DigestAlgorithm> {
    let style: ChecksumLine.Style
    let terminatedByNUL: Bool

    /// Prints a line for each file, in their order.
    ///
    /// - Parameter files: The files.
    /// - Throws: ``CommandFailure`` when a file could not be read, after all others, or when a line cannot be written.
    func printDigests(of files: [FileArgument]) throws {
        var output = ChecksumOutput(
            algorithm: Function.name,
            style: style,
            terminatedByNUL: terminatedByNUL,
            files: files[...]
        )
        // One file alone is hashed fastest by itself.
        let paths = Function.self == Legacy.MD5.self && files.count > 1 ? files.map(\.bytes)[...] : []
        // A path that is only a dash is a file's, where here it is standard input, for which a run of files ends.
        var runEnd = 0
        while let file = output.files.first {
            let start = output.files.startIndex
            if !paths.isEmpty && start >= runEnd {
                runEnd = output.files.firstIndex(where: \.isStandardInput) ?? output.files.endIndex
            }
            if runEnd - start > 1 {
                let count = output.files.count
                MD5Files.hash(paths[start..<runEnd], to: &output)
                if let failure = output.failure { throw failure }
                try output.flush()
                if output.files.count < count { continue }
            }
            do {
                try output.write(Result.success(try InputFile(file).digest(Function.self)))
            } catch let error as FileError {
                try output.write(Result<Function.Digest, FileError>.failure(error))
            }
            try output.flush()
        }
        if output.didFail { throw CommandFailure(.no) }
    }
}
