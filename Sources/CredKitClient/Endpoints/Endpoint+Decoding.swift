// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension Endpoint {
    /// Decodes a response.
    ///
    /// The code in an envelope takes precedence over the status: any code other than a success code throws
    /// ``ClientError/serverError`` with that code. Otherwise, a status outside 200 to 299 throws
    /// ``ClientError/unexpectedStatus``.
    func decode(
        _ head: HTTPResponse,
        _ bytes: [UInt8],
        defaultEnvelope: Envelope = .none,
        tokenField: HTTPField.Name? = nil,
        cacheUse: CacheUse = .network,
        budget: DecodingBudget = DecodingBudget()
    ) throws(ClientError) -> Response {
        let status = head.status.code
        let envelope = self.envelope ?? (decoding.usesDefaultEnvelope ? defaultEnvelope : .none)
        guard (200...299).contains(status) else {
            throw Self.failure(head, bytes, envelope: envelope)
        }
        let result: BodyDecoding<Value>.Result
        do throws(ClientError) {
            result = try decoding.read(bytes, envelope, budget)
        } catch {
            throw error.ofResponse(status: status)
        }
        if let code = result.code, !envelope.successCodes.contains(code) {
            throw .refusal(result.message, code: code, status: status)
        }
        guard let value = result.body else {
            throw .malformedResponse("malformed response: it has no body", status: status)
        }
        var publicHead = head
        publicHead.headerFields[.setCookie] = nil
        if let tokenField { publicHead.headerFields[tokenField] = nil }
        return Response(
            value: value,
            rawBody: bytes,
            head: publicHead,
            serverCode: result.code,
            serverMessage: result.message,
            serverTime: result.time,
            total: result.total,
            token: try Self.token(in: head, tokenField),
            cacheUse: cacheUse
        )
    }

    private static func token(
        in head: HTTPResponse,
        _ name: HTTPField.Name?
    ) throws(ClientError) -> SecretBytes? {
        guard let name, let value = head.headerFields[name], !value.isEmpty else { return nil }
        do { return try SecretBytes(value) } catch { throw .outOfMemory }
    }

    /// Returns the error for a status outside 200 to 299.
    private static func failure(_ head: HTTPResponse, _ bytes: [UInt8], envelope: Envelope) -> ClientError {
        let status = head.status.code
        if let (code, message) = envelope.outcome(of: bytes), !envelope.successCodes.contains(code) {
            return .refusal(message, code: code, status: status)
        }
        return .unexpectedStatus(head, bytes)
    }
}
