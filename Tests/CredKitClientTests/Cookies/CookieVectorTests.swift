// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitVectors
import CredKit
import XCTest

@testable import CredKitClient

/// Checks the rules of RFC 6265bis against the cases in the data files.
final class CookieVectorTests: XCTestCase {
    func testDatesAreParsedAsInRFC6265bis() throws {
        struct Case: Decodable, Sendable {
            let date: String
            let seconds: Int64?
            let why: String
        }
        let file = try VectorFile<Case>.load("rfc6265bis-dates")
        XCTAssertGreaterThanOrEqual(file.cases.count, 60)
        for vector in file.cases {
            XCTAssertEqual(
                CookieDate.parse(vector.date.utf8)?.seconds,
                vector.seconds,
                "\(vector.date): \(vector.why)"
            )
        }
    }

    func testCookiesAreStoredAndSentAsInRFC6265bis() throws {
        let file = try VectorFile<CookieCase>.load("rfc6265bis-cookies")
        XCTAssertGreaterThanOrEqual(file.cases.count, 150)
        for vector in file.cases {
            var jar = CookieJar()
            try vector.run(on: &jar)
            // A jar read back from a file equals the original.
            var copy = try CookieJar(decoding: jar.encoded())
            XCTAssertEqual(copy.cookies.map(CookieCase.Stored.init), jar.cookies.map(CookieCase.Stored.init))
            for step in vector.steps {
                guard let url = step.get, let time = vector.steps.map(\.at).max() else { continue }
                let context = step.cookieContext
                XCTAssertEqual(
                    copy.header(for: try HTTPURL(url), at: UnixTime(time), context: context),
                    jar.header(for: try HTTPURL(url), at: UnixTime(time), context: context)
                )
            }
        }
    }
}

private struct CookieCase: Decodable, Sendable {
    let section: String
    let why: String
    let steps: [Step]
    let stored: [Stored]?

    struct Step: Decodable, Sendable {
        let set: [String]?
        let url: String?
        let get: String?
        let at: Int64
        let context: String?
        let refused: [String]?
        let cookie: String?

        var cookieContext: CookieContext {
            switch context {
            case "navigation": .crossSiteNavigation(methodIsSafe: true)
            case "unsafeNavigation": .crossSiteNavigation(methodIsSafe: false)
            case "crossSite": .crossSite
            default: .sameSite
            }
        }
    }

    struct Stored: Decodable, Sendable, Equatable {
        let name, value, domain, path: String
        let hostOnly, secure, httpOnly: Bool
        let sameSite: String
        let expiry: Int64?
        let creation: Int64

        init(_ cookie: StoredCookie) {
            (name, value, domain, path) = (cookie.name, cookie.value, cookie.domain, cookie.path)
            (hostOnly, secure, httpOnly) = (cookie.isHostOnly, cookie.isSecure, cookie.isHTTPOnly)
            (sameSite, expiry, creation) = (
                cookie.sameSite.rawValue, cookie.expiry?.seconds, cookie.creation.seconds
            )
        }
    }

    func run(on jar: inout CookieJar) throws {
        let text = "section \(section): \(why)"
        for step in steps {
            if let fields = step.set {
                let url = try HTTPURL(XCTUnwrap(step.url))
                let result = jar.store(fields, from: url, at: UnixTime(step.at), context: step.cookieContext)
                XCTAssertEqual(
                    result.rejections.map(\.reason),
                    try XCTUnwrap(step.refused).map(Self.reason),
                    text
                )
            } else {
                let url = try HTTPURL(XCTUnwrap(step.get))
                let header = jar.header(for: url, at: UnixTime(step.at), context: step.cookieContext)
                XCTAssertEqual(header.map { Array($0.utf8) }, step.cookie.map { Array($0.utf8) }, text)
                XCTAssertEqual(header, step.cookie, text)
            }
        }
        if let stored { XCTAssertEqual(jar.cookies.map(Stored.init), stored, text) }
    }

    private static func reason(_ name: String) throws -> CookieRejection.Reason {
        let reasons: [String: CookieRejection.Reason] = [
            "controlCharacter": .controlCharacter, "empty": .empty, "tooLong": .tooLong,
            "malformedDomain": .malformedDomain, "publicSuffix": .publicSuffix,
            "foreignDomain": .foreignDomain,
            "secureOverHTTP": .secureOverHTTP, "hidesSecureCookie": .overwritesSecureCookie,
            "crossSite": .crossSite,
            "sameSiteNoneWithoutSecure": .sameSiteNoneWithoutSecure, "prefix": .invalidNamePrefix,
            "hiddenPrefix": .hiddenPrefix, "overLimit": .overLimit,
        ]
        return try XCTUnwrap(reasons[name], name)
    }
}
