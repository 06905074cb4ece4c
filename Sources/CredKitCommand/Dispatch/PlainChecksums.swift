// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// `hash md5 FILE…` and its family without any option. They run without the argument parser, which takes longer to
/// start than the whole run of md5sum.
struct PlainChecksums {
    private enum Algorithm: String {
        case md5, sha1, sha256, sha384, sha512
    }

    private let algorithm: Algorithm
    private let files: [FileArgument]

    /// Parses the command line. Returns `nil` for any other command line.
    init?() {
        let words = RawArguments.bytes
        guard words.count > 2, CalledName.arguments.isEmpty, words.first == Array("hash".utf8),
            let algorithm = words.dropFirst().first.flatMap({
                Algorithm(rawValue: String(decoding: $0, as: UTF8.self))
            })
        else { return nil }
        var files: [FileArgument] = []
        files.reserveCapacity(words.count - 2)
        for word in words.dropFirst(2) {
            let file = FileArgument(bytes: word)
            if word.first == UInt8(ascii: "-") && !file.isStandardInput { return nil }
            files.append(file)
        }
        self.algorithm = algorithm
        self.files = files
    }

    func run() throws {
        switch algorithm {
        case .md5: try run(Legacy.MD5.self)
        case .sha1: try run(Legacy.SHA1.self)
        case .sha256: try run(SHA256.self)
        case .sha384: try run(SHA384.self)
        case .sha512: try run(SHA512.self)
        }
    }

    private func run<Function: DigestAlgorithm>(_: Function.Type) throws {
        try CommandFailure.answeringOne {
            try ChecksumOutput.printDigests(Function.self, of: files, style: .text, terminatedByNUL: false)
        }
    }
}
