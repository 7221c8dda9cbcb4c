package livevideo

import (
	"errors"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core/fetchurl"
)

// defaultUser is named to the runner where a request names no user.
const defaultUser = "daydreamer"

// maxUser bounds the name of a user.
const maxUser = 256

var (
	errNoChoice = errors.New("params.ws_url is not supported")
	errChoice   = errors.New("params.ws_url is not allowed")
	errUser     = errors.New("params.daydream_user_id is invalid")
)

// target is the address that a request's session uses. A client chooses one only below the operator's
// prefix: it must not make this node connect, and send its key, anywhere else.
func (r *ServerlessRunner) target(chosen string) (*url.URL, error) {
	if chosen == "" {
		return r.URL, nil
	}
	if r.Prefix == nil {
		return nil, errNoChoice
	}
	u, err := url.Parse(chosen)
	switch {
	case err != nil, u.Scheme != r.Prefix.Scheme, !strings.EqualFold(u.Hostname(), r.Prefix.Hostname()),
		portOf(u) != portOf(r.Prefix), u.User != nil, u.Opaque != "", u.Fragment != "":
		return nil, errChoice
	}
	path := u.EscapedPath()
	if !below(path, r.Prefix.EscapedPath()) || fetchurl.Climbs(u.Path) || fetchurl.Climbs(path) {
		return nil, errChoice
	}
	return u, nil
}

// below reports whether a path is a folder's or in it: /apps-of-others is not below /apps, and may be anyone's at the
// same provider.
func below(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// portOf is the port of a WebSocket's address.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "wss":
		return "443"
	}
	return "80"
}

// userOf is the user's name as it goes into a header.
func userOf(name string) (string, error) {
	if name == "" {
		return defaultUser, nil
	}
	if len(name) > maxUser || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", errUser
	}
	return name, nil
}
