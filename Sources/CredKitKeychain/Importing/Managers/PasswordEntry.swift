// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// An entry as password managers have it: a password with its notes, one-time codes and fields. It becomes several items.
///
/// Only what identifies the entry becomes attributes, which are public in a Secret Service. Notes and fields often hold
/// recovery codes and answers, so they are stored as secrets.
struct PasswordEntry: Sendable {
    struct Field: Sendable {
        var name: String
        var value: SecretBytes
    }

    /// What the entry has several times is one loss.
    struct LeftOut: Sendable {
        /// The name of the first one.
        let field: String
        /// The kind; empty for those of further kinds.
        let kind: String
        fileprivate let firstDetail: String
        /// Whether an item has it in another form.
        let isKept: Bool
        /// Whether the entry is incomplete without it.
        fileprivate(set) var isFailure: Bool
        fileprivate var count = 1

        /// What happens to it, and how many there are.
        var detail: String { count == 1 ? firstDetail : firstDetail + ", as are \(count - 1) more like it" }
    }

    /// The service, if the format knows it; otherwise the host of the address, or the title.
    var service: String?
    var title = ""
    var account: String?
    /// The whole address, which may contain a password.
    var address: SecretBytes?
    var folder: String?
    /// Whether the format has a place for folders.
    var hasFolder = true
    var attributes: [String: String] = [:]
    var password: SecretBytes?
    var notes: SecretBytes?
    var oneTimeCode: SecretBytes?
    var fields: [Field] = []
    var created: Date?
    var modified: Date?
    /// The key and label that CredKit wrote into the entry; see ``EntryMarker``.
    var marker: SecretBytes?
    /// What the format has and an item has no place for: one loss for each kind of it.
    private(set) var leftOut: [LeftOut] = []

    /// The name in messages.
    var name: String {
        let name = title.isEmpty ? service ?? account ?? "" : title
        return EntryText.clipped((folder.map { $0 + "/" } ?? "") + (name.isEmpty ? "(no title)" : name))
    }

    /// Adds a field, if the entry does not have too many.
    mutating func add(_ name: String, _ value: SecretBytes) {
        guard hasPlace(for: name) else { return leaveOutField() }
        fields.append(Field(name: name, value: value))
    }

    /// Whether another field would be left out.
    var isFull: Bool { fields.count >= TransferLimits.fieldCount }

    /// Returns whether a field would be added. Those of a second factor always are, once each: they become one item.
    func hasPlace(for name: String) -> Bool {
        !isFull || Self.oneTimeCodeFields.contains(name) && !fields.contains { $0.name == name }
    }

    /// Notes that there is a field too many.
    mutating func leaveOutField() {
        guard !leftOut.contains(where: { $0.kind == "further fields" }) else { return }
        leaveOut("further fields", "left out: an entry has at most \(TransferLimits.fieldCount)")
    }

    /// Notes what an item has no place for.
    ///
    /// - Parameters:
    ///   - field: Its name. A long one is clipped.
    ///   - detail: What happens to it.
    ///   - kind: What kind of property it is, if its name comes from the file.
    ///   - isKept: Whether an item has it in another form.
    ///   - isFailure: Whether the entry is incomplete without it.
    mutating func leaveOut(
        _ field: String,
        _ detail: String,
        kind: String? = nil,
        isKept: Bool = false,
        isFailure: Bool = false
    ) {
        let kind = kind ?? field
        let last = leftOut.count - 1
        if let index = leftOut.firstIndex(where: { $0.kind == kind }) {
            leftOut[index].count += 1
            if isFailure { leftOut[index].isFailure = true }
        } else if leftOut.count < TransferLimits.kindCount || isFailure {
            let field = EntryText.shortened(field)
            leftOut.append(
                LeftOut(field: field, kind: kind, firstDetail: detail, isKept: isKept, isFailure: isFailure)
            )
        } else if leftOut[last].kind.isEmpty {
            leftOut[last].count += 1
        } else {
            leftOut[last] = LeftOut(
                field: "further properties",
                kind: "",
                firstDetail: "left out",
                isKept: false,
                isFailure: leftOut[last].isFailure,
                count: 2
            )
        }
    }
}

/// The ceilings of files of other programs.
enum TransferLimits {
    /// The maximum size of a file in bytes.
    static let fileByteCount = VaultLimits.fileByteCount
    /// The maximum number of entries of a file, and of items that they become.
    static let entryCount = 100_000
    /// The maximum size of the folder names of all entries in bytes: each item has one.
    static let folderByteCount = 64 << 20
    /// The maximum number of losses that are listed. Further ones are counted.
    static let lossCount = 10_000
    /// The maximum number of kinds of what an entry leaves out.
    static let kindCount = 32
    /// The maximum number of parts of all entries, before equal entries are left out.
    static let partCount = 4 * entryCount
    /// The maximum number of fields of an entry.
    static let fieldCount = 100
    /// The maximum number of items with the same service and account. Stores look through all of them for each.
    static let equalCount = 500
    /// The maximum depth of folders and of nested values.
    static let depth = 64
}
