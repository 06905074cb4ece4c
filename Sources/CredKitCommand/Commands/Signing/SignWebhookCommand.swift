// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit sign webhook`: prints the headers of a webhook.
struct SignWebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Sign the body of a webhook, and print the headers to send with it.",
        discussion: """
            For instance:
              credkit sign webhook github --key-file webhook.secret body.json

            standard: the headers of Standard Webhooks, whose secrets are 'whsec_' and Base64. stripe: Stripe-Signature, of \
            a time and the body. github: X-Hub-Signature-256, of the body alone, which can be sent again at any time.

            'curl -H @FILE --data-binary @BODY' sends the headers in a file with the body.
            """
    )

    @Argument(help: "The form of the signature.")
    var format: WebhookFormat

    @Argument(help: "The file with the body as it is sent; - or none to read standard input.")
    var body: FileArgument?

    @OptionGroup(title: "Secret")
    var keyOptions: WebhookKeyOptions

    @Option(
        help: ArgumentHelp(
            "For standard, the identifier of the event, the same when it is sent again.",
            valueName: "id"
        )
    )
    var id: String?

    @Option(
        help: ArgumentHelp("The time to sign, in seconds since 1970 (default: now).", valueName: "seconds")
    )
    var at: Int64?

    private var input: FileArgument { body ?? .standardInput }

    func validate() throws {
        try keyOptions.require()
        guard format != .standard || id != nil else {
            throw ValidationError("standard signs an identifier: give that of the event with --id.")
        }
        try format.check(signs: format == .standard, [("--id", id != nil)])
        try format.check(signs: format.signsTime, [("--at", at != nil)])
        try InputSources.check(keyOptions, others: [input.descriptor])
    }

    func run() throws {
        let secrets = try keyOptions.read()
        let content = try input.readAll(limit: WebhookFormat.maximumBodyByteCount)
        let headers: [(name: String, value: String)]
        do throws(SignatureError) {
            let time = at.map { UnixTime($0) } ?? .now
            headers = try format.headers(for: content, secrets, id: id ?? "", at: time)
        } catch {
            throw CommandFailure(webhook: error)
        }
        try StandardStreams.writeLine(headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
    }
}
