// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_SECRET_H
#define CREDKIT_SECRET_H

// The functions that CredKit uses of libsecret, and of GIO, GObject and GLib below it. The libraries are loaded when a
// program first uses the Secret Service. They are neither linked nor needed to build: most programs and most runs do
// not use them, and these four load a dozen more. Their headers are not needed either; script/test-linkage compares the
// declarations in this file with them.

#include <stddef.h>
#include <stdint.h>

// The types have their own names, for programs that import the original declarations beside this module.
typedef struct credkit_object credkit_object;
typedef struct credkit_instance credkit_instance;
typedef struct credkit_cancellable credkit_cancellable;
typedef struct credkit_connection credkit_connection;
typedef struct credkit_stream credkit_stream;
typedef struct credkit_socket_connection credkit_socket_connection;
typedef struct credkit_socket credkit_socket;
typedef struct credkit_message credkit_message;
typedef struct credkit_auth_observer credkit_auth_observer;
typedef struct credkit_context credkit_context;
typedef struct credkit_source credkit_source;
typedef struct credkit_variant credkit_variant;
typedef struct credkit_variant_type credkit_variant_type;
typedef struct credkit_parameter credkit_parameter;
typedef struct credkit_value credkit_value;
typedef struct credkit_service credkit_service;
typedef struct credkit_secret credkit_secret;
typedef struct credkit_async_result credkit_async_result;

typedef struct credkit_error {
    uint32_t domain;
    int code;
    char *message;
} credkit_error;

typedef struct credkit_type_query {
    size_t type;
    const char *name;
    unsigned class_size;
    unsigned instance_size;
} credkit_type_query;

typedef struct credkit_construct_parameter {
    credkit_parameter *parameter;
    credkit_value *value;
} credkit_construct_parameter;

#define CREDKIT_CONSTRUCTOR(name) credkit_object *(*name)(size_t type, unsigned count, credkit_construct_parameter *)

// The beginning of every GObject class.
typedef struct credkit_class {
    size_t type;
    void *construct_properties;
    CREDKIT_CONSTRUCTOR(constructor);
} credkit_class;

typedef void (*credkit_ready)(credkit_object *, credkit_async_result *, void *);
typedef void (*credkit_signal_handler)(
    credkit_connection *, const char *, const char *, const char *, const char *, credkit_variant *, void *);

typedef credkit_message *(*credkit_filter)(credkit_connection *, credkit_message *, int is_incoming, void *);

// Values of GIOErrorEnum, GDBusCallFlags, GDBusConnectionFlags, GBusType, GDBusProxyFlags and SecretServiceFlags.
enum { CREDKIT_ERROR_INVALID_ARGUMENT = 13, CREDKIT_ERROR_CANCELLED = 19, CREDKIT_ERROR_TIMED_OUT = 24 };
enum { CREDKIT_CALL_NO_AUTO_START = 1 };
enum { CREDKIT_CONNECTION_AUTHENTICATION_CLIENT = 1, CREDKIT_CONNECTION_MESSAGE_BUS = 8 };
enum { CREDKIT_BUS_NONE = 0 };
enum { CREDKIT_PROXY_DO_NOT_LOAD_PROPERTIES = 1, CREDKIT_PROXY_DO_NOT_CONNECT_SIGNALS = 2 };
enum { CREDKIT_SERVICE_OPEN_SESSION = 2 };

// F(result, name, (parameters))
#define CREDKIT_SECRET_FUNCTIONS(F) \
    F(void, g_free, (void *)) \
    F(void, g_error_free, (credkit_error *)) \
    F(credkit_context *, g_main_context_new, (void)) \
    F(void, g_main_context_unref, (credkit_context *)) \
    F(int, g_main_context_iteration, (credkit_context *, int may_block)) \
    F(void, g_main_context_push_thread_default, (credkit_context *)) \
    F(void, g_main_context_pop_thread_default, (credkit_context *)) \
    F(credkit_source *, g_timeout_source_new, (unsigned milliseconds)) \
    F(void, g_source_set_callback, (credkit_source *, int (*)(void *), void *, void (*)(void *))) \
    F(unsigned, g_source_attach, (credkit_source *, credkit_context *)) \
    F(void, g_source_destroy, (credkit_source *)) \
    F(void, g_source_unref, (credkit_source *)) \
    F(credkit_variant *, g_variant_new_array, \
        (const credkit_variant_type *, credkit_variant *const *, size_t count)) \
    F(credkit_variant *, g_variant_new_boolean, (int)) \
    F(credkit_variant *, g_variant_new_dict_entry, (credkit_variant *, credkit_variant *)) \
    F(credkit_variant *, g_variant_new_object_path, (const char *)) \
    F(credkit_variant *, g_variant_new_string, (const char *)) \
    F(credkit_variant *, g_variant_new_tuple, (credkit_variant *const *, size_t count)) \
    F(credkit_variant *, g_variant_new_uint32, (uint32_t)) \
    F(credkit_variant *, g_variant_new_variant, (credkit_variant *)) \
    F(credkit_variant *, g_variant_ref, (credkit_variant *)) \
    F(credkit_variant *, g_variant_take_ref, (credkit_variant *)) \
    F(void, g_variant_unref, (credkit_variant *)) \
    F(int, g_variant_get_boolean, (credkit_variant *)) \
    F(credkit_variant *, g_variant_get_child_value, (credkit_variant *, size_t index)) \
    F(const char *, g_variant_get_string, (credkit_variant *, size_t *length)) \
    F(uint32_t, g_variant_get_uint32, (credkit_variant *)) \
    F(uint64_t, g_variant_get_uint64, (credkit_variant *)) \
    F(credkit_variant *, g_variant_get_variant, (credkit_variant *)) \
    F(int, g_variant_is_container, (credkit_variant *)) \
    F(int, g_variant_is_object_path, (const char *)) \
    F(int, g_variant_is_of_type, (credkit_variant *, const credkit_variant_type *)) \
    F(size_t, g_variant_n_children, (credkit_variant *)) \
    F(credkit_variant_type *, g_variant_type_new, (const char *)) \
    F(void, g_variant_type_free, (credkit_variant_type *)) \
    F(void, g_object_unref, (void *)) \
    F(void, g_object_set_property, (credkit_object *, const char *, const credkit_value *)) \
    F(const char *, g_param_spec_get_name, (credkit_parameter *)) \
    F(size_t, g_type_from_name, (const char *)) \
    F(void, g_type_query, (size_t type, credkit_type_query *)) \
    F(void *, g_type_class_peek, (size_t type)) \
    F(void *, g_type_class_ref, (size_t type)) \
    F(void, g_type_class_unref, (void *)) \
    F(size_t, g_type_register_static_simple, \
        (size_t parent, const char *name, unsigned class_size, void (*)(void *class, void *data), \
         unsigned instance_size, void (*)(credkit_instance *, void *class), unsigned flags)) \
    F(uint32_t, g_io_error_quark, (void)) \
    F(char *, g_dbus_error_get_remote_error, (const credkit_error *)) \
    F(int, g_dbus_error_strip_remote_error, (credkit_error *)) \
    F(size_t, g_socket_get_type, (void)) \
    F(credkit_cancellable *, g_cancellable_new, (void)) \
    F(void, g_cancellable_cancel, (credkit_cancellable *)) \
    F(void *, g_initable_new, (size_t type, credkit_cancellable *, credkit_error **, const char *, ...)) \
    F(int, g_type_check_instance_is_a, (credkit_instance *, size_t type)) \
    F(credkit_stream *, g_dbus_address_get_stream_sync, \
        (const char *address, char **identifier, credkit_cancellable *, credkit_error **)) \
    F(size_t, g_socket_connection_get_type, (void)) \
    F(credkit_socket *, g_socket_connection_get_socket, (credkit_socket_connection *)) \
    F(int, g_socket_get_fd, (credkit_socket *)) \
    F(credkit_connection *, g_dbus_connection_new_sync, \
        (credkit_stream *, const char *identifier, unsigned flags, credkit_auth_observer *, credkit_cancellable *, \
         credkit_error **)) \
    F(unsigned, g_dbus_connection_add_filter, \
        (credkit_connection *, credkit_filter, void *, void (*)(void *))) \
    F(credkit_message *, g_dbus_message_copy, (credkit_message *, credkit_error **)) \
    F(const char *, g_dbus_message_get_member, (credkit_message *)) \
    F(credkit_variant *, g_dbus_message_get_body, (credkit_message *)) \
    F(void, g_dbus_message_set_body, (credkit_message *, credkit_variant *)) \
    F(int, g_dbus_connection_is_closed, (credkit_connection *)) \
    F(void, g_dbus_connection_call, \
        (credkit_connection *, const char *name, const char *path, const char *interface, const char *method, \
         credkit_variant *, const credkit_variant_type *, unsigned flags, int milliseconds, credkit_cancellable *, \
         credkit_ready, void *)) \
    F(credkit_variant *, g_dbus_connection_call_sync, \
        (credkit_connection *, const char *name, const char *path, const char *interface, const char *method, \
         credkit_variant *, const credkit_variant_type *, unsigned flags, int milliseconds, credkit_cancellable *, \
         credkit_error **)) \
    F(unsigned, g_dbus_connection_signal_subscribe, \
        (credkit_connection *, const char *sender, const char *interface, const char *member, const char *path, \
         const char *first, unsigned flags, credkit_signal_handler, void *, void (*)(void *))) \
    F(void, g_dbus_connection_signal_unsubscribe, (credkit_connection *, unsigned subscription)) \
    F(size_t, secret_service_get_type, (void)) \
    F(const char *, secret_service_get_session_algorithms, (credkit_service *)) \
    F(const char *, secret_service_get_session_dbus_path, (credkit_service *)) \
    F(credkit_variant *, secret_service_encode_dbus_secret, (credkit_service *, credkit_secret *)) \
    F(credkit_secret *, secret_service_decode_dbus_secret, (credkit_service *, credkit_variant *)) \
    F(credkit_secret *, secret_value_new, (const char *, ptrdiff_t count, const char *content_type)) \
    F(void, secret_value_unref, (void *)) \
    F(const char *, secret_value_get, (credkit_secret *, size_t *count)) \
    F(const char *, secret_value_get_content_type, (credkit_secret *))

struct credkit_secret_library {
#define CREDKIT_SECRET_MEMBER(result, name, parameters) result (*name) parameters;
    CREDKIT_SECRET_FUNCTIONS(CREDKIT_SECRET_MEMBER)
#undef CREDKIT_SECRET_MEMBER
};

// Loads the libraries, which stay loaded for the life of the process. Must be called by one thread at a time. It may be
// called again after a failure.
//
// - Parameter problem: Receives the loader's message if loading fails: which file or function is missing.
// - Returns: 1 if the libraries are loaded, 0 if not.
int credkit_secret_library_load(const char **problem);

// Returns the functions. Valid only after the libraries have been loaded.
const struct credkit_secret_library *credkit_secret_functions(void);

// Returns the user whose process listens at the other end of a stream, or UINT32_MAX if the stream is not a Unix socket.
uint32_t credkit_stream_owner(credkit_stream *stream);

// Has a connection empty answers from which libsecret would read a public key that is not there. It is set once.
void credkit_filter_sessions(credkit_connection *connection);

// Opens an encrypted session with the owner of the Secret Service on a connection that belongs to CredKit. Returns NULL
// and sets the error on failure.
credkit_service *credkit_service_open(
    credkit_connection *connection, const char *owner, int milliseconds, credkit_cancellable *cancellable,
    credkit_error **error);

#endif
