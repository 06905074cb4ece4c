// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Options that similar tools have, and what does their work here. Only options that a command does not have are looked up.
struct OptionSynonym {
    /// The beginning of the command lines that the advice is for.
    private let command: [String]
    private let names: [String]
    private let advice: String

    private init(_ command: String, _ names: String, _ advice: String) {
        self.command = command.split(separator: " ").map { String($0) }
        self.names = names.split(separator: " ").map { String($0) }
        self.advice = advice
    }

    /// Finds out what to do in place of an option that another tool has.
    ///
    /// - Parameters:
    ///   - word: The word of the command line, perhaps with a value.
    ///   - command: The words that name the command.
    /// - Returns: The name of the option, without a value, and the advice; `nil` if no tool is known to have it.
    static func find(_ word: String, of command: [String]) -> (name: String, advice: String)? {
        for synonym in all where command.starts(with: synonym.command) {
            if let name = synonym.names.first(where: { matches(word, $0) }) { return (name, synonym.advice) }
        }
        return nil
    }

    /// Whether an option of other tools takes a password or another secret.
    static func isSecret(_ word: String) -> Bool {
        secretNames.contains { matches(word, $0) } || word.utf8.starts(with: "-p".utf8)
    }

    static let secretAdvice =
        """
        a secret is never given on the command line, where all users of this machine can see it: put it in a file and \
        name that, write it to standard input, or type it at the prompt; see --help
        """

    private static let secretNames = [
        "--pass", "--passwd", "--pw", "--pin", "--secret", "--token", "--passin", "-pass", "-passin", "-w",
        "-P",
    ]

    /// Whether a word is an option, alone or with a joined value. A short option of one letter may have it without `=`.
    private static func matches(_ word: String, _ name: String) -> Bool {
        word == name || word.hasPrefix("\(name)=")
            || name.utf8.count == 2 && !word.hasPrefix("--") && word.hasPrefix(name)
    }

    /// The first one that matches counts: long names that begin with one hyphen stand before those of one letter.
    private static let all = [
        // curl, wget and HTTPie.
        Self("request", "--location -L", "redirects are followed anyway"),
        Self(
            "request",
            "--silent -s --show-error -S --quiet -q",
            "nothing but the response is printed anyway"
        ),
        Self("request", "--write-out -w", "-i prints the status and the headers"),
        Self(
            "request",
            "--cookie -b --cookie-jar -c --load-cookies --save-cookies",
            "a session keeps the cookies: log in with 'credkit login'"
        ),
        Self(
            "request",
            "--user -u --oauth2-bearer --basic --digest --auth -a --netrc -n",
            "log in once with 'credkit login URL --user NAME'; requests to that server then use the login"
        ),
        Self(
            "request",
            "--form -F --form-string",
            "give the body of a multipart form as a file, -d @FILE, and its Content-Type with -H"
        ),
        Self(
            "request",
            "--data-raw --data-binary --data-ascii --post-data --post-file --body-data",
            "-d sends a text unchanged, and -d @FILE a file"
        ),
        Self("request", "--data-urlencode", "-d takes a text that is encoded already"),
        Self("request", "--max-time -m --connect-timeout", "--timeout 30s limits the time of the request"),
        Self("request", "--user-agent -A", "give it as a header, -H 'User-Agent: TEXT'"),
        Self("request", "--referer -e", "give it as a header, -H 'Referer: URL'"),
        Self("request", "--get -G", "put the query into the URL; a request without a body is a GET anyway"),
        Self("request", "--head -I", "'credkit request HEAD URL -i' prints the headers alone"),
        Self("request", "--remote-name -O", "name the file with -o FILE"),
        Self("request", "--method", "-X METHOD, or the method before the URL"),
        Self("login", "--username --login -u", "name the user with --user NAME"),
        // coreutils, openssl and gpg.
        Self("base64", "-in --in", "name the file as an argument, or give it on standard input"),
        Self("base64", "-out --out", "name the output with -o FILE"),
        Self("base64", "-A", "-w 0 writes one line"),
        Self("base64", "-a --armor -e --encode", "without -d, input is encoded"),
        Self("hash", "-hmac --hmac", "'credkit hash hmac-sha256 --key-file FILE' computes an HMAC"),
        Self(
            "hash",
            "-md5 -sha1 -sha256 -sha384 -sha512 --md5 --sha1 --sha256 --sha512 --algorithm -a",
            "the algorithm is a subcommand, as in 'credkit hash sha256 FILE'"
        ),
        // htpasswd, mkpasswd and passlib.
        Self(
            "hash",
            "--method -m --type --scheme -B -5 -1 -6",
            "the scheme is a subcommand, as in 'credkit hash bcrypt'"
        ),
        Self("hash bcrypt", "--rounds -r -C", "the cost of bcrypt is --cost, the logarithm of its rounds"),
        Self("hash argon2id", "--cost --rounds --iterations -t", "its costs are --memory and --passes"),
        Self("hash", "--salt -S", "the salt is random, and stands in the hash"),
        Self("hash", "--stdin -s -i", "a password is read from standard input unless that is a terminal"),
        Self("hash", "-b -p", secretAdvice),
        Self("users", "-c", "--create creates the file"),
        Self("users", "-B --bcrypt", "--scheme bcrypt chooses bcrypt"),
        Self("users", "-C", "--cost gives the cost of bcrypt"),
        Self("users", "-5", "--scheme sha512-crypt chooses SHA-512"),
        Self("users", "-2", "--scheme sha256-crypt chooses SHA-256"),
        Self("users", "-m -s -d", "such hashes are weak, and are not made: use --scheme bcrypt"),
        Self("users", "-D", "give 'credkit users FILE delete NAME'"),
        Self("users", "-v", "give 'credkit users FILE verify NAME'"),
        Self("users", "-n", "'credkit hash bcrypt' prints a hash alone"),
        Self("users", "-i --stdin", "a password is read from standard input unless that is a terminal"),
        Self("users", "-b -p", secretAdvice),
        Self("verify", "-b -p", secretAdvice),
        Self("verify", "--hash", "give the hash as the argument, or its file with --hash-file"),
        Self("verify", "--stdin -i", "a password is read from standard input unless that is a terminal"),
        // pwgen, apg and openssl rand.
        Self("generate", "-hex --hex", "--alphabet hexadecimal chooses the digits"),
        Self("generate", "--count --num-passwords -N", "one password is printed; run it once for each"),
        Self("generate", "--symbols --secure -y -s", "--alphabet printable has all characters of ASCII"),
        Self("generate", "-n -l", "--length gives the number of characters, --words that of words"),
        Self("generate", "--wordlist -d --delimiter", "--separator stands between words; the list is EFF's"),
        // secret-tool, pass, security and keyring.
        Self("keychain", "--label", "an item is named by its service and account, which are arguments"),
        Self(
            "keychain",
            "--unlock",
            "a locked keyring is unlocked at its prompt; see 'credkit keychain unlock'"
        ),
        Self("keychain", "--clip -c", "print the secret to a clipboard: credkit keychain get … | wl-copy"),
        Self(
            "keychain",
            "--multiline -m --echo -e",
            "the secret is read from standard input, and may have several lines"
        ),
        Self(
            "keychain",
            "--service -s --account -a --username -u --user",
            "the service and the account are arguments: credkit keychain get SERVICE ACCOUNT"
        ),
        // oathtool.
        Self(
            "otp",
            "--totp --hotp -b --base32",
            "the URI or the Base32 seed is read once by 'credkit otp add'"
        ),
        Self("otp", "--key --seed", secretAdvice),
        // psql, mysql.
        Self("upgrade", "--host --port -P --user -u --dbname", databaseAdvice),
        Self("audit", "--host --port -P --user -u --dbname", databaseAdvice),
        Self("upgrade", "--dry-run -n", "'credkit audit' shows what would be changed"),
        Self("audit", "--input -i", "name the table as the argument"),
        Self("upgrade", "--in-place -i", "name the new table with --output; then move it over the old one"),
        Self("upgrade", "--to-scheme --scheme --target", "--to names what the hashes become"),
        Self("", "--verbose -v", "there is no verbose form; messages name what to do"),
    ]

    private static let databaseAdvice =
        "--database takes all of it, as in --database 'host=db user=app dbname=app', and PGPASSFILE the password"
}
