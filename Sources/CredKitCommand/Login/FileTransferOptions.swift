// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal

/// The options for files that are sent and received.
struct FileTransferOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the response to this file; - is standard output.",
            valueName: "file"
        )
    )
    var output: FileArgument?

    @Option(
        name: [.customShort("C"), .customLong("continue-at")],
        help: ArgumentHelp(
            "With -, continue an interrupted download to --output.",
            valueName: "-"
        )
    )
    var continueAt: TextArgument?

    @Option(
        name: [.customShort("T"), .long],
        help: ArgumentHelp(
            "Send this file.",
            valueName: "file"
        )
    )
    var uploadFile: FileArgument?

    /// Whether an earlier download is continued.
    var resumes: Bool { continueAt != nil }

    func validate() throws {
        guard let continueAt else { return }
        guard continueAt.text == "-" else {
            throw ValidationError("--continue-at can only be -: the position follows from what has arrived.")
        }
        guard let output, !output.isStandardInput else {
            throw ValidationError("--continue-at needs --output with the name of a file.")
        }
    }

    /// The body of the request; `nil` without --upload-file.
    func body() throws -> HTTPRequestBody? {
        guard let uploadFile else { return nil }
        return try HTTPRequestBody(file: Self.path(of: uploadFile))
    }

    /// Returns a URL to which the name of the file is appended if it ends in a slash.
    func target(_ url: HTTPURL) throws -> HTTPURL {
        guard let uploadFile, url.query == nil, url.path.utf8.last == UInt8(ascii: "/") else { return url }
        let name = uploadFile.bytes.split(separator: UInt8(ascii: "/")).last ?? []
        return url.appending(name: name)
    }

    /// Returns the name of a file for the library.
    static func path(of file: FileArgument) throws(CommandFailure) -> String {
        guard let path = String(validating: file.bytes, as: UTF8.self) else {
            throw CommandFailure(.usage, "\(file.quoted): the name is not UTF-8")
        }
        return path
    }
}
