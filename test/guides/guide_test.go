package guides

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// block is a fenced part of a guide.
type block struct {
	line  int
	label string
	text  []string
}

// walkedElsewhere has its own test, which compares its output as well.
const walkedElsewhere = "become-an-orchestrator.md"

// documents are the guides by name: README.md and all of docs/.
func documents(t *testing.T) map[string][]block {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(tree, "docs", "*.md"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d pages in docs: %v", len(paths), err)
	}
	out := map[string][]block{}
	for _, path := range append(paths, filepath.Join(tree, "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(path, tree+"/")
		if filepath.Base(path) == walkedElsewhere {
			continue
		}
		out[name] = blocks(string(text))
	}
	return out
}

// blocks finds the fenced parts, also indented ones in lists.
func blocks(text string) (all []block) {
	inside, indent := false, ""
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		label, fence := strings.CutPrefix(trimmed, "```")
		switch {
		case fence && !inside:
			indent = line[:len(line)-len(strings.TrimLeft(line, " "))]
			all = append(all, block{line: i + 1, label: label})
			inside = true
		case fence:
			inside = false
		case inside:
			b := &all[len(all)-1]
			b.text = append(b.text, strings.TrimPrefix(line, indent))
		}
	}
	return all
}

// commands are the block's shell commands, each whole: lines that end with a backslash
// and open quotes go on. Blocks without a label count where a line begins with a
// program, so that nothing escapes by a forgotten label.
func (b block) commands() (all []string) {
	switch b.label {
	case "sh":
		return join(b.text)
	case "console":
		return join(prompted(b.text))
	case "":
		if lines := prompted(b.text); len(lines) > 0 {
			return join(lines)
		}
		if slices.ContainsFunc(b.text, func(line string) bool { return ours(firstWord(line)) }) {
			return join(b.text)
		}
	}
	return nil
}

// prompted are the lines after a prompt; the others are output.
func prompted(lines []string) (out []string) {
	for _, l := range lines {
		if rest, ok := strings.CutPrefix(l, "$ "); ok {
			out = append(out, rest)
		}
	}
	return out
}

// ours says whether a block that begins a line with a word is made of commands.
func ours(word string) bool {
	_, listed := outside[word]
	return listed || slices.Contains(programsOfOurs, word) ||
		slices.Contains([]string{"curl", "sudo", "echo", "install"}, word)
}

// join puts lines together that are one command.
func join(lines []string) (all []string) {
	open := ""
	for _, line := range lines {
		whole := open + line
		switch {
		case open == "" && (strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#")):
			continue
		case strings.HasSuffix(whole, "\\"):
			open = whole + "\n"
		case quoteOpen(whole):
			open = whole + "\n"
		default:
			all, open = append(all, whole), ""
		}
	}
	if open != "" {
		all = append(all, open)
	}
	return all
}

// quoteOpen says whether a quote is not closed yet.
func quoteOpen(s string) bool {
	var quote rune
	for _, r := range uncommented(s) {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return quote != 0
}

// uncommented is a command without the comments at the ends of its lines.
func uncommented(s string) string {
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		var quote rune
		for i, r := range line {
			if quote == 0 && r == '#' && (i == 0 || line[i-1] == ' ') {
				line = line[:i]
				break
			}
			switch {
			case quote == 0 && (r == '\'' || r == '"'):
				quote = r
			case r == quote:
				quote = 0
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// programs are the words that a command starts: the first one, and those after a pipe,
// a semicolon or two ampersands.
func programs(command string) (all []string) {
	var quote rune
	start := 0
	s := strings.ReplaceAll(uncommented(command), "\\\n", " ")
	cut := func(end int) {
		if w := firstWord(s[start:end]); w != "" {
			all = append(all, w)
		}
		start = end + 1
	}
	for i, r := range s {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0 && (r == '|' || r == ';' || r == '&' || r == '\n'):
			cut(i)
		}
	}
	cut(len(s))
	return all
}

// firstWord is the program of a simple command, without what only names the user, and
// without the folder of a build.
func firstWord(command string) string {
	words := strings.Fields(unprivileged(strings.TrimLeft(command, " &|;$")))
	for _, w := range words {
		if name, _, assigned := strings.Cut(w, "="); assigned && !strings.ContainsAny(name, "/-'\"") {
			if len(words) == 1 || strings.Contains(w, "$(") {
				return "="
			}
			continue
		}
		return strings.TrimPrefix(w, "bin/")
	}
	return ""
}

// unprivileged takes away `sudo` and `sudo -u USER`: in the sandbox everything is ours.
func unprivileged(command string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(command), "sudo ")
	if !ok {
		return strings.TrimSpace(command)
	}
	if user, ok := strings.CutPrefix(rest, "-u "); ok {
		_, rest, _ = strings.Cut(user, " ")
	}
	return strings.TrimSpace(rest)
}
