// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal

/// How to log in where the command line does not say it: the strongest way that the server offers, if the offer leaves no
/// choice that only the user can make.
enum OfferedMechanism {
    /// What `credkit` can do without another option.
    enum Choice: Equatable {
        case scram(LoginProfile)
        case oauth(issuer: String)
        case bearer, basic, form

        /// Whether this is not weaker than the mechanism of this name, by which the user has logged in before: the strongest, what
        /// the user has named with the identifier of a client, or the same.
        func isAsStrong(as earlier: String) -> Bool {
            switch self {
            case .scram, .oauth: true
            case .bearer: earlier == "bearer"
            case .basic: earlier == "basic"
            case .form: earlier == "form"
            }
        }

        /// What to tell the user before a secret is asked for.
        var description: String {
            switch self {
            case .scram: "the server offers scram: the password is not sent"
            case .oauth(let issuer): "the server offers oauth, with itself as the issuer \(issuer)"
            case .bearer: "the server asks for a token (bearer), which is sent with each request"
            case .basic: "the server asks for basic: name and password themselves are sent with each request"
            case .form: "the server offers form: the password itself is sent to log in"
            }
        }
    }

    /// Chooses among the offers of a server.
    ///
    /// SCRAM is the strongest: the password is not sent, and the server proves itself. With the identifier of a client it is
    /// OAuth or nothing, and only if the server is the issuer itself. A token and a password are different secrets, and
    /// so are the password and its proof: where several are possible, the user chooses.
    ///
    /// - Parameters:
    ///   - offers: The offers.
    ///   - server: The server.
    ///   - clientID: The identifier of `--client-id`.
    ///   - hasUser: Whether the command line names a user, and the secret is so a password and not a token.
    ///   - allowsInsecureHTTP: Whether requests may go to another computer without encryption.
    /// - Returns: The choice; `nil` if the user must choose: see ``report(_:of:)``.
    static func choose(
        _ offers: LoginOffers,
        of server: HTTPURL,
        clientID: String?,
        hasUser: Bool,
        allowsInsecureHTTP: Bool
    ) -> Choice? {
        guard clientID == nil else {
            guard offers.issuers.count == 1, let issuer = offers.issuers.first,
                (try? Origin(issuer)) == server.origin
            else { return nil }
            return .oauth(issuer: issuer)
        }
        if let hashFunction = offers.scram {
            return .scram(.scram(hashFunction: hashFunction, path: offers.scramPath))
        }
        var only: [Choice] = []
        if offers.bearer { only.append(.bearer) }
        if offers.basic { only.append(.basic) }
        if offers.form { only.append(.form) }
        // A password is not sent in plain because a server wants it: an attacker may have answered.
        let isProtected = server.origin.isSecure || !allowsInsecureHTTP
        guard only.count == 1, let choice = only.first, offers.issuers.isEmpty, !offers.timestamped,
            isProtected, choice != .bearer || !hasUser
        else { return nil }
        return choice
    }

    /// Reports the choices that the user has, one on each line.
    static func report(_ offers: LoginOffers, of server: HTTPURL) {
        var choices: [(option: String, meaning: String)] = []
        if offers.scram != nil { choices.append(("scram", "proofs; the password is not sent")) }
        for issuer in offers.issuers {
            choices.append(
                (
                    // The user may copy the line, and the server has written this part of it.
                    "oauth --issuer \(ShellQuoting.quote(Array(issuer.utf8))) --client-id ID",
                    "in the browser, for programs that the issuer knows"
                )
            )
        }
        if offers.bearer || !offers.issuers.isEmpty {
            choices.append(("bearer", "a token, sent with each request"))
        }
        if offers.basic { choices.append(("basic", "name and password, sent with each request")) }
        if offers.timestamped {
            choices.append(("timestamp --key-phrase PHRASE", "a proof of the password (legacy)"))
        }
        if offers.form { choices.append(("form", "name and password, sent to log in")) }
        let start: String
        if choices.isEmpty {
            start = "the server \(server) does not say how to log in\(unsupported(offers))"
            choices = [
                ("scram", "proofs, with a server that has SCRAM at /scram"),
                ("oauth --issuer URL --client-id ID", "tokens of an authorization server"),
                ("bearer", "a token, sent with each request"),
                ("basic", "name and password, sent with each request"),
                ("form", "name and password, sent to /login.php"),
                ("timestamp --key-phrase PHRASE", "a proof of the password (legacy)"),
            ]
        } else {
            let offer =
                choices.count == 1
                ? "offers one way to log in, which is taken only if you name it" : "leaves the choice to you"
            start = "the server \(server) \(offer)\(unsupported(offers))"
        }
        StandardStreams.report(start + ":")
        let width = choices.map { $0.option.utf8.count }.max() ?? 0
        for choice in choices {
            let gap = String(repeating: " ", count: width - choice.option.utf8.count)
            let line = "  --mechanism \(choice.option)\(gap)  \(choice.meaning)"
            StandardStreams.show(ShellQuoting.escapingUnprintable(line) + "\n")
        }
        StandardStreams.show("'credkit help login' has examples, also of a --profile for other servers\n")
    }

    private static func unsupported(_ offers: LoginOffers) -> String {
        guard !offers.unsupported.isEmpty else { return "" }
        return " (it asks for \(offers.unsupported.joined(separator: ", ")), which credkit does not have)"
    }
}
