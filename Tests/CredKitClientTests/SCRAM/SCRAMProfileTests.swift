// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitClient

/// Profiles of SCRAM in JSON.
final class SCRAMProfileTests: XCTestCase {
    private func profile(_ json: String) throws -> LoginProfile { try LoginProfile(json: Array(json.utf8)) }

    func testDefaultsAreThoseOfTheAPI() throws {
        XCTAssertEqual(try profile(#"{"scheme": "scram"}"#), .scram())
        XCTAssertEqual(LoginProfile.scram().logoutPath, "/logout.php")
        XCTAssertEqual(LoginProfile.scram().tokenHeader, "x-auth-token")
    }

    func testAllMembers() throws {
        let json = #"""
            {"scheme": "scram", "server": "https://login.school.example", "keyPhrase": "itheima",
             "hashFunction": "SHA-512", "preparation": "postgreSQL", "channelBinding": "exporter",
             "requiresChannelBinding": true, "maximumIterations": 1000000, "loginPath": "/a",
             "replacesLayeredVerifier": true, "verifierPath": "/b", "logoutPath": "", "tokenHeader": "x-token",
             "expired": {"statuses": [401]}}
            """#
        var expected = LoginProfile.scram(
            keyPhrase: "itheima",
            hashFunction: .sha512,
            preparation: .postgreSQL,
            channelBinding: .required(.exporter),
            maximumIterations: 1_000_000,
            path: "/a",
            replacesLayeredVerifier: true,
            verifierPath: "/b"
        )
        expected.server = "https://login.school.example"
        expected.logoutPath = nil
        expected.tokenHeader = "x-token"
        XCTAssertEqual(try profile(json), expected)
        XCTAssertFalse("\(expected)".contains("itheima"))
    }

    func testRoundTrip() throws {
        var without = LoginProfile.scram()
        without.logoutPath = nil
        without.tokenHeader = nil
        let profiles: [LoginProfile] = [
            .scram(), without, .scram(keyPhrase: "itheima", replacesLayeredVerifier: true),
            .scram(channelBinding: .preferred(.serverEndPoint)),
            .scram(channelBinding: .required(.serverEndPoint)),
            .scram(hashFunction: .sha512, preparation: .postgreSQL, channelBinding: .preferred(.exporter)),
        ]
        for profile in profiles { XCTAssertEqual(try LoginProfile(json: profile.json()), profile) }
        // Mechanisms without a default path are written as before.
        XCTAssertFalse(String(decoding: LoginProfile.basic().json(), as: UTF8.self).contains("logoutPath"))
    }

    func testMembersAreChecked() throws {
        let faults = [
            #""keyPhrase": """#: "keyPhrase", #""hashFunction": "SHA-1""#: "hashFunction",
            #""hashFunction": 256"#: "hashFunction", #""preparation": "none""#: "preparation",
            #""channelBinding": "tls-unique""#: "channelBinding",
            #""requiresChannelBinding": true"#: "channelBinding",
            #""requiresChannelBinding": true, "channelBinding": "none""#: "channelBinding",
            #""maximumIterations": 4095"#: "maximumIterations",
            #""maximumIterations": 10000001"#: "maximumIterations",
            #""maximumIterations": "many""#: "maximumIterations", #""loginPath": "scram""#: "loginPath",
            #""verifierPath": "//evil.example""#: "verifierPath",
            #""replacesLayeredVerifier": true"#: "keyPhrase", #""iterations": 1"#: "iterations",
            #""usernameField": "name""#: "usernameField", #""tokenHeader": "cookie""#: "tokenHeader",
        ]
        for (member, name) in faults {
            do {
                _ = try profile("{\"scheme\": \"scram\", \(member)}")
                XCTFail("\(member) was accepted")
            } catch {
                let error = error as? ClientError
                XCTAssertEqual(error, .invalidProfile, member)
                XCTAssertTrue(
                    error?.message.contains(name) == true,
                    "\(member): \(String(describing: error))"
                )
            }
        }
        for other in [
            #"{"scheme": "basic", "tokenHeader": "x-token"}"#, #"{"scheme": "basic", "keyPhrase": "a"}"#,
        ] {
            XCTAssertThrowsError(try profile(other))
        }
    }

    func testSettingsOfTheAPIAreChecked() {
        for profile in [
            LoginProfile.scram(maximumIterations: 4095), .scram(hashFunction: .sha1), .scram(keyPhrase: ""),
            .scram(replacesLayeredVerifier: true), .scram(path: "x"),
        ] {
            XCTAssertThrowsError(try profile.check()) { XCTAssertEqual($0 as? ClientError, .invalidProfile) }
        }
    }
}
