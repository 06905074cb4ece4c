// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension Envelope {
    /// The maximum size in bytes of a streamed response that is read for its code. Responses that only say that something
    /// has failed are smaller.
    private static let maximumByteCount = 64 << 10

    /// Reads the beginning of a streamed response that may be an envelope, before anyone else sees a byte of it.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - deadline: The end of the time for this.
    /// - Returns: The body, whose `bytes` are known if the response can be an envelope that says only that something has
    ///   failed.
    /// - Throws: The errors of reading the body, `timedOut`.
    func read(
        _ response: TransportResponse,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> HTTPResponseBody {
        guard code != nil else { return response.body }
        // Many servers send JSON as text/html, or without a type.
        let isJSON = response.head.isJSON
        return try await response.body.buffering(upTo: Self.maximumByteCount, deadline: deadline) { start in
            isJSON || start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        }
    }
}

extension HTTPResponse {
    /// Whether the Content-Type is `application/json`, or one that ends in `+json`.
    fileprivate var isJSON: Bool {
        guard let type = headerFields.first(.contentType) else { return false }
        let essence = ASCIIText.lowercased(type.prefix { $0 != ";" }).filter { $0 != " " && $0 != "\t" }
        return essence == "application/json" || essence.utf8.suffix(5).elementsEqual("+json".utf8)
    }
}
