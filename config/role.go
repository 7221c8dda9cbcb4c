package config

import "strings"

// role is a set of roles.
type role int

const (
	orchestrator role = 1 << iota
	transcoder
	aiWorker
	gateway
	redeemer
	remoteSigner
	router
)

// roleFlags returns the flags of the roles, in bit order.
func roleFlags() []string {
	return []string{"-orchestrator", "-transcoder", "-aiWorker", "-gateway", "-redeemer", "-remoteSigner", "-router"}
}

// active returns the roles a configuration asks for.
func (r Roles) active() role {
	var set role
	for i, on := range []bool{r.Orchestrator, r.Transcoder, r.AIWorker, r.Gateway, r.Redeemer, r.RemoteSigner,
		r.Router} {
		if on {
			set |= 1 << i
		}
	}
	return set
}

// String lists the roles' flags: "-orchestrator or -transcoder".
func (r role) String() string {
	var on []string
	for i, name := range roleFlags() {
		if r&(1<<i) != 0 {
			on = append(on, name)
		}
	}
	return join(on, " or ")
}

// join writes "a, b or c".
func join(parts []string, last string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	n := len(parts) - 1
	return strings.Join(parts[:n], ", ") + last + parts[n]
}
