package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/internal/usage"
)

// UnknownWord says that a command has no such second word.
func UnknownWord(name, word string) string {
	c, _ := usage.Find(name)
	return fmt.Sprintf("there is no tutti %s %s%s", name, word, usage.DidYouMean(word, c.Words))
}

// NeedsWord reads the first word of a command that has one of a few. wrong says that the
// command ends here, with status: help was asked for, or there is no such word.
func NeedsWord(name, text string, args []string, stdout, stderr io.Writer) (wrong bool, status int) {
	c, _ := usage.Find(name)
	switch {
	case len(args) > 0 && (AsksHelp(args[0]) || args[0] == "help"):
		fmt.Fprint(stdout, text)
		return true, ExitOK
	case len(args) == 0:
		return true, Misused(stderr, name, text, "")
	case !slices.Contains(c.Words, args[0]):
		return true, Misused(stderr, name, text, UnknownWord(name, args[0]))
	}
	return false, ExitOK
}

// Misused says what is wrong with a command's line, and shows the line as it should be.
// The whole help would push the mistake out of sight.
func Misused(stderr io.Writer, name, usageText, text string) int {
	if text != "" {
		fmt.Fprintln(stderr, text)
	}
	lines := strings.Split(usageText, "\n")
	if end := slices.Index(lines, ""); end > 0 {
		lines = lines[:end]
	}
	fmt.Fprintf(stderr, "%s\ntutti help %s says more.\n", strings.Join(lines, "\n"), name)
	return ExitUsage
}

// IsFlag reports whether a word is a flag, with one dash or two.
func IsFlag(word, name string) bool {
	return strings.HasPrefix(word, "-") && strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-") == name
}

// AsksHelp reports whether a word asks what a command does.
func AsksHelp(word string) bool { return IsFlag(word, "h") || IsFlag(word, "help") }
