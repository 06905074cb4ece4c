// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit

/// The files that ``ConnectionSettings`` name, read and checked, in PEM.
package struct ConnectionFiles: Sendable {
    /// The certificates to trust; `nil` for the system's.
    package var trustedCertificates: [UInt8]?
    /// The client's certificate, followed by those of intermediate authorities. Its key may be there, too.
    package var clientCertificate: SecretBytes?
    /// The client's private key.
    package var clientKey: SecretBytes?
}
