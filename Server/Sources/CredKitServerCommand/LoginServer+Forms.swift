// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

extension LoginServer {
    private enum FormOutcome: Sendable {
        case form(FormFields)
        case tooLarge
        case tooSlow
        case broken
    }

    /// Calls `body` with the form of a request, or returns an error if the request has no valid form.
    func withForm(
        of request: Request,
        _ body: (FormFields) async throws -> ServerAnswer
    ) async throws -> ServerAnswer {
        // The articles' clients send this type, or no type with a streamed body.
        if let type = request.headers[.contentType]?.lowercased(),
            !type.hasPrefix("application/x-www-form-urlencoded")
        {
            return .refusal(.unsupportedMediaType, "the body must be application/x-www-form-urlencoded")
        }
        var answer: ServerAnswer
        switch await ClientPresence.whileReading({ await form(of: request) }) {
        case .form(let form):
            answer = try await body(form)
            answer.hasTakenBody = true
            return answer
        case .tooLarge:
            answer = .refusal(.contentTooLarge, "the body has more than \(Self.maximumFormByteCount) bytes")
        case .tooSlow:
            let seconds = Self.formTimeout.components.seconds
            answer = .refusal(.requestTimeout, "the body took longer than \(seconds) s")
        case .broken: answer = .refusal(.badRequest, "the body cannot be read")
        }
        answer.closes = true
        return answer
    }

    private func form(of request: Request) async -> FormOutcome {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }),
            length > Self.maximumFormByteCount
        {
            return .tooLarge
        }
        return await withTaskGroup(of: FormOutcome.self) { group in
            group.addTask {
                do {
                    let buffer = try await request.body.collect(upTo: Self.maximumFormByteCount)
                    return .form(FormFields(buffer.readableBytesView))
                } catch is NIOTooManyBytesError {
                    return .tooLarge
                } catch {
                    return .broken
                }
            }
            group.addTask {
                try? await Task.sleep(for: Self.formTimeout)
                return .tooSlow
            }
            defer { group.cancelAll() }
            return await group.next() ?? .broken
        }
    }

    /// Returns the value of a cookie.
    static func cookie(_ name: String, of request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for pair in Substring(header).utf8.split(separator: UInt8(ascii: ";")) {
                let parts = pair.drop { $0 == UInt8(ascii: " ") }.split(
                    separator: UInt8(ascii: "="),
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                if parts.count == 2, parts[0].elementsEqual(name.utf8) { return String(Substring(parts[1])) }
            }
        }
        return nil
    }
}
