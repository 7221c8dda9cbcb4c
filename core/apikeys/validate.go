package apikeys

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of a key's properties. They are far above any use and bound sums of tokens, tables and
// statistics.
const (
	maxName      = 64
	maxModels    = 256
	maxModelName = 256
	maxPerMinute = 1 << 30
	maxBudget    = 1 << 50
)

// CheckName returns what is wrong with a name, "" for nothing.
func CheckName(name string) string {
	switch {
	case name == "":
		return "the name is missing"
	case len(name) > maxName:
		return fmt.Sprintf("the name is longer than %d characters", maxName)
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@") != "":
		return "the name has characters other than letters, digits and . _ - @"
	case looksLikeID(name):
		return "the name looks like the ID of a key"
	}
	return ""
}

// looksLikeID reports whether s could be from NewID.
func looksLikeID(s string) bool {
	digits, ok := strings.CutPrefix(s, idPrefix)
	if !ok || len(digits) != 10 {
		return false
	}
	_, err := hex.DecodeString(digits)
	return err == nil
}

// Check returns everything that is wrong with the limits.
func (l *Limits) Check() (problems []Problem) {
	bad := func(field, format string, args ...any) {
		problems = append(problems, Problem{field, fmt.Sprintf(format, args...)})
	}
	if len(l.Models) > maxModels {
		bad("models", "more than %d models; end names in * to allow several at once", maxModels)
	}
	for _, m := range l.Models {
		if wrong := checkModel(m); wrong != "" {
			bad("models", "%s", wrong)
		}
	}
	for _, n := range []struct {
		field string
		value int64
		most  int64
	}{
		{"rpm", int64(l.RPM), maxPerMinute},
		{"tpm", int64(l.TPM), maxPerMinute},
		{"concurrency", int64(l.Concurrency), maxPerMinute},
		{"budget", int64(l.Budget.Tokens), maxBudget},
		{"alert", int64(l.Alert), 100},
	} {
		if n.value < 0 || n.value > n.most {
			bad(n.field, "%d is not between 0 (no limit) and %d", n.value, n.most)
		}
	}
	if _, err := ParsePeriod(string(l.Budget.Period)); err != nil {
		bad("period", "%v", err)
	} else if !l.Budget.Limited() && l.Budget.Period != "" {
		bad("period", "a period needs a budget")
	}
	if l.Alert > 0 && !l.Budget.Limited() {
		bad("alert", "an alert needs a budget")
	}
	return problems
}

// Problem is one thing that is wrong with one property.
type Problem struct{ Field, Text string }

// String is "field: text".
func (p Problem) String() string { return p.Field + ": " + p.Text }

func checkModel(m string) string {
	switch {
	case m == "":
		return "a model's name is empty"
	case len(m) > maxModelName || !utf8.ValidString(m):
		return fmt.Sprintf("a model's name is longer than %d bytes or not text", maxModelName)
	case strings.Contains(strings.TrimSuffix(m, "*"), "*"):
		return fmt.Sprintf("%q: * stands only at the end of a model's name", m)
	case strings.ContainsAny(m, " \t\r\n,"):
		return fmt.Sprintf("%q has spaces or commas in it", m)
	}
	return ""
}
