// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// Catches arguments that a command has no use for: they may be passwords, so the message does not repeat them.
package struct StrayArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("", visibility: .private))
    package var strayArguments: [String] = []

    package static let error = ValidationError(
        "There is an argument too many. A password never stands on the command line, where everybody on "
            + "this machine can see it: give it with --password-fd or --password-file, at the prompt, or "
            + "on standard input."
    )

    package init() {}

    package func validate() throws {
        guard strayArguments.isEmpty else { throw Self.error }
    }
}
