// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Mistake {
    /// An option that a command does not have.
    static let options = [
        Mistake("verify --hash-fil file", 64, "did you mean '--hash-file'?"),
        Mistake("verify --hash '$1$abc$iCQ2D3nhptRYi27fDYv2s1'", 64, "--hash-file"),
        Mistake("verify --frobnicate=hunter2 file", 64, "'credkit verify' has no option '--frobnicate'"),
        Mistake("verify --frobnicate hunter2", 64, "'credkit help verify' lists its options"),
        Mistake("verify --Quiet file", 64, "did you mean '--quiet'?"),
        Mistake("verify -Q file", 64, "did you mean '-q'?"),
        Mistake("verify --fail-on-weak file", 64, "'credkit audit'"),
        Mistake("inspect --qiuet file", 64, "'credkit help inspect' lists its options"),
        Mistake("calibrate argon2id --frobnicate", 64, "'credkit help calibrate' lists its options"),
        Mistake("calibrate argon2id --targt 1s", 64, "did you mean '--target'?"),
        Mistake("--backend vault keychain get a b", 64, "as in 'credkit keychain get --backend'"),
        Mistake("--json verify file", 64, "as in 'credkit verify --json'"),
        Mistake("keychain --vault=hunter2 get a b", 64, "as in 'credkit keychain get --vault'"),
        // openssl, coreutils.
        Mistake("hash sha256 --algorithm 512 file", 64, "credkit hash sha256 FILE"),
        Mistake("hash md5 -sha256 file", 64, "the algorithm is a subcommand"),
        Mistake("hash sha256 -hmac hunter2 file", 64, "credkit hash hmac-sha256 --key-file FILE"),
        Mistake("base64 -in file", 64, "name the file as an argument"),
        Mistake("base64 -A file", 64, "-w 0"),
        Mistake("base64 --decode=hunter2 file", 64, "'--decode' does not take a value"),
        // htpasswd, mkpasswd.
        Mistake("hash argon2id --method bcrypt", 64, "credkit hash bcrypt"),
        Mistake("hash argon2id --salt abcdefgh", 64, "the salt is random"),
        Mistake("hash bcrypt --rounds 12", 64, "--cost"),
        // pwgen, openssl rand.
        Mistake("generate -hex 16", 64, "--alphabet hexadecimal"),
        Mistake("generate -n 20", 64, "--length"),
        Mistake("generate --symbols", 64, "--alphabet printable"),
        // secret-tool, pass, security.
        Mistake("keychain get -s a -a b", 64, "credkit keychain get SERVICE ACCOUNT"),
        Mistake("keychain get --clip a b", 64, "wl-copy"),
        Mistake("keychain set --multiline a b", 64, "standard input"),
        Mistake("keychain get a b --collecton x", 64, "did you mean '--collection'?"),
        Mistake("otp code --totp -b seed", 64, "credkit otp add"),
        // curl, wget.
        Mistake("request -k https://example.com", 64, "--cacert"),
        Mistake("request https://example.com --insecure", 64, "--cacert"),
        Mistake("request --no-check-certificate https://example.com", 64, "--cacert"),
        Mistake("request -XPOST https://example.com", 64, "the value of '-X' as a word of its own"),
        Mistake("request -L https://example.com", 64, "redirects are followed anyway"),
        Mistake("request -s https://example.com", 64, "nothing but the response"),
        Mistake("request -F a=b https://example.com", 64, "-d @FILE"),
        Mistake("request --data-binary @file https://example.com", 64, "-d @FILE"),
        Mistake("request -b sid=hunter2 https://example.com", 64, "credkit login"),
        Mistake("request -A me https://example.com", 64, "User-Agent"),
        Mistake("request -I https://example.com", 64, "credkit request HEAD URL -i"),
        Mistake("request -O https://example.com/x", 64, "-o FILE"),
        Mistake("request --max-time 5 https://example.com", 64, "--timeout"),
        Mistake("request https://example.com --sesion work", 64, "did you mean '--session'?"),
        Mistake("login https://example.com -u a", 64, "--user NAME"),
        Mistake("logout --sesion work", 64, "did you mean '--session'?"),
        // psql, mysql.
        Mistake("audit --host db --user root", 64, "--database 'host=db"),
        Mistake("upgrade -i table", 64, "--output"),
    ]

    /// A password, a token or a key in place of a file. Each is hunter2, which no message repeats.
    static let secrets = [
        Mistake("login https://example.com --user a --password hunter2", 64, "the prompt"),
        Mistake("login https://example.com --user a --pass hunter2", 64, "the prompt"),
        Mistake("login https://example.com --user a -phunter2", 64, "the prompt"),
        Mistake("hash argon2id --password=hunter2", 64, "the prompt"),
        Mistake("hash argon2id hunter2", 64, "--password-file"),
        Mistake("hash argon2id -p hunter2", 64, "the prompt"),
        Mistake("hash bcrypt -b alice hunter2", 64, "the prompt"),
        Mistake("hash argon2id --password-fd hunter2", 64, "--password-fd <"),
        Mistake("hash argon2id --quiet-please=hunter2", 64, "'credkit help hash argon2id' lists its options"),
        Mistake("verify '$1$abc$iCQ2D3nhptRYi27fDYv2s1' hunter2", 64, "--password-fd"),
        Mistake("verify --passwd hunter2 file", 64, "the prompt"),
        Mistake("blocklist check hunter2", 64, "never given on the command line"),
        Mistake("keychain set a b hunter2", 64, "standard input"),
        Mistake("keychain set a b -w hunter2", 64, "the prompt"),
        Mistake("keychain get a b --passphrase hunter2", 64, "the prompt"),
        Mistake("keychain unlock hunter2", 64, "has options only"),
        Mistake("otp code a b --key=hunter2", 64, "the prompt"),
        Mistake("request -u alice:hunter2 https://example.com", 64, "credkit login URL --user NAME"),
        Mistake("request https://alice:hunter2@example.com", 64, "credkit login --user NAME"),
        Mistake("request --token hunter2 https://example.com", 64, "the prompt"),
        Mistake("request -x http://u:hunter2@proxy:3128 https://example.com", 64, "--proxy-password-file"),
        Mistake(
            "audit --database 'host=localhost password=hunter2' --table t --id-column i --hash-column h",
            64,
            "PGPASSFILE"
        ),
        Mistake(
            "audit --database postgresql://u:hunter2@h/db --table t --id-column i --hash-column h",
            64,
            "PGPASSFILE"
        ),
    ]
}
