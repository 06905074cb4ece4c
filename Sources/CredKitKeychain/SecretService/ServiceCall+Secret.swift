// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem
internal import CCredKitSecret

/// One operation of the store on the bus: its deadline, and the cancellation of its calls when the caller stops
/// waiting.
@safe
final class ServiceCall {
    let token: CancellationToken
    let promptPolicy: PromptPolicy
    private let cancellable: Cancellable

    init(token: CancellationToken, promptPolicy: PromptPolicy) {
        self.token = token
        self.promptPolicy = promptPolicy
        let cancellable = Cancellable()
        self.cancellable = cancellable
        token.onStop { cancellable.cancel() }
    }

    /// Runs a GIO function that can be cancelled and reports an error.
    ///
    /// `body` gets the remaining milliseconds, the cancellable and the error pointer to pass on. An invalid-argument
    /// error refers to the address while connecting, and to a reply afterwards.
    func run(
        isConnecting: Bool = false,
        _ body: (
            Int32, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<credkit_error>?>
        ) ->
            OpaquePointer?
    ) throws(ServiceFailure) -> OpaquePointer {
        do throws(KeychainError) { try token.check() } catch { throw ServiceFailure(error) }
        var error: UnsafeMutablePointer<credkit_error>?
        let milliseconds = Int32(min(token.remaining / .milliseconds(1) + 1, Double(Int32.max)))
        let result = unsafe body(milliseconds, cancellable.pointer, &error)
        if let result = unsafe result { return unsafe result }
        guard let error = unsafe error else {
            throw ServiceFailure(.failed("the Secret Service returned an empty reply"))
        }
        defer { unsafe libsecret.g_error_free(error) }
        throw unsafe failure(error, isConnecting: isConnecting)
    }

    private func failure(
        _ error: UnsafeMutablePointer<credkit_error>,
        isConnecting: Bool
    ) -> ServiceFailure {
        let domain = unsafe error.pointee.domain
        let code = unsafe UInt32(bitPattern: error.pointee.code)
        if let name = unsafe libsecret.g_dbus_error_get_remote_error(error) {
            defer { unsafe libsecret.g_free(name) }
            _ = unsafe libsecret.g_dbus_error_strip_remote_error(error)
            return unsafe ServiceFailure(
                name: String(cString: name),
                text: error.pointee.message.map { unsafe String(cString: $0) } ?? ""
            )
        }
        if unsafe domain == libsecret.g_io_error_quark(),
            code == CREDKIT_ERROR_CANCELLED || code == CREDKIT_ERROR_TIMED_OUT
        {
            // If the token was stopped, its error is the reason; otherwise the call timed out.
            do throws(KeychainError) { try token.check() } catch { return ServiceFailure(error) }
            return ServiceFailure(.timedOut)
        }
        let text = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "no reason is given"
        if !isConnecting, unsafe domain == libsecret.g_io_error_quark(),
            code == CREDKIT_ERROR_INVALID_ARGUMENT
        {
            return ServiceFailure(.failed("the Secret Service sent an invalid reply: \(text.prefix(500))"))
        }
        return ServiceFailure(.noBus("the D-Bus session cannot be reached: \(text). " + BusAddress.advice))
    }
}

/// GIO's object for cancelling a call from another thread, which may be used from any thread.
@safe
private final class Cancellable: @unchecked Sendable {
    let pointer: OpaquePointer?

    init() { unsafe pointer = libsecret.g_cancellable_new() }

    deinit {
        if let pointer = unsafe pointer { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(pointer)) }
    }

    func cancel() { unsafe libsecret.g_cancellable_cancel(pointer) }
}
#endif
