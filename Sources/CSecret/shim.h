// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_SECRET_SHIM_H
#define CREDKIT_SECRET_SHIM_H

// For the functions that seal and open a secret in transit. They have had this name since 2012, without ever changing.
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>
#include <signal.h>

// libsecret's constructor sets the bus and the name, so that all of a process's calls are on the connection that GIO
// shares, and with whoever has the name at the moment. This one sets them back to what was asked for.
static inline GObject *credkit_service_constructor(GType type, guint count, GObjectConstructParam *properties) {
    GObjectClass *parent = G_OBJECT_CLASS(g_type_class_peek(SECRET_TYPE_SERVICE));
    GObject *object = parent->constructor(type, count, properties);
    for (guint i = 0; i < count; i++) {
        const char *name = g_param_spec_get_name(properties[i].pspec);
        if (g_str_equal(name, "g-bus-type") || g_str_equal(name, "g-name") || g_str_equal(name, "g-flags"))
            g_object_set_property(object, name, properties[i].value);
    }
    return object;
}

static inline void credkit_service_class_init(gpointer class_pointer, gpointer data) {
    (void)data;
    G_OBJECT_CLASS(class_pointer)->constructor = credkit_service_constructor;
}

// The type of libsecret's service that stays on its connection. Two threads must not call it at the same time.
static inline GType credkit_service_type(void) {
    GType type = g_type_from_name("CredKitSecretService");
    if (type == G_TYPE_INVALID) {
        type = g_type_register_static_simple(
            SECRET_TYPE_SERVICE, "CredKitSecretService", sizeof(SecretServiceClass), credkit_service_class_init,
            sizeof(SecretService), NULL, G_TYPE_FLAG_NONE);
    }
    return type;
}

// Opens an encrypted session with the owner of the Secret Service on a connection of our own. Variadic, which Swift
// cannot call.
static inline SecretService *credkit_secret_service_open(
    GType type, GDBusConnection *connection, const char *owner, int timeout, GCancellable *cancellable,
    GError **error) {
    return (SecretService *)g_initable_new(
        type, cancellable, error,
        "g-connection", connection,
        "g-name", owner,
        "g-bus-type", G_BUS_TYPE_NONE,
        "g-object-path", "/org/freedesktop/secrets",
        "g-interface-name", "org.freedesktop.Secret.Service",
        "g-flags", G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS,
        "g-default-timeout", timeout,
        "flags", SECRET_SERVICE_OPEN_SESSION,
        NULL);
}

// A macro with casts.
static inline void credkit_unref(void *object) { g_object_unref(object); }

// Sets GIO's sockets up, which makes it ignore SIGPIPE in the whole process, and puts back what the program wants of that
// signal: pipelines end by it, and programs that are started inherit it. On Linux GIO sends with MSG_NOSIGNAL anyway.
static inline void credkit_set_up_sockets(void) {
    struct sigaction action;
    sigaction(SIGPIPE, NULL, &action);
    g_type_class_unref(g_type_class_ref(G_TYPE_SOCKET));
    sigaction(SIGPIPE, &action, NULL);
}

#endif
