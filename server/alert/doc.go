// Package alert tells people of the node's lasting troubles: it carries what
// core/alert has decided to webhooks, Slack, Discord, ntfy and programs of the
// operator's.
//
// It decides nothing about what is told, and when: that is core/alert's. Addresses
// are secrets and appear in no log, error or page; a sink is called by its kind and
// host. Sending never holds anything up: every sink has a bounded queue and a
// goroutine of its own. cmd/tutti makes the Teller and runs it as a component.
package alert
