// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CCredKitSecret

/// libsecret and the libraries under it, which are loaded when somebody first asks for the Secret Service.
///
/// They are not linked: most runs of a program never need them, their start costs more than what a command does else,
/// and a server has none of them.
@safe
enum SecretLibrary {
    /// Done once, and not tried again: what is missing does not appear in the life of a process.
    nonisolated(unsafe) fileprivate static let loaded:
        Result<UnsafePointer<credkit_secret_library>, KeychainError> = {
            var problem: UnsafePointer<CChar>?
            if let functions = unsafe credkit_secret_library_load(&problem) {
                return unsafe .success(functions)
            }
            let text = unsafe problem.map { unsafe String(cString: $0) } ?? "no reason is given"
            return unsafe .failure(
                .noService(
                    "libsecret cannot be loaded: \(text). Install it (on Debian: apt-get install libsecret-1-0), or use "
                        + "the vault (credkit keychain --backend vault)"
                )
            )
        }()

    /// Loads the libraries if they are not. Every way to ``libsecret`` begins here.
    static func load() throws(KeychainError) {
        _ = try unsafe loaded.get()
    }
}

/// What libsecret has, and GIO, GObject and GLib, by the names it has in C.
nonisolated(unsafe) let libsecret: credkit_secret_library = {
    guard case .success(let functions) = unsafe SecretLibrary.loaded else {
        preconditionFailure("libsecret was not loaded")
    }
    return unsafe functions.pointee
}()
#endif
