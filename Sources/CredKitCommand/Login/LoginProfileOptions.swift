// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal

/// The options that describe how to log in to a server.
struct LoginProfileOptions: ParsableArguments, InputSource {
    /// The login mechanisms that need no profile file.
    enum Mechanism: String, ExpressibleByArgument, CaseIterable {
        case timestamp, scram, form, basic, bearer, oauth

        /// The profile; `nil` for those that need more.
        var profile: LoginProfile? {
            switch self {
            case .timestamp, .scram, .oauth: nil
            case .form: .form()
            case .basic: .basic()
            case .bearer: .bearer()
            }
        }
    }

    /// The maximum size of a profile in bytes.
    private static let maximumByteCount = 1 << 20

    @Option(help: ArgumentHelp("The user name; optional with a token.", valueName: "name"))
    var user: TextArgument?

    @Option(help: "How to log in. (default: what the server offers; timestamp with a key phrase)")
    var mechanism: Mechanism?

    @Option(
        help: ArgumentHelp(
            "A login profile in JSON, for other servers.",
            valueName: "file"
        )
    )
    var profile: FileArgument?

    @OptionGroup
    var keyPhraseOptions: KeyPhraseOptions

    @Option(
        help: ArgumentHelp(
            "The URL of the OAuth server, whose origin receives tokens.",
            valueName: "url"
        )
    )
    var issuer: TextArgument?

    @Option(help: ArgumentHelp("The identifier of this program there.", valueName: "id"))
    var clientID: TextArgument?

    @Option(
        help: ArgumentHelp("What to ask for there, separated by blanks.", valueName: "words")
    )
    var scope: TextArgument?

    @Option(
        help: ArgumentHelp(
            "With scram, bind the login to the TLS connection if possible. (default: none)",
            valueName: "kind"
        )
    )
    var channelBinding: ChannelBindingArgument?

    @Flag(help: "Do not log in without that.")
    var requireChannelBinding = false

    @Option(
        help: ArgumentHelp(
            "The zone of the server's clock: Asia/Shanghai, +08:00.",
            valueName: "zone"
        )
    )
    var timeZone: ServerZoneArgument?

    @Option(
        name: .customLong("accept-time-offset"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "Accept this as its new UTC offset: +08:00.",
            valueName: "offset"
        )
    )
    var acceptedTimeOffset: TimeOffsetArgument?

    @Option(
        help: ArgumentHelp(
            "Take a one-time code from this service's key (default: ask).",
            valueName: "service"
        )
    )
    var otp: TextArgument?

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { keyPhraseOptions.descriptors + [profile?.descriptor].compactMap { $0 } }

    func validate() throws {
        guard (mechanism == .oauth) == (issuer != nil), issuer == nil || clientID != nil,
            clientID == nil || issuer != nil || asksServer || profile != nil, scope == nil || clientID != nil
        else {
            throw ValidationError(
                "--mechanism oauth needs --issuer and --client-id. Only it and a --profile take --client-id, and --scope "
                    + "with it."
            )
        }
        guard mechanism == .scram || channelBinding == nil && !requireChannelBinding else {
            throw ValidationError("--channel-binding and --require-channel-binding need --mechanism scram.")
        }
        guard !requireChannelBinding || channelBinding?.kind != nil else {
            throw ValidationError(
                "--require-channel-binding needs --channel-binding server-end-point or exporter."
            )
        }
        if let issuer { _ = try ConnectionOptions.url(issuer.text) }
        if profile != nil {
            guard mechanism == nil, !keyPhraseOptions.isGiven else {
                throw ValidationError(
                    "--profile already contains mechanism and key phrase: remove --mechanism and the key phrase."
                )
            }
        } else if mechanism == .scram || asksServer {
            guard timeZone == nil else {
                throw ValidationError("--time-zone is valid only for timestamped logins.")
            }
        } else if mechanism != nil, mechanism != .timestamp {
            guard !keyPhraseOptions.isGiven, timeZone == nil else {
                throw ValidationError(
                    "A key phrase is valid only for timestamped logins and scram, and --time-zone only for the former."
                )
            }
        } else if !keyPhraseOptions.isGiven {
            throw ValidationError(
                "A timestamped login needs the server's key phrase: give one of --key-phrase, --key-phrase-file and "
                    + "--key-phrase-fd."
            )
        }
    }

    /// The origins that the options name.
    func origins() throws -> [Origin] { try issuer.map { [try ConnectionOptions.url($0.text).origin] } ?? [] }

    /// Whether the server is asked how to log in: a key phrase is for timestamped logins unless another mechanism is named.
    private var asksServer: Bool { mechanism == nil && profile == nil && !keyPhraseOptions.isGiven }

    /// Asks the authorization server that the options name for its endpoints, or else the server for what it offers.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - configuration: How to connect to both.
    ///   - earlier: The mechanism of the login that this one replaces, which an attacker may want to weaken; `nil` for none.
    ///   - dpop: Whether tokens of OAuth are bound to a key; `nil` for no.
    /// - Returns: The profile.
    /// - Throws: The error of the server; ``CommandFailure`` without a message after the user's choices were reported.
    func discover(
        at server: HTTPURL,
        _ configuration: LoginSession.Configuration,
        replacing earlier: String?,
        dpop: DPoPMode?
    ) async throws -> LoginProfile {
        if let issuer { return try await oauth(issuer.text, dpop, configuration) }
        let offers = try await LoginOffers.ask(server.absoluteString, configuration: configuration)
        let choice = OfferedMechanism.choose(
            offers,
            of: server,
            clientID: clientID?.text,
            hasUser: user != nil,
            allowsInsecureHTTP: configuration.allowsInsecureHTTP
        )
        guard let choice, earlier.map(choice.isAsStrong) ?? true else {
            if choice != nil, let earlier {
                StandardStreams.report(
                    "the session is logged in by \(earlier), which \(server) does not offer"
                )
            }
            OfferedMechanism.report(offers, of: server)
            throw CommandFailure(.usage)
        }
        StandardStreams.report(choice.description)
        switch choice {
        case .scram(let profile): return profile
        case .oauth(let issuer): return try await oauth(issuer, dpop, configuration)
        case .bearer: return .bearer()
        case .basic: return .basic()
        case .form: return .form()
        }
    }

    private func oauth(
        _ issuer: String,
        _ dpop: DPoPMode?,
        _ configuration: LoginSession.Configuration
    ) async throws -> LoginProfile {
        guard let clientID else { throw ValidationError("--client-id is missing.") }
        return try await LoginProfile.oauth(
            issuer: issuer,
            clientID: clientID.text,
            scope: scope?.text,
            dpop: dpop,
            configuration: configuration
        )
    }

    private func keyPhrase() throws -> String {
        let bytes = try keyPhraseOptions.read(raw: false).heapCopy
        guard let phrase = String(validating: bytes, as: UTF8.self), !phrase.isEmpty else {
            throw CommandFailure(.malformed, "the key phrase is empty, or is not UTF-8")
        }
        return phrase
    }

    /// Returns the login profile that the options describe; `nil` if ``discover(at:_:replacing:dpop:)`` finds it.
    func read() throws -> LoginProfile? {
        guard issuer == nil, !asksServer else { return nil }
        var result: LoginProfile
        if let profile {
            let json = try profile.readAll(limit: Self.maximumByteCount, isTrusted: true)
            do throws(ClientError) {
                result = try LoginProfile(json: json)
            } catch {
                let text = ShellQuoting.escapingUnprintable(error.description)
                throw CommandFailure(.malformed, "\(profile.quotedForMessage): \(text)")
            }
            if let clientID {
                do throws(ClientError) {
                    try result.set(clientID: clientID.text, scope: scope?.text)
                } catch {
                    throw ValidationError("--client-id: \(error.description).")
                }
            }
            // The profiles of docs/profiles are to be filled in.
            guard !result.lacksClientID else {
                throw CommandFailure(
                    .usage,
                    "\(profile.quotedForMessage): clientID is still 'CLIENT-ID': put in your client identifier, or give --client-id"
                )
            }
        } else if let other = mechanism?.profile {
            result = other
        } else if mechanism == .scram {
            result = .scram(
                keyPhrase: keyPhraseOptions.isGiven ? try keyPhrase() : nil,
                channelBinding: channelBinding?.binding(isRequired: requireChannelBinding) ?? .none
            )
        } else {
            result = .timestamped(keyPhrase: try keyPhrase())
        }
        guard let timeZone else { return result }
        guard case .timestamped(let keyPhrase, var time) = result.scheme else {
            throw ValidationError("--time-zone is valid only for timestamped logins.")
        }
        time.timeZone = timeZone.name
        result.scheme = .timestamped(keyPhrase: keyPhrase, challenge: time)
        return result
    }
}

/// The value of `--channel-binding`.
enum ChannelBindingArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case serverEndPoint = "server-end-point"
    case exporter

    /// The kind of binding; `nil` for none.
    var kind: SCRAM.ChannelBinding.Kind? {
        switch self {
        case .none: nil
        case .serverEndPoint: .serverEndPoint
        case .exporter: .exporter
        }
    }

    /// The setting of a profile.
    func binding(isRequired: Bool) -> LoginProfile.ChannelBinding {
        guard let kind else { return .none }
        return isRequired ? .required(kind) : .preferred(kind)
    }
}

/// The zone of a server's clock: a name of the tz database, `UTC`, or an offset such as `+08:00`.
struct ServerZoneArgument: ExpressibleByArgument {
    let name: String

    init?(argument: String) {
        var time = LoginProfile.ChallengeSource()
        time.timeZone = argument
        // Parsing a profile checks its time zone.
        let profile = LoginProfile.timestamped(keyPhrase: "phrase", challenge: time)
        guard (try? LoginProfile(json: profile.json())) != nil else { return nil }
        name = argument
    }
}
