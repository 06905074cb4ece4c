// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// What the command lines of `keychain` and `otp` end with: the options of the keychain, and no further arguments.
struct KeychainArguments: ParsableArguments {
    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments
}

/// A command that ends with ``KeychainArguments``.
protocol KeychainAction: AsyncCommand {
    var arguments: KeychainArguments { get }
}

extension KeychainAction {
    /// The options of the keychain.
    var options: KeychainOptions { arguments.options }
}
