package main

import (
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// conditionRules has an alert for every condition that is no ordinary warning, and one
// for all the ordinary ones together. What is only informational is no alert.
func conditionRules() (out []rule) {
	var own []string
	for _, code := range fault.Graded() {
		own = append(own, string(code))
		if fault.SeverityOf(code) == fault.Info {
			continue
		}
		row, _ := fault.Lookup(code)
		out = append(out, rule{
			name: "Tutti" + string(code), expr: fmt.Sprintf(`tutti_condition{code="%s"} == 1`, code),
			lasts: fault.AlertAfter(code), severity: fault.SeverityOf(code),
			summary: string(code) + " on {{ $labels.instance }}{{ with $labels.about }} ({{ . }}){{ end }}",
			cause:   plain(row.Cause), remedy: plain(row.Remedy), code: code,
		})
	}
	const ordinary fault.Code = "" // no row of its own, so an ordinary warning's time
	return append(out, rule{
		name: "TuttiCondition", expr: fmt.Sprintf(`tutti_condition{severity="warning",code!~"%s"} == 1`,
			strings.Join(own, "|")),
		lasts: fault.AlertAfter(ordinary), severity: fault.Warning,
		summary: "{{ $labels.code }} on {{ $labels.instance }}{{ with $labels.about }} ({{ . }}){{ end }}",
		cause:   "The node has a lasting problem that needs attention.",
		remedy:  "Run `tutti help` with the code, or look at the node's dashboard, which has cause and remedy.",
		code:    "{{ $labels.code }}",
	})
}

// plain keeps Prometheus from reading braces of a text as a template.
func plain(s string) string {
	return strings.NewReplacer("{{", "{ {", "}}", "} }").Replace(s)
}
