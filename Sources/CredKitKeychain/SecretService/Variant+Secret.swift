// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CCredKitSecret

/// A D-Bus value, as a GLib variant.
///
/// Strings must not contain a NUL: the strings of queries are checked before. Readers know the type of a value, since
/// calls require the type of the reply.
@safe
final class Variant {
    let pointer: OpaquePointer

    /// Takes ownership of a floating value, or of a reference that the caller owns. GLib never returns NULL here: it
    /// ends the process if memory is exhausted.
    init(taking pointer: OpaquePointer?) {
        guard let owned = unsafe libsecret.g_variant_take_ref(pointer) else {
            preconditionFailure("GLib gave no value")
        }
        unsafe self.pointer = owned
    }

    deinit { unsafe libsecret.g_variant_unref(pointer) }

    static func string(_ value: String) -> Variant {
        unsafe Variant(taking: libsecret.g_variant_new_string(value))
    }

    /// Creates an object path from a path that the bus returned.
    static func objectPath(_ path: String) -> Variant {
        unsafe Variant(taking: libsecret.g_variant_new_object_path(path))
    }

    static func boolean(_ value: Bool) -> Variant {
        unsafe Variant(taking: libsecret.g_variant_new_boolean(value ? 1 : 0))
    }

    static func unsigned(_ value: UInt32) -> Variant {
        unsafe Variant(taking: libsecret.g_variant_new_uint32(value))
    }

    /// Wraps a value for use where any type is allowed.
    static func boxed(_ value: Variant) -> Variant {
        unsafe Variant(taking: libsecret.g_variant_new_variant(value.pointer))
    }

    static func tuple(_ values: Variant...) -> Variant {
        unsafe combining(values) { pointers in unsafe libsecret.g_variant_new_tuple(pointers, pointers.count)
        }
    }

    static func paths(_ paths: [String]) -> Variant {
        array(paths.map(Variant.objectPath), type: "o")
    }

    /// Creates a dictionary of strings.
    static func strings(_ values: [String: String]) -> Variant {
        dictionary(values.mapValues(Variant.string), type: "{ss}")
    }

    /// Creates a dictionary of values of any type.
    static func values(_ values: [String: Variant]) -> Variant {
        dictionary(values.mapValues(Variant.boxed), type: "{sv}")
    }

    private static func dictionary(_ values: [String: Variant], type: String) -> Variant {
        let entries = values.map { name, value in
            unsafe combining([string(name), value]) {
                unsafe libsecret.g_variant_new_dict_entry($0[0], $0[1])
            }
        }
        return array(entries, type: type)
    }

    private static func array(_ values: [Variant], type: String) -> Variant {
        unsafe combining(values) { pointers in
            unsafe withType(type) { unsafe libsecret.g_variant_new_array($0, pointers, pointers.count) }
        }
    }

    /// Combines values, which GLib references. They must live until it does.
    private static func combining(_ values: [Variant], _ body: ([OpaquePointer?]) -> OpaquePointer?)
        -> Variant
    {
        withExtendedLifetime(values) { unsafe Variant(taking: body(values.map { unsafe $0.pointer })) }
    }

    private static func withType<Result>(_ text: String, _ body: (OpaquePointer?) -> Result) -> Result {
        let type = unsafe libsecret.g_variant_type_new(text)
        defer { unsafe libsecret.g_variant_type_free(type) }
        return unsafe body(type)
    }
}

extension Variant {
    /// The parts of a tuple or array; empty for any other value, whose parts GLib would end the process for.
    var children: [Variant] {
        guard unsafe libsecret.g_variant_is_container(pointer) != 0 else { return [] }
        return unsafe (0..<libsecret.g_variant_n_children(pointer)).map { index in
            unsafe Variant(taking: libsecret.g_variant_get_child_value(pointer, index))
        }
    }

    /// A part of a tuple whose type guarantees that the part exists.
    subscript(index: Int) -> Variant {
        unsafe Variant(taking: libsecret.g_variant_get_child_value(pointer, index))
    }

    /// The value inside a boxed value.
    var unboxed: Variant {
        unsafe isOfType("v") ? Variant(taking: libsecret.g_variant_get_variant(pointer)) : self
    }

    func isOfType(_ type: String) -> Bool {
        unsafe Self.withType(type) { unsafe libsecret.g_variant_is_of_type(pointer, $0) != 0 }
    }

    /// The text of a string or path; `nil` for any other value.
    var text: String? {
        guard isOfType("s") || isOfType("o"), let text = unsafe libsecret.g_variant_get_string(pointer, nil)
        else {
            return nil
        }
        return unsafe String(cString: text)
    }

    var texts: [String] { children.compactMap(\.text) }

    var isTrue: Bool { unsafe isOfType("b") && libsecret.g_variant_get_boolean(pointer) != 0 }

    /// The value of a number; `nil` for any other value.
    var number: UInt64? {
        if isOfType("t") { return UInt64(unsafe libsecret.g_variant_get_uint64(pointer)) }
        return unsafe isOfType("u") ? UInt64(libsecret.g_variant_get_uint32(pointer)) : nil
    }

    /// The entries of a dictionary with string keys; empty for any other value.
    var dictionary: [String: Variant] {
        guard isOfType("a{s*}") else { return [:] }
        return Dictionary(
            children.compactMap { entry in entry[0].text.map { ($0, entry[1].unboxed) } },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
#endif
