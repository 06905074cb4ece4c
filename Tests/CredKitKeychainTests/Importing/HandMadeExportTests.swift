// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitKeychain

/// Exports of programs that do not run here, made by hand after their documentation, and older forms of others.
struct HandMadeExportTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let format: PasswordFile.ImportFormat
        let document: String
        /// Service, account, attribute `field` and secret of each item; a missing one is `-`.
        let items: [[String]]
        var folder: String?
        var losses: [String] = []
        var failureCount = 0
        /// The documentation.
        let source: String

        var testDescription: String { "\(format.rawValue), \(source)" }
    }

    private static let uri = "otpauth://totp/Example:alice?secret=JBSWY3DPEHPK3PXP&issuer=Example"
    private static let bareURI = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30"
    private static let password = ["example.com", "alice", "-", "s3cret"]

    static let cases: [Case] = [
        Case(
            format: .onePasswordJSON,
            document: """
                {"accounts": [{"attrs": {"accountName": "A", "name": "A", "uuid": "U", "domain": "https://my.example/"},
                "vaults": [{"attrs": {"uuid": "V", "desc": "", "avatar": "", "name": "Personal", "type": "P"}, "items": [
                {"uuid": "1", "favIndex": 1, "createdAt": 1614298956, "updatedAt": 1635346445, "state": "active",
                "categoryUuid": "001", "details": {
                "loginFields": [
                {"value": "alice", "id": "", "name": "username", "fieldType": "T", "designation": "username"},
                {"value": "s3cret", "id": "", "name": "password", "fieldType": "P", "designation": "password"},
                {"value": "", "id": "terms", "name": "terms", "fieldType": "C"}],
                "notesPlain": "a note", "sections": [{"title": "Security", "name": "Section_1", "fields": [
                {"title": "one-time password", "id": "TOTP_1", "value": {"totp": "\(uri)"}, "guarded": false,
                "multiline": false, "inputTraits": {"keyboard": "default"}},
                {"title": "backup", "id": "TOTP_2", "value": {"totp": "gezd gnbv gy3t qojq"}, "guarded": false},
                {"title": "", "id": "pin", "value": {"concealed": "1234"}},
                {"title": "empty", "id": "x", "value": {"string": ""}},
                {"title": "scan", "id": "y", "value": {"file": {"fileName": "a.pdf", "documentId": "d"}}}]}],
                "passwordHistory": [{"value": "old", "time": 1458322355}]},
                "overview": {"subtitle": "alice", "title": "Example", "url": "https://example.com/login", "ps": 100,
                "urls": [{"label": "website", "url": "https://example.com/login"}, {"label": "", "url": "https://b.example/"}],
                "tags": ["work"]}},
                {"item": {"uuid": "2", "trashed": true, "overview": {"title": "Old"}, "details": {"password": "x"}}},
                {"uuid": "3", "state": "archived", "categoryUuid": "005", "overview": {"title": "Wifi"},
                "details": {"password": "pw", "sections": []}}]}]}]}
                """,
            items: [
                password, ["otp:example.com", "alice", "-", uri],
                ["note:example.com", "alice", "-", "a note"],
                [
                    "field:example.com", "alice", "Security.backup",
                    "otpauth://totp/?secret=GEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30",
                ],
                ["field:example.com", "alice", "Security.pin", "1234"],
                ["field:example.com", "alice", "url 2", "https://b.example/"], ["Wifi", "-", "-", "pw"],
            ],
            folder: "Personal",
            losses: [
                "Old: ", "Personal/Example: favIndex", "Personal/Example: further one-time code",
                "Personal/Example: attachment", "Personal/Example: passwordHistory", "Personal/Example: tags",
                "Personal/Wifi: state",
            ],
            source: "https://support.1password.com/1pux-format/"
        ),
        Case(
            format: .lastPassCSV,
            document: """
                url,username,password,totp,extra,name,grouping,fav
                https://example.com/login,alice,s3cret,JBSW Y3DP EHPK 3PXP,"a
                note",Example,Work\\Mail,1
                http://sn,,,,text,Note,Work\\Mail,0

                """,
            items: [
                password, ["otp:example.com", "alice", "-", bareURI],
                ["note:example.com", "alice", "-", "a\nnote"],
                ["note:Note", "-", "-", "text"],
            ],
            folder: "Work/Mail",
            losses: ["Work/Mail/Example: favorite"],
            source: "https://support.lastpass.com/s/document-item?topicId=LastPass/export-data.html"
        ),
        Case(
            format: .lastPassCSV,
            document:
                "url,username,password,extra,name,grouping,fav\nhttps://example.com,alice,s3cret,,E,,0\n",
            items: [password],
            source: "the same, before it had one-time codes"
        ),
        Case(
            format: .appleCSV,
            document:
                "Title,URL,Username,Password,Notes,OTPAuth\nexample.com (alice),https://example.com/,alice,s3cret,,\(uri)\n",
            items: [password, ["otp:example.com", "alice", "-", uri]],
            source: "https://support.apple.com/guide/passwords/mchl72f4dd5d/mac"
        ),
        Case(
            format: .appleCSV,
            document: "Title,Url,Username,Password,OTPAuth\r\nE,https://example.com/,alice,s3cret,\(uri)\r\n",
            items: [password, ["otp:example.com", "alice", "-", uri]],
            source: "Safari 15"
        ),
        Case(
            format: .onePasswordCSV,
            document: """
                Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
                E,https://example.com/,alice,s3cret,\(uri),true,false,work,a note

                """,
            items: [
                password, ["otp:example.com", "alice", "-", uri],
                ["note:example.com", "alice", "-", "a note"],
            ],
            losses: ["E: favorite", "E: tags"],
            source: "https://support.1password.com/export/"
        ),
        Case(
            format: .dashlaneCSV,
            document: """
                username,username2,username3,title,password,note,url,category,otpSecret
                alice,second,,E,s3cret,,https://example.com,Business,JBSWY3DPEHPK3PXP

                """,
            items: [
                password, ["otp:example.com", "alice", "-", bareURI],
                ["field:example.com", "alice", "username2", "second"],
            ],
            folder: "Business",
            source: "https://support.dashlane.com/hc/en-us/articles/202625092"
        ),
        Case(
            format: .protonPassCSV,
            document: """
                type,name,url,email,username,password,note,totp,createTime,modifyTime,vault
                login,E,https://example.com,al@mail.example,alice,s3cret,,\(uri),1614298956,1614298956,Personal

                """,
            items: [
                password, ["otp:example.com", "alice", "-", uri],
                ["field:example.com", "alice", "email", "al@mail.example"],
            ],
            folder: "Personal",
            losses: ["Personal/E: created", "Personal/E: modified"],
            source: "https://proton.me/support/pass-export"
        ),
        Case(
            format: .chromiumCSV,
            document: """
                name,url,additional_urls,username,password,note,OTP,otpUrl
                E,https://example.com,,alice,s3cret,,JBSWY3DPEHPK3PXP,\(uri)

                """,
            items: [
                password, ["otp:example.com", "alice", "-", bareURI],
                ["field:example.com", "alice", "otp", uri],
            ],
            losses: ["E: further one-time code"],
            source: "columns with codes that a browser does not have"
        ),
        Case(
            format: .bitwardenCSV,
            document: """
                folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
                Social,1,login,E,,PIN: 1,0,"https://example.com,https://b.example",alice,s3cret,\(uri)
                ,,note,N,text,,0,,,,

                """,
            items: [
                password, ["otp:example.com", "alice", "-", uri],
                ["field:example.com", "alice", "fields", "PIN: 1"],
                ["field:example.com", "alice", "further uris", "https://b.example"],
                ["note:N", "-", "-", "text"],
            ],
            folder: "Social",
            losses: ["Social/E: favorite"],
            source: "https://bitwarden.com/help/condition-bitwarden-import/"
        ),
        Case(
            format: .bitwardenJSON,
            document: """
                {"folders": [{"id": "1", "name": "F"}], "items": [{"id": "2", "folderId": "1", "type": 1, "name": "E",
                "login": {"uris": [{"match": null, "uri": "https://example.com"}], "username": "alice", "password": "s3cret",
                "totp": "jbsw-y3dp-ehpk-3pxp"}}]}
                """,
            items: [password, ["otp:example.com", "alice", "-", bareURI]],
            folder: "F",
            source: "before there was 'encrypted'"
        ),
        Case(
            format: .bitwardenJSON,
            document: """
                {"encrypted": false, "items": [{"type": 1, "name": "E", "login": {"uris": [{"uri": "https://example.com"}],
                "username": "alice", "password": "s3cret", "totp": "steam://JBSWY3DPEHPK3PXP"}}]}
                """,
            items: [password, ["field:example.com", "alice", "otp", "steam://JBSWY3DPEHPK3PXP"]],
            losses: ["E: one-time code"],
            failureCount: 1,
            source: "https://bitwarden.com/help/integrated-authenticator/, Steam"
        ),
        Case(
            format: .keePassXCCSV,
            document: """
                "Group","Title","Username","Password","URL","Notes"
                "Passwords/Web","E","alice","s3cret","https://example.com/",""

                """,
            items: [password],
            folder: "Web",
            source: "KeePassX 2, and KeePassXC until 2.3"
        ),
        Case(
            format: .chromiumCSV,
            document: """
                name,url,username,password,note,extra,more
                E,https://example.com/,alice,s3cret,,x,
                F,https://f.example/,bob

                """,
            items: [password, ["f.example", "bob", "-", ""]],
            losses: ["E: column 'extra'", "F: row"],
            source: "further columns, and a short row"
        ),
        Case(
            format: .firefoxCSV,
            document: """
                "url","username","password","httpRealm","formActionOrigin"
                "https://example.com","alice","s3cret",,""

                """,
            items: [password],
            source: "fewer columns"
        ),
    ]

    private func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    @Test(arguments: HandMadeExportTests.cases)
    func exportsAreReadWhole(file: Case) throws {
        let document = try SecretBytes(file.document)
        #expect(PasswordFile.format(of: document) == file.format)
        let read = try PasswordFile.read(document)
        let items = read.credentials.map { credential in
            let key = credential.item.key
            return [key.service, key.account ?? "-", key.attributes["field"] ?? "-", text(credential.secret)]
        }
        #expect(items == file.items)
        #expect(read.credentials.first?.item.key.attributes["folder"] == file.folder)
        let losses = read.losses.map { "\($0.entry): \($0.field)" }
        #expect(losses == file.losses)
        #expect(read.failureCount == file.failureCount)
    }

    @Test func timesOfOnePasswordAreKept() throws {
        let file = try #require(Self.cases.first { $0.format == .onePasswordJSON })
        let item = try #require(PasswordFile.read(SecretBytes(file.document)).credentials.first?.item)
        #expect(item.created.flatMap { Timestamp.text($0) } == "2021-02-26T00:22:36.000Z")
        #expect(item.modified.flatMap { Timestamp.text($0) } == "2021-10-27T14:54:05.000Z")
    }

    @Test(arguments: [
        #"{"accounts":[{"vaults":[{"items":[{"overview":{"title":1}}]}]}]}"#, #"{"accounts":{}}"#,
        #"{"accounts":[{"vaults":[{"items":[{"item":{"item":{"item":{}}}}]}]}]}"#, #"{"accounts":[]}x"#,
        #"{"accounts":[{"vaults":[{"items":[{"details":{"sections":[{"fields":[{"value":{"totp":5}]}]}}]}]}]}"#,
    ])
    func malformedDocumentsOfOnePasswordAreRefused(document: String) throws {
        #expect(throws: KeychainError.damaged) { try PasswordFile.read(SecretBytes(document)) }
    }

    @Test func longRowsAreErrors() throws {
        let table = "name,url,username,password\nE,https://example.com,alice,s3cret,x\n"
        #expect(throws: KeychainError.damaged) { try PasswordFile.read(SecretBytes(table)) }
    }

    /// The columns of a program in any order, with any spelling that it writes.
    @Test func columnsAreFoundInAnyOrder() throws {
        let table = "password,username,name,url\ns3cret,alice,E,https://example.com\n"
        let read = try PasswordFile.read(SecretBytes(table))
        #expect(read.credentials.map { text($0.secret) } == (["s3cret"] as [String]))
        #expect(read.credentials.map { $0.item.service } == (["example.com"] as [String]))
    }
}
