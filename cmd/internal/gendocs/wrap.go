package main

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// pageColumns is how wide a line of prose on a page may be.
const pageColumns = 120

// word is what stays on one line: text without a space, with its code spans whole. Read-only.
var word = regexp.MustCompile("(?:`[^`]*`|[^\\s`]|`)+")

// unwrappable are lines that a break would change: rows of tables, headings, HTML, code. Read-only.
var unwrappable = regexp.MustCompile(`^(\||#|<| {4}|\t)`)

// startsBlock are words that begin a list, a heading or a quote when they stand first on a line.
// Read-only.
var startsBlock = regexp.MustCompile(`^([-+*]$|[>|#]|[0-9]+[.)]$)`)

// wrapPage breaks the wide lines of prose of a Markdown page. What readers see stays the same.
func wrapPage(page string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(page) {
		text := strings.TrimSuffix(line, "\n")
		fence := strings.HasPrefix(strings.TrimSpace(text), "```")
		fenced = fenced != fence
		if fenced || fence || unwrappable.MatchString(text) || utf8.RuneCountInString(text) <= pageColumns {
			b.WriteString(line)
			continue
		}
		wrapLine(&b, text)
	}
	return b.String()
}

func wrapLine(b *strings.Builder, text string) {
	lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
	indent := lead
	if strings.HasPrefix(text[len(lead):], "- ") {
		indent += "  "
	}
	column := 0
	for _, w := range word.FindAllString(text, -1) {
		width := utf8.RuneCountInString(w)
		switch {
		case column == 0:
			b.WriteString(lead)
			column = len(lead)
		case column+1+width > pageColumns && !startsBlock.MatchString(w):
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(w)
		column += width
	}
	b.WriteByte('\n')
}
