// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

extension LoginProfile {
    /// Decodes a profile from JSON.
    ///
    /// ```json
    /// {
    ///   "scheme": "timestamped", "keyPhrase": "school-2012", "server": "https://login.school.example",
    ///   "timePath": "/hmackey.php", "timeField": "key", "timeFormat": "minute", "timeZone": "Asia/Shanghai",
    ///   "loginPath": "/loginhmac.php", "usernameField": "username", "passwordField": "password",
    ///   "success": {"field": "userId", "greaterThan": 0},
    ///   "secondStep": {"codeField": "otp", "required": {"field": "codeRequired", "greaterThan": 0}},
    ///   "logoutPath": "/logout.php", "tokenHeader": "x-auth-token",
    ///   "expired": {"statuses": [401], "codes": [], "loginPages": []}
    /// }
    /// ```
    ///
    /// ```json
    /// {
    ///   "scheme": "form", "loginPath": "/login", "body": "json", "tokenMember": "access_token", "tokenPrefix": "Bearer ",
    ///   "csrf": {"path": "/login", "input": "token", "field": "token"}
    /// }
    /// ```
    ///
    /// ```json
    /// {"scheme": "basic", "checkPath": "/", "server": "https://login.school.example", "expired": {"statuses": [401]}}
    /// ```
    ///
    /// ```json
    /// {
    ///   "scheme": "oauth", "server": "https://login.school.example", "clientID": "school-desktop",
    ///   "scope": "students", "tokenPath": "/token", "deviceAuthorizationPath": "/device_authorization",
    ///   "revocationPath": "/revoke", "authorizationURL": "https://login.school.example/authorize",
    ///   "issuer": "https://login.school.example", "requiresIssuer": true, "redirectURL": "http://127.0.0.1/callback",
    ///   "responseMode": "query", "parameters": {"prompt": "consent"}, "resource": "https://data.school.example/",
    ///   "dpop": "preferred", "expired": {"statuses": [401]}
    /// }
    /// ```
    ///
    /// ```json
    /// {
    ///   "scheme": "scram", "keyPhrase": "school-2012", "hashFunction": "SHA-256", "preparation": "rfc4013",
    ///   "channelBinding": "none", "requiresChannelBinding": false, "maximumIterations": 600000,
    ///   "loginPath": "/scram", "replacesLayeredVerifier": false, "verifierPath": "/scram-verifier",
    ///   "logoutPath": "/logout.php", "tokenHeader": "x-auth-token", "expired": {"statuses": [401]}
    /// }
    /// ```
    ///
    /// With `scram`, all other members are optional, and default to these values, without a key phrase; `channelBinding` is
    /// `none`, `serverEndPoint` or `exporter`, and `preparation` is `rfc4013` or `postgreSQL`. With `oauth`, `clientID` and `tokenPath` are required; all other members are those of ``BrowserLogin``, or optional,
    /// as are `clientSecret`, `clientAuthentication` (`basic` or `post`) and `logoutPath`. With
    /// `basic` and `bearer`, the other members are `server`, `checkPath`, `logoutPath` and `expired`, and with `bearer`
    /// `tokenHeader` and `tokenPrefix`; without a
    /// `checkPath` a login sends nothing. Otherwise `scheme` is `timestamped`, `form` or `insecureGetForm`; `keyPhrase` is required for `timestamped` and
    /// invalid for the others. All other members are optional, and default to the values above, without a
    /// time zone and without a server of its own. `success` is `{"field": …, "greaterThan": …}`, `{"envelope": "headBody"}`, `{"envelope":
    /// "codeData"}`, `{"envelope": {"code": "h.code", "successCodes": [200]}}` or `{"status": 200}`.
    /// `required` has the forms of `success`. `body` is `form` or `json`. `csrf` has `input` or `cookie`, and `field` or `header`; an
    /// input is expected in the field of its name by default. With a `tokenMember`, `tokenHeader` is `authorization` and `success`
    /// `{"status": 200}` by default. `timeFormat` is `minute` or `opaque`. `logoutPath`, `tokenHeader` and `codeField` may be `""` for none. An unknown
    /// member is an error.
    ///
    /// - Parameter json: The text, UTF-8.
    /// - Throws: ``ClientError/invalidProfile``, with the reason.
    public init(json: some Collection<UInt8>) throws(ClientError) {
        let data = Data(json)
        let document: LoginProfileDocument
        do {
            let decoder = JSONDecoder()
            if let profile = try MechanismDocument.profile(decoding: { try decoder.decode($0, from: data) }) {
                try profile.check()
                self = profile
                return
            }
            document = try decoder.decode(LoginProfileDocument.self, from: data)
        } catch let error as ClientError {
            throw error
        } catch {
            throw .invalidProfile("invalid login profile: \(JSONFault.describe(error))")
        }
        self = try document.profile()
        try check()
    }

    /// Encodes the profile as JSON for ``init(json:)``.
    ///
    /// - Returns: The text, UTF-8.
    public func json() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data =
            if case .mechanism = scheme {
                try? encoder.encode(MechanismDocument(self))
            } else {
                try? encoder.encode(LoginProfileDocument(self))
            }
        return data.map { [UInt8]($0) } ?? []
    }
}
