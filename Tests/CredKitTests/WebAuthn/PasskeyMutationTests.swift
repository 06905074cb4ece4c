// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Testing

/// Right responses with one change at each place: all are signed, so none may be accepted.
@Suite struct PasskeyMutationTests {
    /// The bytes with each bit flipped, cut at each place, and with a byte added at each place; fewer without `CREDKIT_DEEP`.
    private func mutations(of bytes: [UInt8]) -> [[UInt8]] {
        var mutations: [[UInt8]] = [bytes + [0], bytes + bytes]
        for index in bytes.indices {
            for bit in TestForm.isDeep ? Array(0..<8) : [index % 8] {
                mutations.append(bytes)
                mutations[mutations.count - 1][index] ^= 1 << UInt8(bit)
            }
            mutations.append(Array(bytes[..<index]))
            mutations.append(Array(bytes[...index]) + Array(bytes[index...]))
            mutations.append(Array(bytes[..<index]) + Array(bytes[(index + 1)...]))
        }
        return mutations.filter { $0 != bytes }
    }

    @Test func changedRegistrationsAreRefused() throws {
        var authenticator = try VirtualAuthenticator()
        authenticator.format = "packed"
        authenticator.extensions = CBORValue.map([.init(key: .text("credProtect"), value: .integer(2))])
        let registration = try PasskeyScene.registration()
        let right = try authenticator.register(registration)
        _ = try registration.verify(right, at: PasskeyScene.time)
        func isRefused(clientData: [UInt8], object: [UInt8]) throws -> Bool {
            let response = try PasskeyRegistration.Response(
                credentialID: right.credentialID,
                clientDataJSON: clientData,
                attestationObject: object
            )
            return refusal { () throws(WebAuthn.Error) in
                _ = try registration.verify(response, at: PasskeyScene.time)
            }
        }
        for object in mutations(of: right.attestationObject) {
            #expect(try isRefused(clientData: right.clientDataJSON, object: object), "\(Hex.encode(object))")
        }
        for clientData in mutations(of: right.clientDataJSON) {
            let text = String(decoding: clientData, as: UTF8.self)
            #expect(try isRefused(clientData: clientData, object: right.attestationObject), "\(text)")
        }
    }

    @Test func changedLoginsAreRefused() throws {
        let authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        let assertion = try PasskeyScene.assertion()
        let right = try authenticator.assert(assertion)
        func isRefused(clientData: [UInt8]? = nil, data: [UInt8]? = nil, signature: [UInt8]? = nil) throws
            -> Bool
        {
            let response = try PasskeyAssertion.Response(
                credentialID: right.credentialID,
                clientDataJSON: clientData ?? right.clientDataJSON,
                authenticatorData: data ?? right.authenticatorData,
                signature: signature ?? right.signature,
                userHandle: right.userHandle
            )
            return refusal { () throws(WebAuthn.Error) in
                _ = try assertion.verify(response, of: record, at: PasskeyScene.time)
            }
        }
        #expect(try !isRefused())
        for bytes in mutations(of: right.clientDataJSON) {
            #expect(try isRefused(clientData: bytes), "\(String(decoding: bytes, as: UTF8.self))")
        }
        for bytes in mutations(of: right.authenticatorData) {
            #expect(try isRefused(data: bytes), "\(Hex.encode(bytes))")
        }
        for bytes in mutations(of: right.signature) {
            #expect(try isRefused(signature: bytes), "\(Hex.encode(bytes))")
        }
    }

    private func refusal(_ body: () throws(WebAuthn.Error) -> Void) -> Bool {
        do throws(WebAuthn.Error) {
            try body()
            return false
        } catch {
            return true
        }
    }

    /// In the JSON around them some bytes mean nothing, such as white space; whatever is accepted is the same login.
    @Test func changedFormsAreRefusedOrTheSame() throws {
        let authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        let assertion = try PasskeyScene.assertion()
        let right = try authenticator.assert(assertion)
        let base64 = Base64.urlSafe.unpadded
        let id = base64.encode(right.credentialID)
        let json = """
            {"id":"\(id)","rawId":"\(id)","type":"public-key","clientExtensionResults":{},"response":{\
            "clientDataJSON":"\(base64.encode(right.clientDataJSON))",\
            "authenticatorData":"\(base64.encode(right.authenticatorData))",\
            "signature":"\(base64.encode(right.signature))","userHandle":"\(base64.encode(right.userHandle ?? []))"}}
            """
        #expect(try PasskeyAssertion.Response(json: json.utf8) == right)
        for bytes in mutations(of: Array(json.utf8)) {
            guard let response = try? PasskeyAssertion.Response(json: bytes),
                let verified = try? assertion.verify(response, of: record, at: PasskeyScene.time)
            else { continue }
            #expect(verified.record == record, "\(String(decoding: bytes, as: UTF8.self))")
            #expect(response == right)
        }
    }
}
