// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitTesting
import HTTPTypes

@testable import CredKitClient

/// A login server behind a scripted transport.
final class FakeServer: Sendable {
    typealias Answer = ScriptedTransport.Answer
    typealias Script = @Sendable (ScriptedTransport.Request) async -> Answer?

    struct State: Sendable {
        var passwords = ["alice": "zhang", "bob": "li"]
        var challenge = "2016-08-17 10:00"
        /// The logged-in users, by the value of their session cookie.
        var sessions: [String: String] = [:]
        var nextSession = 0
        var logins: [String] = []
        var dataTries = 0
        /// The users that the server saw in data requests.
        var dataUsers: [String] = []
        /// Scripts take precedence by path; `nil` falls through to the default answer.
        var scripts: [String: Script] = [:]
        var sendsToken = false
    }

    let state = Lock(State())

    var transport: ScriptedTransport { ScriptedTransport { [self] request in await answer(request) } }

    var loginCount: Int { state.withLock { $0.logins.count } }
    var dataTries: Int { state.withLock { $0.dataTries } }

    /// Forgets all logins, as a restarted server does.
    func expire() { state.withLock { $0.sessions = [:] } }

    func script(_ path: String, _ script: Script?) { state.withLock { $0.scripts[path] = script } }

    func answer(_ request: ScriptedTransport.Request) async -> Answer {
        let path = String((request.head.path ?? "/").prefix { $0 != "?" })
        let isData = path.hasPrefix("/data")
        if path == "/loginhmac.php" || path == "/login.php" {
            state.withLock { $0.logins.append(request.text) }
        }
        if isData { state.withLock { $0.dataTries += 1 } }
        if let script = state.withLock({ $0.scripts[path] }), let answer = await script(request) {
            return answer
        }
        switch path {
        case "/hmackey.php": return .json(#"{"key": "\#(state.withLock { $0.challenge })"}"#)
        case "/loginhmac.php", "/login.php": return logIn(request.text, isForm: path == "/login.php")
        case "/logout.php":
            state.withLock { state in state.sessions[Self.session(request) ?? ""] = nil }
            return .json("{}")
        default: return data(request)
        }
    }

    private func logIn(_ form: String, isForm: Bool) -> Answer {
        state.withLock { state in
            for (name, password) in state.passwords {
                guard let minute = try? Legacy.TimestampedLogin.Minute(state.challenge) else { continue }
                let proof = Legacy.TimestampedLogin(keyPhrase: "itheima").proof(for: password, at: minute).hex
                guard form == "username=\(name)&password=\(isForm ? password : proof)" else { continue }
                state.nextSession += 1
                let id = "cookie-secret-\(state.nextSession)"
                state.sessions[id] = name
                let answer = Answer.json(#"{"userId": 7}"#).addingHeader("Set-Cookie", "sid=\(id)")
                return state.sendsToken ? answer.addingHeader("x-auth-token", "token-secret-\(id)") : answer
            }
            return .json(#"{"userId": -1}"#)
        }
    }

    private func data(_ request: ScriptedTransport.Request) -> Answer {
        state.withLock { state in
            guard let user = Self.session(request).flatMap({ state.sessions[$0] }) else {
                return .json(#"{"error": "log in"}"#, status: .unauthorized)
            }
            state.dataUsers.append(user)
            return .json(#"{"user": "\#(user)"}"#)
        }
    }

    private static func session(_ request: ScriptedTransport.Request) -> String? {
        let cookies = request.head.headerFields[.cookie] ?? ""
        return cookies.split(separator: "; ").first { $0.hasPrefix("sid=") }.map { String($0.dropFirst(4)) }
    }
}

/// Blocks every caller until it is opened.
final class Gate: Sendable {
    private let outcome = SharedOutcome<Void, ClientError>()
    private let waiting = Lock(0)

    /// The number of callers so far.
    var count: Int { waiting.withLock { $0 } }

    func pass() async {
        waiting.withLock { $0 += 1 }
        // A cancelled caller continues.
        try? await outcome.value()
    }

    func open() { outcome.give(.success(())) }

    /// Waits until a number of callers have arrived.
    func hasCome(_ number: Int = 1) async {
        while count < number { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
