// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for the login that a request has: its session, none, or a signature.
struct RequestLoginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The session to use; the URL may then begin with a slash.",
            valueName: "name"
        ),
        completion: NameCompletion.sessions
    )
    var session: TextArgument?

    @Flag(help: "Send the request without a login.")
    var anonymous = false

    @Option(
        help: ArgumentHelp("Sign the request, as 'credkit sign --with' does.", valueName: "kind:keyid=file")
    )
    var sign: SignatureKeyArgument?
}
