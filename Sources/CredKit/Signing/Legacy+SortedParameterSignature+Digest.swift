// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.SortedParameterSignature {
    /// A part of the digested text. The secret is never copied into a `String`.
    enum Piece {
        case plain(String)
        case secret

        /// The text; `nil` for the secret.
        var text: String? {
            switch self {
            case .plain(let text): text
            case .secret: nil
            }
        }
    }

    /// Returns whether a name is that of the signature.
    func isSignature(_ name: String) -> Bool { Self.areEqual(name, format.signatureName) }

    /// Returns the parameters that are signed, in the order of the text. Also those that are not signed must not be
    /// repeated, except for the signature: a server might read the other one.
    func signedParameters(
        among parameters: some Sequence<(key: String, value: String)>
    ) throws(SignatureError) -> [(key: String, value: String)] {
        var sorted: [(key: String, value: String)] = []
        for parameter in parameters where !isSignature(parameter.key) {
            guard sorted.count < Self.maximumParameterCount else { throw .tooManyParameters }
            sorted.append(parameter)
        }
        sorted.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (parameter, next) in zip(sorted, sorted.dropFirst()) {
            guard !Self.areEqual(parameter.key, next.key) else { throw .repeatedName }
        }
        return sorted.filter { name, value in
            !(format.omitsEmptyValues && value.utf8.isEmpty)
                && !format.excludedNames.contains { Self.areEqual($0, name) }
        }
    }

    /// Returns the parts of the text of sorted parameters.
    func pieces(of parameters: [(key: String, value: String)]) -> [Piece] {
        var pieces: [Piece] = [.plain(format.prefix)]
        for (index, (name, value)) in parameters.enumerated() {
            switch format.joining {
            case .delimited: pieces += [.plain(index == 0 ? name : "&" + name), .plain("="), .plain(value)]
            case .concatenated: pieces += [.plain(name), .plain(value)]
            }
        }
        switch format.algorithm {
        case .md5(.suffix(let separator)), .hmacMD5(.suffix(let separator)?),
            .hmacSHA256(.suffix(let separator)?):
            return pieces + [.plain(separator), .secret]
        case .md5(.prefixAndSuffix), .hmacMD5(.prefixAndSuffix?), .hmacSHA256(.prefixAndSuffix?):
            return [.secret] + pieces + [.secret]
        case .hmacMD5(nil), .hmacSHA256(nil):
            return pieces
        }
    }

    /// Returns the hexadecimal digits of the digest of a text.
    func digest(_ pieces: [Piece]) -> String {
        let digits: String
        switch format.algorithm {
        case .md5:
            var function = Legacy.MD5()
            forEach(pieces) { function.update($0) }
            digits = function.finalizeAndWipe().hex
        case .hmacMD5: digits = authenticationCode(of: pieces, Legacy.MD5.self)
        case .hmacSHA256: digits = authenticationCode(of: pieces, SHA256.self)
        }
        return format.isUppercase ? digits.uppercased() : digits
    }

    private func authenticationCode<Function: DigestAlgorithm>(of pieces: [Piece], _: Function.Type) -> String
    {
        var code = HMAC<Function>(key: HMAC<Function>.Key(secret))
        forEach(pieces) { code.update($0) }
        return Hex.encode(code.finalizeAndWipe())
    }

    private func forEach(_ pieces: [Piece], _ body: (Span<UInt8>) -> Void) {
        for piece in pieces {
            switch piece {
            case .plain(let text): text.withSecretBytes { body($0) }
            case .secret: secret.withSecretBytes { body($0) }
            }
        }
    }

    /// Returns whether two names have the same bytes. Strings of Swift are also equal if they are canonically equivalent.
    private static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }
}
