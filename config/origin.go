package config

import "fmt"

// Source is where an option's value came from, in rising order of precedence.
type Source int

// The sources.
const (
	FromDefault Source = iota
	FromFile
	FromEnv
	FromFlag
)

// Origin is where one value came from.
type Origin struct {
	Source Source
	// Name is the option as it was spelled there: a flag without dashes, an
	// environment variable, a key of the file.
	Name string
	// File and Line are set for FromFile.
	File string
	Line int
}

// String returns where: "flag -maxSessions", "env LP_MAXSESSIONS", "tutti.conf:3"
// or "default".
func (o Origin) String() string {
	switch o.Source {
	case FromFlag:
		return "flag -" + o.Name
	case FromEnv:
		return "env " + o.Name
	case FromFile:
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	}
	return "default"
}

// location returns the origin without the option's name, for messages that show it.
func (o Origin) location() string {
	switch o.Source {
	case FromFlag:
		return "command line"
	case FromEnv:
		return "environment"
	}
	return o.String()
}

// spell writes the option with a value as the operator would write it there.
// Switches on the command line keep their "=".
func (o Origin) spell(value string, isSwitch bool) string {
	switch {
	case o.Source == FromEnv:
		return o.Name + "=" + value
	case o.Source == FromFile:
		return o.Name + " " + value
	case isSwitch:
		return "-" + o.Name + "=" + value
	case value == "":
		return "-" + o.Name
	}
	return "-" + o.Name + " " + value
}

// nameAsSpelled returns the option's name as the operator spelled it.
func (o Origin) nameAsSpelled() string {
	if o.Source == FromFlag || o.Source == FromDefault {
		return "-" + o.Name
	}
	return o.Name
}
