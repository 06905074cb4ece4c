// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKit
internal import CredKitServer
internal import CredKitSystem

/// libpq, PostgreSQL's own client, loaded by the first client of a process.
enum PQLibrary {
    private static let isLoaded = Lock(false)
    nonisolated(unsafe) fileprivate static var functions = credkit_pq_library()

    /// Loads libpq unless it is already loaded. Every use of ``libpq`` must be preceded by this call.
    static func load() throws(SharedStateError) {
        try isLoaded.withLock { (isLoaded) throws(SharedStateError) in
            guard !isLoaded else { return }
            OpenSSLSetup.load()
            var problem: UnsafePointer<CChar>?
            guard unsafe credkit_pq_library_load(&functions, &problem) != 0 else {
                let reason = unsafe problem.map { unsafe String(cString: $0) } ?? "unknown reason"
                throw SharedStateError(
                    .missingLibrary,
                    message: "cannot load libpq: \(reason) (on Debian and Ubuntu: apt-get install libpq5)"
                )
            }
            isLoaded = true
        }
    }
}

/// The functions of libpq, under their C names. They keep no state outside of their arguments.
let libpq: credkit_pq_library = {
    let functions = unsafe PQLibrary.functions
    precondition(unsafe functions.i2d_X509 != nil, "libpq was not loaded.")
    return functions
}()
