package config

import (
	"errors"

	"github.com/tuttinode/tutti/core"
)

// TraceTrust names senders of requests whose decision to record a trace is followed.
type TraceTrust struct {
	// All means every sender, Keys the clients with a valid API key at a gateway.
	All, Keys bool
	// Gateway is the account of one gateway; zero with All and Keys.
	Gateway core.Address
}

var errTraceTrust = errors.New("not a gateway's account, keys or all")

// ParseTraceTrust reads an entry of -traceTrust.
func ParseTraceTrust(s string) (TraceTrust, error) {
	switch s {
	case "all":
		return TraceTrust{All: true}, nil
	case "keys":
		return TraceTrust{Keys: true}, nil
	}
	account, err := core.ParseAddress(s)
	if err != nil || account.IsZero() {
		return TraceTrust{}, errTraceTrust
	}
	return TraceTrust{Gateway: account}, nil
}

// String returns the entry as ParseTraceTrust reads it.
func (t TraceTrust) String() string {
	switch {
	case t.All:
		return "all"
	case t.Keys:
		return "keys"
	}
	return t.Gateway.String()
}

func traceTrust(p *[]TraceTrust) value {
	return list(p, valueType{name: "list", example: "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"}, ParseTraceTrust,
		TraceTrust.String)
}
