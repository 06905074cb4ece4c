// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The fields of a login as they are sent: a form, the query of a URL, or an object of JSON.
struct LoginForm {
    enum Format {
        case form, query, json
    }

    let format: Format
    private var fields: [UInt8] = []

    init(_ format: Format) { self.format = format }

    var contentType: String {
        format == .json ? "application/json" : "application/x-www-form-urlencoded"
    }

    /// The whole body.
    var bytes: [UInt8] {
        format == .json ? [UInt8(ascii: "{")] + fields + [UInt8(ascii: "}")] : fields
    }

    /// Appends a field with a text.
    mutating func append(_ name: String, _ value: String) {
        begin(name)
        write(value.utf8)
        end()
    }

    /// Appends a field with a secret, which is not copied into a text.
    ///
    /// - Throws: ``ClientError/invalidRequest`` if JSON cannot have it, because it is not UTF-8.
    mutating func append(_ name: String, _ secret: SecretBytes) throws(ClientError) {
        let bytes = secret.withSecretBytes { secret in secret.indices.map { secret[$0] } }
        guard format != .json || String(validating: bytes, as: UTF8.self) != nil else {
            throw .invalidRequest("cannot log in: a password that is sent as JSON must be UTF-8")
        }
        begin(name)
        write(bytes)
        end()
    }

    private mutating func begin(_ name: String) {
        switch format {
        case .form, .query:
            if !fields.isEmpty { fields.append(UInt8(ascii: "&")) }
            write(name.utf8)
            fields.append(UInt8(ascii: "="))
        case .json:
            if !fields.isEmpty { fields.append(UInt8(ascii: ",")) }
            fields.append(UInt8(ascii: "\""))
            write(name.utf8)
            fields += Array("\":\"".utf8)
        }
    }

    private mutating func end() {
        if format == .json { fields.append(UInt8(ascii: "\"")) }
    }

    private mutating func write(_ bytes: some Collection<UInt8>) {
        switch format {
        case .form: PercentCoding.form.append(bytes, to: &fields)
        case .query: PercentCoding.query.append(bytes, to: &fields)
        case .json: for byte in bytes { writeJSON(byte) }
        }
    }

    private mutating func writeJSON(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): fields += [UInt8(ascii: "\\"), byte]
        case 0..<0x20: fields += Array("\\u00".utf8) + [byte >> 4, byte & 15].map(Self.hexDigit)
        default: fields.append(byte)
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
