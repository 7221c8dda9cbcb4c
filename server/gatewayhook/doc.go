// Package gatewayhook asks a service of the operator's which gateways an orchestrator serves, and at which price
// (-authWebhookUrl). It keeps the answers: gateways ask for offers again and again.
//
// It is an orchestrate.GatewayHook. It knows no payments: package core/pricing has the prices of all others.
package gatewayhook
