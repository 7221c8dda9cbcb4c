package main

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// rule is one alert.
type rule struct {
	name     string
	expr     string
	lasts    time.Duration
	severity fault.Severity
	// summary is for a title; cause and remedy are sentences. code is the fault that
	// `tutti help` explains, "" for none.
	summary, cause, remedy string
	code                   fault.Code
}

// group is rules that are looked at together.
type group struct {
	name  string
	rules []rule
}

const header = `# Alert rules for tutti, written by cmd/internal/gendocs (make docs): change them
# there, or copy single ones into a file of your own. They go with every scrape
# configuration whose job has "tutti" in its name.
`

// rulesFile is tutti-rules.yml.
func rulesFile() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header + "groups:\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "  - name: %s\n    rules:\n", g.name)
		for i := range g.rules {
			g.rules[i].write(&b)
		}
	}
	return b.Bytes(), nil
}

// write writes a rule as YAML, whose strings may be written as Go's are.
func (r *rule) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "      - alert: %s\n        expr: %s\n", r.name, strconv.Quote(r.expr))
	if r.lasts > 0 {
		fmt.Fprintf(b, "        for: %ds\n", int(r.lasts.Seconds()))
	}
	fmt.Fprintf(b, "        labels:\n          severity: %s\n        annotations:\n", r.severity)
	annotate := func(key, text string) {
		if text != "" {
			fmt.Fprintf(b, "          %s: %s\n", key, strconv.Quote(text))
		}
	}
	annotate("summary", r.summary)
	annotate("description", r.cause)
	annotate("remedy", r.remedy)
	if r.code != "" {
		annotate("runbook", "tutti help "+string(r.code))
	} else {
		annotate("runbook", "tutti doctor explain")
	}
}

func groups() []group {
	return []group{
		{"tutti-conditions", conditionRules()}, {"tutti-node", nodeRules()}, {"tutti-work", workRules()},
		{"tutti-ai", aiRules()}, {"tutti-chain", chainRules()}, {"tutti-money", moneyRules()},
	}
}
