// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Words that similar tools have for subcommands, and what they are called here.
enum SubcommandSynonym {
    /// Finds out what the command is that another tool has a word for.
    ///
    /// - Parameters:
    ///   - word: The word in place of a subcommand.
    ///   - path: The command whose subcommand it would be, such as `credkit keychain`.
    /// - Returns: The message; `nil` if no tool is known to have the word.
    static func advice(_ word: String, in path: String) -> String? {
        if let refusal = refusals[path]?[word] { return refusal }
        // `credkit show` is a keychain's word without its command.
        let own = commands[path]?[word] ?? (path == "credkit" ? commands["credkit keychain"]?[word] : nil)
        return own.map { "Unexpected argument '\(word)': did you mean '\($0)'?" }
    }

    private static let commands: [String: [String: String]] = [
        "credkit keychain": [
            "store": "credkit keychain set", "insert": "credkit keychain set", "add": "credkit keychain set",
            "put": "credkit keychain set", "save": "credkit keychain set", "edit": "credkit keychain set",
            "lookup": "credkit keychain get", "show": "credkit keychain get", "read": "credkit keychain get",
            "clear": "credkit keychain delete", "rm": "credkit keychain delete",
            "remove": "credkit keychain delete",
            "ls": "credkit keychain list", "find": "credkit keychain search",
            "status": "credkit keychain doctor",
        ],
        "credkit hash": [
            "sha": "credkit hash sha256", "sha2": "credkit hash sha256", "hmac": "credkit hash hmac-sha256",
            "argon": "credkit hash argon2id",
            "pbkdf2": "credkit hash pbkdf2-sha256",
            "scram": "credkit hash scram-sha-256", "htpasswd": "credkit hash bcrypt",
        ],
        "credkit": [
            "version": "credkit --version", "-v": "credkit --version", "-V": "credkit --version",
            "md5sum": "credkit hash md5", "sha256sum": "credkit hash sha256",
            "checksum": "credkit hash sha256",
            "digest": "credkit hash sha256", "mkpasswd": "credkit hash yescrypt",
            "passwd": "credkit hash argon2id",
            "password": "credkit generate", "pwgen": "credkit generate", "random": "credkit generate",
            "totp": "credkit otp code", "identify": "credkit inspect", "encode": "credkit base64",
            "decode": "credkit base64 -d", "compare": "credkit verify", "check": "credkit verify",
            "migrate": "credkit upgrade", "convert": "credkit upgrade", "fetch": "credkit request",
            "curl": "credkit request", "signin": "credkit login", "signout": "credkit logout",
            "session": "credkit sessions", "doctor": "credkit keychain doctor",
        ],
        "credkit otp": [
            "get": "credkit otp code", "show": "credkit otp code", "generate": "credkit otp code",
            "rm": "credkit otp delete", "remove": "credkit otp delete", "set": "credkit otp add",
            "check": "credkit otp verify",
        ],
    ]

    private static let refusals: [String: [String: String]] = {
        let sha3 = "There is no SHA-3: use 'credkit hash sha256' or 'credkit hash sha512'."
        let argon2 =
            "New hashes are 'credkit hash argon2id'; hashes of Argon2i and Argon2d are verified only."
        return [
            "credkit": [
                "encrypt":
                    "Files are not encrypted; 'credkit keychain set' stores passwords and other secrets encrypted."
            ],
            "credkit hash": [
                "sha3": sha3, "sha3-256": sha3, "sha3-512": sha3, "argon2i": argon2, "argon2d": argon2,
                "ntlm":
                    "NTLM hashes are verified only ('credkit verify --as ntlm'): hash with 'credkit hash argon2id'.",
            ],
        ]
    }()
}
