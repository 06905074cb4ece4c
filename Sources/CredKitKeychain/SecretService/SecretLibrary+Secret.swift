// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem
internal import CCredKitSecret
internal import CredKit

/// libsecret and the libraries it uses, loaded at the first use of the Secret Service.
///
/// They are not linked: most runs of a program never need them, their initialization costs more than the rest of a
/// command, and servers do not have them.
enum SecretLibrary {
    private static let isLoaded = Lock(false)

    /// Loads the libraries if they are not loaded. Every use of ``libsecret`` must be preceded by this.
    static func load() throws(KeychainError) {
        try isLoaded.withLock { (isLoaded) throws(KeychainError) in
            guard !isLoaded else { return }
            var problem: UnsafePointer<CChar>?
            guard unsafe credkit_secret_library_load(&problem) != 0 else {
                let text = unsafe problem.map { unsafe String(cString: $0) } ?? "no reason is given"
                throw .noService(
                    "libsecret cannot be loaded: \(text). Install it or a newer one (on Debian: apt-get install "
                        + "libsecret-1-0), or use the vault (credkit keychain --backend vault)"
                )
            }
            isLoaded = true
        }
    }
}

/// The functions of libsecret, GIO, GObject and GLib, by their C names.
nonisolated(unsafe) let libsecret: credkit_secret_library = {
    let functions = unsafe credkit_secret_functions().pointee
    precondition(unsafe functions.secret_value_get_content_type != nil, "libsecret was not loaded.")
    return functions
}()
#endif
