// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp add`: stores keys.
struct OTPAddCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Store a key of one-time codes.",
        discussion: """
            For instance:
              echo 'jbsw y3dp ehpk 3pxp' | credkit otp add example.com alice
              printf 'otpauth://totp/b:al?secret=JBSWY3DPEHPK3PXP' | credkit otp add

            The QR code of a server contains such a URI; without SERVICE, the item gets the names in it. The \
            otpauth-migration:// URI of an export of Google Authenticator stores each of its accounts; the exit status \
            is 1 if some were not added. An existing key is replaced only with --replace, because its codes are lost \
            then; otherwise the exit status is 73.
            """
    )

    @OptionGroup
    var item: OneTimeCodeArguments

    @Flag(help: "Make a new random key; 'credkit otp uri' prints it for the other side.")
    var generate = false

    @Flag(help: "Replace an existing key.")
    var replace = false

    @OptionGroup(title: "Seed without a URI")
    var parameters: OneTimeCodeParameterOptions

    @OptionGroup(title: "URI or seed")
    var secretOptions: OneTimeCodeSecretOptions

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        if generate {
            guard item.service != nil else {
                throw ValidationError("--generate requires a service, and usually an account.")
            }
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
        let named = try item.place()
        if generate, let named { return try await add(parameters.key(seed: nil, for: named), at: named) }
        let secret = try secretOptions.read(of: item.name)
        if OneTimeCodeExport.isExport(secret) {
            guard named == nil else {
                throw CommandFailure(.usage, "an export names its accounts: leave out SERVICE and ACCOUNT")
            }
            try refuseParameters()
            let new = try OneTimeCodeImport(OneTimeCodeExport(uri: secret), replaces: replace)
            return try await storing { keychain in
                try await new.store(in: keychain) { key in try item.place(of: key) }
            }
        }
        // A seed has no colon.
        let isURI = secret.withSecretBytes { bytes in bytes.indices.contains { bytes[$0] == 0x3A } }
        guard isURI else {
            guard let named else {
                throw CommandFailure(.usage, "a seed has no names: give SERVICE, and usually ACCOUNT")
            }
            return try await add(parameters.key(seed: secret, for: named), at: named)
        }
        try refuseParameters()
        let key = try OneTimeCodeKey(uri: secret)
        guard let place = try item.place(of: key) else {
            throw CommandFailure(.usage, "the URI has neither issuer nor account: give SERVICE")
        }
        try await add(key, at: place)
        if named == nil { StandardStreams.report("added \(place)") }
    }

    private func refuseParameters() throws {
        guard !parameters.isGiven else {
            throw CommandFailure(
                .usage,
                "the URI has all parameters: leave out --digits, --algorithm, --period, --counter and --issuer"
            )
        }
    }

    private func add(_ key: OneTimeCodeKey, at place: CredentialKey) async throws {
        try await storing { keychain in
            if !replace { try await keychain.refuseReplacing(OneTimeCodeItem.credentialKey(place)) }
            try await OneTimeCodeItem(key, at: place).store(in: keychain)
        }
    }

    /// Opens the keychain, and stores something in it while no other `credkit` stores items or changes a counter.
    private func storing(_ body: (Keychain) async throws -> Void) async throws {
        let keychain = try await options.keychain()
        let lock = try await options.storingLock(.storing)
        let counterLock = try await options.storingLock(.counter)
        try await body(keychain)
        counterLock?.release()
        lock?.release()
    }
}
