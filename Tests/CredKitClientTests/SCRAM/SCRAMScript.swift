// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes

@testable import CredKitClient

/// A server that logs in by SCRAM over http, whose answers a test can change.
final class SCRAMScript: Sendable {
    typealias Answer = ScriptedTransport.Answer
    /// Changes the answer to a request: its status, its message and its other parts.
    typealias Change = @Sendable (inout Reply) -> Void

    /// An answer in its parts.
    struct Reply: Sendable {
        var status: HTTPResponse.Status
        var scheme = "SCRAM-SHA-256"
        var sid: String? = "exchange"
        /// The bytes of `data` before Base64; `nil` for none.
        var message: [UInt8]?
        /// The header, if it is not made of the parts above.
        var header: String?
        /// The header that carries it; `nil` for none.
        var field: String?
        /// Offers to replace the verifier.
        var ticket: String?
        var headers: [(String, String)] = []
        var body = "{}"

        var text: String {
            get { String(decoding: message ?? [], as: UTF8.self) }
            set { message = Array(newValue.utf8) }
        }

        fileprivate var answer: Answer {
            var answer = Answer.json(body, status: status)
            if let field {
                var parameters = sid.map { ["sid=\"\($0)\""] } ?? []
                if let message { parameters.append("data=\"\(Base64.standard.encode(message))\"") }
                if let ticket { parameters.append("verifier-ticket=\"\(ticket)\"") }
                let list = parameters.joined(separator: ", ")
                let made = field == "Authentication-Info" ? list : "\(scheme) \(list)"
                answer = answer.addingHeader(field, header ?? made)
            }
            for (name, value) in headers { answer = answer.addingHeader(name, value) }
            return answer
        }
    }

    struct State: Sendable {
        var verifier: SCRAM.Verifier
        var subject: SCRAM.VerifierSubject?
        /// The bindings of the connection.
        var bindings: [SCRAM.ChannelBinding] = []
        /// What clients said of channel binding.
        var flags: [SCRAM.BindingRequest] = []
        var first: SCRAM.ClientFirst?
        var serverFirst = ""
        var code: String?
        /// How many requests of each kind there were.
        var counts: [String: Int] = [:]
        var codes: [String] = []
        var sessions = 0
        var isExpired = false
    }

    let state: Lock<State>
    private let changes = Lock<(first: Change?, last: Change?)>((nil, nil))

    init(password: String = "zhang", iterations: Int = 4096, subject: SCRAM.VerifierSubject? = nil) throws {
        let verifier = try SCRAM.Verifier(password: password, iterations: .fewer(iterations))
        state = Lock(State(verifier: verifier, subject: subject))
    }

    var transport: ScriptedTransport { ScriptedTransport { [self] request in answer(request) } }

    func changeFirst(_ change: Change?) { changes.withLock { $0.first = change } }

    func changeLast(_ change: Change?) { changes.withLock { $0.last = change } }

    func count(_ name: String) -> Int { state.withLock { $0.counts[name] ?? 0 } }

    func answer(_ request: ScriptedTransport.Request) -> Answer {
        let path = request.head.path ?? ""
        guard path == "/scram" else {
            return state.withLock { state in
                state.counts[path, default: 0] += 1
                guard request.head.headerFields[.cookie] != nil, !state.isExpired else {
                    return .json("{}", status: .unauthorized)
                }
                return .json(#"{"user": "alice"}"#)
            }
        }
        guard let text = request.head.headerFields[.authorization],
            let header = try? SCRAM.AuthenticationHeader.credentials(text),
            let message = try? header.message()
        else {
            state.withLock { $0.counts["list", default: 0] += 1 }
            var answer = Answer.json("{}", status: .unauthorized)
            if !state.withLock({ $0.bindings.isEmpty }) {
                answer = answer.addingHeader("WWW-Authenticate", "SCRAM-SHA-256-PLUS")
            }
            return answer.addingHeader("WWW-Authenticate", "SCRAM-SHA-256")
        }
        var reply = header["sid"] == nil ? first(message) : last(message, request)
        reply.scheme = header.scheme ?? ""
        let change = changes.withLock { header["sid"] == nil ? $0.first : $0.last }
        change?(&reply)
        return reply.answer
    }

    private func first(_ message: String) -> Reply {
        state.withLock { state in
            state.counts["first", default: 0] += 1
            var reply = Reply(status: .unauthorized, field: "WWW-Authenticate")
            guard let first = try? SCRAM.ClientFirst(message),
                let server = try? SCRAM.Server(
                    clientFirst: first,
                    verifier: state.verifier,
                    subject: state.subject,
                    offer: .init(state.bindings)
                )
            else { return Reply(status: .badRequest) }
            state.flags.append(first.binding)
            (state.first, state.serverFirst) = (first, server.firstMessage)
            reply.text = server.firstMessage
            return reply
        }
    }

    private func last(_ message: String, _ request: ScriptedTransport.Request) -> Reply {
        state.withLock { state in
            state.counts["last", default: 0] += 1
            guard let first = state.first,
                let server = try? SCRAM.Server(
                    resuming: first,
                    serverFirst: state.serverFirst,
                    verifier: state.verifier,
                    offer: .init(state.bindings)
                ), let verdict = try? server.verify(message)
            else { return Reply(status: .badRequest) }
            switch verdict {
            case .rejected(let answer):
                var reply = Reply(status: .unauthorized, field: "WWW-Authenticate")
                reply.text = answer
                return reply
            case .accepted(let answer):
                var reply = Reply(status: .ok, field: "Authentication-Info")
                reply.text = answer
                if let code = state.code {
                    state.codes.append(request.text)
                    guard request.text == "otp=\(code)" else {
                        reply.body = #"{"userId": -1, "codeRequired": 1}"#
                        return reply
                    }
                }
                state.sessions += 1
                state.isExpired = false
                reply.headers = [
                    ("Set-Cookie", "sid=cookie-secret-\(state.sessions)"),
                    ("x-auth-token", "token-secret-\(state.sessions)"),
                ]
                return reply
            }
        }
    }
}
