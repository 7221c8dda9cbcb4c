package config

import (
	"errors"
	"io/fs"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// validateFile refuses what looks like the path of a missing file, for an option that
// takes a text or a file with it. It reports whether the option can be checked
// further.
func (l *loader) validateFile(name, remedy string) bool {
	g, given := l.given(name)
	if !given || !l.unflagged(name) {
		return false
	}
	if !beginsLikePath(g.value) {
		return true
	}
	if _, err := l.in.read(g.value); errors.Is(err, fs.ErrNotExist) {
		l.reportOption(fault.ConfigUnreadable, name, "it looks like a path, and there is no such file", remedy)
		return false
	}
	return true
}

// leastToken is the minimum length of the admin token: 256 bits as hexadecimal digits.
const leastToken = 64

// validateAdminToken refuses what the admin API would not accept.
func (l *loader) validateAdminToken() {
	if !l.validateFile("adminToken", "correct the path, or make the file: openssl rand -hex 32 >file; chmod 600 file") {
		return
	}
	text := l.config.Monitoring.AdminToken.Reveal()
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(text) < leastToken || strings.ContainsFunc(text, odd) {
		l.reportOption(fault.BadOption, "adminToken", "it is no token of at least 64 letters and digits",
			"make one: openssl rand -hex 32 >file; chmod 600 file; and write -adminToken /path/to/file")
	}
}

// validateStore refuses what is not the address of a PostgreSQL database. Nothing of it is
// repeated: it has a password.
func (l *loader) validateStore() {
	if !l.validateFile("store",
		"correct the path, or write the address into that file: postgres://user:password@host/name") {
		return
	}
	const remedy = "write postgres://user:password@host/name, or the path of a file that holds it"
	u, err := url.Parse(strings.TrimSpace(l.config.Storage.Store.Reveal()))
	switch {
	case err != nil:
		l.reportOption(fault.StoreAddress, "store",
			"it cannot be read as a URL: a character such as %, /, ? or # in the password is written as %25, %2F, "+
				"%3F or %23", remedy)
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		l.reportOption(fault.StoreAddress, "store", "it does not begin with postgres://", remedy)
	}
}
