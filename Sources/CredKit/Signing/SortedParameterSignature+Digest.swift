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

    /// Separates parameters from their signatures, in one pass that stops at the limit. Another name must not occur twice,
    /// even if it is not signed: a server might read the other one.
    func separate(
        _ parameters: some Sequence<(key: String, value: String)>
    ) throws(SignatureError) -> (parameters: [(key: String, value: String)], signatures: [String]) {
        var others: [(key: String, value: String)] = []
        var signatures: [String] = []
        for parameter in parameters {
            guard others.count + signatures.count < Self.maximumParameterCount else {
                throw .tooManyParameters
            }
            if isSignature(parameter.key) {
                signatures.append(parameter.value)
            } else {
                others.append(parameter)
            }
        }
        guard others.count < Self.maximumParameterCount else { throw .tooManyParameters }
        let names = others.map(\.key).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard zip(names, names.dropFirst()).allSatisfy({ !Self.areEqual($0, $1) }) else {
            throw .repeatedName
        }
        return (others, signatures)
    }

    /// Returns the parameters that are signed, in the order of the text.
    func signedParameters(
        among parameters: [(key: String, value: String)]
    ) -> [(key: String, value: String)] {
        let signed = parameters.filter { name, value in
            !(format.omitsEmptyValues && value.utf8.isEmpty)
                && !format.excludedNames.contains { Self.areEqual($0, name) }
        }
        return signed.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
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
        switch format.algorithm.secretPosition {
        case .suffix(let separator): return pieces + [.plain(separator), .secret]
        case .prefix(let separator): return [.secret, .plain(separator)] + pieces
        case .prefixAndSuffix: return [.secret] + pieces + [.secret]
        case nil: return pieces
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
