// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Testing

/// Credentials of Keycloak, as JSON.
@Suite struct KeycloakHashTests {
    struct Example: Sendable {
        let password: String
        let value: String
        let salt: String
        /// `credentialData`, with its quotes.
        let data: String

        static let pbkdf2 = #"{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}"#
        static let argon2 =
            #"{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"#
            + #""type":["id"],"version":["1.3"],"parallelism":["1"]}}"#

        var secret: String { #"{"value":"\#(value)","salt":"\#(salt)","additionalParameters":{}}"# }

        /// The object of an export.
        var export: String { text("secretData", "credentialData") }

        /// The row of the table, as `row_to_json` of PostgreSQL prints it.
        var row: String { text("secret_data", "credential_data") }

        private func text(_ secretName: String, _ dataName: String) -> String {
            #"{"id":"5f2c","type":"password","createdDate":1767604673211,"salt":null,"priority":10,"#
                + #""\#(secretName)":"\#(Self.escaped(secret))","\#(dataName)":"\#(Self.escaped(data))"}"#
        }

        static func escaped(_ text: String) -> String { text.replacing("\"", with: "\\\"") }
    }

    /// From exports of realms with their passwords in public repositories: Keycloak 26 with Argon2; Keycloak 24 with digests of
    /// 32 bytes, and older ones with 64.
    static let examples = [
        Example(
            password: "secret",
            value: "xKjWvB9+0sSP6wTqI1JoEI7w+iA0x9VDhPgmrOHRG80=",
            salt: "LRScGShC7shkdoU5B1UgUQ==",
            data: Example.argon2
        ),
        Example(
            password: "iceberg",
            value: "BuViHNDGmCq80fvpty/QoggTI8NSt0CuNDGgeoa5f5A=",
            salt: "RJ0aLMQ2qKbZuROs7qQhcA",
            data: Example.argon2
        ),
        Example(
            password: "password",
            value: "JsfNbCOIdZUbyBJ+BT+VoGI91Ec2rWLOvkLPDaX8e9k=",
            salt: "P5rtFkGtPfoaryJ6PizUJw==",
            data: Example.pbkdf2
        ),
        Example(
            password: "admin",
            value: "31MudlHfx763mvpL+ZJU/etLgu2qFt0NpX+xyK0f8MCxOagc5N5+LCLQ/lUx8PJA6+eflW/eRQcnqGR7L8qb7w==",
            salt: "SWU35ecF1zm/VYEcvzdNJg==",
            data: #"{"hashIterations":27500,"algorithm":"pbkdf2-sha256"}"#
        ),
    ]

    @Test(arguments: KeycloakHashTests.examples)
    func exportsAndRowsVerify(_ example: Example) throws {
        let policy = try PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1))
        let context = try PasswordContext(policy: policy)
        // The parts as objects, too.
        let objects = #"{ "credentialData": \#(example.data), "secretData": \#(example.secret) }"#
        for text in [example.export, example.row, objects] {
            let hash = try PasswordHash(text)
            #expect(hash.description == text)
            #expect(hash.systems == ["Keycloak"])
            #expect(PasswordSchemes.all.count { $0.recognizes(text) } == 1)
            #expect(try context.matches(example.password, hash))
            #expect(try !context.matches("x" + example.password, hash))
            guard hash.scheme == .pbkdf2SHA256 else {
                #expect(hash.scheme == .argon2id)
                #expect(throws: PasswordError.unsupported) { try context.layer(over: hash) }
                continue
            }
            let layered = try context.layer(over: hash)
            #expect(try PasswordHash(layered).description == layered)
            #expect(try context.verify(example.password, against: layered).isMatch)
            #expect(try context.verify("x" + example.password, against: layered) == .mismatch)
            #expect(!layered.contains("5f2c"))
        }
    }

    /// Python's hashlib: pbkdf2_hmac(name, b"correct horse", bytes(range(16)), 100).
    @Test(arguments: [
        ("pbkdf2", "noTQ1FikOSIFJ5o0SIzXXU+xw98="),
        (
            "pbkdf2-sha512",
            "rorkyVpIOEgYJgj/2N4GnvShTlCht2Et8NiELDp8q86UBwxhrBMRwg+wCGSW7O7uuv65FHt8bcRnmm7gUy6cVQ=="
        ),
    ])
    func otherFunctionsVerify(_ algorithm: String, _ value: String) throws {
        let example = Example(
            password: "correct horse",
            value: value,
            salt: "AAECAwQFBgcICQoLDA0ODw==",
            data: #"{"hashIterations":100,"algorithm":"\#(algorithm)","additionalParameters":{}}"#
        )
        #expect(try PasswordContext().matches("correct horse", PasswordHash(example.export)))
        #expect(try !PasswordContext().matches("correct horses", PasswordHash(example.export)))
    }

    struct Damage: Sendable {
        let from: String
        let to: String
        let error: PasswordError
    }

    /// Changes to an export with PBKDF2 that must be errors.
    static let damages = [
        Damage(from: "password", to: "otp", error: .unsupported),
        Damage(from: "pbkdf2-sha256", to: "bcrypt", error: .unsupported),
        Damage(from: "secretData", to: "secret", error: .unrecognized),
        Damage(from: #"{"id":"5f2c","#, to: #"{"secretData":"{}","#, error: .malformed),
        Damage(from: #"{"id":"5f2c","#, to: #"{"secret_data":"{}","#, error: .unrecognized),
        Damage(from: #"\"salt\""#, to: #"\"value\""#, error: .malformed),
        Damage(from: #"\"salt\""#, to: #"\"pepper\""#, error: .unsupported),
        Damage(from: "27500", to: "0", error: .malformed),
        Damage(from: "27500", to: "-27500", error: .malformed),
        Damage(from: "27500", to: "027500", error: .malformed),
        Damage(from: "27500", to: "2.75e4", error: .malformed),
        Damage(from: "27500", to: "99999999999", error: .malformed),
        Damage(from: #"27500,"#, to: #"\"27500\","#, error: .malformed),
        Damage(from: "JsfN", to: "", error: .malformed),
        Damage(
            from: "JsfNbCOIdZUbyBJ+BT+VoGI91Ec2rWLOvkLPDaX8e9k=",
            to: "JsfNbCOIdZUbyBJ+BT+VoA==",
            error: .malformed
        ),
        Damage(from: "P5rtFkGtPfoaryJ6PizUJw==", to: "", error: .malformed),
        Damage(from: "P5rtFkGtPfoaryJ6PizUJw==", to: "__SALT__", error: .malformed),
        Damage(
            from: #"\"additionalParameters\":{}}","cred"#,
            to: #"\"additionalParameters\":{\"a\":[\"b\"]}}","cred"#,
            error: .unsupported
        ),
        Damage(from: #"{}}"}"#, to: #"{\"a\":[\"b\"]}}"}"#, error: .unsupported),
        Damage(from: #"{}}"}"#, to: #"{\"a\":\"b\"}}"}"#, error: .malformed),
        Damage(from: #"{}}"}"#, to: #"{}}"}}"#, error: .malformed),
        Damage(from: #"{}}"}"#, to: #"{}}""#, error: .malformed),
        Damage(from: #""priority":10"#, to: #""priority":tru"#, error: .malformed),
        Damage(from: #""priority":10"#, to: #""priority":[[[[[[[[[[]]]]]]]]]]"#, error: .malformed),
        Damage(from: #""priority":10"#, to: #""priority":"\ud800""#, error: .malformed),
        Damage(from: #""priority":10"#, to: #""priority":"\u12""#, error: .malformed),
        Damage(from: #""priority":10"#, to: #""priority":"\x""#, error: .malformed),
        Damage(from: #""priority":10"#, to: "\"priority\":\"é\"", error: .malformed),
        Damage(from: #""priority":10"#, to: "\"priority\":\"\u{1}\"", error: .malformed),
        Damage(from: #""priority":10"#, to: #""priority":-"#, error: .malformed),
        Damage(from: #""priority":10"#, to: #""priority":10,"#, error: .malformed),
    ]

    @Test(arguments: KeycloakHashTests.damages)
    func damagedCredentialsAreErrors(_ damage: Damage) throws {
        let text = Self.examples[2].export
        #expect(text.contains(damage.from))
        #expect(throws: damage.error) { try PasswordHash(text.replacing(damage.from, with: damage.to)) }
    }

    @Test(arguments: [
        ("\"32\"", "\"31\""), ("\"1.3\"", "\"1.4\""), ("\"id\"", "\"x\""), ("\"1\"", "\"0\""),
        ("\"7168\"", "\"7\""),
        ("\"7168\"", "7168"), ("[\"7168\"]", "[\"7168\",\"1\"]"), (",\"parallelism\":[\"1\"]", ""),
        ("\"memory\"", "\"secret\""), ("\"hashIterations\":5", "\"hashIterations\":0"),
    ])
    func damagedParametersOfArgon2AreErrors(_ old: String, _ new: String) throws {
        let example = Self.examples[0]
        #expect(example.data.contains(old))
        let damaged = Example(
            password: "",
            value: example.value,
            salt: example.salt,
            data: example.data.replacing(old, with: new)
        )
        #expect(throws: PasswordError.malformed) { try PasswordHash(damaged.export) }
    }

    /// Every text that lacks a byte, or whose end is cut off, is an error or another hash, and no trap.
    @Test(arguments: KeycloakHashTests.examples)
    func cutTextsAreNoTraps(_ example: Example) throws {
        let bytes = Array(example.export.utf8)
        var errors = 0
        for index in bytes.indices {
            for text in [bytes[..<index], bytes[..<index] + bytes[(index + 1)...]] {
                do throws(PasswordError) {
                    _ = try PasswordHash(String(decoding: text, as: UTF8.self))
                } catch {
                    errors += 1
                }
            }
        }
        #expect(errors > bytes.count)
    }

    @Test func valuesOfJSONAreReadAsWritten() throws {
        let text = #" { "a" : [ 1, -0.5e+3, true, false, null, {} , [] ], "\u00e9\ud83d\udd11\n\/" : "x" } "#
        let object = try #require(try StrictJSON(parsing: text.utf8).object)
        #expect(Set(object.keys) == ["a", "é🔑\n/"])
        #expect(object["é🔑\n/"]?.string == "x")
        guard case .array(let list)? = object["a"] else {
            Issue.record("no array")
            return
        }
        #expect(list.count == 7)
        if case .number(let number) = list[1] {
            #expect(number == "-0.5e+3")
        } else {
            Issue.record("no number")
        }
    }
}
