// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The object that a server wraps its responses in: a code, a message, a time and, in one of its fields, the
/// body.
///
/// ```swift
/// Envelope.headBody       // {"h": {"code": 200, "msg": "", "time": "…"}, "b": {…, "dataTotal": 31}}
/// Envelope.codeData       // {"code": 0, "msg": "", "data": {…}}
/// Envelope(code: "status.number", message: "status.text", body: "result", successCodes: [1])
/// ```
///
/// A field is named by its keys from the outermost object, joined by dots. A field that is `null` counts as
/// missing: a missing message is empty, a missing time or total is `nil`. A missing body is `nil` if the
/// endpoint's body is optional, and otherwise an error that names the field. The code is required; it is a
/// number or the decimal text of one.
public struct Envelope: Sendable, Hashable, Codable {
    /// The field of the code; `nil` if there is no envelope.
    public var code: String?

    /// The field of the human-readable message.
    public var message: String?

    /// The field of the server's time.
    public var time: String?

    /// The field of the body; `nil` if the body is the whole object.
    public var body: String?

    /// The field of the total number of elements, of which the body contains one page.
    public var total: String?

    /// The codes that mean success.
    public var successCodes: Set<Int>

    /// Creates an envelope with other fields.
    ///
    /// - Parameters:
    ///   - code: The field of the code.
    ///   - message: The field of the message.
    ///   - time: The field of the server's time.
    ///   - body: The field of the body; `nil` if the body is the whole object.
    ///   - total: The field of the total number of elements.
    ///   - successCodes: The codes that mean success.
    public init(
        code: String,
        message: String? = nil,
        time: String? = nil,
        body: String? = nil,
        total: String? = nil,
        successCodes: Set<Int> = [0]
    ) {
        self.code = code
        self.message = message
        self.time = time
        self.body = body
        self.total = total
        self.successCodes = successCodes
    }

    private init() { successCodes = [] }

    /// No envelope: the whole response is the body.
    public static let none = Self()

    /// `{"h": {"code", "msg", "time"}, "b"}`; 200 is success, and the total is `b.dataTotal`.
    public static let headBody = Self(
        code: "h.code",
        message: "h.msg",
        time: "h.time",
        body: "b",
        total: "b.dataTotal",
        successCodes: [200]
    )

    /// `{"code", "msg", "data"}`; 0 is success, and the total is `data.total`.
    public static let codeData = Self(
        code: "code",
        message: "msg",
        body: "data",
        total: "data.total",
        successCodes: [0]
    )
}

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
