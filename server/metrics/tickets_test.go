package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/metrics"
)

var gatewayAddress = core.Address{0xab}

// pay makes every series of tickets appear.
func pay(r pm.Recorder) {
	r.TicketsReceived(gatewayAddress, "m1", 40, 2, pm.WeiValue(core.NewWei(8_000_000_000)))
	r.PaymentRefused(gatewayAddress, string(fault.ExpectedPriceWrong))
	r.SenderFunds(gatewayAddress, core.NewWei(5e9), core.NewWei(6e9), core.NewWei(7e9), core.NewWei(8e9))
	r.TicketRedeemed(gatewayAddress, core.NewWei(9e9), core.NewWei(4e9))
	r.RedemptionFailed("TxReverted")
	r.TicketsSent(gatewayAddress, "m1", 3, pm.WeiValue(core.NewWei(1_500_000_000)))
	r.PaymentNotMade("m", "OwnDepositEmpty")
}

func bothRoles() *metrics.Metrics { return metrics.New(metrics.Options{NodeID: "n", Version: "1"}) }

func TestTicketSeries(t *testing.T) {
	t.Parallel()
	m := bothRoles()
	r := m.Tickets(metrics.Orchestrator, metrics.Gateway)
	if m.Tickets() != r {
		t.Error("asking again makes another recorder")
	}
	pay(r)
	text := scrape(t, m)
	sender := `sender="` + gatewayAddress.String() + `"`
	for _, want := range []string{
		`livepeer_ticket_value_recv{node_id="n",node_type="orch",` + sender + `} 8`,
		`livepeer_tickets_recv{node_id="n",node_type="orch",` + sender + `} 40`,
		`livepeer_winning_tickets_recv{node_id="n",node_type="orch",` + sender + `} 2`,
		`livepeer_payment_recv_errors{error_code="InvalidPrice",node_id="n",node_type="orch"} 1`,
		`livepeer_gateway_deposit{node_id="n",node_type="orch",` + sender + `} 5`,
		`livepeer_broadcaster_deposit{node_id="n",node_type="orch",` + sender + `} 5`,
		`livepeer_gateway_reserve{node_id="n",node_type="orch",` + sender + `} 6`,
		`livepeer_broadcaster_reserve{node_id="n",node_type="orch",` + sender + `} 6`,
		`livepeer_gateway_max_float{node_id="n",node_type="orch",` + sender + `} 7`,
		`livepeer_gateway_ticket_face_value{node_id="n",node_type="orch",` + sender + `} 8`,
		`livepeer_value_redeemed{node_id="n",node_type="orch",` + sender + `} 9`,
		`tutti_ticket_payout_gwei_total{node_id="n",node_type="orch",` + sender + `} 4`,
		`livepeer_ticket_redemption_errors{node_id="n",node_type="orch"} 1`,
		`tutti_ticket_redemption_errors_total{code="TxReverted",node_id="n",node_type="orch"} 1`,
		`livepeer_ticket_value_sent{node_id="n",node_type="bctr"} 1.5`,
		`livepeer_tickets_sent{node_id="n",node_type="bctr"} 3`,
		`livepeer_payment_create_errors{node_id="n",node_type="bctr"} 1`,
		`tutti_payment_create_errors_total{code="OwnDepositEmpty",node_id="n",node_type="bctr"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}

func TestPaymentErrorKinds(t *testing.T) {
	t.Parallel()
	for code, want := range map[fault.Code]string{
		fault.ExpectedPriceWrong: "InvalidPrice", fault.TicketParamsForeign: "InvalidRecipientRand",
		fault.TicketNonceSeen:        "PaymentError",
		fault.TicketSignatureInvalid: "PaymentError", "NotEvenACode": "PaymentError",
	} {
		m := bothRoles()
		m.Tickets(metrics.Orchestrator).PaymentRefused(gatewayAddress, string(code))
		if !strings.Contains(scrape(t, m), `livepeer_payment_recv_errors{error_code="`+want+`"`) {
			t.Errorf("%s is not %s", code, want)
		}
	}
}

// A role that a process does not have has no series, and counting for it does
// nothing.
func TestTicketsOfOneRole(t *testing.T) {
	t.Parallel()
	for role, not := range map[string]string{metrics.Orchestrator: "tickets_sent", metrics.Gateway: "tickets_recv",
		metrics.Redeemer: "tickets_sent"} {
		m := bothRoles()
		pay(m.Tickets(role))
		if strings.Contains(scrape(t, m), not) {
			t.Errorf("%s shows %s", role, not)
		}
	}
}

// Senders make no series without end.
func TestTicketLabelsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "n", Version: "1", PerStream: true})
	r := m.Tickets(metrics.Orchestrator, metrics.Gateway)
	for i := range 1100 {
		label, name := core.Address{byte(i), byte(i >> 8)}, core.ManifestID(fmt.Sprint("m", i))
		r.TicketsReceived(label, name, 1, 1, pm.Value{})
		r.TicketsSent(label, name, 1, pm.Value{})
		r.SenderFunds(label, core.Wei{}, core.Wei{}, core.Wei{}, core.Wei{})
		r.RedemptionFailed(fmt.Sprint("code", i))
		r.PaymentNotMade("m", fmt.Sprint("code", i))
		r.PaymentRefused(label, fmt.Sprint("code", i))
	}
	if n := strings.Count(scrape(t, m), "\n"); n > 8000 {
		t.Errorf("%d lines", n)
	}
}

func TestWinners(t *testing.T) {
	t.Parallel()
	m := bothRoles()
	var fail error
	if err := m.WatchWinners(metrics.Orchestrator, func(context.Context) (metrics.WinnerState, error) {
		return metrics.WinnerState{Counts: map[string]int{"won": 3, "final": 9}, Waiting: core.NewWei(5e9),
			Expiring: core.NewWei(2e9)}, fail
	}); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	for _, want := range []string{`tutti_winning_tickets{node_id="n",node_type="orch",state="won"} 3`,
		`tutti_winning_tickets_waiting_gwei{node_id="n",node_type="orch"} 5`,
		`tutti_winning_tickets_expiring_gwei{node_id="n",node_type="orch"} 2`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	fail = errors.New("the ledger cannot be read")
	if text := scrape(t, m); strings.Contains(text, "tutti_winning") || !strings.Contains(text, "go_goroutines") {
		t.Error("a source that fails spoils the scrape or is shown")
	}
}

func TestPricesAndFunds(t *testing.T) {
	t.Parallel()
	m := bothRoles()
	llm := inference.Model{Capability: capability.LLM, ID: "org/m"}
	list := func() []pricing.ListedPrice {
		return []pricing.ListedPrice{
			{Wei: big.NewRat(1200, 1)}, {Gateway: gatewayAddress, Wei: big.NewRat(1, 2)},
			{Gateway: gatewayAddress, Wei: big.NewRat(1, 3)}, {Gateway: core.Address{1}},
			{Model: llm, Wei: big.NewRat(7, 1)}, {Model: llm, Gateway: gatewayAddress, Wei: big.NewRat(8, 1)},
			{Model: inference.Model{Capability: capability.LLM}, Wei: big.NewRat(9, 1)},
		}
	}
	for _, role := range []string{metrics.Orchestrator, metrics.Gateway} {
		if err := m.WatchPrices(role, list); err != nil {
			t.Fatal(err)
		}
	}
	m.Tickets(metrics.Orchestrator).SenderFunds(gatewayAddress, core.NewWei(1e9), core.NewWei(1e9), core.Wei{}, core.Wei{})
	if err := m.WatchFunds(gatewayAddress, func(context.Context) (protocol.SenderFunds, error) {
		return protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(3e9),
			Reserve: protocol.Reserve{FundsRemaining: core.NewWei(4e9)}}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	for _, want := range []string{
		`livepeer_transcoding_price{node_id="n",node_type="orch",sender="default"} 1200`,
		`livepeer_transcoding_price{node_id="n",node_type="bctr",sender="` + gatewayAddress.String() + `"} 0.5`,
		`livepeer_price_per_capability{model_name="org/m",node_id="n",node_type="bctr",pipeline="llm"} 7`,
		`livepeer_price_per_capability{model_name="default",node_id="n",node_type="bctr",pipeline="llm"} 9`,
		`livepeer_gateway_deposit{node_id="n",node_type="bctr",sender="` + gatewayAddress.String() + `"} 3`,
		`livepeer_gateway_deposit{node_id="n",node_type="orch",sender="` + gatewayAddress.String() + `"} 1`,
		`livepeer_broadcaster_reserve{node_id="n",node_type="bctr",sender="` + gatewayAddress.String() + `"} 4`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}
