// Package alert notifies the operator of the node's lasting problems: it sends the alerts
// of core/health to webhooks, Slack, Discord, ntfy and the operator's programs.
//
// core/health decides what is sent, and when. Addresses are secrets and appear in no log,
// error or page; a sink is named by its kind and host. Sending never blocks the node: every
// sink has a bounded queue and its own goroutine. cmd/tutti runs the Notifier as a
// component.
package alert
