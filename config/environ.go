package config

import (
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// parseEnviron finds options among environment variables. An empty variable
// counts as not set. The strongest spelling of an option comes last, as a
// repeated flag would.
func parseEnviron(environ []string, n names) (map[string][]given, []Notice) {
	vars := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			vars[name] = value
		}
	}
	found, known := map[string][]given{}, map[string]bool{}
	notices := liveVariables(vars)
	for _, o := range n.options {
		var spelled []string
		for _, spelling := range o.spellings() {
			// The form with underscores is the first and the strongest.
			for _, name := range slices.Backward(o.env(spelling)) {
				known[name] = true
				spelled = append(spelled, name)
			}
		}
		for _, prefix := range []string{"LIVE_AI_", "FAL_", "LP_", "TUTTI_"} {
			var here []given
			for _, name := range spelled {
				if value, ok := vars[name]; ok && strings.HasPrefix(name, prefix) && !has(here, name) {
					here = append(here, given{value: value, origin: Origin{Source: FromEnv, Name: name}})
				}
			}
			if prefix == "TUTTI_" && len(here) > 0 {
				notices = append(notices, shadowed(found[o.name], here)...)
				found[o.name] = nil
			}
			if len(here) > 0 {
				found[o.name] = here
			}
		}
	}
	return found, append(notices, mistyped(vars, known)...)
}

func has(all []given, name string) bool {
	return slices.ContainsFunc(all, func(g given) bool { return g.origin.Name == name })
}

// shadowed reports LP_ variables that a TUTTI_ variable overrides.
func shadowed(weak, strong []given) []Notice {
	var notices []Notice
	for _, g := range weak {
		if g.value != strong[len(strong)-1].value {
			notices = append(notices, Notice{Subject: g.origin.Name, Origin: g.origin,
				Text: "not used, because " + strong[len(strong)-1].origin.Name + " is set too"})
		}
	}
	return notices
}

// mistyped reports TUTTI_ variables that nearly match an option's name. Others are
// left alone: build scripts and container platforms set some too.
func mistyped(vars map[string]string, known map[string]bool) []Notice {
	var candidates, typed []string
	for name := range known {
		if strings.HasPrefix(name, "TUTTI_") {
			candidates = append(candidates, strings.TrimPrefix(name, "TUTTI_"))
		}
	}
	for name := range vars {
		if rest, ok := strings.CutPrefix(name, "TUTTI_"); ok && !known[name] && len(rest) > 5 {
			typed = append(typed, rest)
		}
	}
	slices.Sort(candidates)
	slices.Sort(typed)
	var notices []Notice
	for _, rest := range typed {
		near, mistakes := fault.SuggestName(rest, candidates)
		if near != "" && mistakes <= 2 {
			notices = append(notices, Notice{Subject: "TUTTI_" + rest,
				Origin: Origin{Source: FromEnv, Name: "TUTTI_" + rest},
				Text:   "not an option's variable; did you mean TUTTI_" + near + "?"})
		}
	}
	return notices
}
