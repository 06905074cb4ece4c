// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CCredKitCurl
internal import CredKit

/// libcurl, which is loaded when a program sends its first request.
///
/// It is not linked: most runs of a command send none, and loading it takes longer than what they do.
enum CurlLibrary {
    private static let isLoaded = Lock(false)

    /// Load libcurl unless it is loaded. Every way to ``libcurl`` begins here.
    static func load() throws(LoginError) {
        try isLoaded.withLock { (isLoaded) throws(LoginError) in
            guard !isLoaded else { return }
            var problem: UnsafePointer<CChar>?
            guard unsafe credkit_curl_library_load(&problem) != 0 else {
                let reason = unsafe problem.map { unsafe String(cString: $0) } ?? "no reason is given"
                throw .missingLibrary(
                    "cannot load libcurl: \(reason) (install libcurl 7.81 or later with OpenSSL; on Debian and Ubuntu: "
                        + "apt-get install libcurl4)"
                )
            }
            isLoaded = true
        }
    }
}

/// The functions of libcurl and its libssl, by the names that they have in C.
nonisolated(unsafe) let libcurl: credkit_curl_library = {
    let functions = unsafe credkit_curl_functions().pointee
    precondition(unsafe functions.SSL_export_keying_material != nil, "libcurl was not loaded.")
    return functions
}()
