// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// All that the assessment of a stored hash depends on: what its text states besides salt and digest, and their lengths.
struct HashShape: Hashable {
    private let scheme: PasswordHash.Scheme
    private let parameters: [PasswordHash.Parameter]
    private let pepperKeyID: String?
    /// Parameters do not state everything, for instance not the flavor of yescrypt.
    private let cost: ComputationCost
    let saltCount: Int
    private let textCount: Int

    init(_ hash: PasswordHash, saltCount: Int, textCount: Int) {
        scheme = hash.scheme
        parameters = hash.parameters
        pepperKeyID = hash.pepperKeyID
        cost = hash.stored.computationCost(passwordByteCount: 0)
        self.saltCount = saltCount
        self.textCount = textCount
    }
}

/// What the hashes of a group have in common.
struct GroupKey: Hashable {
    private let scheme: PasswordHash.Scheme
    private let parameters: [PasswordHash.Parameter]
    private let isSalted: Bool
    private let isPeppered: Bool
    private let status: PasswordHashStatus
    private let step: PasswordUpgradeStep
    private let recordClass: PasswordTableAudit.RecordClass
    private let canBeSelected: Bool

    init(_ group: PasswordTableAudit.Group) {
        scheme = group.scheme
        parameters = group.parameters
        isSalted = group.isSalted
        isPeppered = group.isPeppered
        status = group.status
        step = group.step
        recordClass = group.recordClass
        canBeSelected = group.canBeSelected
    }
}

extension PasswordTableAudit.Group {
    /// The group that hashes with other parameters belong to, too.
    var withoutParameters: Self {
        Self(
            scheme: scheme,
            parameters: [],
            isSalted: isSalted,
            isPeppered: isPeppered,
            status: status,
            step: step,
            recordClass: recordClass,
            canBeSelected: canBeSelected,
            weakness: weakness
        )
    }
}
