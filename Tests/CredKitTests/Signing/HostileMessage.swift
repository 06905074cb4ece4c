// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// A request with any fields, and a signature over any base.
struct HostileMessage {
    /// A line of the base: an identifier as it stands in the field, and the value that a lenient verifier would take.
    struct Line {
        let identifier, value: String

        init(_ identifier: String, _ value: String) { (self.identifier, self.value) = (identifier, value) }
    }

    static let now = UnixTime(1_700_000_000)
    /// The parameters of an honest signature.
    static let end = #";created=1700000000;keyid="k";nonce="n""#

    private static let secret = [UInt8](repeating: 7, count: 32)

    let input, signature: String
    var fields: [MessageSignature.Field] = [.init("X", "v"), .init("Priority", "u=1,   i")]
    var query = "a=1&a=2&b=3"

    init(input: String, signature: String) { (self.input, self.signature) = (input, signature) }

    /// Signs a base of these lines.
    init(_ lines: [Line], _ parameters: String = end, label: String = "sig") {
        let list = "(\(lines.map(\.identifier).joined(separator: " ")))\(parameters)"
        let base = lines.map { "\($0.identifier): \($0.value)\n" }.joined() + "\"@signature-params\": \(list)"
        let signature = (try? MessageSignature.SigningKey.hmacSHA256(Self.secret).sign(base.utf8)) ?? []
        self.init(input: "\(label)=\(list)", signature: "\(label)=:\(Base64.standard.encode(signature)):")
    }

    var message: MessageSignature.Message {
        .request(
            .init(
                method: "GET",
                authority: "a",
                path: "/",
                query: query,
                fields: fields + [.init("Signature-Input", input), .init("Signature", signature)]
            )
        )
    }

    /// Why the message is refused; `nil` if it is not.
    func refusal(keys: (String) -> Void = { _ in }) throws -> MessageSignature.Refusal? {
        let key = try MessageSignature.VerificationKey.hmacSHA256(Self.secret)
        let verifier = try MessageSignature.Verifier(requiring: [.method])
        let result = verifier.verify(message, at: Self.now) { name in
            keys(name)
            return key
        }
        guard case .invalid(let refusal) = result else { return nil }
        XCTAssertTrue(refusal.message.utf8.allSatisfy { 0x20...0x7E ~= $0 }, refusal.message)
        return refusal
    }

    func code() throws -> MessageSignature.Refusal.Code? { try refusal()?.code }
}
