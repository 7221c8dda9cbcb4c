package fault

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

var errNoCode = errors.New("no condition is called")

// Explain writes what the table knows of a code, for `tutti help CODE`. Case
// does not matter. For an unknown code it writes nothing and returns an error
// that names similar codes.
func Explain(w io.Writer, code string) error {
	row, ok := find(code)
	if !ok {
		return fmt.Errorf("%w %q%s", errNoCode, oneLine(code), didYouMean(code))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", row.Code, row.Class)
	if row.Symptom != "" {
		fmt.Fprintf(&b, "\nSeen as:  %s\n", plain(row.Symptom))
	}
	fmt.Fprintf(&b, "\nCause:    %s\n\nRemedy:   %s\n", plain(row.Cause), plain(row.Remedy))
	if row.Wire != "" {
		fmt.Fprintf(&b, "\nPeers get: %s\n", wireInDoc(row.Wire))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plain takes the code marks of the documents out of a text for the terminal.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }

func find(code string) (Row, bool) {
	for _, r := range Table() {
		if strings.EqualFold(string(r.Code), code) {
			return r, true
		}
	}
	return Row{}, false
}

// didYouMean lists the codes that contain the word or are contained in it, else the
// one that it may be a slip of.
func didYouMean(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if len(word) < 3 {
		return ""
	}
	var near []string
	for _, r := range Table() {
		c := strings.ToLower(string(r.Code))
		if strings.Contains(c, word) || strings.Contains(word, c) {
			near = append(near, string(r.Code))
		}
	}
	if len(near) == 0 {
		if name, _ := SuggestName(word, codeNames()); name != "" {
			return "; did you mean " + name + "?"
		}
		return "; docs/troubleshooting.md lists them all"
	}
	return "; did you mean " + strings.Join(near, ", ") + "?"
}

func codeNames() (out []string) {
	for _, r := range Table() {
		out = append(out, string(r.Code))
	}
	return out
}
