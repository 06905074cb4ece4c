// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitCurl
internal import CredKit

/// A TLS connection that is about to carry a request. It can be queried only during its inspection.
@safe
package struct TLSConnection: ~Copyable {
    private let tls: OpaquePointer
    private let certificate: OpaquePointer

    init(tls: OpaquePointer, certificate: OpaquePointer) {
        unsafe self.tls = tls
        unsafe self.certificate = certificate
    }

    /// The peer's certificate, in DER.
    package var peerCertificate: [UInt8] { unsafe CertificateRules.der(of: certificate) }

    /// The channel binding `tls-exporter` of RFC 9266: 32 bytes; `nil` if the connection has no unique one.
    ///
    /// With TLS 1.2 this requires the extended master secret, RFC 9266 section 4.2.
    package var exporter: [UInt8]? {
        let isTLS13 = unsafe libcurl.SSL_version(tls) >= 0x0304
        // SSL_get_extms_support.
        let isUnique = unsafe isTLS13 || libcurl.SSL_ctrl(tls, 122, 0, nil) == 1
        guard isUnique else { return nil }
        return exportKeyingMaterial(label: "EXPORTER-Channel-Binding", context: [], byteCount: 32)
    }

    /// Exports keying material, RFC 5705 and RFC 8446 section 7.5.
    ///
    /// - Parameters:
    ///   - label: The label.
    ///   - context: The context; `nil` for none. TLS 1.2 distinguishes an empty context from none, TLS 1.3
    ///     does not.
    ///   - byteCount: The number of bytes to derive.
    /// - Returns: The bytes; `nil` if the connection cannot export any.
    package func exportKeyingMaterial(label: String, context: [UInt8]?, byteCount: Int) -> [UInt8]? {
        var material = [UInt8](repeating: 0, count: byteCount)
        var label = label
        let isExported = unsafe material.withUnsafeMutableBufferPointer { material in
            label.withUTF8 { label in
                unsafe label.withMemoryRebound(to: CChar.self) { label in
                    unsafe (context ?? []).withUnsafeBufferPointer { bytes in
                        unsafe libcurl.SSL_export_keying_material(
                            tls,
                            material.baseAddress,
                            material.count,
                            label.baseAddress,
                            label.count,
                            bytes.baseAddress,
                            bytes.count,
                            context == nil ? 0 : 1
                        )
                    }
                }
            }
        }
        return isExported == 1 ? material : nil
    }
}
