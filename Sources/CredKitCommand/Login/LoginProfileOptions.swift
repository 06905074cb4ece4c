// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal

/// How a server wants its users to log in.
struct LoginProfileOptions: ParsableArguments {
    /// The two that need no profile of their own.
    enum Scheme: String, ExpressibleByArgument, CaseIterable {
        case timestamp, form
    }

    /// A profile is a page of text at most.
    private static let maximumByteCount = 1 << 20

    @Option(
        help: """
            timestamp: a proof of the password for the server's minute, to /loginhmac.php; form: the password itself, to \
            /login.php. (default: timestamp)
            """
    )
    var scheme: Scheme?

    @OptionGroup
    var keyPhraseOptions: KeyPhraseOptions

    @Option(
        help: ArgumentHelp(
            "A login profile in JSON, for servers with other paths, fields or rules; - is standard input.",
            valueName: "file"
        )
    )
    var profile: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The zone of the server's clock, such as Asia/Shanghai or +08:00: its minute must be right then.",
            valueName: "zone"
        )
    )
    var timeZone: ServerZoneArgument?

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] { [keyPhraseOptions.descriptor, profile?.descriptor].compactMap { $0 } }

    func validate() throws {
        if profile != nil {
            guard scheme == nil, !keyPhraseOptions.isGiven else {
                throw ValidationError(
                    "--profile has scheme and key phrase in it: give neither --scheme nor a key phrase."
                )
            }
        } else if scheme == .form {
            guard !keyPhraseOptions.isGiven, timeZone == nil else {
                throw ValidationError("A key phrase and --time-zone go with timestamped logins only.")
            }
        } else if !keyPhraseOptions.isGiven {
            throw ValidationError(
                "A timestamped login needs the server's key phrase: give one of --key-phrase, --key-phrase-file and "
                    + "--key-phrase-fd. Else give --scheme form, or a --profile."
            )
        }
    }

    /// The profile that the options say.
    func read() throws -> LoginProfile {
        var result: LoginProfile
        if let profile {
            let json = try profile.readAll(limit: Self.maximumByteCount)
            do throws(LoginError) {
                result = try LoginProfile(json: json)
            } catch {
                let text = ShellQuoting.escapingUnprintable(error.description)
                throw CommandFailure(.malformed, "\(profile.quotedForMessage): \(text)")
            }
        } else if scheme == .form {
            result = .form()
        } else {
            let bytes = try keyPhraseOptions.read(raw: false).heapCopy
            guard let phrase = String(validating: bytes, as: UTF8.self), !phrase.isEmpty else {
                throw CommandFailure(.malformed, "the key phrase is empty, or is not UTF-8")
            }
            result = .timestamped(keyPhrase: phrase)
        }
        guard let timeZone else { return result }
        guard case .timestamped(let keyPhrase, var time) = result.scheme else {
            throw ValidationError("--time-zone goes with timestamped logins only.")
        }
        time.timeZone = timeZone.name
        result.scheme = .timestamped(keyPhrase: keyPhrase, time: time)
        return result
    }
}
