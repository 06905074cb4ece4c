// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit

/// The contents of the PEM files that ``ConnectionSettings`` name, read and checked.
package struct ConnectionFiles: Sendable {
    /// The certificates to trust; `nil` to trust the system's.
    package var trustedCertificates: [UInt8]?
    /// The client's certificate, followed by intermediate certificates. It may also contain the key.
    package var clientCertificate: SecretBytes?
    /// The client's private key.
    package var clientKey: SecretBytes?
}
