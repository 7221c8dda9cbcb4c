package config

import (
	"io"
	"strings"
	"unicode/utf8"
)

// WriteTable writes the table of the settings that differ from their defaults,
// as operators know it from the start of the node: two columns, secrets masked.
func WriteTable(w io.Writer, c *Config) error {
	rows := [][2]string{}
	widths := [2]int{}
	for _, s := range c.settings {
		if !s.Changed {
			continue
		}
		row := [2]string{s.Field, s.Value}
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	var b strings.Builder
	line := "*" + strings.Repeat("-", widths[0]+2) + "*" + strings.Repeat("-", widths[1]+2) + "*\n"
	b.WriteString(line)
	for _, row := range rows {
		b.WriteString("| " + pad(row[0], widths[0]) + " | " + pad(row[1], widths[1]) + " |\n")
	}
	b.WriteString(line)
	_, err := io.WriteString(w, b.String())
	return err
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", width-utf8.RuneCountInString(s))
}
