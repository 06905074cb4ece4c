// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitClient
import Foundation
import HTTPTypes

extension FuzzTarget {
    /// Feeds responses to a login, envelopes, and login profiles.
    static let loginAnswers = FuzzTarget("login-answers") { bytes in
        var input = FuzzInput(bytes)
        switch input.byte() % 4 {
        case 0:
            try LoginAnswerProperties.checkField(status: input.byte(), body: input.remaining)
            try LoginAnswerProperties.checkPage(input.remaining)
        case 1:
            try LoginAnswerProperties.checkEnvelope(.headBody, status: input.byte(), body: input.remaining)
        case 2:
            try LoginAnswerProperties.checkEnvelope(.codeData, status: input.byte(), body: input.remaining)
        default: try LoginAnswerProperties.checkProfile(input.remaining)
        }
    }
}

private enum LoginAnswerProperties {
    private static let statuses = [200, 201, 204, 301, 302, 400, 401, 403, 404, 429, 500, 503, 999]

    private static func verdict(_ rule: LoginProfile.SuccessRule, _ status: Int, _ body: [UInt8]) throws
        -> ClientError?
    {
        var profile = LoginProfile.form()
        profile.success = rule
        let response = FinalResponse(
            head: HTTPResponse(status: .init(code: status)),
            body: body,
            outcome: RequestOutcome(
                step: RedirectStep(url: try HTTPURL("https://school.example/login.php"))
            )
        )
        let result = Result { () throws(ClientError) in try LoginVerdict(profile: profile).check(response) }
        guard case .failure(let error) = result else { return nil }
        let text = "\(error)"
        try require(
            text.utf8.allSatisfy { 0x20...0x7E ~= $0 } && text.utf8.count < 400,
            "an error is one line: \(text)"
        )
        return error
    }

    /// Only a status of success and a number above the bound is a success.
    static func checkField(status: UInt8, body: [UInt8]) throws {
        let code = statuses[Int(status) % statuses.count]
        let error = try verdict(.field("user.id", greaterThan: 0), code, body)
        guard error == nil else {
            if error == .invalidCredentials {
                try require(
                    code == 401 || code == 403 || 200...299 ~= code,
                    "a failure is no rejection: \(code)"
                )
            }
            return
        }
        try require(200...299 ~= code, "only success is a success: \(code)")
        let value = try requireSuccess("a success is JSON") {
            try JSONSerialization.jsonObject(with: Data(body))
        }
        let user = (value as? [String: Any])?["user"] as? [String: Any]
        let number =
            (user?["id"] as? NSNumber)?.doubleValue ?? (user?["id"] as? String).flatMap { Double($0) }
        try require(
            number.map { $0 > 0 } ?? false,
            "another parser reads the same number: \(user?["id"] ?? "none")"
        )
    }

    static func checkEnvelope(_ envelope: Envelope, status: UInt8, body: [UInt8]) throws {
        let code = statuses[Int(status) % statuses.count]
        let error = try verdict(.envelope(envelope), code, body)
        let outcome = envelope.outcome(of: body)
        try requireEqual(envelope.code(of: body), outcome?.code, "code and outcome agree")
        if error == nil {
            try require(200...299 ~= code, "only success is a success: \(code)")
            try require(
                outcome.map { envelope.successCodes.contains($0.code) } ?? false,
                "only with a code of success"
            )
        }
        _ = try? envelope.open(body, as: [String: [Int]].self, DecodingBudget())
        let opened = try? envelope.open(body, as: String?.self, DecodingBudget())
        try require(
            opened == nil || opened?.fields?.code == outcome?.code,
            "any body comes with the same code"
        )
    }

    /// A value of a login page stands in a tag.
    static func checkPage(_ page: [UInt8]) throws {
        guard let value = HTMLInput.value(ofInput: "token", in: page) else { return }
        try require(page.contains(UInt8(ascii: "<")), "a value stands in a tag")
        try require(value.unicodeScalars.count <= page.count, "a value is no longer than the page")
    }

    /// A profile that is read is written and read again unchanged.
    static func checkProfile(_ json: [UInt8]) throws {
        guard let profile = try? LoginProfile(json: json) else { return }
        let again = try requireSuccess("a written profile is read") { () throws(ClientError) in
            try LoginProfile(json: profile.json())
        }
        try requireEqual(again, profile, "a written profile is the same")
        try require(profile.loginPath.utf8.first == UInt8(ascii: "/"), "a path begins with a slash")
        let url = try? HTTPURL("https://s.example/base").appending(path: profile.loginPath)
        try require(url.map { $0.origin.host == "s.example" } ?? true, "a path leads to the same server")
    }
}
