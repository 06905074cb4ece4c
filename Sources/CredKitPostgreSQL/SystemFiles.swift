// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitServer
internal import CredKitSystem
internal import Glibc

/// Files of certificates.
enum SystemFiles {
    /// A bundle of some thousand authorities is smaller.
    private static let maximumByteCount = 4 << 20

    /// The file with all authorities that this system trusts; `nil` if it is in no usual place. libpq 15 cannot find it by itself.
    static let authorities: String? = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]
    .first { unsafe access($0, R_OK) == 0 }

    /// Refuses a file that other users can change or replace: it decides which server is the right one, or who this one is.
    static func refuseIfOthersCanChange(_ path: String) throws(SharedStateError) {
        // O_PATH, which Swift does not import. What is missing is reported by who reads it.
        let number = unsafe open(path, 0o10_000_000 | O_CLOEXEC)
        guard number >= 0 else { return }
        let file = Descriptor(number)
        do throws(SystemError) {
            try TrustedFile.check(file.number, path: Array(path.utf8), name: path)
        } catch {
            throw SharedStateError(.unsafeSettings, message: error.description)
        }
    }

    /// Returns the content of a file; `nil` if it cannot be read or is too large.
    static func read(_ path: String) -> [UInt8]? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let bytes = try? Descriptor(number).readAll(limit: maximumByteCount + 1)
        return (bytes?.count ?? .max) <= maximumByteCount ? bytes : nil
    }
}
