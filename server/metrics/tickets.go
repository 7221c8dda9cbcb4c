package metrics

import (
	"math/big"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// Tickets is the figures of tickets that a process takes and pays with. It
// implements pm.Recorder and is safe for concurrent use.
type Tickets struct {
	// received is nil in a process without an orchestrator, sent in one without a gateway.
	received *receivedTickets
	sent     *sentTickets
}

var _ pm.Recorder = (*Tickets)(nil)

// Tickets returns the recorder of tickets for a process's roles, node types of which
// Orchestrator and Redeemer take tickets and Gateway pays with them. Asking again
// returns the same recorder, whose roles stay. It is for wiring, from one goroutine.
func (m *Metrics) Tickets(roles ...string) *Tickets {
	if m.tickets != nil {
		return m.tickets
	}
	t := &Tickets{}
	m.tickets = t
	for _, role := range roles {
		switch {
		case role == Gateway && t.sent == nil:
			t.sent = newMadeTickets(m.base(role), m.opts.PerStream)
		case role != Gateway && t.received == nil:
			t.received = newTakenTickets(m.base(role), m.opts.PerStream)
		}
	}
	return t
}

// receivedTickets are the series of an orchestrator.
type receivedTickets struct {
	senders, codes                   *values
	value, tickets, winning          streamCounter
	refused, redeemed, paid          *prometheus.CounterVec
	failures                         prometheus.Counter
	failed                           *prometheus.CounterVec
	deposit, reserve, float, faceOne *prometheus.GaugeVec
	oldDeposit, oldReserve           *prometheus.GaugeVec
}

func newTakenTickets(reg prometheus.Registerer, perStream bool) *receivedTickets {
	b := &builder{reg: reg, streams: newStreams(perStream, false)}
	t := &receivedTickets{senders: newValues(), codes: newValues()}
	t.value = b.streamCounter("livepeer_ticket_value_recv", "Expected value of tickets received, in gwei.", "sender")
	t.tickets = b.streamCounter("livepeer_tickets_recv", "Tickets received.", "sender")
	t.winning = b.streamCounter("livepeer_winning_tickets_recv", "Winning tickets received.", "sender")
	t.refused = b.counter("livepeer_payment_recv_errors", "Payments that were not accepted, by kind.", "error_code")
	t.redeemed = b.counter("livepeer_value_redeemed", "Face value of redeemed tickets, in gwei.", "sender")
	t.failures = b.total("livepeer_ticket_redemption_errors", "Attempts at redeeming that failed.")
	t.paid = b.counter("tutti_ticket_payout_gwei_total",
		"What redeemed tickets paid, which may be less than their face value, in gwei.", "sender")
	t.failed = b.counter("tutti_ticket_redemption_errors_total", "Attempts at redeeming that failed, by fault code.",
		"code")
	t.deposit = b.gauges("livepeer_gateway_deposit", "A gateway's deposit as it was seen last, in gwei.", "sender")
	t.oldDeposit = b.gauges("livepeer_broadcaster_deposit", "The same under its old name.", "sender")
	t.reserve = b.gauges("livepeer_gateway_reserve", "A gateway's reserve as it was seen last, in gwei.", "sender")
	t.oldReserve = b.gauges("livepeer_broadcaster_reserve", "The same under its old name.", "sender")
	t.float = b.gauges("livepeer_gateway_max_float", "The most that one ticket of a gateway may pay, in gwei.", "sender")
	t.faceOne = b.gauges("livepeer_gateway_ticket_face_value", "What a winning ticket of a gateway pays, in gwei.",
		"sender")
	return t
}

// sentTickets are the series of a gateway.
type sentTickets struct {
	codes          *values
	value, tickets streamCounter
	errors         streamCounter
	byCode         *prometheus.CounterVec
	payees         *values
	unworked       *prometheus.CounterVec
	credit         *prometheus.GaugeVec
}

func newMadeTickets(reg prometheus.Registerer, perStream bool) *sentTickets {
	b := &builder{reg: reg, streams: newStreams(perStream, false)}
	return &sentTickets{
		codes:   newValues(),
		value:   b.streamCounter("livepeer_ticket_value_sent", "Expected value of tickets sent, in gwei."),
		tickets: b.streamCounter("livepeer_tickets_sent", "Tickets sent."),
		errors:  b.streamCounter("livepeer_payment_create_errors", "Payments that could not be made."),
		byCode:  b.counter("tutti_payment_create_errors_total", "Payments that could not be made, by fault code.", "code"),
		payees:  newValues(),
		unworked: b.counter("tutti_payment_unworked_gwei_total",
			"Expected value of tickets for which an orchestrator did no work, in gwei.", "orchestrator"),
		credit: b.gauges("tutti_payment_credit_gwei",
			"Expected value of the tickets that an orchestrator holds and has not worked for, in gwei.",
			"orchestrator"),
	}
}

// total returns a counter without labels.
func (b *builder) total(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	b.reg.MustRegister(c)
	return c
}

// gauges returns a gauge with labels.
func (b *builder) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	b.reg.MustRegister(v)
	return v
}

// TicketsReceived counts accepted tickets.
func (t *Tickets) TicketsReceived(sender core.Address, account core.ManifestID, n, won int, value pm.Value) {
	if t.received == nil {
		return
	}
	label := t.received.senders.of(sender.String())
	t.received.value.add(string(account), valueGwei(value), label)
	t.received.tickets.add(string(account), float64(n), label)
	if won > 0 {
		t.received.winning.add(string(account), float64(won), label)
	}
}

// PaymentRefused counts a payment, or a part of one, that was not accepted.
func (t *Tickets) PaymentRefused(_ core.Address, code string) {
	if t.received != nil {
		t.received.refused.WithLabelValues(paymentError(code)).Inc()
	}
}

// SenderFunds shows what a gateway's funds carry.
func (t *Tickets) SenderFunds(sender core.Address, deposit, reserve, maxFloat, faceValue core.Wei) {
	if t.received == nil {
		return
	}
	label := t.received.senders.of(sender.String())
	for gauge, w := range map[*prometheus.GaugeVec]core.Wei{
		t.received.deposit: deposit, t.received.oldDeposit: deposit, t.received.reserve: reserve,
		t.received.oldReserve: reserve,
		t.received.float:      maxFloat, t.received.faceOne: faceValue,
	} {
		gauge.WithLabelValues(label).Set(weiGwei(w))
	}
}

// TicketRedeemed counts a payout.
func (t *Tickets) TicketRedeemed(sender core.Address, faceValue, paid core.Wei) {
	if t.received == nil {
		return
	}
	label := t.received.senders.of(sender.String())
	t.received.redeemed.WithLabelValues(label).Add(weiGwei(faceValue))
	t.received.paid.WithLabelValues(label).Add(weiGwei(paid))
}

// RedemptionFailed counts an attempt that failed.
func (t *Tickets) RedemptionFailed(code string) {
	if t.received != nil {
		t.received.failures.Inc()
		t.received.failed.WithLabelValues(t.received.codes.of(code)).Inc()
	}
}

// TicketsSent counts tickets that a gateway paid with.
func (t *Tickets) TicketsSent(_ core.Address, account core.ManifestID, n int, value pm.Value) {
	if t.sent != nil {
		t.sent.value.add(string(account), valueGwei(value))
		t.sent.tickets.add(string(account), float64(n))
	}
}

// PaymentNotMade counts a payment that could not be made.
func (t *Tickets) PaymentNotMade(account core.ManifestID, code string) {
	if t.sent != nil {
		t.sent.errors.add(string(account), 1)
		t.sent.byCode.WithLabelValues(t.sent.codes.of(code)).Inc()
	}
}

// PaidUnworked counts what an orchestrator was paid without work, and shows what it holds.
func (t *Tickets) PaidUnworked(payee string, lost, held pm.Value) {
	if t.sent == nil {
		return
	}
	label := t.sent.payees.of(payee)
	if lost.Sign() > 0 {
		t.sent.unworked.WithLabelValues(label).Add(valueGwei(lost))
	}
	t.sent.credit.WithLabelValues(label).Set(valueGwei(held))
}

// gwei is one gwei in wei.
const gwei = 1e9

func weiGwei(w core.Wei) float64 {
	f, _ := new(big.Rat).SetFrac(w.Big(), big.NewInt(gwei)).Float64()
	return f
}

// valueGwei is never negative: a counter only grows.
func valueGwei(v pm.Value) float64 {
	f, _ := new(big.Rat).Quo(v.Rat(), new(big.Rat).SetInt64(gwei)).Float64()
	return max(f, 0)
}
