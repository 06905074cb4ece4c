// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem
internal import CCredKitSecret
internal import CredKit

/// A connection to a session bus, and an encrypted session with the program that offers the Secret Service on it.
///
/// It is bound to one owner of the service by its unique name, so that an operation that was begun with one owner is
/// never continued with another.
@safe
final class ServiceSession: @unchecked Sendable {
    let bus: BusConnection
    // The session does not change after it was opened.
    private let service: OpaquePointer
    /// The unique name of the service.
    let owner: String
    /// The object path of the session.
    let session: String

    /// Whether the service reported that the session does not exist: it may end all sessions and stay on the bus.
    private let lostSession = Lock(false)
    var hasLostSession: Bool { lostSession.withLock { $0 } }
    func loseSession() { lostSession.withLock { $0 = true } }

    /// Whether the service is known to have the same key; see ``ServiceCollection/verifySession()``.
    ///
    /// In one session of 256, the shared key begins with a zero byte, which KWallet leaves out and libsecret keeps, so that
    /// they have different keys. KWallet then stores another secret without an error.
    private let verified = Lock(false)
    var isVerified: Bool { verified.withLock { $0 } }
    func setVerified() { verified.withLock { $0 = true } }

    /// The required algorithm for the transfer of secrets: Diffie-Hellman and AES.
    private static let algorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

    private init(bus: BusConnection, service: OpaquePointer, owner: String, session: String) {
        self.bus = bus
        unsafe self.service = service
        self.owner = owner
        self.session = session
    }

    /// Connects to a bus, and negotiates an encrypted session with the service there.
    static func open(_ address: String, _ call: ServiceCall) throws(KeychainError) -> ServiceSession {
        let opened: ServiceSession
        do throws(ServiceFailure) {
            let bus = try BusConnection.open(address, call)
            let owner = try owner(on: bus, call)
            let service = try unsafe negotiate(bus, owner, call)
            let session = unsafe libsecret.secret_service_get_session_dbus_path(service).map {
                unsafe String(cString: $0)
            }
            opened = unsafe ServiceSession(bus: bus, service: service, owner: owner, session: session ?? "")
        } catch {
            throw error.error
        }
        let used = unsafe libsecret.secret_service_get_session_algorithms(opened.service).map {
            unsafe String(cString: $0)
        }
        guard used == algorithm, !opened.session.isEmpty else {
            throw .failed(
                "the Secret Service offers no encrypted session (\(algorithm)); secrets are not sent unencrypted"
            )
        }
        return opened
    }

    deinit { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(service)) }

    /// Negotiates a session. KWallet refuses the public keys that begin with a zero byte, which libsecret leaves out: one
    /// in 256. Each attempt has another key.
    private static func negotiate(
        _ bus: BusConnection,
        _ owner: String,
        _ call: ServiceCall
    ) throws(ServiceFailure) -> OpaquePointer {
        var refusals = 0
        while true {
            do throws(ServiceFailure) {
                return try unsafe call.run { milliseconds, cancellable, error in
                    unsafe credkit_service_open(bus.pointer, owner, milliseconds, cancellable, error)
                }
            } catch {
                refusals += 1
                guard error.isPublicKeyRefused, refusals < 5 else { throw error }
            }
        }
    }

    /// The times of the changes, if the service is KeePassXC.
    let pacing = Lock(ChangePacing())

    /// Returns the unique name of the service. Starts the service if it does not run and the bus can start it.
    private static func owner(on bus: BusConnection, _ call: ServiceCall) throws(ServiceFailure) -> String {
        let name = Variant.string("org.freedesktop.secrets")
        do throws(ServiceFailure) {
            return try bus.call(call, to: .bus, "GetNameOwner", .tuple(name), answer: "(s)")[0].text ?? ""
        } catch {
            guard error.error == .noService, call.promptPolicy.startsService else { throw error }
            _ = try bus.call(call, to: .bus, "StartServiceByName", .tuple(name, .unsigned(0)), answer: "(u)")
            return try bus.call(call, to: .bus, "GetNameOwner", .tuple(name), answer: "(s)")[0].text ?? ""
        }
    }

    /// Encrypts a secret for the session.
    func seal(_ secret: SecretBytes, contentType: String) throws(KeychainError) -> Variant {
        let value = unsafe secret.withSecretBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                    // GLib requires a pointer even for no bytes.
                    unsafe libsecret.secret_value_new(bytes.baseAddress, bytes.count, contentType)
                }
            }
        }
        guard let value = unsafe value else { throw .outOfMemory }
        defer { unsafe libsecret.secret_value_unref(UnsafeMutableRawPointer(value)) }
        guard let sealed = unsafe libsecret.secret_service_encode_dbus_secret(service, value) else {
            throw .failed("libsecret cannot encrypt a secret")
        }
        return unsafe Variant(taking: sealed)
    }

    /// Decrypts a received secret, and copies it from libsecret's locked memory into guarded memory.
    func open(_ sealed: Variant) throws(KeychainError) -> (secret: SecretBytes, contentType: String) {
        guard sealed.isOfType("(oayays)"), sealed[0].text == session,
            let value = unsafe libsecret.secret_service_decode_dbus_secret(service, sealed.pointer)
        else {
            // KWallet has another key than libsecret in one session of 256; see `isVerified`.
            loseSession()
            throw .failed("the Secret Service sent a secret that is not encrypted for this session")
        }
        defer { unsafe libsecret.secret_value_unref(UnsafeMutableRawPointer(value)) }
        var count = 0
        let start = unsafe libsecret.secret_value_get(value, &count)
        guard count <= StoreLimits.receivedSecretByteCount else {
            throw .overLimit(
                "the Secret Service sent a secret of more than \(StoreLimits.receivedSecretByteCount >> 20) MiB"
            )
        }
        let contentType = unsafe libsecret.secret_value_get_content_type(value).map {
            unsafe String(cString: $0)
        }
        do throws(SecretMemoryError) {
            let secret = try SecretBytes(capacity: Int(clamping: count)) { output in
                guard let start = unsafe start else { return }
                let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(clamping: count))
                unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                    unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
                    initializedCount = bytes.count
                }
            }
            return (secret, contentType ?? "text/plain")
        } catch {
            throw .outOfMemory
        }
    }
}

#endif
