// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitSecret.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct credkit_secret_library library;

// A subtype of SecretService that stays on the connection it is given.
static size_t service_type;

// libsecret's constructor overwrites the bus and the name. All calls of a process would then use the connection that
// GIO shares and go to the current owner of the name. This constructor restores the requested values.
static credkit_object *construct(size_t type, unsigned count, credkit_construct_parameter *parameters) {
    credkit_class *parent = library.g_type_class_peek(library.secret_service_get_type());
    credkit_object *object = parent->constructor(type, count, parameters);
    for (unsigned i = 0; i < count; i++) {
        const char *name = library.g_param_spec_get_name(parameters[i].parameter);
        if (strcmp(name, "g-bus-type") == 0 || strcmp(name, "g-name") == 0 || strcmp(name, "g-flags") == 0)
            library.g_object_set_property(object, name, parameters[i].value);
    }
    return object;
}

static void initialize_class(void *class, void *data) {
    (void)data;
    ((credkit_class *)class)->constructor = construct;
}

static void register_service(void) {
    static const char name[] = "CredKitSecretService";
    // Another copy of this package in the process may have registered the type already.
    service_type = library.g_type_from_name(name);
    if (service_type != 0) return;
    credkit_type_query parent;
    library.g_type_query(library.secret_service_get_type(), &parent);
    service_type = library.g_type_register_static_simple(
        parent.type, name, parent.class_size, initialize_class, parent.instance_size, NULL, 0);
}

// Initializes GIO's sockets, which makes GIO ignore SIGPIPE in the whole process, and then restores the program's own
// action for that signal. Pipelines end by SIGPIPE, and child processes inherit the action. On Linux GIO sends with
// MSG_NOSIGNAL anyway.
static void set_up_sockets(void) {
    struct sigaction action;
    sigaction(SIGPIPE, NULL, &action);
    library.g_type_class_unref(library.g_type_class_ref(library.g_socket_get_type()));
    sigaction(SIGPIPE, &action, NULL);
}

int credkit_secret_library_load(const char **problem) {
    // The library is never closed: GObject types stay registered for the life of a process. The name is the soname that
    // programs linked with libsecret use, and the loader searches the same directories.
    void *handle = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        *problem = dlerror();
        return 0;
    }
    // A lookup with libsecret's handle also finds the symbols of the libraries that libsecret depends on.
#define LOAD(result, name, parameters) \
    *(void **)&library.name = dlsym(handle, #name); \
    if (library.name == NULL) { \
        *problem = dlerror(); \
        return 0; \
    }
    CREDKIT_SECRET_FUNCTIONS(LOAD)
#undef LOAD
    set_up_sockets();
    register_service();
    return 1;
}

const struct credkit_secret_library *credkit_secret_functions(void) { return &library; }

uint32_t credkit_stream_owner(credkit_stream *stream) {
    if (!library.g_type_check_instance_is_a((credkit_instance *)stream, library.g_socket_connection_get_type())) return UINT32_MAX;
    credkit_socket *socket = library.g_socket_connection_get_socket((credkit_socket_connection *)stream);
    // Of sockets of the network the kernel answers that there is no user: UINT32_MAX.
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(library.g_socket_get_fd(socket), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return UINT32_MAX;
    return peer.uid;
}

static int is_of_type(credkit_variant *value, const char *text) {
    credkit_variant_type *type = library.g_variant_type_new(text);
    const int result = library.g_variant_is_of_type(value, type);
    library.g_variant_type_free(type);
    return result;
}

// Empties an answer to OpenSession that contains no public key. libsecret does not check the type of the key: if it is a text,
// libsecret uses an uninitialized length.
static credkit_message *filter_session(credkit_connection *connection, credkit_message *message, int is_incoming, void *data) {
    (void)connection;
    int *is_plain = data;
    credkit_variant *body = library.g_dbus_message_get_body(message);
    if (body == NULL || !is_of_type(body, is_incoming ? "(vo)" : "(sv)")) return message;
    credkit_variant *first = library.g_variant_get_child_value(body, 0);
    if (is_incoming) {
        credkit_variant *key = library.g_variant_get_variant(first);
        if (!*is_plain && !is_of_type(key, "ay")) {
            // A message that was received cannot be changed. Without a copy there is no answer, and the call times out.
            credkit_message *copy = library.g_dbus_message_copy(message, NULL);
            if (copy != NULL) library.g_dbus_message_set_body(copy, NULL);
            library.g_object_unref(message);
            message = copy;
        }
        library.g_variant_unref(key);
    } else {
        const char *member = library.g_dbus_message_get_member(message);
        if (member != NULL && strcmp(member, "OpenSession") == 0)
            *is_plain = strcmp(library.g_variant_get_string(first, NULL), "plain") == 0;
    }
    library.g_variant_unref(first);
    return message;
}

void credkit_filter_sessions(credkit_connection *connection) {
    int *is_plain = calloc(1, sizeof *is_plain);
    if (is_plain == NULL) abort();
    library.g_dbus_connection_add_filter(connection, filter_session, is_plain, free);
}

credkit_service *credkit_service_open(
    credkit_connection *connection, const char *owner, int milliseconds, credkit_cancellable *cancellable,
    credkit_error **error) {
    return library.g_initable_new(
        service_type, cancellable, error,
        "g-connection", connection,
        "g-name", owner,
        "g-bus-type", CREDKIT_BUS_NONE,
        "g-object-path", "/org/freedesktop/secrets",
        "g-interface-name", "org.freedesktop.Secret.Service",
        "g-flags", CREDKIT_PROXY_DO_NOT_LOAD_PROPERTIES | CREDKIT_PROXY_DO_NOT_CONNECT_SIGNALS,
        "g-default-timeout", milliseconds,
        "flags", CREDKIT_SERVICE_OPEN_SESSION,
        NULL);
}
