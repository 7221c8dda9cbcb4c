package models

import (
	"regexp"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// Setting is one variable of a runner container's environment.
type Setting struct {
	Name string
	// value is wrapped because settings may carry tokens, HF_TOKEN for one.
	value core.Secret
}

// NewSetting makes a variable.
func NewSetting(name, value string) Setting { return Setting{name, core.NewSecret(value)} }

// Value returns what the container gets. It may be a token and must not be logged.
func (s Setting) Value() string { return s.value.Reveal() }

// secretName matches names whose values are secret.
func secretName() *regexp.Regexp {
	return regexp.MustCompile(`(?i)token($|_)|secret|password|passwd|credential|(^|_)key($|_)`)
}

// limitName matches limits that secretName would match too, such as MAX_TOKEN_COUNT.
func limitName() *regexp.Regexp { return regexp.MustCompile(`(?i)^(max|min|num)_`) }

// String is NAME=value; "***" replaces a value whose name looks secret.
func (s Setting) String() string {
	if secretName().MatchString(s.Name) && !limitName().MatchString(s.Name) {
		return s.Name + "=" + s.value.String()
	}
	return s.Name + "=" + s.value.Reveal()
}

// Settings are variables in a fixed order, each name once.
type Settings []Setting

// Lookup returns a variable's value and whether it is there.
func (ss Settings) Lookup(name string) (string, bool) {
	for _, s := range ss {
		if s.Name == name {
			return s.Value(), true
		}
	}
	return "", false
}

// String returns the settings with spaces between, secrets masked.
func (ss Settings) String() string {
	parts := make([]string, len(ss))
	for i, s := range ss {
		parts[i] = s.String()
	}
	return strings.Join(parts, " ")
}
