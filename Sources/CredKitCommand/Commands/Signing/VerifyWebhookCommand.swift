// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import HTTPTypes

/// `credkit sign verify webhook`: verifies a webhook.
struct VerifyWebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Verify the signature of a webhook.",
        discussion: """
            For instance:
              credkit sign verify webhook github --key-file webhook.secret hook.http

            The file is the whole request: the first line, the headers, an empty line and the body. With -H, the headers \
            are given apart, and the file is the body alone. The body must be as it was received, byte by byte.

            Prints 'valid' with what is signed, or 'invalid', and exits with 0 or 1. A webhook that is sent again is valid \
            again, until it is too old, and one of github always.
            """
    )

    @Argument(help: "The form of the signature.")
    var format: WebhookFormat

    @Argument(help: "The file; - or none to read standard input.")
    var file: FileArgument?

    @OptionGroup(title: "Secret")
    var keyOptions: WebhookKeyOptions

    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header of the request, 'Name: value'; may be repeated. @file has one per line.",
            valueName: "text|@file"
        )
    )
    var header: [ContentArgument] = []

    @Option(
        help: ArgumentHelp(
            "How far the signed time may be from now, in both directions. (default: 5m)",
            valueName: "time"
        )
    )
    var tolerance: TimeArgument?

    @Option(
        help: ArgumentHelp("The time of receipt, in seconds since 1970 (default: now).", valueName: "seconds")
    )
    var at: Int64?

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print one JSON object (see docs/json.md).")
    var json = false

    private var input: FileArgument { file ?? .standardInput }

    func validate() throws {
        try keyOptions.require()
        try format.check(
            signs: format.signsTime,
            [("--at", at != nil), ("--tolerance", tolerance != nil)]
        )
        _ = try RequestOptions.fields(header.filter { !$0.isFile })
        try InputSources.check(keyOptions, others: header.map(\.descriptor) + [input.descriptor])
    }

    func run() throws {
        let secrets = try keyOptions.read()
        let (headers, content) = try request()
        let listing: WebhookListing
        do throws(SignatureError) {
            listing = try format.verify(
                content,
                headers: headers,
                secrets,
                tolerance: tolerance?.duration ?? .seconds(300),
                at: at.map { UnixTime($0) } ?? .now
            )
        } catch {
            throw CommandFailure(webhook: error)
        }
        try CommandOutput(json: json, quiet: quiet).print(listing, text: listing.text)
        if let reason = listing.reason {
            let isMissing = reason == WebhookSignature.Reason.missingHeader.description
            let needed = isMissing ? " (\(format.rawValue) needs \(format.headerNames))" : ""
            throw CommandFailure(.no, quiet ? nil : reason + needed)
        }
    }

    /// Reads the headers and the body.
    private func request() throws -> (headers: [(name: String, value: String)], body: [UInt8]) {
        guard header.isEmpty else {
            let headers = try RequestOptions.fields(header).map { (name: $0.name.rawName, value: $0.value) }
            return (headers, try input.readAll(limit: WebhookFormat.maximumBodyByteCount))
        }
        do {
            let message = try MessageFile(input, isSecure: true)
            let headers = message.fields.map { field in
                (name: field.name, value: String(decoding: field.value, as: UTF8.self))
            }
            return (headers, message.content)
        } catch let failure as CommandFailure where failure.status == .malformed {
            let advice = "give the headers with -H if the file is the body alone"
            throw CommandFailure(.malformed, failure.message.map { "\($0) (\(advice))" })
        }
    }
}
