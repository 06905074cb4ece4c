// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// An application whose tables have bare hexadecimal digests, each with a salt: in a column of its own, or behind the digest
/// and a colon.
enum HashApplication: String, CaseIterable {
    case vbulletin, mybb, ipb, smf, wbb3, opencart, punbb, fluxbb, redmine, joomla, oscommerce

    /// Returns the algorithm of a digest with this salt.
    func algorithm(salt: [UInt8]) -> PasswordHash.LegacyHexAlgorithm {
        switch self {
        case .vbulletin: .composite(.vBulletin, salt: salt)
        case .mybb: .composite(.myBB, salt: salt)
        case .ipb: .composite(.ipBoard, salt: salt)
        case .smf: .composite(.smf, salt: salt)
        case .wbb3: .composite(.woltLab, salt: salt)
        case .opencart: .composite(.openCart, salt: salt)
        case .punbb, .redmine: .composite(.punBB, salt: salt)
        // Only rows that came from PunBB have a salt.
        case .fluxbb: salt.isEmpty ? .digest(.sha1) : .composite(.punBB, salt: salt)
        case .joomla: .digest(.md5, salt: salt, position: .suffix)
        case .oscommerce: .digest(.md5, salt: salt, position: .prefix)
        }
    }

    /// The scheme of its hashes; `nil` if the scheme has another name here.
    var scheme: PasswordHash.Scheme? {
        switch self {
        case .vbulletin: .hexVBulletin
        case .mybb: .hexMyBB
        case .ipb: .hexIPBoard
        case .smf: .hexSMF
        case .wbb3: .hexWoltLab
        case .opencart: .hexOpenCart
        case .punbb: .hexPunBB
        case .fluxbb, .redmine, .joomla, .oscommerce: nil
        }
    }

    /// Whether digests without a salt are the application's, too: Joomla's oldest ones, and all that FluxBB makes.
    var hasUnsaltedDigests: Bool { self == .joomla || self == .fluxbb }
}
