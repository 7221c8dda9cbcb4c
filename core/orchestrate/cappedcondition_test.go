package orchestrate_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// cappedNode is a node with a health board, and a func for the condition OrchestratorCapped.
func cappedNode(t *testing.T, change ...func(*orchestrate.Options)) (*node, func() string) {
	t.Helper()
	var board *health.Board
	n := newNode(t, append(change, func(opt *orchestrate.Options) {
		board = health.New(slog.New(slog.DiscardHandler), opt.Now, nil)
		opt.Board = board
	})...)
	return n, func() string {
		n.Sweep(n.clk.Now())
		for _, c := range board.Snapshot() {
			if c.Code == fault.OrchestratorCapped {
				return c.Detail
			}
		}
		return ""
	}
}

func (n *node) refused() {
	n.t.Helper()
	_, err := n.Offer(n.t.Context(), orchestrate.OfferRequest{})
	wantCode(n.t, err, fault.OrchestratorCapped)
}

const byOption = "gateways are refused: all of -maxSessions 2 are in use"

// A full node has no condition; a refusal sets one.
func TestRefusalSetsCondition(t *testing.T) {
	t.Parallel()
	n, says := cappedNode(t)
	first, second := n.token(), n.token()
	n.send(first)
	n.send(second)
	if got := says(); got != "" {
		t.Fatalf("condition without a refusal: %q", got)
	}
	n.refused()
	if got := says(); got != byOption {
		t.Fatalf("got %q", got)
	}
	if err := n.EndSession(first); err != nil {
		t.Fatal(err)
	}
	n.clk.Forward(59 * time.Second)
	if got := says(); got != byOption {
		t.Errorf("after 59 s: %q", got)
	}
	n.clk.Forward(time.Second)
	if got := says(); got != "" {
		t.Errorf("after a minute: %q", got)
	}
}

// A limit that was raised is no reason any more.
func TestRaisedLimitClearsCondition(t *testing.T) {
	t.Parallel()
	n, says := cappedNode(t)
	n.send(n.token())
	n.send(n.token())
	n.refused()
	if says() == "" {
		t.Fatal("no condition")
	}
	n.SetMaxSessions(3)
	if got := says(); got != "" {
		t.Errorf("got %q", got)
	}
}

type hardware struct {
	use    orchestrate.Usage
	admit  error
	capped *fault.Fault
}

func (h *hardware) Admit(core.SessionRequest) error { return h.admit }
func (h *hardware) Usage() orchestrate.Usage        { return h.use }
func (h *hardware) Capped() *fault.Fault            { return h.capped }

// What keeps gateways out is said, in words that do not change with each estimate.
func TestConditionOfFullDevices(t *testing.T) {
	t.Parallel()
	const byDevices = "gateways are refused: the devices have no capacity for another session"
	const byEncoders, byMemory = byDevices + " (encoder sessions)", byDevices + " (GPU memory)"
	capped := &fault.Fault{Code: fault.OrchestratorCapped, Err: orchestrate.ByEncoders}
	memory := &fault.Fault{Code: fault.OrchestratorCapped, Err: orchestrate.ByMemory}
	unknown := fault.New(fault.OrchestratorCapped, "", "the node stops")
	three := orchestrate.Usage{Sessions: 3, Limit: 3}
	for name, tt := range map[string]struct {
		hardware hardware
		want     string
	}{
		"no session measured": {hardware{use: orchestrate.Usage{Refusal: capped}}, byEncoders},
		"bound not known":     {hardware{use: orchestrate.Usage{Refusal: unknown}}, byDevices},
		"as many as they do":  {hardware{use: three, capped: memory}, byMemory},
		"no device":           {hardware{use: orchestrate.Usage{Refusal: fault.New(fault.NoTranscoders, "", "")}}, ""},
		"this session":        {hardware{admit: capped}, byEncoders},
		"its needs":           {hardware{admit: fault.New(fault.NoCapableTranscoder, "", "")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			has := tt.hardware
			n, says := cappedNode(t, func(opt *orchestrate.Options) { opt.Admitter, opt.Limit = &has, 5 })
			in, err := n.Offer(t.Context(), orchestrate.OfferRequest{})
			if err == nil {
				if _, err = n.Admit(t.Context(), request(&in.Token)); err == nil {
					t.Fatal("not refused")
				}
			}
			if got := says(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The condition keeps the bound that it names while that refuses gateways, and names
// another one after that.
func TestConditionNamesOneBound(t *testing.T) {
	t.Parallel()
	refusal := func(by orchestrate.Bound) *fault.Fault { return &fault.Fault{Code: fault.OrchestratorCapped, Err: by} }
	has := hardware{use: orchestrate.Usage{Sessions: 3, Limit: 3}}
	n, says := cappedNode(t, func(opt *orchestrate.Options) { opt.Admitter, opt.Limit = &has, 5 })
	for i, step := range []struct {
		by   orchestrate.Bound
		want string
	}{
		{orchestrate.ByPace, "pace"}, {orchestrate.ByMemory, "pace"}, {orchestrate.ByMemory, "GPU memory"},
		{orchestrate.ByPace, "GPU memory"},
	} {
		has.capped = refusal(step.by)
		n.refused()
		if got := says(); !strings.HasSuffix(got, "("+step.want+")") {
			t.Errorf("step %d: got %q", i, got)
		}
		n.clk.Forward(40 * time.Second)
	}
}

// The refusal names the bound that makes the limit, also where the devices do not have
// all sessions yet.
func TestRefusalNamesItsBound(t *testing.T) {
	t.Parallel()
	const full = "gpu 0: 90 of 99 MiB of GPU memory in use"
	memory := &fault.Fault{Code: fault.OrchestratorCapped, Detail: full, Err: orchestrate.ByMemory}
	for name, row := range map[string]struct {
		limit  int
		use    orchestrate.Usage
		detail string
		by     orchestrate.Bound
	}{
		"option":        {1, orchestrate.Usage{}, "-maxSessions: 1 of 1 in use", orchestrate.ByOption},
		"sessions here": {0, orchestrate.Usage{Limit: 1}, "1 of 1 in use; " + full, orchestrate.ByMemory},
		"devices":       {5, orchestrate.Usage{Sessions: 3, Limit: 3}, full, orchestrate.ByMemory},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			has := hardware{capped: memory}
			n := newNode(t, func(opt *orchestrate.Options) { opt.Admitter, opt.Limit = &has, row.limit })
			n.send(n.token())
			has.use = row.use
			_, err := n.Offer(t.Context(), orchestrate.OfferRequest{})
			by, _ := errors.AsType[orchestrate.Bound](err)
			f, _ := errors.AsType[*fault.Fault](err)
			if f == nil || f.Detail != row.detail || by != row.by || fault.Wire(err) != "OrchestratorCapped" {
				t.Errorf("got %v", err)
			}
		})
	}
}
