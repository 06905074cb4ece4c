// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import Glibc

/// The addresses of a host as libcurl's list. They are added to the DNS cache of the transfer's own set of
/// connections, which transfers with other settings do not share.
@safe
final class CurlResolutions: @unchecked Sendable {
    let list: UnsafeMutablePointer<credkit_curl_list>

    init(_ addresses: [String], for origin: Origin) {
        let texts = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        unsafe list = .allocate(capacity: 1)
        let text = unsafe strdup("\(origin.host):\(origin.port):\(texts)")
        unsafe list.initialize(to: credkit_curl_list(text: text, next: nil))
    }

    deinit {
        unsafe free(list.pointee.text)
        unsafe list.deallocate()
    }
}
