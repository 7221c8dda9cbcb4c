package core

import (
	"fmt"
	"io"
	"log/slog"
)

// masked is what is shown in place of a secret.
const masked = "***"

// Secret is a value that is never shown: every way of printing it gives "***",
// or "" when it is empty. Reveal is the only way to the value.
//
// The value is behind a pointer because fmt does not call the methods of values
// in unexported fields; there it prints an address.
type Secret struct{ value *string }

// NewSecret wraps a value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{&value}
}

// Reveal returns the value. What it returns must not be logged.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is no value.
func (s Secret) IsZero() bool { return s.value == nil }

// String never shows the value.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return masked
}

// GoString never shows the value.
func (s Secret) GoString() string { return s.String() }

// Format never shows the value, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue never shows the value.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText never shows the value; JSON uses it too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
