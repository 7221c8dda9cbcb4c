package console

import "strings"

// Style says whether text gets color.
type Style bool

// The colors of the tool: few, and never the only carrier of a meaning.
const (
	bold   = "\x1b[1m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	plain  = "\x1b[0m"
)

func (s Style) paint(color, text string) string {
	if !s || text == "" {
		return text
	}
	return color + text + plain
}

// Title marks a heading.
func (s Style) Title(text string) string { return s.paint(bold, text) }

// Good marks what is as it should be.
func (s Style) Good(text string) string { return s.paint(green, text) }

// Warn marks what deserves a look.
func (s Style) Warn(text string) string { return s.paint(yellow, text) }

// Bad marks what failed.
func (s Style) Bad(text string) string { return s.paint(red, text) }

// Wrap breaks a text into lines of at most width columns; further lines begin
// with indent. A width below 20 leaves the text as it is, for so does a terminal.
func Wrap(text string, width int, indent string) string {
	if width < 20 {
		return text
	}
	paragraphs := strings.Split(text, "\n")
	for i, p := range paragraphs {
		paragraphs[i] = wrapLine(p, width, indent)
	}
	return strings.Join(paragraphs, "\n")
}

func wrapLine(text string, width int, indent string) string {
	if columns(text) <= width {
		return text
	}
	lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		switch {
		case b.Len() == 0:
			b.WriteString(lead)
			at = columns(lead)
		case at+1+columns(word) > width:
			b.WriteString("\n" + lead + indent)
			at = columns(lead) + columns(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += columns(word)
	}
	return b.String()
}

// columns returns how wide a text is on the terminal: colors have no width.
func columns(s string) int {
	n, escape := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			escape = true
		case escape:
			escape = r != 'm'
		default:
			n++
		}
	}
	return n
}

// Unmarked takes the code marks of the documents out of a text.
func Unmarked(s string) string { return strings.ReplaceAll(s, "`", "") }
