// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit

/// User and password in the form in which libcurl passes them to a proxy: a header for HTTP proxies, and
/// strings for SOCKS, which libcurl before 8.8.0 percent-decodes. They are wiped on deallocation.
@safe
final class CurlProxyCredentials: @unchecked Sendable {
    /// libcurl's list with `Proxy-Authorization`; `nil` for SOCKS.
    let header: UnsafeMutablePointer<credkit_curl_list>?
    /// User and password; `nil` for an HTTP proxy.
    let username: UnsafeMutablePointer<CChar>?
    let password: UnsafeMutablePointer<CChar>?
    private let memory: [UnsafeMutableBufferPointer<UInt8>]

    init(_ credentials: ProxyCredentials, for scheme: Proxy.Scheme) {
        var memory: [UnsafeMutableBufferPointer<UInt8>] = unsafe []
        if scheme == .socks5 {
            unsafe memory.append(Self.encoded(Array(credentials.username.utf8).span))
            credentials.password.withSecretBytes { bytes in unsafe memory.append(Self.encoded(bytes)) }
            unsafe username = unsafe Self.text(memory[0])
            unsafe password = unsafe Self.text(memory[1])
            unsafe header = nil
        } else {
            unsafe memory.append(Self.line(credentials))
            unsafe header = .allocate(capacity: 1)
            unsafe header?.initialize(to: credkit_curl_list(text: Self.text(memory[0]), next: nil))
            unsafe username = nil
            unsafe password = nil
        }
        unsafe self.memory = unsafe memory
    }

    deinit {
        unsafe header?.deallocate()
        for index in unsafe memory.indices {
            unsafe Wiping.wipe(memory[index])
            unsafe memory[index].deallocate()
        }
    }

    private static func text(_ memory: UnsafeMutableBufferPointer<UInt8>) -> UnsafeMutablePointer<CChar>? {
        unsafe memory.baseAddress.map {
            unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self)
        }
    }

    /// Returns a text with a NUL. No byte but `%` has another meaning to a libcurl that percent-decodes it.
    private static func encoded(_ bytes: Span<UInt8>) -> UnsafeMutableBufferPointer<UInt8> {
        let percent = CurlLibrary.decodesProxyCredentials ? Array("%25".utf8) : Array("%".utf8)
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count * percent.count + 1)
        var output = unsafe OutputSpan(buffer: memory, initializedCount: 0)
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "%") {
                for byte in percent { output.append(byte) }
            } else {
                output.append(bytes[index])
            }
        }
        output.append(0)
        _ = unsafe output.finalize(for: memory)
        return unsafe memory
    }

    /// Returns the header of RFC 7617 with a NUL.
    private static func line(_ credentials: ProxyCredentials) -> UnsafeMutableBufferPointer<UInt8> {
        let user = Array("\(credentials.username):".utf8)
        return unsafe credentials.password.withSecretBytes { password in
            unsafe password.withUnsafeBufferPointer { password in
                let pair = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: user.count + password.count)
                defer {
                    unsafe Wiping.wipe(pair)
                    unsafe pair.deallocate()
                }
                for index in user.indices { unsafe pair[index] = user[index] }
                for index in password.indices { unsafe pair[user.count + index] = password[index] }
                var text =
                    unsafe Array("Proxy-Authorization: Basic ".utf8) + Base64.standard.encode(pair).utf8 + [0]
                let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
                _ = unsafe memory.initialize(from: text)
                unsafe text.withUnsafeMutableBufferPointer { unsafe Wiping.wipe($0) }
                return unsafe memory
            }
        }
    }
}
