// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for the session that a login saves.
struct LoginSessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The name of the session (default: https://host:port).",
            valueName: "name"
        ),
        completion: NameCompletion.sessions
    )
    var session: TextArgument?

    @Flag(help: "Do not save the password, nor renew the login.")
    var noSave = false

    @Option(
        help: ArgumentHelp(
            "Another origin that receives cookies and tokens.",
            valueName: "origin"
        )
    )
    var credentialOrigin: [TextArgument] = []

    @Flag(help: "Permit a weaker login than the session has.")
    var allowMechanismDowngrade = false
}
