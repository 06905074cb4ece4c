// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitClient
import CredKit
import Foundation
import HTTPTypes

extension FuzzTarget {
    /// Feeds answers of the token endpoint and the device authorization endpoint of OAuth.
    static let tokenAnswers = FuzzTarget("token-answers") { bytes in
        var input = FuzzInput(bytes)
        let isDevice = input.byte() % 3 == 0
        let status = TokenAnswerProperties.status(input.byte())
        if isDevice {
            try TokenAnswerProperties.checkDevice(status, input.remaining)
        } else {
            try TokenAnswerProperties.checkToken(status, input.remaining)
        }
    }
}

private enum TokenAnswerProperties {
    private static let statuses = [200, 200, 201, 204, 301, 302, 400, 401, 403, 404, 429, 500, 503, 999]

    static func status(_ byte: UInt8) -> Int { statuses[Int(byte) % statuses.count] }

    private static func head(_ status: Int) -> HTTPResponse { HTTPResponse(status: .init(code: status)) }

    private static func text(_ secret: SecretBytes?) -> String? {
        secret.map { String(decoding: $0.copy, as: UTF8.self) }
    }

    /// The members as another parser reads them. `nil` if it reads none, because it also refuses texts that are not needed
    /// here; and if a name may occur twice, because it takes the last one.
    private static func members(_ body: [UInt8]) -> [String: Any]? {
        let text = String(decoding: body, as: UTF8.self)
        let isUnique = ["access_token", "token_type", "refresh_token", "user_code", "error"].allSatisfy {
            name in
            text.components(separatedBy: "\"\(name)\"").count <= 2
        }
        guard isUnique, !text.contains("\\u00") else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    }

    /// Whether another parser finds no error in the member `error`: some servers send an empty one with each success.
    private static func saysNoError(_ member: Any?) -> Bool {
        switch member {
        case nil, is NSNull: true
        case let text as String: text.isEmpty
        // A truth value is a number here, too.
        case let number as NSNumber: number.doubleValue == 0
        default: false
        }
    }

    /// An error is one short line without anything of the answer that may be secret.
    private static func check(_ error: ClientError, _ members: [String: Any]?) throws {
        let text = "\(error)"
        try require(
            text.utf8.allSatisfy { 0x20...0x7E ~= $0 } && text.utf8.count < 400,
            "an error is one line: \(text)"
        )
        for name in ["access_token", "refresh_token", "device_code", "error_description"] {
            guard let value = members?[name] as? String, value.utf8.count > 20 else { continue }
            try require(!text.contains(value), "an error contains no secret: \(text)")
        }
    }

    private static func outcome(_ status: Int, _ body: [UInt8]) -> Result<LoginOutcome, ClientError> {
        do throws(ClientError) {
            return .success(try TokenAnswer(head(status), body).outcome(scope: "a b"))
        } catch {
            return .failure(error)
        }
    }

    static func checkToken(_ status: Int, _ body: [UInt8]) throws {
        let members = members(body)
        let outcome: LoginOutcome
        switch Self.outcome(status, body) {
        case .failure(let error):
            if error == .invalidCredentials, let members {
                try require(members["error"] is String, "only the server rejects a refresh token")
            }
            return try check(error, members)
        case .success(let success): outcome = success
        }
        try require(200...299 ~= status, "only success is a success: \(status)")
        guard let members else { return }
        try require(saysNoError(members["error"]), "an error is no success")
        if let failure = outcome.failure {
            try require(
                outcome.newSecret != nil && outcome.token == nil,
                "a failure has a new secret and no token"
            )
            try check(failure, members)
        } else {
            try requireEqual(
                text(outcome.token),
                "Bearer \(members["access_token"] as? String ?? "")",
                "another parser reads the same access token"
            )
            try requireEqual(
                (members["token_type"] as? String)?.lowercased(),
                "bearer",
                "a token is a Bearer token"
            )
        }
        if let secret = outcome.newSecret {
            try requireEqual(
                text(secret),
                members["refresh_token"] as? String,
                "another parser reads the same refresh token"
            )
        }
        try require(
            outcome.lifetime.map { .zero...Duration.seconds(10 * 365 * 86400) ~= $0 } ?? true,
            "a lifetime is within its limits"
        )
        try require(
            Set(["a", "b"]).isSuperset(of: outcome.missingScope),
            "only what was asked for is missing"
        )
    }

    static func checkDevice(_ status: Int, _ body: [UInt8]) throws {
        let members = members(body)
        let authorization: DeviceAuthorization
        do throws(ClientError) {
            authorization = try DeviceAuthorization(head(status), body)
        } catch {
            return try check(error, members)
        }
        try require(200...299 ~= status, "only success is a success: \(status)")
        if let members {
            try requireEqual(
                authorization.userCode,
                members["user_code"] as? String,
                "the code is the server's"
            )
        }
        try require(
            authorization.userCode.utf8.allSatisfy { 0x20...0x7E ~= $0 },
            "a code has no control characters"
        )
        for url in [authorization.verificationURI, authorization.verificationURIComplete].compactMap({ $0 }) {
            try require(
                url.lowercased().hasPrefix("http") && url.utf8.allSatisfy { 0x21...0x7E ~= $0 },
                "a page is an http or https URL: \(url)"
            )
        }
        try require(
            .seconds(1)...Duration.seconds(3600) ~= authorization.lifetime,
            "a code does not live long"
        )
        try require(.seconds(1)...Duration.seconds(60) ~= authorization.interval, "a client does not hurry")
    }
}
