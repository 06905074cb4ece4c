// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

extension LoginServer {
    private enum FormOutcome: Sendable {
        case form(FormFields)
        case tooLarge
        case tooManyParts
        case tooManyFields
        case tooSlow
        case broken
    }

    /// Calls `body` with the form of a request, or returns an error if the request has no valid form.
    func withForm(
        of request: Request,
        _ body: (FormFields) async throws -> ServerAnswer
    ) async throws -> ServerAnswer {
        // Clients of the timestamped login send this type, or no type with a streamed body.
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
        case .tooManyParts:
            answer = .refusal(.badRequest, "the body comes in more than \(Self.maximumFormPartCount) parts")
        case .tooManyFields:
            answer = .refusal(.badRequest, "the form has more than \(FormFields.maximumCount) fields")
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
                    var bytes: [UInt8] = []
                    var partCount = 0
                    for try await part in request.body {
                        bytes += part.readableBytesView
                        partCount += 1
                        guard bytes.count <= Self.maximumFormByteCount else { return .tooLarge }
                        guard partCount <= Self.maximumFormPartCount else { return .tooManyParts }
                    }
                    return FormFields(bytes).map { .form($0) } ?? .tooManyFields
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
            // Without a list of all pairs: a header has room for thousands.
            var rest = Substring(header).utf8
            while !rest.isEmpty {
                let pair = rest.prefix { $0 != UInt8(ascii: ";") }
                rest = rest[pair.endIndex...].dropFirst()
                let text = pair.drop { $0 == UInt8(ascii: " ") }
                guard text.starts(with: name.utf8) else { continue }
                let value = text.dropFirst(name.utf8.count)
                if value.first == UInt8(ascii: "=") { return String(Substring(value.dropFirst())) }
            }
        }
        return nil
    }
}
