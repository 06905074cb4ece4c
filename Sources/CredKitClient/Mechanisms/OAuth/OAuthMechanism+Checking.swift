// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension OAuthMechanism {
    func check() throws(ClientError) {
        for (name, text) in [("clientID", clientID), ("clientSecret", clientSecret)] {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .invalidProfile(
                    "invalid login profile: \(name) must be ASCII text without control characters"
                )
            }
        }
        if let scope {
            // RFC 6749, section 3.3.
            let words = scope.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            let isValid = words.allSatisfy { word in
                !word.isEmpty
                    && word.allSatisfy { byte in
                        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"")
                            && byte != UInt8(ascii: "\\")
                    }
            }
            guard isValid else {
                throw .invalidProfile(
                    "invalid login profile: scope must be ASCII words with one blank between them, without \" and \\"
                )
            }
        }
        for (name, path) in [
            ("tokenPath", tokenPath), ("deviceAuthorizationPath", deviceAuthorizationPath),
            ("revocationPath", revocationPath),
        ] {
            guard let path else { continue }
            guard path.utf8.starts(with: "/".utf8), !path.utf8.starts(with: "//".utf8) else {
                throw .invalidProfile("invalid login profile: \(name) must begin with exactly one slash")
            }
        }
    }
}
