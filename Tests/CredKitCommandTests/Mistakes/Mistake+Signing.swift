// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Mistake {
    /// A word or an option of signing, or a code of another form.
    static let signing = [
        Mistake("hash file", 64, "give 'credkit hash sha256 FILE'"),
        Mistake("hash ./file", 64, "give 'credkit hash sha256 FILE'"),
        Mistake("hash -", 64, "give 'credkit hash sha256 FILE'"),
        Mistake("sign file", 64, "--with"),
        Mistake("sign verify file", 64, "--with"),
        Mistake("sign --whit hmac-sha256:k=file message", 64, "did you mean '--with'?"),
        Mistake("sign verify --whit hmac-sha256:k=file message", 64, "did you mean '--with'?"),
        Mistake("sign --with hmac-sha256:k=file message --key k", 64, "--key"),
        Mistake("hash hmac-md5 --key k --check 00 file", 64, "32 hexadecimal digits"),
        Mistake("hash hmac-md5 --key k --quiet file", 64, "--check"),
        Mistake("hash hmac-md5 --key k -c 00112233445566778899aabbccddeeff file file", 64, "one file"),
        Mistake("hash hmac-md5 --key k -c 00112233445566778899aabbccddeeff --base64 file", 64, "--base64"),
        Mistake("sign webhook github file", 64, "--key-file"),
        Mistake("sign webhook slack --key-file file", 64, "'github'"),
        Mistake("sign webhook standard --key-file file", 64, "--id"),
        Mistake("sign webhook github --key-file file --at 5 file", 64, "--at has no meaning for github"),
        Mistake("sign verify webhook github --key-file file --tolerance 5m file", 64, "--tolerance"),
        Mistake(
            "sign verify webhook stripe --key-file file -H x file",
            64,
            "Usage: credkit sign verify webhook"
        ),
        Mistake("sign verify webhook github --key-file -", 64, "the same input"),
        Mistake("sign verify webhook github --key-file file file", 65, "-H if the file is the body alone"),
        Mistake("sign webhook standard --id a --key-file file file", 65, "Base64 of 24 to 64 bytes"),
        Mistake("sign webhook standard --id a.b --key-file key file", 64, "without a full stop"),
    ]
}
