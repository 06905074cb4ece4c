// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CCredKitSecret

/// Whom a call is for.
struct BusObject {
    var owner: String
    var path: String
    var interface: String

    /// The bus itself.
    static let bus = BusObject(
        owner: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus"
    )
}

/// A connection to a bus of our own. It is not the one that GIO shares in a process, which ends the process when the
/// bus goes away.
@safe
final class BusConnection: @unchecked Sendable {
    // A GDBusConnection may be used from any thread.
    let pointer: OpaquePointer

    init(address: String, call: ServiceCall) throws(ServiceFailure) {
        unsafe pointer = try call.run(isConnecting: true) { _, cancellable, error in
            unsafe libsecret.g_dbus_connection_new_for_address_sync(
                address,
                UInt32(CREDKIT_CONNECTION_AUTHENTICATION_CLIENT | CREDKIT_CONNECTION_MESSAGE_BUS),
                nil,
                cancellable,
                error
            )
        }
    }

    deinit { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(pointer)) }

    var isClosed: Bool { unsafe libsecret.g_dbus_connection_is_closed(pointer) != 0 }

    /// Calls a method and waits for the answer.
    ///
    /// - Parameters:
    ///   - call: Until when.
    ///   - object: Whom. A name that nobody has is not started.
    ///   - method: Which.
    ///   - arguments: A tuple.
    ///   - answer: The type that the answer must have.
    /// - Returns: The answer.
    /// - Throws: What the other side or the bus says, or that the time is over.
    func call(
        _ call: ServiceCall,
        to object: BusObject,
        _ method: String,
        _ arguments: Variant?,
        answer: String
    ) throws(ServiceFailure) -> Variant {
        // A service may give a text where a path is wanted, and GIO only complains then.
        guard unsafe libsecret.g_variant_is_object_path(object.path) != 0 else {
            throw ServiceFailure(.failed("the Secret Service names an object by what is no path"))
        }
        let type = unsafe libsecret.g_variant_type_new(answer)
        defer { unsafe libsecret.g_variant_type_free(type) }
        let result = try unsafe call.run { milliseconds, cancellable, error in
            unsafe libsecret.g_dbus_connection_call_sync(
                pointer,
                object.owner,
                object.path,
                object.interface,
                method,
                arguments?.pointer,
                type,
                UInt32(CREDKIT_CALL_NO_AUTO_START),
                milliseconds,
                cancellable,
                error
            )
        }
        return unsafe Variant(taking: result)
    }

    /// Calls a method and does not wait: the message is on its way when this returns, save on a bus that is stuck.
    func send(to object: BusObject, _ method: String, _ arguments: Variant?) {
        unsafe libsecret.g_dbus_connection_call(
            pointer,
            object.owner,
            object.path,
            object.interface,
            method,
            arguments?.pointer,
            nil,
            UInt32(CREDKIT_CALL_NO_AUTO_START),
            -1,
            nil,
            nil,
            nil
        )
    }
}
#endif
