package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

// explainCode writes what is known of a code: its row, its severity as a lasting
// condition, and which check of doctor looks for it.
func explainCode(w io.Writer, code string) error {
	if err := fault.Explain(w, code); err != nil {
		return err
	}
	var checks []string
	var known fault.Code
	for _, c := range doctor.Checks() {
		for _, of := range c.Codes() {
			if strings.EqualFold(string(of), code) {
				checks, known = append(checks, c.Name), of
			}
		}
	}
	for _, policyCode := range fault.Graded() {
		if strings.EqualFold(string(policyCode), code) {
			known = policyCode
		}
	}
	if known == "" {
		return nil // it is no lasting condition, but the outcome of a request
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nSeverity: %s", fault.SeverityOf(known))
	if after := fault.AlertAfter(known); fault.SeverityOf(known) == fault.Info {
		b.WriteString("; no alert is sent")
	} else if after > 0 {
		fmt.Fprintf(&b, "; alerts are sent when it lasts for %s", after)
	} else {
		b.WriteString("; alerts are sent when it lasts for -alertAfter")
	}
	b.WriteByte('\n')
	if len(checks) > 0 {
		slices.Sort(checks)
		fmt.Fprintf(&b, "\nCheck:    tutti doctor --only %s\n", strings.Join(slices.Compact(checks), ","))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
