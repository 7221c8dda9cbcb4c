package admin

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
)

// guide is the part of the page that people wrote.
//
//go:embed guide.md
var guide string

// WriteDoc writes docs/admin-api.md: the guide, and a table of all routes.
func WriteDoc(w io.Writer) error {
	var b strings.Builder
	b.WriteString(guide)
	b.WriteString("\n## Version 1\n\n| Method | Path | Token | Body | Answer | |\n|---|---|---|---|---|---|\n")
	for _, r := range Routes() {
		token := ""
		if r.Change {
			token = "yes"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", r.Method, pathWithQuery(r.Path, r.QueryNames()), token,
			r.BodyName(), r.AnswerName(), r.Summary)
	}
	b.WriteString("\n## Routes of the existing node\n\n| Path | Changes | Needs the chain |\n|---|---|---|\n")
	for _, l := range legacyRoutes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", l.path, yesNo(l.changes), yesNo(l.chain))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func pathWithQuery(path string, names []string) string {
	if len(names) == 0 {
		return path
	}
	return path + "?" + strings.Join(names, "&")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
