// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "CCredKitCurl.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

int credkit_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int credkit_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int credkit_epoll_set(int epoll, int descriptor, int what, uint64_t tag) {
    struct epoll_event event = {
        .events = (what & CREDKIT_CURL_EVENT_IN ? EPOLLIN : 0u) | (what & CREDKIT_CURL_EVENT_OUT ? EPOLLOUT : 0u),
        .data.u64 = tag,
    };
    // A closed descriptor is no longer registered, and its number may have been reused.
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    if (errno != ENOENT) return -1;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int credkit_epoll_add_wake_up(int epoll, int descriptor, uint64_t tag) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = tag};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 || errno == EEXIST ? 0 : -1;
}

int credkit_epoll_remove(int epoll, int descriptor) { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }

int credkit_epoll_wait(int epoll, struct credkit_epoll_event *events, int count, int milliseconds) {
    struct epoll_event found[64];
    if (count > 64) count = 64;
    int ready = epoll_wait(epoll, found, count, milliseconds);
    for (int i = 0; i < ready; i++) {
        uint32_t what = found[i].events;
        events[i].tag = found[i].data.u64;
        events[i].events = (what & EPOLLIN ? CREDKIT_CURL_EVENT_IN : 0) | (what & EPOLLOUT ? CREDKIT_CURL_EVENT_OUT : 0)
            | (what & (EPOLLERR | EPOLLHUP) ? CREDKIT_CURL_EVENT_ERROR : 0);
    }
    return ready;
}
