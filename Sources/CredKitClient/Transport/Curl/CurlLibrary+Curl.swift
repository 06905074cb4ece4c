// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CCredKitCurl
internal import CredKit

/// libcurl, loaded when a program sends its first request.
///
/// It is not linked: most commands send no request, and loading it takes longer than they run.
enum CurlLibrary {
    private static let isLoaded = Lock(false)

    /// Loads libcurl unless it is already loaded. Every use of ``libcurl`` must be preceded by this call.
    static func load() throws(ClientError) {
        try isLoaded.withLock { (isLoaded) throws(ClientError) in
            guard !isLoaded else { return }
            OpenSSLSetup.load()
            var problem: UnsafePointer<CChar>?
            guard unsafe credkit_curl_library_load(&problem) != 0 else {
                let reason = unsafe problem.map { unsafe String(cString: $0) } ?? "unknown reason"
                throw .missingLibrary(
                    "cannot load libcurl: \(reason) (install libcurl 7.81 or later with OpenSSL; on Debian and Ubuntu: "
                        + "apt-get install libcurl4)"
                )
            }
            isLoaded = true
        }
    }

    /// Whether the options with user and password for a proxy are percent-decoded, as before libcurl 8.8.0, which must be loaded.
    static var decodesProxyCredentials: Bool {
        let version = unsafe libcurl.curl_version_info(Int32(CREDKIT_CURL_VERSION_NOW))
        return unsafe version.map { unsafe $0.pointee.version_number < 0x080800 } ?? true
    }
}

/// The functions of libcurl and its libssl, under their C names.
nonisolated(unsafe) let libcurl: credkit_curl_library = {
    let functions = unsafe credkit_curl_functions().pointee
    precondition(unsafe functions.SSL_export_keying_material != nil, "libcurl was not loaded.")
    return functions
}()
