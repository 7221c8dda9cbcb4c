package config

// addOptionNotices reports options that were accepted and do not do, or not
// exactly, what was asked.
func (l *loader) addOptionNotices() {
	active := l.config.Roles.active()
	for _, o := range l.names.options {
		g, ok := l.given(o.name)
		if !ok || l.flagged[o.name] {
			continue
		}
		for _, former := range o.former {
			if g.origin.Name != o.name && isSpelling(g.origin.Name, o, former) {
				l.addNotice(g, "an old name; write "+renamed(g.origin, o))
			}
		}
		switch {
		case o.obsolete != "":
			l.addNotice(g, "has no effect: "+o.obsolete)
		case o.roles != 0 && active != 0 && active&o.roles == 0:
			l.addNotice(g, "has no effect without "+o.roles.String())
		case o.onchain && l.config.Chain.Offchain() && l.valid("network") && !off(o, g):
			l.addNotice(g, "has no effect off-chain; add -network "+mainNetwork)
		case !o.feature.present():
			text := "accepted; " + o.feature.missing()
			if o.meanwhile != "" {
				text += ", and " + o.meanwhile
			}
			l.addNotice(g, text)
		case l.idle(o.name) != "":
			l.addNotice(g, "has no effect without "+l.idle(o.name))
		case o.name == "aiRunnerImage":
			l.addNotice(g, "honored; -aiRunnerImageOverrides replaces it")
		}
	}
}

func (l *loader) addNotice(g given, text string) {
	l.notices = append(l.notices, Notice{Subject: g.origin.nameAsSpelled(), Origin: g.origin, Text: text})
}

// renamed writes an option's current name for the place where an old one was
// given.
func renamed(where Origin, o option) string {
	switch where.Source {
	case FromEnv:
		return o.env(o.name)[0]
	case FromFile:
		return o.name
	}
	return "-" + o.name
}

// isSpelling reports whether a name, a flag's or a variable's, is one spelling
// of an option.
func isSpelling(name string, o option, spelling string) bool {
	if name == spelling {
		return true
	}
	for _, env := range o.env(spelling) {
		if name == env {
			return true
		}
	}
	return false
}

// off reports whether a switch was given to turn its feature off, which
// it is by default.
func off(o option, g given) bool {
	on, err := parseBool(g.value)
	return o.valueType().isSwitch && !g.alone && err == nil && !on
}
