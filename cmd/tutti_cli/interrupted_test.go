package main

import (
	"context"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
)

const activation = "orchestrator activate --reward-cut 10 --fee-cut 95 --service-uri https://node.example.com:8935 " +
	"--stake 1000 --yes"

// An interruption at the question for a step never says that nothing was sent.
func TestInterruptedWhileAskingForAChange(t *testing.T) {
	t.Parallel()
	const sent = "transaction 0x0000000000000000000000000000000000000000000000000000000000000001 goes on"
	tests := []struct {
		name, args string
		hidden     bool
		says, not  string
	}{
		{"step", activation, false, sent, "Do not send it again"},
		{"step, hidden", activation, true, "OutcomeUnknown: step 1 of 3 (bond 1000 LPT to your own address) may have been " +
			"sent; tutti_cli transactions shows", "run the same again"},
		{"action", "round initialize --yes", false, sent, "run the same again"},
		{"action, hidden", "round initialize --yes", true,
			"OutcomeUnknown: the node did not answer; the transaction may have been sent", "run the same again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newTool(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o.node.hold = true
			o.node.stall = func() {
				if tt.hidden {
					o.node.broken = adminapi.PathTransactions
					cancel()
				}
			}
			o.node.onLook = func(txs []adminapi.Transaction) {
				if len(txs) > 0 {
					cancel()
				}
			}
			status, out, errs := o.runContext(ctx, strings.Fields(tt.args)...)
			if status != exitTimedOut || out != "" || !strings.Contains(errs, tt.says) ||
				strings.Contains(errs, "nothing was sent") || strings.Contains(errs, tt.not) {
				t.Errorf("status %d\n%s%s", status, out, errs)
			}
		})
	}
}
