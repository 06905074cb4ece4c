// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// `hash md5 FILE…` and the like without any option: run without the argument parser, which takes longer to start than
/// md5sum takes in all.
struct PlainChecksums {
    private let name: String
    private let files: [FileArgument]

    /// Takes a command line if it is such a one.
    init?(_ arguments: [String]) {
        guard arguments.count > 2, arguments[0] == "hash",
            ["md5", "sha1", "sha256", "sha384", "sha512"].contains(arguments[1])
        else { return nil }
        name = arguments[1]
        var files: [FileArgument] = []
        files.reserveCapacity(arguments.count - 2)
        for argument in arguments.dropFirst(2) {
            if argument.utf8.first == UInt8(ascii: "-") && argument != "-" { return nil }
            files.append(FileArgument(argument: argument))
        }
        self.files = files
    }

    func run() throws {
        switch name {
        case "md5": try run(Legacy.MD5.self)
        case "sha1": try run(Legacy.SHA1.self)
        case "sha256": try run(SHA256.self)
        case "sha384": try run(SHA384.self)
        default: try run(SHA512.self)
        }
    }

    private func run<Function: DigestAlgorithm>(_: Function.Type) throws {
        try CommandFailure.answeringOne {
            try ChecksumPrinter<Function>(style: .text, terminatedByNUL: false).printDigests(of: files)
        }
    }
}
