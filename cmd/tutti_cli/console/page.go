package console

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Page is one result: headings, rows of name and value, tables.
type Page struct {
	w     io.Writer
	width int
	// Style colors values.
	Style Style
	rows  [][2]string
	// begun: something stands above, of this page or an earlier one.
	begun *bool
	// asBlocks writes tables as blocks of lines.
	asBlocks bool
}

// Page begins a result.
func (c *Console) Page() *Page {
	c.resize()
	return &Page{w: c.out, width: c.Width, Style: c.Style, asBlocks: c.blocks, begun: &c.begun}
}

// TellPage begins a page of progress: what is looked at before a question.
func (c *Console) TellPage() *Page {
	return &Page{w: c.report, width: width(c.report), Style: c.ReportStyle, asBlocks: c.blocks, begun: &c.begun}
}

// Title begins a part.
func (p *Page) Title(text string) {
	p.Flush()
	if *p.begun {
		fmt.Fprintln(p.w)
	}
	*p.begun = true
	fmt.Fprintln(p.w, p.Style.Title(text))
}

// Row adds a name and a value; the values of rows after one another are aligned.
func (p *Page) Row(name string, value any) {
	p.rows = append(p.rows, [2]string{name, safe(fmt.Sprint(value))})
}

// Line writes a line of text.
func (p *Page) Line(format string, args ...any) {
	p.Flush()
	*p.begun = true
	fmt.Fprintln(p.w, Wrap(safe(fmt.Sprintf(format, args...)), p.width, "  "))
}

// Flush writes the rows that wait for alignment. The end of a result calls it.
func (p *Page) Flush() {
	name := 0
	for _, r := range p.rows {
		name = max(name, columns(r[0]))
	}
	for _, r := range p.rows {
		*p.begun = true
		if p.width > 0 && 2+name+2+columns(r[1]) > p.width {
			fmt.Fprintf(p.w, "  %s\n    %s\n", r[0], Wrap(r[1], p.width-4, "    "))
			continue
		}
		fmt.Fprintf(p.w, "  %s%s  %s\n", r[0], strings.Repeat(" ", name-columns(r[0])), r[1])
	}
	p.rows = nil
}

// Table writes rows in columns under their heads. Where they are wider than the
// terminal, each row becomes a block of lines.
func (p *Page) Table(head []string, rows [][]string) {
	p.Flush()
	*p.begun = true
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(safe(cell)))
		}
	}
	total := 0
	for _, w := range widths {
		total += w + 2
	}
	if p.asBlocks || p.width > 0 && total-2 > p.width {
		p.blocks(head, rows)
		return
	}
	p.line(head, widths, p.Style.Title)
	for _, row := range rows {
		p.line(row, widths, func(s string) string { return s })
	}
}

func (p *Page) line(cells []string, widths []int, paint func(string) string) {
	var b strings.Builder
	for i, cell := range cells {
		cell = safe(cell)
		b.WriteString(paint(cell))
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+2))
		}
	}
	fmt.Fprintln(p.w, strings.TrimRight(b.String(), " "))
}

func (p *Page) blocks(head []string, rows [][]string) {
	for i, row := range rows {
		if i > 0 {
			fmt.Fprintln(p.w)
		}
		for j, cell := range row {
			p.Row(head[j], cell)
		}
		p.Flush()
	}
}

// safe keeps what others wrote, such as a service address in the registry, from
// steering the terminal: of escape sequences only our own colors pass.
func safe(s string) string {
	steers := func(r rune) bool { return unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) }
	if !strings.ContainsFunc(s, steers) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\x1b' && ourColor(s[i:]):
			b.WriteRune(r)
		case steers(r):
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func ourColor(s string) bool {
	for _, c := range []string{bold, green, yellow, red, plain} {
		if strings.HasPrefix(s, c) {
			return true
		}
	}
	return false
}

// Raw writes a text of our own as it is.
func (p *Page) Raw(text string) {
	p.Flush()
	fmt.Fprint(p.w, text)
}
