// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem
internal import CCredKitSecret
internal import CredKit

/// libsecret and the libraries under it, which are loaded when somebody first asks for the Secret Service.
///
/// They are not linked: most runs of a program never need them, their start costs more than what a command does else,
/// and a server has none of them.
enum SecretLibrary {
    private static let isLoaded = Lock(false)

    /// Loads the libraries if they are not. Every way to ``libsecret`` begins here.
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

/// What libsecret has, and GIO, GObject and GLib, by the names it has in C.
nonisolated(unsafe) let libsecret: credkit_secret_library = {
    let functions = unsafe credkit_secret_functions().pointee
    precondition(unsafe functions.secret_value_get_content_type != nil, "libsecret was not loaded.")
    return functions
}()
#endif
