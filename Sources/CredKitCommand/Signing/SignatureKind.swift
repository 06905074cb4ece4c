// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// A way to sign requests, by the name that the command line has for it.
enum SignatureKind: Equatable {
    /// HTTP Message Signatures.
    case message(MessageSignature.Algorithm)
    /// A backend that signs sorted parameters.
    case parameters(String)

    private static let backends: [(name: String, format: Legacy.SortedParameterSignature.Format)] = [
        ("wechat", .weChatPay), ("wechat-hmac-sha256", .weChatPayHMACSHA256), ("alipay", .alipay),
        ("top", .taobao), ("top-hmac-md5", .taobaoHMACMD5), ("top-hmac-sha256", .taobaoHMACSHA256),
        ("pinduoduo", .pinduoduo), ("jd", .jd),
    ]

    /// The algorithms that sign. The others only verify.
    static let signing: [MessageSignature.Algorithm] = [.hmacSHA256, .ed25519]

    /// The names of all kinds, those of algorithms that sign first.
    static func names(forSigning: Bool) -> [String] {
        let verifying = MessageSignature.Algorithm.allCases.filter { !signing.contains($0) }
        return (signing + (forSigning ? [] : verifying)).map(\.rawValue) + backends.map(\.name)
    }

    init?(name: String) {
        if let algorithm = MessageSignature.Algorithm(rawValue: name) {
            self = .message(algorithm)
        } else if Self.backends.contains(where: { $0.name == name }) {
            self = .parameters(name)
        } else {
            return nil
        }
    }

    /// How a backend signs; `nil` for HTTP Message Signatures.
    var format: Legacy.SortedParameterSignature.Format? {
        guard case .parameters(let name) = self else { return nil }
        return Self.backends.first { $0.name == name }?.format
    }

    /// Returns the parameters that a backend requires in each request: the identifier of the account, how the request is
    /// signed, and a time or a nonce. `nil` if they are not known.
    func parameters(keyID: String) -> [(key: String, value: String)]? {
        guard case .parameters(let name) = self else { return nil }
        let account = name.hasPrefix("wechat") ? "appid" : "app_key"
        let rest: [(key: String, value: String)]
        switch name {
        case "wechat": rest = [("nonce_str", Self.nonce)]
        case "wechat-hmac-sha256": rest = [("nonce_str", Self.nonce), ("sign_type", "HMAC-SHA256")]
        case "top": rest = [("sign_method", "md5"), ("timestamp", Self.timeInChina)]
        case "top-hmac-md5": rest = [("sign_method", "hmac"), ("timestamp", Self.timeInChina)]
        case "top-hmac-sha256": rest = [("sign_method", "hmac-sha256"), ("timestamp", Self.timeInChina)]
        default: return nil
        }
        return [(key: account, value: keyID)] + rest
    }

    private static var nonce: String { Hex.encode(SecureRandom.bytes(count: 16)) }

    /// `2016-01-01 12:00:00` in UTC+8.
    private static var timeInChina: String {
        let text = "\(UnixTime.now + .seconds(8 * 3600))"
        return String(text.prefix(19)).replacing("T", with: " ")
    }
}
