// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitServer
import HTTPTypes
import Hummingbird

extension LoginServer {
    private static let interfaces: [String: EnvelopeKind] = [
        "/student/v5/student/list": .head, "/student/v5/student/detail": .head,
        "/studentList": .code, "/messages": .code,
    ]

    /// Returns whether a path requires a login.
    static func isData(_ interface: String) -> Bool { interfaces[interface] != nil }

    /// Returns the data of an endpoint, if the client is logged in.
    func data(_ interface: String, _ request: Request) async throws -> ServerAnswer {
        let now = clock.now
        let query = FormFields((request.uri.query ?? "").utf8)
        let kind: EnvelopeKind =
            switch query["envelope"] {
            case "h": .head
            case "code": .code
            default: Self.interfaces[interface] ?? .code
            }
        guard try await isLoggedIn(request) else {
            var answer = kind.refusal(.unauthorized, "log in first", at: now.text)
            answer.headers[.wwwAuthenticate] = "Cookie realm=\"credkit-server\""
            return answer
        }
        switch interface {
        case "/student/v5/student/detail":
            let number = (query["stuId"] ?? "").utf8.count < 10 ? Int(query["stuId"] ?? "") : nil
            guard let student = SchoolData.students.first(where: { $0.stuId == number }) else {
                return kind.refusal(.notFound, "there is no such student", at: now.text)
            }
            return kind.answer(student, at: now.text)
        case "/messages":
            guard let page = Int(query["page"] ?? "1"), let size = Int(query["pageSize"] ?? "15"),
                let messages = SchoolData.messages(page: page, pageSize: size)
            else {
                return kind.refusal(
                    .badRequest,
                    "page must be at least 1, and pageSize from 1 to 100",
                    at: now.text
                )
            }
            return kind.answer(messages, at: now.text)
        default:
            let wanted = query["id"]
            let students = SchoolData.students.filter { wanted == nil || "\($0.classId)" == wanted }
            if interface == "/studentList" && kind == .code { return kind.answer(students, at: now.text) }
            return kind.answer(
                SchoolData.StudentList(dataTotal: students.count, list: students),
                at: now.text
            )
        }
    }

    private func isLoggedIn(_ request: Request) async throws -> Bool {
        try await user(of: request) != nil
    }

    /// Returns the user who is logged in.
    func user(of request: Request) async throws -> String? {
        for token in tokens(of: request) {
            // A user who was removed has no session any more.
            if let user = try await service.sessions.user(of: token),
                try await accounts.identifier(ofUserNamed: user) != nil
            {
                return user
            }
        }
        return nil
    }

    /// Returns the tokens that a request carries, in its header and in its cookie.
    func tokens(of request: Request) -> [String] {
        [request.headers[.authToken], Self.cookie(Self.sessionCookie, of: request)].compactMap { $0 }
    }
}
#endif
