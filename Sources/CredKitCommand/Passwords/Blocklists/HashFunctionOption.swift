// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// The option that names the hash function of a list.
struct HashFunctionOption: ParsableArguments {
    @Option(
        name: .customLong("hash"),
        help: ArgumentHelp(
            "The hash function: md4, ntlm-cp1252, sha1, ntlm (default: sha1 for lists of hashes, otherwise md4).",
            valueName: "function"
        ),
        transform: Self.parse
    )
    var function: PasswordBlocklist.HashFunction?

    private static func parse(_ text: String) throws -> PasswordBlocklist.HashFunction {
        guard let function = PasswordBlocklist.HashFunction.all.first(where: { $0.description == text })
        else {
            let names = PasswordBlocklist.HashFunction.all.map(\.description)
            throw ValidationError("--hash takes \(NearestWord.advice(text, among: names))")
        }
        return function
    }
}
