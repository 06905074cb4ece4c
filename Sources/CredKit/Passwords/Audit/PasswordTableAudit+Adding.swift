// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordTableAudit {
    /// Adds an account.
    ///
    /// - Parameters:
    ///   - field: The stored hash, as a table has it: marks of locked accounts, and fields without a hash are counted
    ///     separately.
    ///   - row: The number of the record, by which problems are reported.
    ///   - algorithm: The algorithm of hexadecimal digits that do not name it, if it is known.
    public mutating func add(
        _ field: String,
        row: Int,
        bareHexAlgorithm algorithm: PasswordHash.LegacyHexAlgorithm? = nil
    ) {
        var field = field
        field.withUTF8 { bytes in unsafe add(bytes.span, row: row, bareHexAlgorithm: algorithm) }
    }

    /// Adds an account.
    ///
    /// - Parameters:
    ///   - field: The bytes of the hash field.
    ///   - row: The number of the record.
    ///   - algorithm: The algorithm of hexadecimal digits that do not name it.
    ///   - isComment: Whether the record has the form of a comment. It is one unless the field has a hash, or what begins
    ///     like one.
    ///   - lockByteCount: How many bytes before the hash lock the account, if that is known: digits behind `*` are not
    ///     taken for a hash of MySQL then.
    package mutating func add(
        _ field: Span<UInt8>,
        row: Int,
        bareHexAlgorithm algorithm: PasswordHash.LegacyHexAlgorithm?,
        isComment: Bool = false,
        lockByteCount: Int? = nil
    ) {
        if lockByteCount == nil, let field = StoredPasswordField.withMarksFirst(field) {
            return add(field.span, row: row, bareHexAlgorithm: algorithm, isComment: isComment)
        }
        records += 1
        let stored = lockByteCount == nil ? StoredPasswordField(field) : nil
        if let absence = stored?.absence {
            if isComment { comments += 1 } else { absences[absence, default: 0] += 1 }
            return
        }
        let markCount = lockByteCount ?? stored?.lockByteCount ?? 0
        let text = field.extracting(markCount...)
        let isBare = BareDigits.areDigest(text)
        guard !isBare || algorithm != nil, stored?.isAmbiguous(bareDigitCount: algorithm?.digitCount) != true,
            !BareDigits.areSaltedDigest(text)
        else {
            return note(.ambiguous, row)
        }
        do throws(PasswordError) {
            let string = unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
            let hash: PasswordHash
            if isBare, let algorithm {
                hash = try PasswordHash(legacyHex: string, algorithm: algorithm)
            } else {
                hash = try PasswordHash(string, limits: context.limits)
            }
            count(hash, text, isBare: isBare, isLocked: markCount > 0, row)
        } catch {
            switch error {
            case _ where isComment && Self.isComment(text, error): comments += 1
            case .unrecognized: note(.unrecognized, row)
            case .unsupported: note(.unsupported, row)
            case .overLimit: note(.overLimit, row)
            default: note(.malformed, row)
            }
        }
    }

    /// Returns whether a text that is no hash is part of a comment, in a record that has the form of one: the name of a
    /// user can begin like a comment, too. A hash has no blanks.
    ///
    /// - Parameters:
    ///   - text: The hash field, without marks of a locked account.
    ///   - error: Why it is no hash.
    /// - Returns: Whether the record is a comment.
    package static func isComment(_ text: Span<UInt8>, _ error: PasswordError) -> Bool {
        if error == .unrecognized { return true }
        for index in text.indices where text[index] == UInt8(ascii: " ") || text[index] == UInt8(ascii: "\t")
        {
            return true
        }
        return false
    }

    /// Adds a record whose text is longer than any hash, and was not read to its end.
    package mutating func addOverLimit(row: Int) {
        records += 1
        note(.overLimit, row)
    }

    /// Adds a record without a field for the hash or its salt, or with only a part of the hash.
    package mutating func addIncomplete(row: Int, isComment: Bool) {
        records += 1
        note(isComment ? nil : .incomplete, row)
    }

    private mutating func note(_ problem: Problem?, _ row: Int) {
        guard let problem else { return comments += 1 }
        problems[problem, default: Rows()].add(row)
    }

    private mutating func count(
        _ hash: PasswordHash,
        _ text: Span<UInt8>,
        isBare: Bool,
        isLocked: Bool,
        _ row: Int
    ) {
        let salt = hash.salt
        let index = place(of: hash, HashShape(hash, saltCount: salt.count, textCount: text.count))
        unsortedGroups[index].accounts += 1
        if isLocked { unsortedGroups[index].locked += 1 }
        if unsortedGroups[index].step == .refuse {
            note(context.isWithinLimits(hash) ? .refused : .overLimit, row)
        }

        scratch.removeAll(keepingCapacity: true)
        let caselessCount = isBare ? text.count : Self.namePrefixCount(text)
        if caselessCount > 0 {
            for position in text.indices {
                scratch.append(position < caselessCount ? text[position] | 0x20 : text[position])
            }
            if isBare {
                // A salt that is not part of the digits.
                scratch.append(0)
                scratch += salt
            }
            hashFingerprints.append(key.fingerprint(of: scratch.span))
            scratch.removeAll(keepingCapacity: true)
        } else {
            hashFingerprints.append(key.fingerprint(of: text))
        }
        guard !salt.isEmpty else { return }
        scratch += hash.scheme.name.utf8
        scratch.append(0)
        scratch += salt
        saltFingerprints.append(key.fingerprint(of: scratch.span))
    }

    /// Returns the length of a scheme's name in braces at the beginning of a hash: `{SHA}` and `{sha}` are the same. JSON has
    /// a quote or a space behind its brace.
    private static func namePrefixCount(_ text: Span<UInt8>) -> Int {
        guard text.count > 1, text[0] == UInt8(ascii: "{"), text[1] > UInt8(ascii: "\"") else { return 0 }
        return (text.indices.first { text[$0] == UInt8(ascii: "}") } ?? -1) + 1
    }

    /// Returns the index of the group of a hash. Assessing a hash takes longer than parsing it, so it is done once for all
    /// hashes of the same shape.
    private mutating func place(of hash: PasswordHash, _ shape: HashShape) -> Int {
        if let index = steps[shape] { return index }
        let index = place(
            of: Group(
                scheme: hash.scheme,
                parameters: hash.parameters,
                isSalted: shape.saltCount > 0,
                isPeppered: hash.pepperKeyID != nil,
                status: context.assess(hash),
                step: context.upgradeStep(for: hash),
                recordClass: context.recordClass(of: hash),
                canBeSelected: context.canBeSelected(hash),
                weakness: hash.weakness
            )
        )
        // A table can have any number of shapes, with the frequent ones behind the rare ones.
        if steps.count >= 4 * Self.maximumGroupCount { steps.removeAll(keepingCapacity: true) }
        steps[shape] = index
        return index
    }

    mutating func place(of group: Group) -> Int {
        let key = GroupKey(group)
        if let index = places[key] { return index }
        guard unsortedGroups.count < Self.maximumGroupCount || group.parameters.isEmpty else {
            // A table can have any number of costs.
            return place(of: group.withoutParameters)
        }
        places[key] = unsortedGroups.count
        unsortedGroups.append(group)
        return unsortedGroups.count - 1
    }
}
