// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CCredKitSecret
internal import CredKitSystem

/// A dialog of the Secret Service, from its beginning to its end.
@safe
struct ServicePrompt {
    private let connection: ServiceSession
    private let object: BusObject
    private let call: ServiceCall

    init(path: String, connection: ServiceSession, call: ServiceCall) {
        self.connection = connection
        object = BusObject(owner: connection.owner, path: path, interface: "org.freedesktop.Secret.Prompt")
        self.call = call
    }

    /// Shows the dialog and waits for its end, if the policy allows it.
    ///
    /// Two other places ask for the mode `.desktop`: `finishCreating` of `ServiceCalls`, which runs KeePassXC's prompt
    /// without it, and `checkIsUsable` of ``SecretServiceStore``, before a store is chosen.
    ///
    /// - Parameter question: What the dialog asks for, if it is not the password of a keyring.
    /// - Returns: The prompt's result.
    /// - Throws: ``KeychainError/locked`` if no dialog is allowed, ``KeychainError/dismissed``, ``KeychainError/timedOut``.
    func answer(asksFor question: String?) throws(KeychainError) -> Variant {
        guard call.promptPolicy.mode == .desktop else {
            connection.bus.send(to: object, "Dismiss", nil)
            throw .locked(question.map(ServiceFailure.advice(forQuestion:)) ?? ServiceFailure.lockedAdvice)
        }
        let deadline = ContinuousClock.now + call.promptPolicy.promptTimeout
        return try call.token.extended(by: call.promptPolicy.promptTimeout) { () throws(KeychainError) in
            call.token.letOthersPass()
            return try show(until: deadline)
        }
    }

    /// Runs a prompt that shows no dialog, and waits for its end, at most until the deadline of the call.
    ///
    /// - Returns: The prompt's result.
    /// - Throws: The error of the service, or ``KeychainError/timedOut``.
    func runSilently() throws(KeychainError) -> Variant {
        try show(until: .now + call.promptPolicy.serviceTimeout)
    }

    private func show(until deadline: ContinuousClock.Instant) throws(KeychainError) -> Variant {
        do {
            return try watched { watch throws(KeychainError) in
                do throws(ServiceFailure) {
                    _ = try connection.bus.call(call, to: object, "Prompt", .tuple(.string("")), answer: "()")
                } catch {
                    throw error.error
                }
                return try wait(for: watch, until: deadline)
            }
        } catch {
            // The dialog must not remain on the screen when the caller has stopped waiting.
            connection.bus.send(to: object, "Dismiss", nil)
            throw error
        }
    }

    private func wait(for watch: PromptWatch, until deadline: ContinuousClock.Instant) throws(KeychainError)
        -> Variant
    {
        while true {
            if let end = watch.end {
                guard end.isOfType("(bv)") else {
                    throw .failed("the Secret Service ended a prompt with an invalid result")
                }
                if end[0].isTrue { throw .dismissed("the keyring's prompt was dismissed") }
                return end[1].unboxed
            }
            if watch.ownerIsGone || connection.bus.isClosed {
                throw .failed("the Secret Service ended while its prompt was shown. Retry")
            }
            if deadline <= .now {
                throw .timedOut(
                    "the keyring's prompt was not answered within \(call.promptPolicy.promptTimeout)"
                )
            }
            try call.token.check()
            watch.waitAMoment()
        }
    }

    /// Subscribes before the dialog is shown: a prompt may end before the call that shows it returns.
    private func watched<Result>(
        _ body: (PromptWatch) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let watch = PromptWatch()
        let argument = unsafe Unmanaged.passUnretained(watch).toOpaque()
        let bus = unsafe connection.bus.pointer
        // The signals are handled where the context is iterated: only on this thread.
        unsafe libsecret.g_main_context_push_thread_default(watch.context)
        let completed = unsafe libsecret.g_dbus_connection_signal_subscribe(
            bus,
            object.owner,
            object.interface,
            "Completed",
            object.path,
            nil,
            0,
            { _, _, _, _, _, values, argument in
                guard let argument = unsafe argument, let values = unsafe values else { return }
                let watch = unsafe Unmanaged<PromptWatch>.fromOpaque(argument).takeUnretainedValue()
                watch.end = unsafe Variant(taking: libsecret.g_variant_ref(values))
            },
            argument,
            nil
        )
        let gone = unsafe libsecret.g_dbus_connection_signal_subscribe(
            bus,
            BusObject.bus.owner,
            BusObject.bus.interface,
            "NameOwnerChanged",
            BusObject.bus.path,
            object.owner,
            0,
            { _, _, _, _, _, _, argument in
                guard let argument = unsafe argument else { return }
                unsafe Unmanaged<PromptWatch>.fromOpaque(argument).takeUnretainedValue().ownerIsGone = true
            },
            argument,
            nil
        )
        unsafe libsecret.g_main_context_pop_thread_default(watch.context)
        defer {
            unsafe libsecret.g_dbus_connection_signal_unsubscribe(bus, completed)
            unsafe libsecret.g_dbus_connection_signal_unsubscribe(bus, gone)
            withExtendedLifetime(watch) {}
        }
        return try body(watch)
    }
}

/// The received signals of a prompt, on the thread that waits for it.
@safe
private final class PromptWatch {
    let context: OpaquePointer?
    var end: Variant?
    var ownerIsGone = false
    private let timer: OpaquePointer?

    init() {
        unsafe context = libsecret.g_main_context_new()
        // The timer wakes the wait, to check whether the caller still waits. A user does not notice a delay of 50 ms.
        unsafe timer = libsecret.g_timeout_source_new(50)
        unsafe libsecret.g_source_set_callback(timer, { _ in 1 }, nil, nil)
        _ = unsafe libsecret.g_source_attach(timer, context)
    }

    deinit {
        unsafe libsecret.g_source_destroy(timer)
        unsafe libsecret.g_source_unref(timer)
        unsafe libsecret.g_main_context_unref(context)
    }

    func waitAMoment() { _ = unsafe libsecret.g_main_context_iteration(context, 1) }
}
#endif
