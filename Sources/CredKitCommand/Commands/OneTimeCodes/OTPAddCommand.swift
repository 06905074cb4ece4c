// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp add`: stores a key.
struct OTPAddCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Store a key of one-time codes, from an otpauth:// URI or a seed in Base32.",
        discussion: """
            For instance:
              echo 'jbsw y3dp ehpk 3pxp' | credkit otp add example.com alice
              printf 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP' | credkit otp add b

            The URI is what the QR code of a server contains. A seed alone may have lowercase letters and spaces; its other \
            parameters are options. An existing key is replaced only with --replace, because its codes are lost then.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Flag(
        help: "Make a new random key instead of reading one; 'credkit otp uri' prints it for the other side."
    )
    var generate = false

    @Flag(help: "Replace a key of the same service and account.")
    var replace = false

    @OptionGroup(title: "Seed without a URI")
    var parameters: OneTimeCodeParameterOptions

    @OptionGroup(title: "URI or seed")
    var secretOptions: OneTimeCodeSecretOptions

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        if generate {
            guard !secretOptions.isGiven else {
                throw ValidationError(
                    "--generate reads no URI or seed: leave out --secret-fd and --secret-file."
                )
            }
        } else {
            try InputSources.check(secretOptions, options)
        }
    }

    func execute() async throws {
        let new = try OneTimeCodeItem(makeKey(), for: item)
        let keychain = try await options.keychain()
        let key = try OneTimeCodeItem.credentialKey(item)
        let isThere = try await keychain.credential(for: key) != nil
        guard replace || !isThere else {
            let name = ShellQuoting.escapingUnprintable("\(key)")
            throw CommandFailure(
                .cannotCreate,
                "there is an item \(name) already (--replace overwrites it)"
            )
        }
        try await new.store(in: keychain)
    }

    private func makeKey() throws -> OneTimeCodeKey {
        if generate { return try parameters.key(seed: nil, for: item) }
        let secret = try secretOptions.read()
        // A seed has no colon.
        let isURI = secret.withSecretBytes { bytes in bytes.indices.contains { bytes[$0] == 0x3A } }
        guard isURI else { return try parameters.key(seed: secret, for: item) }
        guard !parameters.isGiven else {
            throw CommandFailure(
                .usage,
                "the URI has all parameters: leave out --digits, --algorithm, --period, --counter and --issuer"
            )
        }
        return try OneTimeCodeKey(uri: secret)
    }
}
