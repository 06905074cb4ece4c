// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <curl/curl.h>
#include <stdlib.h>

enum { MAXIMUM_COUNT = 64 };

struct baseline_requests {
    CURLM *multi;
    CURL *handles[MAXIMUM_COUNT];
    int count;
    struct curl_slist *headers;
    size_t byte_count;
};

static size_t count_bytes(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((baseline_requests *)context)->byte_count += size * count;
    return size * count;
}

baseline_requests *baseline_requests_open(
    const char *url, const char *certificates, const char *const *headers, int parallel_count) {
    if (parallel_count < 1 || parallel_count > MAXIMUM_COUNT) return NULL;
    baseline_requests *requests = calloc(1, sizeof *requests);
    if (requests == NULL) return NULL;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    requests->multi = curl_multi_init();
    for (; *headers != NULL; headers++) requests->headers = curl_slist_append(requests->headers, *headers);
    for (; requests->count < parallel_count; requests->count++) {
        CURL *easy = curl_easy_init();
        requests->handles[requests->count] = easy;
        if (curl_easy_setopt(easy, CURLOPT_URL, url) || curl_easy_setopt(easy, CURLOPT_CAINFO, certificates) ||
            curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) || curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) ||
            curl_easy_setopt(easy, CURLOPT_HTTPHEADER, requests->headers) || curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L) ||
            curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes) ||
            curl_easy_setopt(easy, CURLOPT_WRITEDATA, requests)) {
            baseline_requests_close(requests);
            return NULL;
        }
    }
    return requests;
}

long long baseline_requests_run(baseline_requests *requests, int count) {
    int started = 0, ended = 0, running = 0, left = 0;
    requests->byte_count = 0;
    for (; started < requests->count && started < count; started++)
        curl_multi_add_handle(requests->multi, requests->handles[started]);
    while (ended < count) {
        if (curl_multi_perform(requests->multi, &running) != CURLM_OK) return -1;
        CURLMsg *message;
        while ((message = curl_multi_info_read(requests->multi, &left)) != NULL) {
            CURL *easy = message->easy_handle;
            long status = 0;
            if (message->data.result != CURLE_OK || curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) || status != 200)
                return -1;
            curl_multi_remove_handle(requests->multi, easy);
            ended++;
            if (started < count) {
                curl_multi_add_handle(requests->multi, easy);
                started++;
                running = 1;
            }
        }
        if (ended < count && curl_multi_poll(requests->multi, NULL, 0, 1000, NULL) != CURLM_OK) return -1;
    }
    return (long long)requests->byte_count;
}

void baseline_requests_close(baseline_requests *requests) {
    for (int i = 0; i < requests->count; i++) curl_easy_cleanup(requests->handles[i]);
    curl_multi_cleanup(requests->multi);
    curl_slist_free_all(requests->headers);
    free(requests);
}
