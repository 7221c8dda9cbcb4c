package initcmd

import (
	"fmt"
	"slices"
	"strings"
)

// isRole reports whether a word is one of the roles.
func isRole(s string) bool {
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

// packagedLine is the only one in the packages' configuration that is no comment.
const packagedLine = "dataDir /var/lib/tutti"

// Empty reports whether a configuration file is as packages bring it and may be
// replaced: it sets nothing but where the state is.
func Empty(content string) bool {
	for line := range strings.Lines(content) {
		if line = strings.TrimSpace(line); line != "" && line != packagedLine && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
