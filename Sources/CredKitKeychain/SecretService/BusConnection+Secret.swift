// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CCredKitSecret
internal import Glibc

/// The destination of a call.
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

/// A private connection to a bus. It is not the connection that GIO shares in a process, which ends the process when
/// the bus closes it.
@safe
final class BusConnection: @unchecked Sendable {
    // A GDBusConnection may be used from any thread.
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Connects to a bus of this user or root, and waits until it has answered.
    static func open(_ address: String, _ call: ServiceCall) throws(ServiceFailure) -> BusConnection {
        let stream = try unsafe call.run(isConnecting: true) { _, cancellable, error in
            unsafe libsecret.g_dbus_address_get_stream_sync(address, nil, cancellable, error)
        }
        defer { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(stream)) }
        // The address of a socket of the network names a machine and a port, not a user.
        let owner = unsafe credkit_stream_owner(stream)
        guard [0, geteuid(), .max].contains(owner) else {
            throw ServiceFailure(
                .denied(
                    "the bus at \(address) belongs to the user with number \(owner), who would receive the secrets. Its "
                        + "address may be that of a bus that has ended. " + BusAddress.advice
                )
            )
        }
        let pointer = try unsafe call.run(isConnecting: true) { _, cancellable, error in
            unsafe libsecret.g_dbus_connection_new_sync(
                stream,
                nil,
                UInt32(CREDKIT_CONNECTION_AUTHENTICATION_CLIENT | CREDKIT_CONNECTION_MESSAGE_BUS),
                nil,
                cancellable,
                error
            )
        }
        unsafe credkit_filter_sessions(pointer)
        return unsafe BusConnection(pointer)
    }

    deinit { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(pointer)) }

    var isClosed: Bool { unsafe libsecret.g_dbus_connection_is_closed(pointer) != 0 }

    /// Calls a method and waits for the reply.
    ///
    /// - Parameters:
    ///   - call: The operation, which has the deadline.
    ///   - object: The destination. A service that is not running is not started.
    ///   - method: The name of the method.
    ///   - arguments: A tuple.
    ///   - answer: The required type of the reply.
    /// - Returns: The reply.
    /// - Throws: The error of the other side or the bus, or a timeout.
    func call(
        _ call: ServiceCall,
        to object: BusObject,
        _ method: String,
        _ arguments: Variant?,
        answer: String
    ) throws(ServiceFailure) -> Variant {
        // A service may return a text where a path is required, and GIO would only log that.
        guard unsafe libsecret.g_variant_is_object_path(object.path) != 0 else {
            throw ServiceFailure(.failed("the Secret Service returned an invalid object path"))
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

    /// Calls a method without waiting for a reply: the message is sent when this returns, unless the bus is stuck.
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
