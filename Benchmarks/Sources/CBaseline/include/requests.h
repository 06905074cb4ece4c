// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_REQUESTS_H
#define CREDKIT_BASELINE_REQUESTS_H

/// Sends requests through libcurl's multi interface only: one thread, `curl_multi_poll`, and reused handles.
typedef struct baseline_requests baseline_requests;

/// Creates handles for concurrent requests, at most 64. The headers end with NULL. Returns NULL on failure.
baseline_requests *baseline_requests_open(
    const char *url, const char *certificates, const char *const *headers, int parallel_count);

/// Sends `count` requests over connections that are kept between runs. Returns the total size of the bodies, or -1.
long long baseline_requests_run(baseline_requests *requests, int count);

void baseline_requests_close(baseline_requests *requests);

#endif
