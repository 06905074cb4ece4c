// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What stands beside the bytes of an incomplete download. It contains no URL and no account, because those may contain
/// secrets.
struct DownloadNote: Equatable, Sendable {
    /// What the bytes belong to: URL and account, hashed.
    var owner: String
    var validator: DownloadValidator
    /// The size of the whole file; `nil` if the server did not say.
    var total: Int64?
    /// When the system was started under which the bytes were written, and how many of them survive its end.
    var boot: String?
    var durableByteCount: Int64 = 0

    /// The maximum size of a note in bytes.
    static let maximumByteCount = 4096
    private static let title = "credkit-download 1"

    /// Names what a download belongs to.
    ///
    /// - Parameters:
    ///   - parts: URL, account and so on.
    ///   - salt: Random hex digits, so that notes of other files tell nothing.
    /// - Returns: The salt, a blank and a digest.
    static func owner(_ parts: [String], salt: String) -> String {
        var hash = SHA256()
        for part in [salt] + parts { hash.update(data: Array("\(part.utf8.count):\(part)".utf8)) }
        return "\(salt) \(hash.finalize().hex)"
    }

    /// Whether the note belongs to a download.
    func belongs(to parts: [String]) -> Bool {
        guard let salt = owner.split(separator: " ").first else { return false }
        return ASCIIText.areEqual(owner, Self.owner(parts, salt: String(salt)))
    }

    var bytes: [UInt8] {
        let (kind, text) =
            switch validator {
            case .entityTag(let text): ("etag", text)
            case .modified(let text): ("modified", text)
            }
        let lines = [
            Self.title, "owner \(owner)", "\(kind) \(text)", "total \(total.map { "\($0)" } ?? "-")",
            "boot \(boot ?? "-")", "durable \(durableByteCount)", "end",
        ]
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Parses a note; `nil` if it is malformed, for example because the system ended while it was written.
    init?(_ bytes: [UInt8]) {
        guard bytes.count < Self.maximumByteCount, let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
        guard lines.count == 8, Self.isEqual(lines[0], Self.title), Self.isEqual(lines[6], "end"),
            lines[7].isEmpty,
            let owner = Self.value("owner", lines[1]), let total = Self.value("total", lines[3]),
            let boot = Self.value("boot", lines[4]),
            let durable = Self.value("durable", lines[5]).flatMap({ ContentRange.number($0.utf8) })
        else { return nil }
        if let tag = Self.value("etag", lines[2]), DownloadValidator.isStrong(tag) {
            validator = .entityTag(tag)
        } else if let date = Self.value("modified", lines[2]), DownloadValidator.time(date) != nil {
            validator = .modified(date)
        } else {
            return nil
        }
        self.total = ContentRange.number(total.utf8)
        guard self.total != nil || Self.isEqual(total[...], "-") else { return nil }
        self.owner = owner
        self.boot = Self.isEqual(boot[...], "-") ? nil : boot
        durableByteCount = durable
    }

    init(owner: String, validator: DownloadValidator, total: Int64?, boot: String?) {
        (self.owner, self.validator, self.total, self.boot) = (owner, validator, total, boot)
    }

    private static func isEqual(_ left: Substring, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func value(_ name: String, _ line: Substring) -> String? {
        guard line.utf8.starts(with: "\(name) ".utf8) else { return nil }
        return String(line.utf8.dropFirst(name.utf8.count + 1))
    }
}
