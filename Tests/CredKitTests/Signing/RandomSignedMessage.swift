// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport

/// A random message with a signature, in the form that `message_signatures.py` reads.
struct RandomSignedMessage: Encodable {
    private(set) var algorithm, key: String
    private(set) var created: Int64
    private(set) var components: [String] = []
    var method, scheme, authority, path: String
    var query: String?
    var fields: [[String]] = []
    var status: Int?
    var responseFields: [[String]] = []
    private(set) var signatureInput = ""
    private(set) var signature = ""

    init(created: Int64, _ generator: inout SeededGenerator) throws {
        self.created = created
        algorithm = Bool.random(using: &generator) ? "hmac-sha256" : "ed25519"
        key = Hex.encode(generator.bytes(count: 32...32))
        method = Self.pick(["GET", "POST", "PUT", "DELETE", "QUERY"], &generator)
        scheme = Self.pick(["http", "https"], &generator)
        let ports = ["", ":80", ":443", ":8080", ":0443"]
        authority = Self.pick(["example.com", "EXAMPLE.org", "[::1]", "10.0.0.1"], &generator)
        authority += Self.pick(ports, &generator)
        let characters = "abcXYZ019-._~!$'()*,;:@%2F%41/"
        path = Bool.random(using: &generator) ? "" : "/" + Self.url(of: characters, &generator)
        if Bool.random(using: &generator) { query = Self.url(of: characters + "&=+?", &generator) }
        status = Bool.random(using: &generator) ? nil : Int.random(in: 200...599, using: &generator)
        fields = Self.fields(&generator)
        if status != nil { responseFields = Self.fields(&generator) }
        try choose(&generator)
        try sign()
    }

    func signingKey() throws -> MessageSignature.SigningKey {
        let bytes = try Hex.decode(key)
        return algorithm == "ed25519" ? try .ed25519(bytes) : try .hmacSHA256(bytes)
    }

    func covered() throws -> [MessageSignature.Component] {
        var covered: [MessageSignature.Component] = []
        for text in components {
            let item = try StructuredField.Item(parsing: text)
            covered.append(
                try MessageSignature.Component(item.value.stringValue ?? "", parameters: item.parameters)
            )
        }
        return covered
    }

    func message(signatureInput: String? = nil, signature: String? = nil) -> MessageSignature.Message {
        var lines: [MessageSignature.Field] = []
        if let signatureInput { lines.append(.init("Signature-Input", signatureInput)) }
        if let signature { lines.append(.init("Signature", signature)) }
        var request = MessageSignature.Request(
            method: method,
            scheme: scheme,
            authority: authority,
            path: path,
            query: query,
            fields: fields.map(Self.field)
        )
        if let status {
            let all = responseFields.map(Self.field) + lines
            return .response(.init(status: status, fields: all, request: request))
        }
        request.fields += lines
        return .request(request)
    }

    /// A field whose bytes are the code points of the text.
    private static func field(_ pair: [String]) -> MessageSignature.Field {
        .init(pair[0], pair[1].unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    private mutating func sign() throws {
        let key = try signingKey()
        let covered = try covered()
        let signer = try MessageSignature.Signer(key: key, keyID: "key", covering: covered, label: "own")
        let signed = try signer.sign(message(), at: UnixTime(created))
        (signatureInput, signature) = (signed.signatureInput, signed.signature)
    }

    private static func pick<Element>(_ values: [Element], _ generator: inout SeededGenerator) -> Element {
        values[Int.random(in: values.indices, using: &generator)]
    }

    /// Random text in which each percent sign begins an escape of an ASCII character.
    private static func url(of characters: String, _ generator: inout SeededGenerator) -> String {
        generator.text(of: characters, count: 0...30).split(separator: "%", omittingEmptySubsequences: false)
            .joined(separator: "%20")
    }

    private static func fields(_ generator: inout SeededGenerator) -> [[String]] {
        var fields: [[String]] = []
        let printable = "abc XYZ\t,;=\"'\\()<>@:/?{}~^`|019"
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            let name = pick(["X-Plain", "x-plain", "X-Other", "Accept", "Date"], &generator)
            var value = generator.text(of: printable, count: 0...30)
            if Bool.random(using: &generator) {
                value = " \(value)\r\n \t" + generator.text(of: "abc ", count: 1...9)
            }
            fields.append([name, value])
        }
        fields.append(["X-Bytes", generator.text(of: "aé\u{80}ÿ ,z", count: 1...20)])
        fields.append([
            "X-Dictionary", pick(["a=1,  b=2;x=1;y, c=(a   b)", "b;x=?1 , a=(\"q\");z=1.50, c"], &generator),
        ])
        let digest = ContentDigest(
            of: generator.bytes(count: 0...9),
            algorithm: pick([.sha256, .sha512], &generator)
        )
        fields.append(["Content-Digest", digest.fieldValue])
        fields.append(["Priority", pick(["u=1,   i", "i, u=3", "u=5;x=y ,a"], &generator)])
        return fields.shuffled(using: &generator)
    }

    /// Chooses components that the message has.
    private mutating func choose(_ generator: inout SeededGenerator) throws {
        var derived = [
            "@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query",
        ]
        .map { "\"\($0)\"" }
        for name in singleParameters { derived.append("\"@query-param\";name=\"\(name)\"") }
        var all: [String]
        if status == nil {
            all = derived + Self.fieldComponents(fields)
        } else {
            all = ["\"@status\""] + Self.fieldComponents(responseFields)
            all += (derived + Self.fieldComponents(fields)).map { "\($0);req" }
        }
        all.shuffle(using: &generator)
        components = Array(all.prefix(Int.random(in: 1...12, using: &generator)))
    }

    /// The encoded names of parameters that occur once, if they need no encoding.
    private var singleParameters: [String] {
        let names = (query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        let simple = names.filter { !$0.isEmpty && $0.allSatisfy { "abcXYZ019-._*".contains($0) } }
        // A name may also occur with escapes, which are spaces here.
        return simple.filter { name in names.count { $0 == name } == 1 }.map(String.init)
    }

    private static func fieldComponents(_ fields: [[String]]) -> [String] {
        var names = Set(fields.map { $0[0].lowercased() })
        names.remove("x-bytes")
        var all = names.sorted().map { "\"\($0)\"" }
        all += names.sorted().filter { $0.hasPrefix("x-") }.map { "\"\($0)\";bs" }
        all += ["\"x-bytes\";bs", "\"priority\";sf", "\"content-digest\";sf"]
        all += ["a", "b", "c"].map { "\"x-dictionary\";key=\"\($0)\"" }
        return all
    }
}
