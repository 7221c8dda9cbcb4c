//go:build linux || darwin

package main

import (
	"strings"
	"testing"
)

// A node whose price can only be 0 says so before anything else, and takes the 0
// without a doubt.
func TestPriceThatCanOnlyBeZero(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		strings.TrimSuffix(activation, " --yes") + " --price-per-unit 1200", "orchestrator config --price-per-unit 5",
		"price set --price-per-unit 0.5USD", "price gateway default --price-per-unit 7",
	} {
		o := newTool(t)
		bonded(o.node)
		o.node.free = true
		for _, how := range []string{" --yes", " --dry-run"} {
			o.refused(exitFailed, "FeatureMissing: the price can only be 0", strings.Fields(args+how)...)
		}
		if asked := o.node.requests(); asked != "" {
			t.Errorf("%s: %s", args, asked)
		}
	}
	o := newTool(t)
	o.node.free = true
	if out := o.ok(strings.Fields(activation + " --price-per-unit 0")...); !strings.Contains(out, "from round 8 on") {
		t.Error(out)
	}
	o.ok(strings.Fields("price set --price-per-unit 0 --yes")...)
}

// The menu asks for no price where there is no choice.
func TestMenuWithoutAPrice(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() { f.free = true })
	s := start(t, f, 200, nil)
	s.choose(become)
	s.say("Reward cut in percent (default: ", "")
	s.say("Fee cut in percent (default: ", "")
	s.expect("The price is 0: the price can only be 0.\nService address: where gateways reach you")
	s.say("Public address (https://host:port)", "")
	s.say("Stake in LPT (whole tokens) > ", "1000")
	s.say("Begin? 3 steps", "n")
	s.choose("Set price for broadcaster")
	s.say("(default: default) > ", "")
	s.say("Pixels per unit (default: 1) > ", "")
	s.say("Currency (default: Wei) > ", "")
	s.say("Price per unit (default: 0) > ", "")
	s.say("Change it? [y/N] > ", "n")
	s.choose("Exit")
	if status := s.status(); status != exitOK || strings.Contains(s.text, "for free") {
		t.Errorf("status %d\n%s", status, s.text)
	}
}

// What the first of several steps changed besides the chain is shown in the end.
func TestPriceIsToldWhereItChanged(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	args := strings.Fields(activation + " --price-per-unit 1200")
	if out := o.ok(args...); !strings.Contains(out, "Price ") {
		t.Error(out)
	}
	if out := o.ok(args...); strings.Contains(out, "Price ") {
		t.Error(out)
	}
}
