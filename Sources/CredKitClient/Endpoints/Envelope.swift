// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a server wraps its answers in: an object with a code, a message, a time and, in one of its fields,
/// the body.
///
/// ```swift
/// Envelope.headBody       // {"h": {"code": 200, "msg": "", "time": "…"}, "b": {…, "dataTotal": 31}}
/// Envelope.codeData       // {"code": 0, "msg": "", "data": {…}}
/// Envelope(code: "status.number", message: "status.text", body: "result", successCodes: [1])
/// ```
///
/// Fields are named by their keys from the outermost object on, joined by dots. A field that is `null` is as
/// if it were not there: no message is the empty text, no time and no total are `nil`. A body that is not
/// there is `nil` where the endpoint's body is optional, and otherwise an error that names the field. There
/// must be a code; it may be a number or a number's decimal text.
public struct Envelope: Sendable, Hashable, Codable {
    /// Where the code is; `nil` where there is no envelope.
    public var code: String?

    /// Where the message for people is.
    public var message: String?

    /// Where the server's time is.
    public var time: String?

    /// Where the body is; `nil` if it is the whole object.
    public var body: String?

    /// Where the number of all elements is, of which the body has a page.
    public var total: String?

    /// The codes that say that the server did what it was asked.
    public var successCodes: Set<Int>

    /// An envelope of other fields.
    ///
    /// - Parameters:
    ///   - code: Where the code is.
    ///   - message: Where the message is.
    ///   - time: Where the server's time is.
    ///   - body: Where the body is; `nil` if it is the whole object.
    ///   - total: Where the number of all elements is.
    ///   - successCodes: The codes that say that the server did what it was asked.
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

    /// No envelope: the response is the body.
    public static let none = Self()

    /// `{"h": {"code", "msg", "time"}, "b"}`, where 200 is success, with the total at `b.dataTotal`.
    public static let headBody = Self(
        code: "h.code",
        message: "h.msg",
        time: "h.time",
        body: "b",
        total: "b.dataTotal",
        successCodes: [200]
    )

    /// `{"code", "msg", "data"}`, where 0 is success, with the total at `data.total`.
    public static let codeData = Self(
        code: "code",
        message: "msg",
        body: "data",
        total: "data.total",
        successCodes: [0]
    )
}
