package config

import (
	"errors"
	"io/fs"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// judgeFile refuses what looks like a path and is none of a file, for an option that
// takes a text or a file that holds it. It reports whether the option can be looked at
// further.
func (l *loader) judgeFile(name, remedy string) bool {
	g, given := l.given(name)
	if !given || !l.sound(name) {
		return false
	}
	if !beginsLikePath(g.value) {
		return true
	}
	if _, err := l.in.read(g.value); errors.Is(err, fs.ErrNotExist) {
		l.blame(fault.ConfigUnreadable, name, "it looks like a path, and there is no such file", remedy)
		return false
	}
	return true
}

// example is part of every secret in the manifests for Kubernetes, which everybody knows.
const example = "replace-me"

// judgeExample refuses such a secret: strangers would be let in with it.
func (l *loader) judgeExample(name, text, remedy string) bool {
	if !strings.Contains(text, example) {
		return true
	}
	l.blame(fault.BadOption, name, "it is the example of the manifests, which everybody knows", remedy)
	return false
}

// leastToken is how long the admin token is at least: 256 bits as hexadecimal digits.
const leastToken = 64

// judgeAdminToken refuses what the admin API would not take.
func (l *loader) judgeAdminToken() {
	if !l.judgeFile("adminToken", "correct the path, or make the file: openssl rand -hex 32 >file; chmod 600 file") {
		return
	}
	const remedy = "make one: openssl rand -hex 32 >file; chmod 600 file; and write -adminToken /path/to/file"
	text := l.config.Monitoring.AdminToken.Reveal()
	if !l.judgeExample("adminToken", text, remedy) {
		return
	}
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(text) < leastToken || strings.ContainsFunc(text, odd) {
		l.blame(fault.BadOption, "adminToken", "it is no token of at least 64 letters and digits", remedy)
	}
}

// judgeStore refuses what is not the address of a PostgreSQL database. Nothing of it is
// repeated: it has a password.
func (l *loader) judgeStore() {
	if !l.judgeFile("store", "correct the path, or write the address into that file: postgres://user:password@host/name") {
		return
	}
	const remedy = "write postgres://user:password@host/name, or the path of a file that holds it"
	address := strings.TrimSpace(l.config.Storage.Store.Reveal())
	if !l.judgeExample("store", address, remedy) {
		return
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		l.blame(fault.StoreAddress, "store", "it cannot be read as a URL: a character such as %, /, ? or # in the password is written as %25, %2F, %3F or %23", remedy)
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		l.blame(fault.StoreAddress, "store", "it does not begin with postgres://", remedy)
	}
}
