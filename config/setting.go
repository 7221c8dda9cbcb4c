package config

import (
	"slices"
	"strconv"
)

// Setting is one option's effective value, ready to be shown.
type Setting struct {
	// Option is the flag's name, Field its name in the start-up table.
	Option, Field string
	// Value is the text; secrets are masked.
	Value string
	// Changed: it was given and differs from the default.
	Changed bool
	Origin  Origin

	group group
	// idle options have no effect: their role is not played or their feature is
	// not there, and they were not given.
	idle bool
	// rule describes the default where Value is empty.
	rule string
}

// Settings returns every option's effective value in the order of the
// documents. Obsolete options and those for the command line alone are listed
// only where they were given.
func (c *Config) Settings() []Setting { return slices.Clone(c.settings) }

// Origin tells where an option's value came from, by its flag name.
func (c *Config) Origin(option string) Origin {
	for _, s := range c.settings {
		if s.Option == option {
			return s.Origin
		}
	}
	return Origin{}
}

// settings lists what every option came to.
func (l *loader) settings() []Setting {
	var all []Setting
	for _, o := range l.names.options {
		g, wasGiven := l.given(o.name)
		if !wasGiven && (o.obsolete != "" || o.name == "netint" || o.flagOnly) {
			continue
		}
		v := o.to(l.config)
		s := Setting{Option: o.name, Field: o.fieldName(), Value: v.String(), Origin: g.origin, group: o.group,
			rule: o.unset}
		s.idle = !wasGiven && (!o.feature.present() || o.roles != 0 && o.roles&l.config.Roles.active() == 0 ||
			o.onchain && l.config.Chain.Offchain())
		if wasGiven {
			s.Changed = v.about().hidden || v.String() != l.untouched(o)
		}
		if complete := l.completed(o.name); complete != "" {
			s.Value = complete
		}
		if l.invalid[o.name] {
			s.Value, s.rule = "", "see the problems above"
		}
		all = append(all, s)
	}
	return all
}

// untouched returns an option's value when it is not given.
func (l *loader) untouched(o option) string {
	v := o.to(new(Config))
	if o.preset != "" {
		_ = v.set(o.preset, l.in)
	}
	return v.String()
}

// completed returns the value of an option that roles and other options complete, or
// "".
func (l *loader) completed(name string) string {
	c := l.config
	if c.Process.Informational() {
		return ""
	}
	switch {
	case name == "cliAddr":
		return c.Addresses.AdminListen.String()
	case name == "httpAddr" && c.Roles.Orchestrator:
		return c.Addresses.OrchestratorListen.String()
	case name == "httpAddr" && c.Roles.Gateway, name == "gatewayAddr" && c.Roles.Gateway:
		return c.Addresses.GatewayListen.String()
	case name == "httpAddr" && (c.Roles.Redeemer || c.Roles.RemoteSigner):
		return c.Addresses.RedeemerListen.String()
	case name == "rtmpAddr" && c.Roles.Gateway:
		return c.Addresses.RTMPListen.String()
	case name == "httpIngest" && c.Roles.Gateway:
		return strconv.FormatBool(c.Gateway.HTTPIngest)
	case name == "localVerify" && c.Roles.Gateway:
		return strconv.FormatBool(c.Gateway.LocalVerify)
	}
	return ""
}
