// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitKeychain

/// The texts of a document that the inner stream encrypts.
struct KDBXProtectedTextsTests {
    /// Not all that a password can have is a character of XML.
    @Test func encryptedTextsHaveEveryCharacter() throws {
        let texts = ["\u{0}\u{1}\u{1F}", "]]>", "]]]]>>]]>", "", "<&>\r\n\t", "größe 🗝\u{FFFE}"]
        let key = [UInt8](0..<64)
        let made = try KDBXInnerStream(3, key.span)
        let stream = try #require(made)
        let plain = Array(texts.joined().utf8)
        // Encryption and decryption are the same.
        let encrypted = try stream.open(SecretBytes(plain))
        let all = encrypted.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
        var rest = all[...]
        var document = "<KeePassFile><Root><Group>"
        for (number, text) in texts.enumerated() {
            let encoded = Base64.standard.encode(Array(rest.prefix(text.utf8.count)))
            rest = rest.dropFirst(text.utf8.count)
            document +=
                "<Entry><String><Key>Title</Key><Value>\(number)</Value></String><String><Key>Password</Key>"
                + "<Value Protected=\"True\">\(encoded)</Value></String></Entry>"
        }
        document += "</Group></Root></KeePassFile>"
        let xml = Array(document.utf8)
        let read = try PasswordFile.read(KDBXProtectedTexts.document(xml.span, stream))
        #expect(read.credentials.map(\.item.label) == ["0", "1", "2", "3", "4", "5"])
        for (credential, text) in zip(read.credentials, texts) {
            #expect(try credential.secret == SecretBytes(text))
        }
        #expect(throws: KeychainError.damaged) { try KDBXProtectedTexts.document(xml.span, nil) }
    }

    /// Version 3.1 has attachments in the document, where they may be encrypted like passwords. They are no text.
    @Test(arguments: [
        "<Meta><Binaries><Binary ID=\"0\" Protected=\"True\">TEXT</Binary></Binaries></Meta><Root><Group>"
            + "<Entry>FIELD<Binary><Key>f</Key><Value Ref=\"0\"/></Binary></Entry></Group></Root>",
        "<Root><Group><Entry><Binary><Key>f</Key><Value Protected=\"True\">TEXT</Value></Binary>FIELD</Entry>"
            + "</Group></Root>",
    ])
    func encryptedAttachmentsAreLeftOut(body: String) throws {
        let attachment: [UInt8] = [0xFF, 0x00, 0xC3, 0x3C]
        let key = [UInt8](0..<64)
        let made = try KDBXInnerStream(3, key.span)
        let stream = try #require(made)
        let encrypted = try stream.open(SecretBytes(attachment + Array("s3cret".utf8)))
        let all = encrypted.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
        let field =
            "<String><Key>Password</Key><Value Protected=\"True\">"
            + Base64.standard.encode(Array(all.dropFirst(attachment.count))) + "</Value></String>"
        let text = Base64.standard.encode(Array(all.prefix(attachment.count)))
        let document = body.replacingOccurrences(of: "TEXT", with: text)
            .replacingOccurrences(of: "FIELD", with: field)
        let xml = Array("<KeePassFile>\(document)</KeePassFile>".utf8)
        let read = try PasswordFile.read(KDBXProtectedTexts.document(xml.span, stream))
        let credential = try #require(read.credentials.first)
        #expect(try credential.secret == SecretBytes("s3cret"))
        #expect(read.losses.map(\.field) == (["attachment 'f'"] as [String]))
    }
}
