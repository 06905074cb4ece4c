// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares CredKit's declarations of libsecret's functions with libsecret's own headers. Only compiled, never run: each
// different type is a compiler error. Where CredKit has its own type, the original replaces its name.
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>

#define credkit_object _GObject
#define credkit_instance _GTypeInstance
#define credkit_cancellable _GCancellable
#define credkit_connection _GDBusConnection
#define credkit_stream _GIOStream
#define credkit_socket_connection _GSocketConnection
#define credkit_socket _GSocket
#define credkit_message _GDBusMessage
#define credkit_auth_observer _GDBusAuthObserver
#define credkit_context _GMainContext
#define credkit_source _GSource
#define credkit_variant _GVariant
#define credkit_variant_type _GVariantType
#define credkit_parameter _GParamSpec
#define credkit_value _GValue
#define credkit_service _SecretService
#define credkit_secret _SecretValue
#define credkit_async_result _GAsyncResult
#include "CCredKitSecret.h"

// Types whose members CredKit declares are compared member by member.
#define SAME(type, true_type) _Static_assert(sizeof(type) == sizeof(true_type), #true_type " has another size")
#define SAME_PLACE(type, member, true_type, true_member) \
    _Static_assert(offsetof(type, member) == offsetof(true_type, true_member), #true_type "." #true_member " is elsewhere")
#define SAME_MEMBER(type, member, true_type, true_member) \
    SAME_PLACE(type, member, true_type, true_member); \
    _Static_assert( \
        __builtin_types_compatible_p( \
            __typeof__(((type *)0)->member), __typeof__(((true_type *)0)->true_member)), \
        #true_type "." #true_member " is of another type")
SAME(credkit_error, GError);
SAME_MEMBER(credkit_error, domain, GError, domain);
SAME_MEMBER(credkit_error, code, GError, code);
SAME_MEMBER(credkit_error, message, GError, message);
SAME(credkit_type_query, GTypeQuery);
SAME_MEMBER(credkit_type_query, type, GTypeQuery, type);
SAME_MEMBER(credkit_type_query, name, GTypeQuery, type_name);
SAME_MEMBER(credkit_type_query, class_size, GTypeQuery, class_size);
SAME_MEMBER(credkit_type_query, instance_size, GTypeQuery, instance_size);
SAME(credkit_construct_parameter, GObjectConstructParam);
SAME_MEMBER(credkit_construct_parameter, parameter, GObjectConstructParam, pspec);
SAME_MEMBER(credkit_construct_parameter, value, GObjectConstructParam, value);
SAME_PLACE(credkit_class, type, GObjectClass, g_type_class);
SAME_MEMBER(GTypeQuery, type, GTypeClass, g_type);
SAME_PLACE(credkit_class, construct_properties, GObjectClass, construct_properties);
SAME_PLACE(credkit_class, constructor, GObjectClass, constructor);

#define SAME_NUMBER(number, true_number) _Static_assert((int)number == (int)true_number, #true_number " is another number")
SAME_NUMBER(CREDKIT_ERROR_INVALID_ARGUMENT, G_IO_ERROR_INVALID_ARGUMENT);
SAME_NUMBER(CREDKIT_ERROR_CANCELLED, G_IO_ERROR_CANCELLED);
SAME_NUMBER(CREDKIT_ERROR_TIMED_OUT, G_IO_ERROR_TIMED_OUT);
SAME_NUMBER(CREDKIT_CALL_NO_AUTO_START, G_DBUS_CALL_FLAGS_NO_AUTO_START);
SAME_NUMBER(CREDKIT_CONNECTION_AUTHENTICATION_CLIENT, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT);
SAME_NUMBER(CREDKIT_CONNECTION_MESSAGE_BUS, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
SAME_NUMBER(CREDKIT_BUS_NONE, G_BUS_TYPE_NONE);
SAME_NUMBER(CREDKIT_PROXY_DO_NOT_LOAD_PROPERTIES, G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES);
SAME_NUMBER(CREDKIT_PROXY_DO_NOT_CONNECT_SIGNALS, G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS);
SAME_NUMBER(CREDKIT_SERVICE_OPEN_SESSION, SECRET_SERVICE_OPEN_SESSION);
SAME_NUMBER(0, G_DBUS_SIGNAL_FLAGS_NONE);
SAME_NUMBER(0, G_TYPE_FLAG_NONE);

// From here on, the original types also replace these names.
#define credkit_error GError
#define credkit_type_query GTypeQuery
#define credkit_construct_parameter GObjectConstructParam
CREDKIT_CONSTRUCTOR(compare_constructor);
__typeof__(((GObjectClass *)0)->constructor) *const compared_constructor = &compare_constructor;
#define COMPARE(result, name, parameters) result(*const compare_##name) parameters = name;
CREDKIT_SECRET_FUNCTIONS(COMPARE)
