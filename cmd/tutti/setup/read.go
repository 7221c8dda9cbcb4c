package setup

import (
	"fmt"
	"slices"
	"strings"
)

// IsRole reports whether a word is one of the roles.
func IsRole(s string) bool {
	return slices.Contains([]string{Orchestrator, AI, Transcoder, AIWorker, Gateway}, s)
}

// Read takes answers from the text of a file: key, space, value in a line, as in the
// node's configuration file. The error names the line, and never what is on it.
func (a Answers) Read(text string) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		if !slices.Contains(Keys(), Key(key)) {
			return fmt.Errorf("line %d: there is no such answer; there are %v", n, Keys())
		}
		a[Key(key)] = strings.TrimSpace(value)
	}
	return nil
}

// Empty reports whether a configuration file sets nothing: one with comments alone, as
// packages bring it, may be replaced.
func Empty(content string) bool {
	for line := range strings.Lines(content) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
