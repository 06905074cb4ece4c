// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The JSON representation of a profile.
struct LoginProfileDocument: Codable {
    struct Success: Codable {
        var field: String?
        var greaterThan: Int?
        var envelope: EnvelopeText?
        var status: Int?

        init(_ rule: LoginProfile.SuccessRule) {
            switch rule {
            case .field(let name, let bound):
                field = name
                greaterThan = bound
            case .envelope(let envelope): self.envelope = EnvelopeText(envelope: envelope)
            case .status(let status): self.status = status
            }
        }
    }

    /// The second step; an empty `codeField` for none.
    struct Code: Codable {
        var codeField: String?
        var required: Success?
    }

    struct Expired: Codable {
        var statuses: [Int]?
        var codes: [Int]?
        var loginPages: [String]?

        init(_ rule: LoginProfile.ExpiryRule) {
            statuses = rule.statuses.sorted()
            codes = rule.codes.sorted()
            loginPages = rule.loginPages.sorted()
        }

        /// The rule; members that are missing have their default values.
        var rule: LoginProfile.ExpiryRule {
            var rule = LoginProfile.ExpiryRule()
            if let statuses { rule.statuses = Set(statuses) }
            if let codes { rule.codes = Set(codes) }
            if let loginPages { rule.loginPages = Set(loginPages) }
            return rule
        }
    }

    /// The value of the login page.
    struct CSRF: Codable {
        var path: String
        var input: String?
        var cookie: String?
        var field: String?
        var header: String?

        init(_ token: LoginProfile.CSRFToken) {
            path = token.path
            switch token.source {
            case .input(let name): input = name
            case .cookie(let name): cookie = name
            }
            switch token.destination {
            case .field(let name): field = name
            case .header(let name): header = name
            }
        }

        /// The description; an input is expected in the field of its name unless another place is given.
        func token() throws(ClientError) -> LoginProfile.CSRFToken {
            let source: LoginProfile.CSRFToken.Source
            switch (input, cookie) {
            case (let name?, nil): source = .input(name)
            case (nil, let name?): source = .cookie(name)
            default: throw .invalidProfile("invalid login profile: csrf must have either input or cookie")
            }
            switch (field ?? (header == nil ? input : nil), header) {
            case (let name?, nil):
                return LoginProfile.CSRFToken(path: path, source: source, destination: .field(name))
            case (nil, let name?):
                return LoginProfile.CSRFToken(path: path, source: source, destination: .header(name))
            default: throw .invalidProfile("invalid login profile: csrf must have either field or header")
            }
        }
    }

    static let expiredMembers: Set<String> = ["statuses", "codes", "loginPages"]

    var scheme: String
    var server: String?
    var keyPhrase: String?
    var timePath: String?
    var timeField: String?
    var timeFormat: String?
    var timeZone: String?
    var loginPath: String?
    var usernameField: String?
    var passwordField: String?
    var success: Success?
    var secondStep: Code?
    var logoutPath: String?
    var tokenHeader: String?
    var tokenMember: String?
    var tokenPrefix: String?
    var body: String?
    var csrf: CSRF?
    var expired: Expired?

    private static let names = KnownNames(
        [
            "scheme", "server", "keyPhrase", "timePath", "timeField", "timeFormat", "timeZone", "loginPath",
            "usernameField", "passwordField", "success", "secondStep", "logoutPath", "tokenHeader", "expired",
            "tokenMember", "tokenPrefix", "body", "csrf",
        ],
        inner: [
            "success": ["field", "greaterThan", "envelope", "status"],
            "secondStep": ["codeField", "required"],
            "expired": expiredMembers,
            "csrf": ["path", "input", "cookie", "field", "header"],
        ]
    )

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // Without a scheme the members of all schemes are known: what is not may be a misspelled "scheme".
        try Self.names.check(decoder, with: members.contains(.scheme) ? [] : ProfileMechanisms.members)
        scheme = try members.decode(String.self, forKey: .scheme)
        server = try members.decodeIfPresent(String.self, forKey: .server)
        keyPhrase = try members.decodeIfPresent(String.self, forKey: .keyPhrase)
        timePath = try members.decodeIfPresent(String.self, forKey: .timePath)
        timeField = try members.decodeIfPresent(String.self, forKey: .timeField)
        timeFormat = try members.decodeIfPresent(String.self, forKey: .timeFormat)
        timeZone = try members.decodeIfPresent(String.self, forKey: .timeZone)
        loginPath = try members.decodeIfPresent(String.self, forKey: .loginPath)
        usernameField = try members.decodeIfPresent(String.self, forKey: .usernameField)
        passwordField = try members.decodeIfPresent(String.self, forKey: .passwordField)
        success = try members.decodeIfPresent(Success.self, forKey: .success)
        secondStep = try members.decodeIfPresent(Code.self, forKey: .secondStep)
        logoutPath = try members.decodeIfPresent(String.self, forKey: .logoutPath)
        tokenHeader = try members.decodeIfPresent(String.self, forKey: .tokenHeader)
        tokenMember = try members.decodeIfPresent(String.self, forKey: .tokenMember)
        tokenPrefix = try members.decodeIfPresent(String.self, forKey: .tokenPrefix)
        body = try members.decodeIfPresent(String.self, forKey: .body)
        csrf = try members.decodeIfPresent(CSRF.self, forKey: .csrf)
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
        case .mechanism(let mechanism): scheme = mechanism.name
        }
        server = profile.server
        loginPath = profile.loginPath
        usernameField = profile.usernameField
        passwordField = profile.passwordField
        success = Success(profile.success)
        secondStep = Code(
            codeField: profile.secondStep?.codeField ?? "",
            required: (profile.secondStep?.required).map(Success.init)
        )
        logoutPath = profile.logoutPath ?? ""
        tokenHeader = profile.tokenHeader ?? ""
        tokenMember = profile.tokenMember
        tokenPrefix = profile.tokenPrefix
        body = profile.sendsJSON ? "json" : nil
        csrf = profile.csrfToken.map(CSRF.init)
        expired = Expired(profile.expiry)
    }

    func profile() throws(ClientError) -> LoginProfile {
        var profile: LoginProfile
        switch (scheme, keyPhrase) {
        case ("timestamped", let keyPhrase?):
            profile = .timestamped(keyPhrase: keyPhrase, challenge: try time())
        case ("timestamped", nil):
            throw .invalidProfile("invalid login profile: keyPhrase is missing")
        case ("form", nil): profile = .form()
        case ("insecureGetForm", nil): profile = .insecureGetForm()
        case ("form", _?), ("insecureGetForm", _?):
            throw .invalidProfile(
                "invalid login profile: keyPhrase is only allowed with the scheme timestamped"
            )
        default:
            throw .invalidProfile(
                "invalid login profile: scheme must be timestamped, form, insecureGetForm, basic, bearer, oauth or scram"
            )
        }
        if scheme != "timestamped",
            [timePath, timeField, timeFormat, timeZone].contains(where: { $0 != nil })
        {
            throw .invalidProfile(
                "invalid login profile: time settings are only allowed with the scheme timestamped"
            )
        }
        profile.server = server
        if let loginPath { profile.loginPath = loginPath }
        if let usernameField { profile.usernameField = usernameField }
        if let passwordField { profile.passwordField = passwordField }
        if let success { profile.success = try rule(success, of: "success") }
        if let secondStep { profile.secondStep = try step(secondStep) }
        if let logoutPath { profile.logoutPath = logoutPath.isEmpty ? nil : logoutPath }
        if let tokenMember {
            profile.tokenMember = tokenMember
            profile.tokenHeader = "authorization"
            if success == nil { profile.success = .status(200) }
        }
        profile.tokenPrefix = tokenPrefix
        guard body.map({ ["form", "json"].contains($0) }) ?? true else {
            throw .invalidProfile("invalid login profile: body must be form or json")
        }
        profile.sendsJSON = body == "json"
        profile.csrfToken = try csrf?.token()
        if let tokenHeader { profile.tokenHeader = tokenHeader.isEmpty ? nil : tokenHeader }
        if let expired { profile.expiry = expired.rule }
        return profile
    }

    private func time() throws(ClientError) -> LoginProfile.ChallengeSource {
        var time = LoginProfile.ChallengeSource()
        if let timePath { time.path = timePath }
        if let timeField { time.field = timeField }
        time.timeZone = timeZone
        guard let timeFormat else { return time }
        guard let format = LoginProfile.ChallengeSource.Format(rawValue: timeFormat) else {
            throw .invalidProfile("invalid login profile: timeFormat must be minute or opaque")
        }
        time.format = format
        return time
    }

    private func step(_ code: Code) throws(ClientError) -> LoginProfile.SecondStep? {
        var step = LoginProfile.SecondStep()
        if let field = code.codeField {
            guard !field.isEmpty else { return nil }
            step.codeField = field
        }
        if let required = code.required { step.required = try rule(required, of: "required") }
        return step
    }

    private func rule(_ success: Success, of name: String) throws(ClientError) -> LoginProfile.SuccessRule {
        switch (success.field, success.greaterThan, success.envelope, success.status) {
        case (let field?, let bound?, nil, nil): return .field(field, greaterThan: bound)
        case (nil, nil, let envelope?, nil) where envelope.envelope != .none:
            return .envelope(envelope.envelope)
        case (nil, nil, nil, let status?): return .status(status)
        default:
            throw .invalidProfile(
                "invalid login profile: \(name) must be one of field with greaterThan, "
                    + "envelope, status"
            )
        }
    }
}

/// An envelope, given by name or as an object.
struct EnvelopeText: Codable {
    private static let names: [String: Envelope] = ["headBody": .headBody, "codeData": .codeData]

    let envelope: Envelope

    init(envelope: Envelope) { self.envelope = envelope }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            try KnownNames(["code", "message", "time", "body", "total", "successCodes"]).check(decoder)
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
