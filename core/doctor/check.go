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

// Groups are all of them, in the order of a report.
func Groups() []Group {
	return []Group{
		GroupHost, GroupGPU, GroupMedia, GroupNetwork, GroupChain, GroupKeys, GroupRegistration, GroupPrice, GroupAI, GroupStorage, GroupSecrets,
	}
}

// Check is one thing that is looked at. Its name begins with its group.
type Check struct {
	Name  string
	Group Group
	// Title says what holds when it passes.
	Title string
	// Fails and Warns are the conditions that the check is about: those that it finds
	// itself, and those that a running node reports. Others are not its business.
	Fails, Warns []fault.Code
	// rest is set for the one check that takes what no other does: there the severity
	// of core/fault says how bad a condition is.
	rest bool
	// look finds out what is.
	look func(ctx context.Context, w *World) Seen
}

// Codes are all conditions of the check, those of a failure first.
func (c *Check) Codes() []fault.Code { return slices.Concat(c.Fails, c.Warns) }

// judge is how bad a condition is for the check; Pass when it is not its business.
func (c *Check) judge(code fault.Code) Status {
	switch {
	case slices.Contains(c.Fails, code):
		return Fail
	case slices.Contains(c.Warns, code):
		return Warn
	case c.rest && fault.SeverityOf(code) == fault.Critical:
		return Fail
	case c.rest && fault.SeverityOf(code) == fault.Warning:
		return Warn
	}
	return Pass
}

// Finding is one trouble that was seen.
type Finding struct {
	Code fault.Code
	// Detail has the facts, without secrets.
	Detail string
	// Remedy goes before the table's where what was found knows better what to do.
	Remedy string
}

// Seen is what a look brought to light.
type Seen struct {
	// Evidence says what was seen when nothing is wrong.
	Evidence string
	// Skipped says why there was nothing to look at; "" when there was.
	Skipped  string
	Findings []Finding
	// Repair mends what was found; nil where only a person can.
	Repair *Repair
	// failed: the look itself did, which may be another check's business.
	failed bool
}

// Repair is a safe change that mends a finding.
type Repair struct {
	// Do is what it does, in the infinitive: "set the mode of /data to 0700".
	Do  string
	Run func(ctx context.Context) error
}

func fine(evidence string) Seen { return Seen{Evidence: evidence} }

func skip(why string) Seen { return Seen{Skipped: why} }

func found(code fault.Code, detail string) Seen {
	return Seen{Findings: []Finding{{Code: code, Detail: detail}}}
}

// broken is a look that failed: its fault's condition, or that the machine did not
// tell.
func broken(err error) Seen {
	code := fault.CodeOf(err)
	switch code {
	case fault.Unexpected, fault.Canceled, fault.DeadlineExceeded:
		return Seen{Findings: []Finding{{Code: fault.CheckUnfinished, Detail: firstLine(err.Error())}}}
	}
	return Seen{Findings: []Finding{{Code: code, Detail: fault.ForOperator(err)}}, failed: true}
}
