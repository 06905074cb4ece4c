// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Sessions with a cache, and a server whose pages may be stored.
class CacheTestCase: SessionTestCase {
    /// The seconds since the beginning of the test, by the session's clock.
    let elapsed = Lock<Int64>(0)

    /// An endpoint whose response is its body.
    static func page(_ path: String = "/data/page") -> Endpoint<[UInt8]> { .get(path) }

    func caching(
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) throws -> LoginSession {
        try session("http://127.0.0.1:1") {
            $0.cache = .standard
            $0.cache?.folder = folder + "/responses"
            $0.now = { [elapsed] in Self.morning + .seconds(elapsed.withLock { $0 }) }
            change(&$0)
        }
    }

    func loggedInWithCache(
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) async throws -> LoginSession {
        let session = try caching(change)
        try await session.logIn(username: "alice", password: "zhang")
        return session
    }

    /// Lets the server answer a path with its user's own page, and these fields.
    func serve(
        _ path: String = "/data/page",
        _ fields: [String: String] = ["Cache-Control": "max-age=60"],
        status: HTTPResponse.Status = .ok,
        body: @escaping @Sendable (String) -> String = { "page of \($0)" }
    ) {
        server.script(path) { [server] request in
            let cookies = (request.head.headerFields[.cookie] ?? "").split(separator: "; ")
            let user = server.state.withLock { state in
                state.sessions.first { cookies.contains("sid=\($0.key)") }?.value
            }
            if request.head.headerFields[.ifNoneMatch] != nil, let tag = fields["ETag"],
                request.head.headerFields[.ifNoneMatch] == tag
            {
                return Self.answer(.notModified, fields, "")
            }
            return Self.answer(status, fields, body(user ?? "none"))
        }
    }

    static func answer(
        _ status: HTTPResponse.Status,
        _ fields: [String: String],
        _ body: String
    ) -> ScriptedTransport.Answer {
        var answer = ScriptedTransport.Answer.response(status, body: HTTPResponseBody(Array(body.utf8)))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            answer = answer.addingHeader(name, value)
        }
        return answer
    }

    /// The paths of all files of all caches.
    var cacheFiles: [String] {
        let root = folder + "/responses"
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return names.map { "\(root)/\($0)" }.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}

/// Returns the text of a response, and where it came from.
func fetch(
    _ session: LoginSession,
    _ endpoint: Endpoint<[UInt8]> = CacheTestCase.page(),
    _ policy: CachePolicy = .default
) async throws -> (text: String, use: CacheUse) {
    let response = try await session.send(endpoint, cachePolicy: policy)
    return (String(decoding: response.value, as: UTF8.self), response.cacheUse)
}

/// Calls a function when it is released.
final class ReleaseWitness: Sendable {
    private let isReleased: @Sendable () -> Void

    init(_ isReleased: @escaping @Sendable () -> Void) { self.isReleased = isReleased }

    deinit { isReleased() }
}
