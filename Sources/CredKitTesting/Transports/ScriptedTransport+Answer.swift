// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
public import CredKitClient
public import HTTPTypes

extension ScriptedTransport {
    /// The answer to a request.
    public struct Answer: Sendable {
        private enum Outcome: Sendable {
            case response(HTTPResponse, HTTPResponseBody)
            case failure(ClientError)
            case never
        }

        private var outcome: Outcome
        private var delay: Duration = .zero

        private init(_ outcome: Outcome) { self.outcome = outcome }

        /// A response.
        ///
        /// - Parameters:
        ///   - status: The status.
        ///   - headers: The headers.
        ///   - body: The body.
        /// - Returns: The answer.
        public static func response(
            _ status: HTTPResponse.Status = .ok,
            headers: HTTPFields = [:],
            body: HTTPResponseBody = HTTPResponseBody()
        ) -> Self {
            Self(.response(HTTPResponse(status: status, headerFields: headers), body))
        }

        /// A response with JSON.
        ///
        /// - Parameters:
        ///   - text: The JSON.
        ///   - status: The status.
        /// - Returns: The answer.
        public static func json(_ text: String, status: HTTPResponse.Status = .ok) -> Self {
            response(
                status,
                headers: [.contentType: "application/json"],
                body: HTTPResponseBody(Array(text.utf8))
            )
        }

        /// A redirect.
        ///
        /// - Parameters:
        ///   - location: The target, absolute or relative.
        ///   - status: The status.
        /// - Returns: The answer.
        public static func redirect(to location: String, status: HTTPResponse.Status = .found) -> Self {
            response(status, headers: [.location: location])
        }

        /// A failure, such as `.noConnection`.
        ///
        /// - Parameter error: The error to throw.
        /// - Returns: The answer.
        public static func failure(_ error: ClientError) -> Self { Self(.failure(error)) }

        /// No answer: the request waits until its deadline or its cancellation.
        public static let never = Self(.never)

        /// Returns the same answer with an additional header.
        ///
        /// - Parameters:
        ///   - name: The header's name; nothing is added if the name is invalid in HTTP.
        ///   - value: Its value.
        /// - Returns: The answer.
        public func addingHeader(_ name: String, _ value: String) -> Self {
            guard case .response(var head, let body) = outcome, let name = HTTPField.Name(name) else {
                return self
            }
            head.headerFields.append(HTTPField(name: name, value: value))
            var answer = self
            answer.outcome = .response(head, body)
            return answer
        }

        /// Returns the same answer, delayed.
        ///
        /// - Parameter delay: The delay.
        /// - Returns: The answer.
        public func after(_ delay: Duration) -> Self {
            var answer = self
            answer.delay = delay
            return answer
        }

        func response() async throws(ClientError) -> TransportResponse {
            do {
                if delay > .zero { try await Task.sleep(for: delay) }
                if case .never = outcome { while true { try await Task.sleep(for: .seconds(3600)) } }
            } catch {
                throw .cancelled
            }
            switch outcome {
            case .response(let head, let body): return TransportResponse(head: head, body: body)
            case .failure(let error): throw error
            case .never: throw .cancelled
            }
        }
    }
}
#endif
