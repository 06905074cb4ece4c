// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash behind a name in braces that its system or a document publishes.
struct PrefixedHashVector: Sendable {
    let hash: String
    let password: String
    let scheme: String
    let systems: [String]
    let source: String

    init(_ hash: String, _ password: String, _ scheme: String, _ systems: [String], _ source: String) {
        self.hash = hash
        self.password = password
        self.scheme = scheme
        self.systems = systems
        self.source = source
    }

    private static let dovecotSource = "dovecot/core, src/auth/test-libpassword.c"
    private static let springSource =
        "spring-security, PasswordEncoderFactoriesTests and MessageDigestPasswordEncoderTests"
    private static let ldap = ["OpenLDAP", "389 Directory Server", "Dovecot"]

    static let all: [Self] = dovecot + spring + directories

    static let dovecot: [Self] = [
        PrefixedHashVector("{CRYPT}//EsnG9FLTKjo", "test", "des-crypt", ldap, dovecotSource),
        PrefixedHashVector(
            "{PLAIN-MD4}db346d691d7acc4dc2625db19f9e3f52",
            "test",
            "ldap-md4",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{MD5}$1$wmyrgRuV$kImF6.9MAFQNHe23kq5vI/",
            "test",
            "md5-crypt",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{SHA1}qUqP5cyxm6YcTAhz05Hph5gvu9M=",
            "test",
            "ldap-sha",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{NTLM}0cb6948805f797bf2a82807973b89537",
            "test",
            "hex-ntlm",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{LDAP-MD5}CY9rzUYh03PK3k6DJie09g==",
            "test",
            "ldap-md5",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{MD5-CRYPT}$1$GgvxyNz8$OjZhLh4P.gF1lxYEbLZ3e/",
            "test",
            "md5-crypt",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{PBKDF2}$1$bUnT4Pl7yFtYX0KU$5000$50a83cafdc517b9f46519415e53c6a858908680a",
            "test",
            "pbkdf2-sha1",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{BLF-CRYPT}$2y$05$11ipvo5dR6CwkzwmhwM26OXgzXwhV2PyPuLV.Qi31ILcRcThQpEiW",
            "test",
            "bcrypt",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{ARGON2I}$argon2i$v=19$m=32768,t=4,p=1$f2iuP4aUeNMrgu34fhOkkg$"
                + "1XSZZMWlIs0zmE+snlUIcLADO3GXbA2O/hsQmmc317k",
            "test",
            "argon2i",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{ARGON2ID}$argon2id$v=19$m=65536,t=3,p=1$vBb99oJ12p3WAdYlaMHz1A$"
                + "jtFOtbo/sYV9OSlTxDo/nVNq3uArHd5GJSEx0ty85Cc",
            "test",
            "argon2id",
            ["Dovecot"],
            dovecotSource
        ),
        PrefixedHashVector(
            "{scram-sha-1}4096,GetyLXdBuHzf1FWf8SLz2Q==,NA/OqmF4hhrsrB9KR7po+dliTGM=,"
                + "QBiURvQaE6H6qYTmeghDHLANBFQ=",
            "test",
            "scram-sha-1",
            ["Dovecot"],
            dovecotSource
        ),
    ]

    static let spring: [Self] = [
        PrefixedHashVector(
            "{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG",
            "password",
            "bcrypt",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{ldap}{SSHA}igvD9lOiTXm16dmOw0YWRb9OjK2ThZvdQku2EQ==",
            "password",
            "ldap-ssha",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{MD4}{KYp8/QErWyQemYazZQ8UnWWfbGbkYkVC8qMi0duoA84=}152ce09d3261d2b53cac55b2ea4d1c7a",
            "password",
            "ldap-md4",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{MD5}{aRYR+Yp2xSqtgF+vtjH6jNda6M083iEbP+zCFjLt9IA=}905e382a25eed53e22224223b3581092",
            "password",
            "ldap-smd5",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{MD5}{}f1026a66095fc2058c1f8771ed05d6da",
            "password",
            "ldap-smd5",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{MD5}{THIS_IS_A_SALT}poqv2QKZ0LE33ij7S7aFcw==",
            "abc123",
            "ldap-smd5",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{MD5}5f4dcc3b5aa765d61d8327deb882cf99",
            "password",
            "ldap-md5",
            ["Dovecot", "Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{pbkdf2}5d923b44a6d129f3ddf3e3c8d29412723dcbde72445e8ef6bf3b508fbf17fa4ed4d6b99ca763d8dc",
            "password",
            "pbkdf2-sha1",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{pbkdf2@SpringSecurity_v5_8}000102030405060708090a0b0c0d0e0f"
                + "e0f65a4bf6716253d2d10a7a4b18f35cd4baf31ff031a187cd0091674905482d",
            "password",
            "pbkdf2-sha256",
            ["Spring Security"],
            "python3: hashlib.pbkdf2_hmac('sha256', b'password', bytes(range(16)), 310000, 32)"
        ),
        PrefixedHashVector(
            "{scrypt}$e0801$8bWJaSu2IKSn9Z9kM+TPXfOc/9bdYSrN1oD9qfVThWEwdRTnO7re7Ei+fUZRJ68k9lTyuTeUp4of4g24hHnazw==$"
                + "OAOec05+bXxvuu/1qZ6NUR+xQYvYv7BeL1QxwRpY5Pc=",
            "password",
            "scrypt",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{SHA-1}{6581QepZz2qd8jVrT2QYPVtK8DuM2n45dVslmc3UTWc=}4f31573948ddbfb8ac9dd80107dfad13fd8f2454",
            "password",
            "ldap-ssha",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{SHA-256}{UisHp3pFSMqcqrhQsrhR+hspIG0SyMDyDW/XtY+t6nA=}"
                + "a98efbaf59277bfd1837c33fd4fde67de5bcfd2205bcba0992f6fc32b03a8f88",
            "password",
            "ldap-ssha256",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{sha256}97cde38028ad898ebc02e690819fa220e88c62e0699403e94fff291cfffaf8410849f27605abcbc0",
            "password",
            "spring-sha256",
            ["Spring Security"],
            springSource
        ),
        PrefixedHashVector(
            "{argon2}$argon2d$v=19$m=1024,t=1,p=1$c29tZXNhbHQ$Li5eBf5XrCz0cuzQRe9oflYqmA/VAzmzichw4ZYrvEU",
            "password",
            "argon2d",
            ["OpenLDAP", "Spring Security"],
            springSource
        ),
    ]

    static let directories: [Self] = [
        PrefixedHashVector(
            "{PBKDF2}60000$Y6ZHtTTbeUgpIbIW0QDmDA$j/aU7jFKUSbH4UobNQDm9OEIwuw",
            "secret",
            "pbkdf2-sha1",
            ["OpenLDAP", "389 Directory Server"],
            "openldap/openldap, contrib/slapd-modules/passwd/pbkdf2/README"
        ),
        PrefixedHashVector(
            "{PBKDF2-SHA256}10000$henZGfPWw79Cs8ORDeVNrQ$1dTJy73v6n3bnTmTZFghxHXHLsAzKaAy8SksDfZBPIw",
            "password",
            "pbkdf2-sha256",
            ["OpenLDAP", "389 Directory Server"],
            "389ds/389-ds-base, src/plugins/pwdchan/src/lib.rs"
        ),
        PrefixedHashVector(
            "{PBKDF2-SHA512}10000$Je1Uw19Bfv5lArzZ6V3EPw$"
                + "g4T/1sqBUYWl9o93MVnyQ/8zKGSkPbKaXXsT8WmysXQJhWy8MRP2JFudSL.N9RklQYgDPxPjnfum/F2f/TrppA",
            "password",
            "pbkdf2-sha512",
            ["OpenLDAP", "389 Directory Server"],
            "389ds/389-ds-base, src/plugins/pwdchan/src/lib.rs"
        ),
        PrefixedHashVector(
            "{PBKDF2_SHA256}AAAgADkxMjM2NTIzMzgzMjQ3MjI4MDAwNTk5OTAyOTk4NDI2MjkyMzAzNjg0NjQwOTMxNjI3OTMzNjg0MDI0"
                + "OTY5NTe5ULagRTYpLaUoeqJMg8x9W/DXu+9VTFaVhaYvebYrY+sOqn1ZMRnws22C1uAkiE2tFM8qN+xw5xe7OmCPZ203NuruK4oB33Ql"
                + "sKIEz4ppm0TR94JB9PJx7lIQwFHD3FUNUNryj4jk6UYyJ4+V1Z9Ug/Iy/ylQBJgfs5ihzgxHYZrfp1wUCXFzlZG9mxmziPm8"
                + "VFnAhaX4+FBAZvLAx33jpbKOwEg7TmwP2VJ8BNFLQRqwYdlqIjQlAhncXH+dqIF9VdM4MonAA0hx76bMvFTP7LF5VO1IqVmc"
                + "uYz7YG9v4KKRjnvoUUqOj6okUBQTay3EzsdFVnUW1FemYOccJd5q",
            "hashcat",
            "pbkdf2-sha256",
            ["389 Directory Server"],
            "hashcat, example hash of mode 10901"
        ),
        PrefixedHashVector(
            "{NS-MTA-MD5}5db83c5ab04e8a1abbb51c559536a9230123456789abcdef0123456789abcdef",
            "password",
            "netscape-md5",
            ["OpenLDAP", "389 Directory Server"],
            "python3: hashlib.md5(salt + b'\\x59password\\xf7' + salt), by contrib/slapd-modules/passwd/netscape.c"
        ),
        PrefixedHashVector(
            "{PKCS5S2}qrvM3e7/ABEiM0RVZneImXM+UaT6yG5za6qNGJTQWCmJW1LfthdY69+01b001mYK",
            "password",
            "atlassian-pbkdf2",
            ["Atlassian"],
            "python3: hashlib.pbkdf2_hmac('sha1', b'password', salt, 10000, 32)"
        ),
    ]
}
