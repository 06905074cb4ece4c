// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A credential of the type `password`, as Keycloak exports it: a JSON object whose `secretData` and `credentialData` are JSON
/// in strings, or objects. A row of its table as JSON, with `secret_data` and `credential_data`, is the same.
///
/// ```
/// {"type":"password","secretData":"{\"value\":\"…\",\"salt\":\"…\",\"additionalParameters\":{}}",
///  "credentialData":"{\"hashIterations\":5,\"algorithm\":\"argon2\",\"additionalParameters\":{\"memory\":[\"7168\"], …}}"}
/// ```
///
/// Source: `PasswordCredentialModel` of [Keycloak](https://github.com/keycloak/keycloak).
struct KeycloakCredential: Sendable {
    let algorithm: String
    let iterations: UInt32
    /// The other parameters of the algorithm, of which each has one value.
    let parameters: [String: String]
    let salt: [UInt8]
    let digest: [UInt8]

    static let argon2 = "argon2"

    /// Returns whether a text claims to be a credential: it begins as a JSON object with a member.
    static func claims(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "{") else { return false }
        return text.utf8.dropFirst().first { $0 != 0x20 } == UInt8(ascii: "\"")
    }

    /// Returns whether a text is a credential of Argon2.
    static func isArgon2(_ text: String) -> Bool {
        claims(text) && (try? KeycloakCredential(parsing: text))?.algorithm == argon2
    }

    init(parsing text: String) throws(PasswordError) {
        guard let object = try Self.json(text).object,
            let secretField = Self.member("secretData", "secret_data", of: object),
            let credentialField = Self.member("credentialData", "credential_data", of: object)
        else {
            throw .unrecognized(
                "a JSON object without secretData and credentialData, the parts of Keycloak's"
            )
        }
        guard object["type"].map({ $0.string == "password" }) ?? true else {
            throw .unsupported("a credential of Keycloak of another type than password")
        }
        let secret = try Self.members(
            of: secretField,
            ["value", "salt", "additionalParameters", "algorithmData"]
        )
        let credential = try Self.members(
            of: credentialField,
            ["hashIterations", "algorithm", "additionalParameters"]
        )
        guard let value = secret["value"]?.string, let saltText = secret["salt"]?.string,
            let algorithm = credential["algorithm"]?.string,
            case .number(let iterations)? = credential["hashIterations"]
        else { throw .malformed("value, salt, algorithm or hashIterations of the credential is missing") }
        guard secret["additionalParameters"]?.isEmpty ?? true, secret["algorithmData"]?.isEmpty ?? true else {
            throw .unsupported("a credential of Keycloak with additional secret data")
        }
        self.algorithm = algorithm
        self.iterations = try PHCString.integer(iterations, name: "hashIterations")
        parameters = try Self.parameters(credential["additionalParameters"] ?? .null)
        digest = try HashField.base64(value[...])
        // Keycloak also takes salts without padding.
        let base64 = saltText.utf8.count.isMultiple(of: 4) ? Base64.standard : Base64.standard.unpadded
        guard let salt = try? base64.decode(saltText) else { throw .malformed("the salt is not Base64") }
        self.salt = salt
    }

    private static func json(_ text: String) throws(PasswordError) -> StrictJSON {
        do throws(StrictJSON.ParsingError) {
            return try StrictJSON(parsing: text.utf8)
        } catch {
            throw .malformed(error.reason)
        }
    }

    /// Returns the member with one of two names; `nil` if there is none, or both.
    private static func member(
        _ name: String,
        _ column: String,
        of object: [String: StrictJSON]
    ) -> StrictJSON? {
        guard object[name] == nil || object[column] == nil else { return nil }
        return object[name] ?? object[column]
    }

    /// Returns the members of an object, or of one in a string. An unknown member could change the meaning of the others.
    private static func members(
        of value: StrictJSON,
        _ names: Set<String>
    ) throws(PasswordError) -> [String: StrictJSON] {
        var value = value
        if let text = value.string { value = try json(text) }
        guard let members = value.object else {
            throw .malformed("a part of the credential is no JSON object")
        }
        guard names.isSuperset(of: members.keys) else {
            throw .unsupported("a credential of Keycloak with unknown members")
        }
        return members
    }

    private static func parameters(_ value: StrictJSON) throws(PasswordError) -> [String: String] {
        guard !value.isEmpty else { return [:] }
        var parameters: [String: String] = [:]
        for (name, values) in value.object ?? [:] {
            guard case .array(let list) = values, list.count == 1, let text = list[0].string else { continue }
            parameters[name] = text
        }
        guard let members = value.object, parameters.count == members.count else {
            throw .malformed("an additional parameter of the credential is not a list of one string")
        }
        return parameters
    }
}
