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
	if !given || !l.valid(name) {
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

// exampleSecret is part of every secret in the manifests for Kubernetes, which are public.
const exampleSecret = "replace-me"

// validateNoExample refuses such a secret, which every reader of the manifests knows.
func (l *loader) validateNoExample(name, text, remedy string) bool {
	if !strings.Contains(text, exampleSecret) {
		return true
	}
	l.reportOption(fault.BadOption, name, "it is the example of the manifests, which is public", remedy)
	return false
}

// leastToken is the minimum length of the admin token: 256 bits as hexadecimal digits.
const leastToken = 64

// validateAdminToken refuses what the admin API would not accept.
func (l *loader) validateAdminToken() {
	if !l.validateFile("adminToken", "correct the path, or make the file: openssl rand -hex 32 >file; chmod 600 file") {
		return
	}
	const remedy = "make one: openssl rand -hex 32 >file; chmod 600 file; and write -adminToken /path/to/file"
	text := l.config.Monitoring.AdminToken.Reveal()
	if !l.validateNoExample("adminToken", text, remedy) {
		return
	}
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(text) < leastToken || strings.ContainsFunc(text, odd) {
		l.reportOption(fault.BadOption, "adminToken", "it is no token of at least 64 letters and digits",
			remedy)
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
	address := strings.TrimSpace(l.config.Storage.Store.Reveal())
	if !l.validateNoExample("store", address, remedy) {
		return
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		l.reportOption(fault.StoreAddress, "store",
			"it cannot be read as a URL: a character such as %, /, ? or # in the password is written as %25, %2F, "+
				"%3F or %23", remedy)
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		l.reportOption(fault.StoreAddress, "store", "it does not begin with postgres://", remedy)
	}
}
