// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// The key of one-time codes that a user can add, as the page shows it.
struct CodeEnrolment: Sendable {
    /// The seed, in Base32.
    let seed: String
    /// The address of the key, for an authenticator app on the same device.
    let uri: String
    /// The element with the QR code; `nil` if none can be drawn.
    let image: String?

    init(_ key: OneTimeCodeKey) throws {
        let uri = try key.uri()
        seed = LoginServer.text(try key.base32Seed())
        self.uri = LoginServer.text(uri)
        image = QRCode.svg(of: uri, title: PageText.codeImage)
    }
}
