// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

extension LoginProfile {
    /// Reads a profile from JSON.
    ///
    /// ```json
    /// {
    ///   "scheme": "timestamped", "keyPhrase": "itheima",
    ///   "timePath": "/hmackey.php", "timeField": "key", "timeFormat": "minute", "timeZone": "Asia/Shanghai",
    ///   "loginPath": "/loginhmac.php", "usernameField": "username", "passwordField": "password",
    ///   "success": {"field": "userId", "greaterThan": 0},
    ///   "logoutPath": "/logout.php", "tokenHeader": "x-auth-token",
    ///   "expired": {"statuses": [401], "codes": [], "loginPages": []}
    /// }
    /// ```
    ///
    /// `scheme` is `timestamped`, `form` or `insecureGetForm`, and `keyPhrase` goes with the first. Everything else may be
    /// left out, and is then as above, without a time zone. `success` is `{"field": …, "greaterThan": …}`,
    /// `{"envelope": "headBody"}`, `{"envelope": "codeData"}`, `{"envelope": {"code": "h.code", "successCodes": [200]}}` or
    /// `{"status": 200}`; `timeFormat` is `minute` or `opaque`;
    /// `logoutPath` and `tokenHeader` may be `""` for none. A member of another name is an error.
    ///
    /// - Parameter json: The text, UTF-8.
    /// - Throws: ``LoginError/invalidProfile``, with what is wrong.
    public init(json: some Collection<UInt8>) throws(LoginError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json))
        } catch {
            throw .invalidProfile("the login profile is not valid: \(JSONFault.describe(error))")
        }
        self = try document.profile()
        try check()
    }

    /// The profile as JSON, which ``init(json:)`` reads.
    ///
    /// - Returns: The text, UTF-8.
    public func json() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(Document(self))).map { [UInt8]($0) } ?? []
    }
}

/// An envelope, by its name or written out.
private struct EnvelopeText: Codable {
    private static let names: [String: Envelope] = ["headBody": .headBody, "codeData": .codeData]

    let envelope: Envelope

    init(envelope: Envelope) { self.envelope = envelope }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            envelope = try value.decode(Envelope.self)
            return
        }
        guard let envelope = Self.names[name] else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "no such envelope")
        }
        self.envelope = envelope
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if let name = Self.names.first(where: { $0.value == envelope })?.key {
            try value.encode(name)
        } else {
            try value.encode(envelope)
        }
    }
}

/// What stands in the file.
private struct Document: Codable {
    struct Success: Codable {
        var field: String?
        var greaterThan: Int?
        var envelope: EnvelopeText?
        var status: Int?
    }

    struct Expired: Codable {
        var statuses: [Int]?
        var codes: [Int]?
        var loginPages: [String]?
    }

    var scheme: String
    var keyPhrase: String?
    var timePath: String?
    var timeField: String?
    var timeFormat: String?
    var timeZone: String?
    var loginPath: String?
    var usernameField: String?
    var passwordField: String?
    var success: Success?
    var logoutPath: String?
    var tokenHeader: String?
    var expired: Expired?

    /// A name that nobody knows is a slip of the pen that would otherwise be a setting without effect.
    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static let nested = [
        "success": ["field", "greaterThan", "envelope", "status"],
        "expired": ["statuses", "codes", "loginPages"],
    ]

    private static let names: Set<String> = [
        "scheme", "keyPhrase", "timePath", "timeField", "timeFormat", "timeZone", "loginPath",
        "usernameField",
        "passwordField", "success", "logoutPath", "tokenHeader", "expired",
    ]

    private static func checkNames(_ decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: AnyKey.self)
        func refuse(_ key: AnyKey) -> DecodingError {
            .dataCorruptedError(forKey: key, in: all, debugDescription: "there is no such member")
        }
        for key in all.allKeys {
            guard names.contains(key.stringValue) else { throw refuse(key) }
            guard let known = nested[key.stringValue], try !all.decodeNil(forKey: key) else { continue }
            let inner = try all.nestedContainer(keyedBy: AnyKey.self, forKey: key)
            if let unknown = inner.allKeys.first(where: { !known.contains($0.stringValue) }) {
                throw refuse(unknown)
            }
        }
    }

    init(from decoder: any Decoder) throws {
        try Self.checkNames(decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        scheme = try members.decode(String.self, forKey: .scheme)
        keyPhrase = try members.decodeIfPresent(String.self, forKey: .keyPhrase)
        timePath = try members.decodeIfPresent(String.self, forKey: .timePath)
        timeField = try members.decodeIfPresent(String.self, forKey: .timeField)
        timeFormat = try members.decodeIfPresent(String.self, forKey: .timeFormat)
        timeZone = try members.decodeIfPresent(String.self, forKey: .timeZone)
        loginPath = try members.decodeIfPresent(String.self, forKey: .loginPath)
        usernameField = try members.decodeIfPresent(String.self, forKey: .usernameField)
        passwordField = try members.decodeIfPresent(String.self, forKey: .passwordField)
        success = try members.decodeIfPresent(Success.self, forKey: .success)
        logoutPath = try members.decodeIfPresent(String.self, forKey: .logoutPath)
        tokenHeader = try members.decodeIfPresent(String.self, forKey: .tokenHeader)
        expired = try members.decodeIfPresent(Expired.self, forKey: .expired)
    }

    init(_ profile: LoginProfile) {
        switch profile.scheme {
        case .timestamped(let keyPhrase, let time):
            scheme = "timestamped"
            self.keyPhrase = keyPhrase
            timePath = time.path
            timeField = time.field
            timeFormat = time.format.rawValue
            timeZone = time.timeZone
        case .form: scheme = "form"
        case .insecureGetForm: scheme = "insecureGetForm"
        }
        loginPath = profile.loginPath
        usernameField = profile.usernameField
        passwordField = profile.passwordField
        switch profile.success {
        case .field(let name, let bound): success = Success(field: name, greaterThan: bound)
        case .envelope(let envelope): success = Success(envelope: EnvelopeText(envelope: envelope))
        case .status(let status): success = Success(status: status)
        }
        logoutPath = profile.logoutPath ?? ""
        tokenHeader = profile.tokenHeader ?? ""
        expired = Expired(
            statuses: profile.expiry.statuses.sorted(),
            codes: profile.expiry.codes.sorted(),
            loginPages: profile.expiry.loginPages.sorted()
        )
    }

    func profile() throws(LoginError) -> LoginProfile {
        var profile: LoginProfile
        switch (scheme, keyPhrase) {
        case ("timestamped", let keyPhrase?): profile = .timestamped(keyPhrase: keyPhrase, time: try time())
        case ("timestamped", nil):
            throw .invalidProfile("the login profile is not valid: keyPhrase is missing")
        case ("form", _): profile = .form()
        case ("insecureGetForm", _): profile = .insecureGetForm()
        default:
            throw .invalidProfile(
                "the login profile is not valid: scheme must be timestamped, form or insecureGetForm"
            )
        }
        if let loginPath { profile.loginPath = loginPath }
        if let usernameField { profile.usernameField = usernameField }
        if let passwordField { profile.passwordField = passwordField }
        if let success { profile.success = try rule(success) }
        if let logoutPath { profile.logoutPath = logoutPath.isEmpty ? nil : logoutPath }
        if let tokenHeader { profile.tokenHeader = tokenHeader.isEmpty ? nil : tokenHeader }
        if let statuses = expired?.statuses { profile.expiry.statuses = Set(statuses) }
        if let codes = expired?.codes { profile.expiry.codes = Set(codes) }
        if let loginPages = expired?.loginPages { profile.expiry.loginPages = Set(loginPages) }
        return profile
    }

    private func time() throws(LoginError) -> LoginProfile.TimeText {
        var time = LoginProfile.TimeText()
        if let timePath { time.path = timePath }
        if let timeField { time.field = timeField }
        time.timeZone = timeZone
        guard let timeFormat else { return time }
        guard let format = LoginProfile.TimeText.Format(rawValue: timeFormat) else {
            throw .invalidProfile("the login profile is not valid: timeFormat must be minute or opaque")
        }
        time.format = format
        return time
    }

    private func rule(_ success: Success) throws(LoginError) -> LoginProfile.SuccessRule {
        switch (success.field, success.greaterThan, success.envelope, success.status) {
        case (let field?, let bound?, nil, nil): return .field(field, greaterThan: bound)
        case (nil, nil, let envelope?, nil) where envelope.envelope != .none:
            return .envelope(envelope.envelope)
        case (nil, nil, nil, let status?): return .status(status)
        default:
            throw .invalidProfile(
                "the login profile is not valid: success must be one of field with greaterThan, "
                    + "envelope, status"
            )
        }
    }
}
