// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// Catches unexpected arguments. They may be passwords, so the message does not repeat them.
package struct UnexpectedArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("", visibility: .private))
    package var strayArguments: [String] = []

    package static let error = ValidationError(
        "There is an argument too many, which is not shown here. A password is never given on the command line, "
            + "where all users of this machine can see it: give it with --password-fd or --password-file, at the "
            + "prompt, or on standard input."
    )

    package init() {}

    package func validate() throws {
        guard strayArguments.isEmpty else { throw Self.error }
    }
}
