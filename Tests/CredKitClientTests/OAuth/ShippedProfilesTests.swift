// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitClient

/// The profiles in `docs/profiles`.
struct ShippedProfilesTests {
    private static let folder = TestScripts.root.appending(path: "docs/profiles")

    static let names = ["entra", "forgejo", "github", "gitlab", "google", "keycloak", "okta"]

    private func profile(_ name: String) throws -> LoginProfile {
        try LoginProfile(json: Data(contentsOf: Self.folder.appending(path: "\(name).json")))
    }

    @Test func allAreTested() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(files == Self.names.map { "\($0).json" })
    }

    @Test(arguments: ShippedProfilesTests.names)
    func profileMakesARequest(_ name: String) throws {
        var profile = try profile(name)
        #expect(profile.lacksClientID)
        try profile.set(clientID: "desktop")
        #expect(!profile.lacksClientID)
        let mechanism = try #require(profile.mechanism as? OAuthMechanism)
        let redirect = try LoopbackRedirect(try #require(profile.redirectURL))
        let request = try AuthorizationRequest(
            mechanism,
            redirectURL: redirect.description,
            keyThumbprint: nil
        )
        #expect(request.url.origin.isSecure)
        #expect(request.url.parameter("client_id") == Array("desktop".utf8))
        let server = try #require(profile.server)
        #expect(try Origin(server).isSecure)
        // The server of a profile is whole: what is replaced in a copy stands in few places.
        let read = try LoginProfile(json: profile.json())
        #expect(read == profile)
    }

    @Test(arguments: ShippedProfilesTests.names)
    func pageTellsAboutTheProfile(_ name: String) throws {
        let file = TestScripts.root.appending(path: "docs/oauth-profiles.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page.contains("[\(name).json](profiles/\(name).json)"))
    }
}
