package liverunner

import (
	"net/http"
	"strings"
)

// ownCookies makes the cookies that a runner sets go to that runner alone: runners share a host, at which a cookie for
// the whole host or its domain is sent to the runners of others. base is the path of the runner's address, prefix that
// below which its client reaches it; in a host of its own that is empty.
func ownCookies(res *http.Response, base, prefix string) {
	lines := res.Header["Set-Cookie"]
	for i, line := range lines {
		lines[i] = ownCookie(line, strings.TrimSuffix(base, "/"), prefix)
	}
}

// prefixOf is what precedes a path at a runner in the path of its client's request, in the form that cookies have.
func prefixOf(all, path string) string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(all, path), "/"), "/")
	for i, part := range parts {
		parts[i] = pathEscape(part)
	}
	return strings.Join(parts, "/")
}

// ownCookie is ownCookies for a cookie. One without a path is for that of the request, which is the runner's.
func ownCookie(line, base, prefix string) string {
	parts := strings.Split(line, ";")
	out := parts[:1]
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "domain":
			continue
		case "path":
			part = " Path=" + ownPath(strings.TrimSpace(value), base, prefix)
		}
		out = append(out, part)
	}
	return strings.Join(out, ";")
}

// ownPath is a path at the runner as its client sees it. One that is not below the runner's address is the address.
func ownPath(path, base, prefix string) string {
	rest, below := strings.CutPrefix(path, base)
	if !below || rest != "" && rest[0] != '/' {
		rest = ""
	}
	if rest == "/" && prefix != "" {
		rest = ""
	}
	if prefix+rest == "" {
		return "/"
	}
	return prefix + rest
}
