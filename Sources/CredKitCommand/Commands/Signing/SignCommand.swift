// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `credkit sign`: the commands on signatures of HTTP messages and webhooks.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign HTTP messages and webhooks, and verify their signatures.",
        discussion: """
            For instance:
              credkit sign --with hmac-sha256:k1=signing.key request.http

            Without a subcommand, a message is signed; 'credkit sign message --help' has the options. A file that is \
            called like a subcommand is given as ./verify.
            """,
        subcommands: [SignMessageCommand.self, VerifySignatureCommand.self, SignWebhookCommand.self],
        defaultSubcommand: SignMessageCommand.self
    )
}

/// `credkit sign verify`: the commands that verify signatures.
struct VerifySignatureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the signatures of HTTP messages and webhooks.",
        discussion: """
            For instance:
              credkit sign verify --with hmac-sha256:k1=signing.key signed.http

            Without a subcommand, a message is verified; 'credkit sign verify message --help' has the options.
            """,
        subcommands: [VerifyMessageCommand.self, VerifyWebhookCommand.self],
        defaultSubcommand: VerifyMessageCommand.self
    )
}
