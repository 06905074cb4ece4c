// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// The systems that write texts of this form, as their makers spell them; empty if the text names none.
    package var systems: [String] {
        PrefixedText(stored.description)?.entry.systems.map(\.rawValue) ?? stored.systems
    }
}

// The forms whose types hold several notations of one scheme. The other types say it themselves.

extension Argon2Hash {
    var systems: [String] { isDjango ? ["Django"] : [] }
}

extension ScryptHash {
    var systems: [String] {
        switch notation {
        case .phc: []
        case .django: ["Django"]
        case .werkzeug: ["Werkzeug"]
        // The prefix names them.
        case .spring: []
        }
    }
}

extension PBKDF2Hash {
    var systems: [String] {
        switch notation {
        case .passlib: ["passlib"]
        case .phc, .prefixed: []
        case .django: ["Django"]
        case .werkzeug: ["Werkzeug"]
        case .identity2, .identity3: ["ASP.NET Identity"]
        }
    }
}

extension BcryptHash {
    var systems: [String] { isDjango ? ["Django"] : [] }
}

extension PrehashedBcryptHash {
    var systems: [String] {
        switch notation {
        case .django: ["Django"]
        case .passlib1, .passlib2: ["passlib"]
        case .wordPress: ["WordPress"]
        }
    }
}

extension PHPassHash {
    var systems: [String] {
        switch variant {
        case .portable: ["phpass", "WordPress"]
        case .phpBB: ["phpass", "phpBB"]
        case .drupal: ["Drupal"]
        }
    }
}

extension MD5CryptHash {
    var systems: [String] { scheme == .apr1 ? ["Apache"] : [] }
}

extension SunMD5Hash {
    var systems: [String] { ["Solaris"] }
}

extension SHA1CryptHash {
    var systems: [String] { ["NetBSD"] }
}

extension DjangoCryptHash {
    var systems: [String] { ["Django"] }
}

extension FrameworkDigestHash {
    var systems: [String] { function.isDjango ? ["Django"] : ["Werkzeug"] }
}

extension AmbiguousFrameworkHash {
    var systems: [String] {
        scheme == .werkzeugHMAC ? ["Werkzeug", "web2py"] : ["Django", "Werkzeug", "web2py"]
    }
}

extension UnusableHash {
    var systems: [String] { description == "!" ? [] : ["Django"] }
}

extension MySQLHash {
    var systems: [String] { ["MySQL", "MariaDB"] }
}

extension SCRAMHash {
    var systems: [String] { record.form == .postgreSQL ? ["PostgreSQL"] : ["Dovecot", "GNU SASL"] }
}

extension HexCompositeHash {
    var systems: [String] { composite.systems }
}
