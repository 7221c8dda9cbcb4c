package http1

import (
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// ours reports whether the transport writes or drops this field, as it concerns the connection
// and not the request.
func ours(name string) bool {
	switch name {
	case "Host", "Content-Length", "Transfer-Encoding", "Trailer", "Connection", "Proxy-Connection", "Keep-Alive", "Te",
		"Upgrade", "Expect":
		return true
	}
	return false
}

// bodyLength returns how long the request's body is: 0 without one, -1 if unknown.
func bodyLength(r *http.Request) int64 {
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		return 0
	case r.ContentLength > 0:
		return r.ContentLength
	}
	return -1
}

// appendHead appends the request's head to b.
func appendHead(b []byte, r *http.Request) ([]byte, error) {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	path := r.URL.RequestURI()
	switch {
	case !httpguts.ValidHeaderFieldName(method) || method == http.MethodConnect:
		return b, unsendable("the method %q", method)
	case !httpguts.ValidHostHeader(host):
		return b, unsendable("the host has characters that hosts do not have")
	case !plainPath(path):
		return b, unsendable("the path has spaces or control characters")
	}
	b = append(append(append(append(b, method...), ' '), path...), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, host...), "\r\n"...)
	b, err := appendFields(b, r.Header)
	if err != nil {
		return b, err
	}
	switch n := bodyLength(r); {
	case n < 0:
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	case n > 0 || method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch:
		b = append(strconv.AppendInt(append(b, "Content-Length: "...), n, 10), "\r\n"...)
	}
	if r.Close {
		b = append(b, "Connection: close\r\n"...)
	}
	return append(b, "\r\n"...), nil
}

func appendFields(b []byte, header http.Header) ([]byte, error) {
	for name, values := range header {
		if ours(http.CanonicalHeaderKey(name)) {
			continue
		}
		if !httpguts.ValidHeaderFieldName(name) {
			return b, unsendable("a header's name is not valid")
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return b, unsendable("the header %s has control characters", name)
			}
			b = append(append(append(append(b, name...), ": "...), value...), "\r\n"...)
		}
	}
	return b, nil
}

// plainPath reports whether a path is valid in a request line.
func plainPath(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == 0x7f })
}
