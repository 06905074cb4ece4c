// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitServer
import CredKitTerminal

extension CommandFailure {
    /// Creates the failure that reports any error of the libraries; `nil` for errors of the argument parser.
    init?(reporting error: any Error) {
        switch error {
        case let error as KeychainError:
            let failure = CommandFailure(reporting: error)
            self.init(failure.status, failure.message.map { $0 + Self.advice(on: error) })
        case let error as ClientError: self.init(reporting: error)
        case let error as SharedStateError: self.init(reporting: error)
        case let error as OneTimeCodeError where error.code == .malformedSeed:
            self.init(
                ExitStatus(error),
                "\(error); convert a seed in hexadecimal digits, as oathtool reads it, with: xxd -r -p | base32"
            )
        default: self.init(reportingLibrary: error)
        }
    }

    /// Creates the failure that reports an error of the login client.
    init(reporting error: ClientError) {
        if let error = error.keychainError {
            self.init(reporting: error)
        } else {
            self.init(
                ExitStatus(error),
                ShellQuoting.escapingUnprintable(error.description + Self.advice(on: error))
            )
        }
    }

    /// Creates the failure that reports an error of the database.
    init(reporting error: SharedStateError) {
        // A string that is longer than its column.
        guard error.sqlState == "22001" else {
            self.init(ExitStatus(error), "\(error)")
            return
        }
        self.init(
            ExitStatus(error),
            "the column of the hashes is too short for the new hashes, which have up to 512 characters; change its type "
                + "to text (\(error))"
        )
    }

    /// The failure for an item that does not exist, which names other accounts of the service, or else an item of a similar
    /// service; without a message if `isQuiet`.
    static func missingItem(
        _ key: CredentialKey,
        in keychain: Keychain,
        isQuiet: Bool
    ) async -> CommandFailure {
        guard !isQuiet else { return CommandFailure(.no) }
        var message = "there is no item \(key.nameForPeople)"
        // Without the names, the message still says what failed.
        let others = key.service.isEmpty ? [] : (try? await keychain.items(service: key.service)) ?? []
        let purpose = key.attributes[CredentialKey.purposeName]
        var names: [String] = []
        for item in others where item.key.attributes[CredentialKey.purposeName] == purpose {
            guard let account = item.account else { continue }
            if !names.contains("'\(account)'") { names.append("'\(account)'") }
        }
        let hasNone = others.contains {
            $0.account == nil && $0.key.attributes[CredentialKey.purposeName] == purpose
        }
        let rest = names.count > 5 ? " and \(names.count - 5) more" : ""
        let list = names.prefix(5).joined(separator: ", ") + rest
        let accounts = "the account\(names.count > 1 ? "s" : "") \(list)"
        switch (hasNone, names.count) {
        case (false, 0):
            if let near = await nearItem(to: key, in: keychain) {
                message += " (there is \(near.nameForPeople))"
            }
        case (true, 0): message += " (there is one with no account)"
        case (true, _): message += " (there is one with no account, and \(accounts))"
        case (false, 1): message += " (there is one with \(accounts))"
        case (false, _): message += " (there are \(accounts))"
        }
        return CommandFailure(.no, message)
    }

    /// Returns an item of the same purpose whose service is the one of a key but for capitals or a slip, the one of its
    /// account if there are several; `nil` if there is none.
    private static func nearItem(to key: CredentialKey, in keychain: Keychain) async -> CredentialKey? {
        /// The service as the user knows it.
        func name(_ key: CredentialKey) -> String { OneTimeCodeItem.publicKey(key).service.lowercased() }
        let (service, purpose) = (name(key), key.attributes[CredentialKey.purposeName])
        guard (1...64).contains(service.utf8.count) else { return nil }
        var near: [(distance: Int, key: CredentialKey)] = []
        for item in (try? await keychain.items()) ?? [] {
            let other = name(item.key)
            guard item.key.attributes[CredentialKey.purposeName] == purpose, other.utf8.count <= 64 else {
                continue
            }
            let distance = NearestWord.distance(service, other)
            if distance * 4 <= service.utf8.count { near.append((distance, item.key)) }
        }
        let nearest = near.map { $0.distance }.min()
        let keys = near.filter { $0.distance == nearest }.map { $0.key }
        return keys.first { $0.account == key.account } ?? keys.first
    }

    /// Returns advice on what to do at the shell.
    private static func advice(on error: KeychainError) -> String {
        switch error {
        // A source that was given and has failed says so itself.
        case .noPassphrase where error.detail == .noSource:
            """
            . Give one with --passphrase-file, --passphrase-fd or --passphrase-command, in CREDKIT_PASSPHRASE, or at a terminal
            """
        case .locked: " (credkit keychain unlock)"
        default: ""
        }
    }

    /// Returns advice on what to do at the shell.
    private static func advice(on error: ClientError) -> String {
        switch error.code {
        case .insecureConnection: return " (--allow-insecure-http overrides this)"
        // The option does not permit a downgrade by the server's answer.
        case .mechanismDowngrade where error.statusCode == nil:
            return " (--allow-mechanism-downgrade overrides this)"
        case .untrustedServer:
            return
                " (--cacert names a file of certificates to trust; none is accepted unchecked, as curl's -k does, since anyone "
                + "on the way could then read what is sent)"
        case .oneTimeCodeRequired: return " (credkit login … --otp SERVICE, or at a terminal)"
        case .serverUTCOffsetChanged:
            guard let offset = error.serverUTCOffset else { return "" }
            return
                " (to accept it: credkit login … --accept-time-offset \(TimeOffsetArgument(offset)))"
        default: return ""
        }
    }
}
