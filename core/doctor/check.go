package doctor

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// Group is what a check is about.
type Group string

// The groups, in the order of a report.
const (
	GroupHost         Group = "host"
	GroupGPU          Group = "gpu"
	GroupMedia        Group = "media"
	GroupNetwork      Group = "network"
	GroupChain        Group = "chain"
	GroupKeys         Group = "keys"
	GroupRegistration Group = "registration"
	GroupPrice        Group = "price"
	GroupAI           Group = "ai"
	GroupStorage      Group = "storage"
	GroupSecrets      Group = "secrets"
)

// Groups returns all of them, in the order of a report.
func Groups() []Group {
	return []Group{
		GroupHost, GroupGPU, GroupMedia, GroupNetwork, GroupChain, GroupKeys, GroupRegistration, GroupPrice, GroupAI,
		GroupStorage, GroupSecrets,
	}
}

// Check is one check. Its name begins with its group.
type Check struct {
	Name  string
	Group Group
	// Title says what is true when it passes.
	Title string
	// Fails and Warns are the conditions that the check covers, whether it finds them itself
	// or a running node reports them. It ignores others.
	Fails, Warns []fault.Code
	// catchAll is set for the one check that covers all conditions that no other covers. There
	// core/fault's severity decides the status.
	catchAll bool
	// run performs the check.
	run func(ctx context.Context, w *World) Observation
}

// Codes returns all conditions of the check, those of a failure first.
func (c *Check) Codes() []fault.Code { return slices.Concat(c.Fails, c.Warns) }

// statusOf returns the status that a condition gives the check; Pass if it does not cover it.
func (c *Check) statusOf(code fault.Code) Status {
	switch {
	case slices.Contains(c.Fails, code):
		return Fail
	case slices.Contains(c.Warns, code):
		return Warn
	case c.catchAll && fault.SeverityOf(code) == fault.Critical:
		return Fail
	case c.catchAll && fault.SeverityOf(code) == fault.Warning:
		return Warn
	}
	return Pass
}

// Finding is one problem that was found.
type Finding struct {
	Code fault.Code
	// Detail describes it, without secrets.
	Detail string
	// Remedy, if set, replaces core/fault's with a more specific one.
	Remedy string
}

// Observation is what a check found.
type Observation struct {
	// Evidence describes what was seen when nothing is wrong.
	Evidence string
	// Skipped is why there was nothing to check; "" if there was.
	Skipped  string
	Findings []Finding
	// Repair fixes what was found; nil if only the operator can.
	Repair *Repair
	// notRun: the check could not run; another check may report the cause.
	notRun bool
}

// Repair is a safe change that fixes a finding.
type Repair struct {
	// Do is what it does, in the infinitive: "set the mode of /data to 0700".
	Do  string
	Run func(ctx context.Context) error
}

func pass(evidence string) Observation { return Observation{Evidence: evidence} }

func skip(why string) Observation { return Observation{Skipped: why} }

func finding(code fault.Code, detail string) Observation {
	return Observation{Findings: []Finding{{Code: code, Detail: detail}}}
}

// couldNotRun returns the result of a check that could not run: its fault's condition, or
// CheckUnfinished.
func couldNotRun(err error) Observation {
	code := fault.CodeOf(err)
	switch code {
	case fault.Unexpected, fault.Canceled, fault.DeadlineExceeded:
		return Observation{Findings: []Finding{{Code: fault.CheckUnfinished, Detail: firstLine(err.Error())}}}
	}
	return Observation{Findings: []Finding{{Code: code, Detail: fault.ForOperator(err)}}, notRun: true}
}
