// Package canary marks every secret that goes into the node, runs real programs with
// them, and looks for the marks in everything that comes out: logs of both forms at
// the highest verbosity, the admin API and its pages, metrics, public pages, errors,
// command lines of child processes, the debug bundle. A mark that is found is a leak.
//
// It does not test what secrets are for; other tests do. `go test ./test/canary` runs it.
package canary

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(harness.Main(harness.Node(&binary), m.Run)) }

// marks are the secrets of a test, by what they are.
type marks struct {
	t     *testing.T
	named map[string]string
}

func newMarks(t *testing.T) *marks { return &marks{t: t, named: map[string]string{}} }

// mark makes a secret that occurs nowhere else.
func (m *marks) mark(name string) string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	s := "cnry" + hex.EncodeToString(b[:])
	m.named[name] = s
	return s
}

// check looks for every mark in a text, as it is and in the forms in which programs
// write bytes.
func (m *marks) check(where, text string) {
	m.t.Helper()
	if strings.TrimSpace(text) == "" {
		m.t.Errorf("%s: there is nothing to look through", where)
	}
	for name, s := range m.named {
		for form, is := range map[string]string{
			"plain": s, "hex": hex.EncodeToString([]byte(s)), "URL": url.QueryEscape(s),
			"base64": strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(s))[:16], "="),
		} {
			if at := strings.Index(text, is); at >= 0 {
				m.t.Errorf("%s: the secret of %s is in it, as %s: …%s…", where, name, form,
					text[max(0, at-120):min(len(text), at+40)])
			}
		}
	}
}

// The check itself finds what it is for.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	inner := &testing.T{}
	m := newMarks(inner)
	m.check("a log", "password="+hex.EncodeToString([]byte(m.mark("it"))))
	if !inner.Failed() {
		t.Error("a secret written as hexadecimal was not found")
	}
}
