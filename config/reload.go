package config

import (
	"reflect"
	"slices"
)

// Live returns the options that a running node takes over from a configuration that is
// reloaded. Everything else needs a restart, or an upgrade, which loses no session.
func Live() []string {
	return []string{
		"v", "vmodule",
		"maxSessions", "resultMemory", "maxConnections", "maxConnectionsPerAddress",
		"pricePerUnit", "pixelsPerUnit", "pricePerGateway", "maxPricePerUnit", "maxPricePerCapability",
		"maxFaceValue", "minGasPrice", "maxGasPrice",
		"orchSecret", "apiKeys", "aiRouting", "aiGuards", "tlsCert", "tlsKey", "workerCA",
		"aiModels", "aiVerifiedModels",
	}
}

// markLive marks the live options.
func markLive(rows []option) []option {
	names := Live()
	for i := range rows {
		rows[i].live = slices.Contains(names, rows[i].name)
	}
	return rows
}

// Difference is an option that has another value in another configuration.
type Difference struct {
	// Option is the flag's name.
	Option string
	// Old and New are the values as they are shown: secrets are masked, so that both
	// may read the same.
	Old, New string
	// Origin is where the new value comes from.
	Origin Origin
	// Live: a running node takes it over.
	Live bool
}

// Compare lists what next changes of old, in the order of the documents. Both are
// from Load, without problems. What files hold that are named and not read here, such
// as certificates, is not compared.
func Compare(old, next *Config) []Difference {
	var out []Difference
	for _, o := range table() {
		if o.obsolete != "" || o.flagOnly {
			continue
		}
		was, is := o.to(old), o.to(next)
		if reflect.DeepEqual(was.get(), is.get()) {
			continue
		}
		out = append(out, Difference{
			Option: o.name, Old: old.shown(o.name, was), New: next.shown(o.name, is),
			Origin: next.Origin(o.name), Live: o.live,
		})
	}
	return out
}

// shown returns an option's value for people.
func (c *Config) shown(name string, v value) string {
	if s := v.String(); s != "" || v.about().hidden {
		return s
	}
	for _, s := range c.settings {
		if s.Option == name {
			return s.Value
		}
	}
	return ""
}
