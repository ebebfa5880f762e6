# /etc/varnish/skep.vcl: a cache in front of what channels publish
vcl 4.1;

import std;

backend skep {
    .host = "127.0.0.1";
    .port = "4488";
    .connect_timeout = 2s;
}

sub vcl_recv {
    if (req.url !~ "^/p/") {
        return (synth(404));
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (synth(405));
    }
    # A query means nothing here.
    set req.url = regsub(req.url, "\?.*$", "");
    unset req.http.Cookie;
    unset req.http.Authorization;
    # What is older is only given when Skep does not answer.
    set req.grace = 1s;
    if (req.restarts > 0) {
        set req.grace = 1d;
    }
    return (hash);
}

sub vcl_backend_response {
    if (beresp.status >= 500) {
        return (abandon);
    }
    set beresp.grace = 1d;
    set beresp.http.X-Path = bereq.url;
    if (beresp.status == 404) {
        # What was removed does not come back when Skep does not answer.
        std.ban("obj.http.X-Path == " + bereq.url);
    }
}

sub vcl_backend_error {
    return (abandon);
}

sub vcl_synth {
    # Skep did not answer: what there is may be up to a day old.
    if (resp.status >= 500 && req.restarts == 0) {
        return (restart);
    }
}

sub vcl_deliver {
    unset resp.http.X-Path;
    set resp.http.X-Cache = obj.hits;
}
