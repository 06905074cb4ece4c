// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

/// Adds an HTTP Message Signature to requests, and the digest of their content. What is covered, by default too, is for
/// ``RequestSigner``.
struct MessageSigner: Sendable {
    private static let contentDigest = HTTPField.Name("Content-Digest")
    private static let signatureInput = HTTPField.Name("Signature-Input")
    private static let signature = HTTPField.Name("Signature")

    let withBody: MessageSignature.Signer
    let withoutBody: MessageSignature.Signer
    let algorithm: ContentDigest.Algorithm
    /// The fields that signing looks at, in lower case.
    let fieldNames: Set<String>

    /// Returns a request with a signature.
    func sign(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        at now: @Sendable () -> UnixTime
    ) async throws(ClientError) -> HTTPRequest {
        var request = request
        if let name = Self.contentDigest {
            // The program's own one may be that of another body, which a redirect has replaced or removed.
            request.headerFields.removeAll { $0.name == name }
            if let body {
                let digest = try await digest(of: body)
                request.headerFields.append(HTTPField(name: name, value: digest.fieldValue))
            }
        }
        let signed: MessageSignature.Signed
        do throws(MessageSignature.Error) {
            signed = try (body == nil ? withoutBody : withBody).sign(.request(message(request)), at: now())
        } catch {
            throw .invalidRequest("the request cannot be signed: \(error)")
        }
        // Further lines, because the program may have signed the request too, with another label.
        if let name = Self.signatureInput {
            request.headerFields.append(HTTPField(name: name, value: signed.signatureInput))
        }
        if let name = Self.signature {
            request.headerFields.append(HTTPField(name: name, value: signed.signature))
        }
        return request
    }

    private func message(_ request: HTTPRequest) -> MessageSignature.Request {
        let target = request.path ?? ""
        let path = target.prefix { $0 != "?" }
        var fields: [MessageSignature.Field] = []
        for field in request.headerFields where fieldNames.contains(field.name.canonicalName) {
            // As text, bytes that are no UTF-8 would be replaced.
            let value = unsafe field.withUnsafeBytesOfValue { unsafe Array($0) }
            // Cookies are sent in one line, however many fields they are here (RFC 9113 §8.2.3).
            if field.name == .cookie, let index = fields.firstIndex(where: { $0.name == "cookie" }) {
                fields[index].value += Array("; ".utf8) + value
                continue
            }
            fields.append(MessageSignature.Field(field.name.canonicalName, value))
        }
        return MessageSignature.Request(
            method: request.method.rawValue,
            scheme: request.scheme ?? "",
            authority: request.authority ?? "",
            path: String(path),
            query: path.endIndex == target.endIndex ? nil : String(target[path.endIndex...].dropFirst()),
            fields: fields
        )
    }

    private func digest(of body: HTTPRequestBody) async throws(ClientError) -> ContentDigest {
        switch body.content {
        case .bytes(let bytes): return ContentDigest(of: bytes, algorithm: algorithm)
        case .stream(let stream, _):
            guard body.isRepeatable else {
                throw .invalidRequest(
                    "a stream cannot be signed, because its digest is sent before it: pass a file or bytes"
                )
            }
            var computation = ContentDigest.Computation(algorithm)
            // Nothing is sent yet, so there is no progress to report.
            var pieces = stream.makeUnreportedIterator()
            while let piece = try await pieces.next() {
                guard !Task.isCancelled else { throw .cancelled }
                computation.update(piece.span)
            }
            return ContentDigest(computation)
        }
    }
}
